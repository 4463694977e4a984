//! Lowering of segmented operations: kernels over segments and their points.

use super::Lower;
use super::coordinates::Coordinates;
use super::kernel::{KernelWriter, Segments};
use super::statement::order;
use crate::node::{Op, Segmented};
use nestled_ir::{Axis, CombinatorKind, HostOp, Level, Library, Op as ScalarOp, ScalarType, Shape, ValueId};

impl Lower<'_> {
    /// The segmentation with the lengths that an item holds.
    pub(super) fn segmentation(&mut self, lengths: usize) -> ValueId {
        if let Some(&known) = self.segmentations.get(&lengths) {
            return known;
        }
        let value = self.host(lengths);
        let site = self.out.site(self.main.span);
        let op = HostOp::Segments { lengths: value, site };
        let segments = self.main.emit_one(&self.out, &format!("s{lengths}"), op);
        self.segmentations.insert(lengths, segments);
        segments
    }

    /// A vector as the elements of segments.
    pub(super) fn in_segments(&mut self, item: usize, lengths: usize) -> ValueId {
        if let Some(&(value, own)) = self.over_segments.get(&item)
            && own == lengths
        {
            return value;
        }
        let segments = self.segmentation(lengths);
        let value = self.host(item);
        self.shaped(value, Shape::of(segments), &format!("x{item}s{lengths}"))
    }

    /// A vector as the elements of segments, as a parameter of a kernel.
    pub(super) fn segmented_param(
        &mut self,
        kernel: &mut KernelWriter,
        item: usize,
        lengths: usize,
    ) -> ValueId {
        let value = self.in_segments(item, lengths);
        kernel.k.param(&self.main, value)
    }

    /// Writes a segmented operation; `payload` moves along with the values in a sort.
    pub(super) fn segmented(
        &mut self,
        item: usize,
        (values, lengths, payload): (usize, usize, Option<usize>),
        how: &Segmented,
    ) {
        let segments = self.segmentation(lengths);
        let made = match how {
            Segmented::Sort { descending, .. } => {
                let keys = self.in_segments(values, lengths);
                let payload: Vec<ValueId> =
                    payload.map(|payload| self.in_segments(payload, lengths)).into_iter().collect();
                self.sorted(item, keys, payload, order(*descending))
            }
            Segmented::Reduce(fold) => {
                let monoid = self.monoid(fold);
                let kind = CombinatorKind::Reduce { to: Level(1), monoid };
                let value = self.in_each(item, values, (lengths, segments), kind);
                self.values[item] = Some(value);
                return;
            }
            Segmented::Scan(fold, inclusion, direction) => {
                let (inclusion, direction) = (*inclusion, *direction);
                let monoid = self.monoid(fold);
                let kind = CombinatorKind::Scan { within: Level(1), monoid, inclusion, direction };
                self.in_each(item, values, (lengths, segments), kind)
            }
        };
        self.over_segments.insert(item, (made, lengths));
    }

    /// The lengths of segments over which an elementwise item is computed, if these are better than a vector: what it reads was computed over them, or a function takes it so.
    pub(super) fn segments_for(&mut self, item: usize) -> Option<usize> {
        if self.rank(item) != 1 || !matches!(self.op(item), Op::Map { .. } | Op::Apply { .. }) {
            return None;
        }
        let graph = self.graph;
        let lines = self.members[item].iter().copied().chain([item]);
        let read: Vec<usize> = lines.flat_map(|line| graph.items[line].args.iter().copied()).collect();
        let known = read.into_iter().find_map(|arg| {
            let &(_, lengths) = self.over_segments.get(&arg)?;
            (self.extent(arg, 0) == self.extent(item, 0)).then_some(lengths)
        });
        known.or_else(|| {
            let lengths = *self.groups.for_functions.get(&item)?;
            self.values[lengths].is_some().then_some(lengths)
        })
    }

    /// Writes an elementwise item over segments.
    pub(super) fn segmented_map(&mut self, item: usize, lengths: usize) {
        let segments = self.segmentation(lengths);
        let (mut kernel, at) = self.begin_in_each(item, lengths, segments);
        self.lines(&mut kernel, item, &at);
        let result = self.line(&mut kernel, item, &at);
        let made = kernel.end(CombinatorKind::Map, vec![result])[0];
        let made = self.run(kernel, made, &format!("y{item}"));
        self.over_segments.insert(item, (made, lengths));
    }

    /// Writes for each element the segment it lies in. Kernels over the same segments know it as a coordinate.
    pub(super) fn owners(&mut self, item: usize, lengths: usize) {
        let segments = self.segmentation(lengths);
        let space = [self.axis(lengths, 0), Axis::Sym(segments)];
        let mut kernel = self.begin(item, &space);
        let own = kernel.k.code.params()[0];
        let own = kernel.k.code.convert(own, ScalarType::I64);
        let made = kernel.end(CombinatorKind::Map, vec![own])[0];
        let made = self.run(kernel, made, &format!("y{item}"));
        let flat = self.shape(item);
        self.values[item] = Some(self.main.reshape(&mut self.out, &format!("v{item}"), made, flat));
    }

    /// A combinator of the elements of each segment.
    fn in_each(
        &mut self,
        item: usize,
        values: usize,
        (lengths, segments): (usize, ValueId),
        kind: CombinatorKind,
    ) -> ValueId {
        let (mut kernel, at) = self.begin_in_each(item, lengths, segments);
        self.lines(&mut kernel, item, &at);
        let result = self.value(&mut kernel, values, &at);
        let made = kernel.end(kind, vec![result])[0];
        self.run(kernel, made, &format!("y{item}"))
    }

    /// Begins a kernel over the elements of segments; returns the own position in the vector.
    fn begin_in_each(
        &mut self,
        item: usize,
        lengths: usize,
        segments: ValueId,
    ) -> (KernelWriter, Coordinates) {
        let space = [self.axis(lengths, 0), Axis::Sym(segments)];
        let mut kernel = self.begin(item, &space);
        let own = kernel.k.code.params();
        let seg = kernel.k.symbol(&self.main, Axis::Sym(segments));
        let start = kernel.k.code.start(seg, &own[..1]);
        let flat = kernel.k.code.op(ScalarOp::Add, &[start, own[1]]);
        kernel.segments = Some(Segments { lengths, flat });
        (kernel, vec![flat])
    }

    /// A sorted value, or the payload in the order of its keys.
    pub(super) fn sorted(
        &mut self,
        item: usize,
        keys: ValueId,
        payload: Vec<ValueId>,
        order: nestled_ir::Order,
    ) -> ValueId {
        let name = format!("v{item}");
        let names: &[&str] = if payload.is_empty() { &[&name] } else { &["keys", &name] };
        let op = HostOp::Library(Library::Sort { keys, payload, order });
        let made = self.main.emit(&self.out, names, op);
        made[made.len() - 1]
    }
}
