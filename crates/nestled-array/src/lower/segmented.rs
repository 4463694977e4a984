//! What happens inside the segments of a vector: kernels over segments and their points.

use super::Lower;
use super::kernel::KernelText;
use super::point::FLAT;
use crate::node::Segmented;
use nestled_ir::{Direction, Inclusion};
use std::fmt::Write as _;

impl Lower<'_> {
    /// The segmentation with the lengths that an item holds.
    fn segmentation(&mut self, lengths: usize) -> String {
        let name = format!("s{lengths}");
        if !self.said.contains(&name) {
            let _ = writeln!(self.body, "  {name} = segments v{lengths}");
            self.said.push(name.clone());
        }
        name
    }

    /// A vector as the elements of segments.
    fn in_segments(&mut self, item: usize, lengths: usize) -> String {
        let segments = self.segmentation(lengths);
        let name = format!("x{item}{segments}");
        if !self.said.contains(&name) {
            let _ = writeln!(self.body, "  {name} = reshape v{item} [{segments}]");
            self.said.push(name.clone());
        }
        name
    }

    /// The same as a parameter of a kernel.
    pub(super) fn segmented_param(&mut self, kernel: &mut KernelText, item: usize, lengths: usize) -> String {
        let (name, elem) = (self.in_segments(item, lengths), self.elem(item));
        kernel.param(&name, || format!("[s{lengths}]{elem}"))
    }

    /// `payload` is what is moved along with the values when those are sorted.
    pub(super) fn segmented(
        &mut self,
        item: usize,
        (values, lengths, payload): (usize, usize, Option<usize>),
        how: &Segmented,
    ) {
        let segments = self.segmentation(lengths);
        let scan = match how {
            Segmented::Sort { descending, .. } => {
                let order = if *descending { "descending" } else { "ascending" };
                let keys = self.in_segments(values, lengths);
                let _ = match payload {
                    None => writeln!(self.body, "  y{item} = sort {order} {keys}"),
                    Some(payload) => {
                        let payload = self.in_segments(payload, lengths);
                        writeln!(self.body, "  (o{item}, y{item}) = sort {order} {keys}, {payload}")
                    }
                };
                let extent = self.axis(item, 0);
                let _ = writeln!(self.body, "  v{item} = reshape y{item} [{extent}]");
                return;
            }
            Segmented::Reduce(fold) => {
                let monoid = self.monoid(item, fold);
                format!("}} {monoid}")
            }
            Segmented::Scan(fold, inclusion, direction) => {
                let monoid = self.monoid(item, fold);
                let inclusion = if *inclusion == Inclusion::Inclusive { "inclusive" } else { "exclusive" };
                let direction = if *direction == Direction::Forward { "forward" } else { "backward" };
                format!("}} {monoid} {inclusion} {direction}")
            }
        };
        let reduces = matches!(how, Segmented::Reduce(_));
        let mut kernel = KernelText::default();
        kernel.segments = Some(lengths);
        let start = format!("    {FLAT} = add (start {segments}[i0]) i1\n");
        let at = vec![FLAT.to_owned()];
        self.lines(&mut kernel, item, &at);
        let result = self.value(&mut kernel, values, &at);
        let steps = format!(
            "  r = {} @1 {{ i0, i1 =>\n{start}{}    {result}\n  {scan}\n",
            if reduces { "reduce" } else { "scan" },
            kernel.lines
        );
        let bound = if reduces { format!("v{item}") } else { format!("y{item}") };
        self.named_kernel(kernel, &format!("k{item}"), &bound, (lengths, &[0]), &steps, "r");
        if !reduces {
            let extent = self.axis(item, 0);
            let _ = writeln!(self.body, "  v{item} = reshape y{item} [{extent}]");
        }
    }
}
