//! Kernels over images with few components: the last two axes as one.
//!
//! A loop along an axis of four points wastes most of a vector. Where elements are gathered, or planes are interleaved, nothing is lost when
//! pixels and components are one axis: `e = 4·x + c`.

use super::Lower;
use super::kernel::{KernelText, Merged};
use super::point::coordinates;
use super::statement::header;
use crate::node::Op;
use crate::plan::Kind;
use std::fmt::Write as _;

/// The most components.
const MOST: u64 = 8;

impl Lower<'_> {
    /// Whether the last two axes of an item's kernel should be one.
    pub(super) fn merged(&mut self, item: usize) -> Option<Merged> {
        let rank = self.rank(item);
        let gathers = |at: usize| matches!(self.op(at), Op::Gather { .. });
        let wanted = match self.op(item) {
            Op::Concat { axis, .. } => axis + 1 == rank,
            _ => gathers(item) || self.members[item].iter().any(|&member| gathers(member)),
        };
        if rank < 2 || !wanted || self.reads_computed(item) {
            return None;
        }
        let components = self.extent(item, rank - 1).err().filter(|extent| (2..=MOST).contains(extent))?;
        let mut at = coordinates(rank - 2);
        at.extend(["p".to_owned(), "q".to_owned()]);
        let mut space: Vec<String> = (0..rank - 2).map(|axis| self.axis(item, axis)).collect();
        let extent = match self.extent(item, rank - 2) {
            Err(constant) => {
                space.push((constant * components).to_string());
                None
            }
            Ok(number) => {
                let _ = self.axis(item, rank - 2);
                let name = format!("w{number}x{components}");
                if !self.said.contains(&name) {
                    let _ = writeln!(self.body, "  {name} = dim (mul d{number} {components})");
                    self.said.push(name.clone());
                }
                space.push(name.clone());
                Some(name)
            }
        };
        Some(Merged { components, at, space, extent })
    }

    /// Whether a kernel reads, at its own points, what other kernels make: read as an array of other axes, that could not be joined with it.
    fn reads_computed(&mut self, item: usize) -> bool {
        let graph = self.graph;
        let members = self.members[item].clone();
        let args = |at: usize| graph.items[at].args.iter().copied();
        let read: Vec<usize> = members.iter().copied().chain([item]).flat_map(args).collect();
        read.into_iter().any(|arg| {
            let computed = matches!(&graph.items[arg].kind, Kind::Lazy(op) if !matches!(**op, Op::Param(_)));
            computed
                && !members.contains(&arg)
                && self.rank(arg) == self.rank(item)
                && (0..self.rank(item)).all(|axis| self.extent(arg, axis) == self.extent(item, axis))
        })
    }

    /// Reads an array of the same axes at the own point.
    pub(super) fn read_merged(&mut self, kernel: &mut KernelText, item: usize, merged: &Merged) -> String {
        let axes = merged.space.join(", ");
        let name = format!("x{item}m");
        if !self.said.contains(&name) {
            let _ = writeln!(self.body, "  {name} = reshape v{item} [{axes}]");
            self.said.push(name.clone());
        }
        let leading = merged.at.len() - 2;
        for axis in 0..leading {
            let _ = self.kernel_axis(kernel, item, axis);
        }
        let elem = self.elem(item);
        let array = kernel.param(&name, || format!("[{axes}]{elem}"));
        let index: Vec<String> = coordinates(leading).into_iter().chain(["e".to_owned()]).collect();
        kernel.bind(&format!("{array}[{} proved]", index.join(" proved, ")))
    }

    /// Writes the kernel of an item whose last axes are one.
    pub(super) fn merged_map(&mut self, item: usize, merged: Merged) {
        let rank = self.rank(item);
        let mut kernel = KernelText::default();
        let (components, at) = (merged.components, merged.at.clone());
        kernel.merged = Some(merged);
        let split = if components.is_power_of_two() {
            let bits = components.trailing_zeros();
            format!("    p = shr e {bits}\n    q = and e {}\n", components - 1)
        } else {
            format!("    p = div e {components}\n    q = rem e {components}\n")
        };
        self.lines(&mut kernel, item, &at);
        let result = match self.op(item) {
            Op::Concat { axis, .. } => {
                let args = self.graph.items[item].args.clone();
                self.concat_line(&mut kernel, &args, *axis, &at)
            }
            _ => self.own_line(&mut kernel, item, &at),
        };
        let mut own = coordinates(rank - 2);
        own.push("e".to_owned());
        let steps = format!("  r = map {{ {}{split}{}    {result}\n  }}\n", header(&own), kernel.lines);
        let leading: Vec<usize> = (0..rank - 2).collect();
        self.named_kernel(kernel, &format!("k{item}"), &format!("y{item}"), (item, &leading), &steps, "r");
        let axes: Vec<String> = (0..rank).map(|axis| self.axis(item, axis)).collect();
        let _ = writeln!(self.body, "  v{item} = reshape y{item} [{}]", axes.join(", "));
    }
}
