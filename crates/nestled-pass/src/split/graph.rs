//! Dependence graph of a kernel: the values that each combinator reads and binds.

use nestled_ir::{Atom, Axis, Combinator, Kernel, Shape, StmtKind, Type, ValueId};

/// The dependence graph of a kernel.
pub struct Graph<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// For each combinator: its reads; each value once.
    pub reads: Vec<Reads>,
    /// For each value: the combinator that binds it.
    pub binder: Vec<Option<usize>>,
    /// For each value: whether it leaves the kernel.
    pub leaves: Vec<bool>,
}

/// The reads of a combinator.
#[derive(Default)]
pub struct Reads {
    /// Values that its thunk reads and other combinators bind.
    pub binds: Vec<ValueId>,
    /// Parameters; shapes are left out.
    pub params: Vec<ValueId>,
    /// Its guard.
    pub guard: Option<ValueId>,
    /// Bytes of its private arrays for one point, as far as their sizes are known.
    pub private: u64,
}

impl Reads {
    /// The values that other combinators bind, the guard included.
    pub fn bound(&self) -> impl Iterator<Item = ValueId> {
        self.binds.iter().copied().chain(self.guard)
    }
}

/// Assumed number of points of an axis where the program does not state it; `SEGMENT`: assumed length of a segment.
const POINTS: u128 = 1 << 12;
const SEGMENT: u128 = 1 << 4;

impl<'k> Graph<'k> {
    /// Builds the graph of a kernel.
    pub fn of(kernel: &'k Kernel) -> Graph<'k> {
        let mut binder = vec![None; kernel.values.len()];
        for (at, step) in kernel.steps.iter().enumerate() {
            step.binds.iter().for_each(|bind| binder[bind.index()] = Some(at));
        }
        let mut leaves = vec![false; kernel.values.len()];
        kernel.ret.iter().for_each(|value| leaves[value.index()] = true);
        let mut is_param = vec![false; kernel.values.len()];
        kernel.params.iter().for_each(|param| is_param[param.index()] = true);
        let reads = kernel.steps.iter().map(|step| reads_of(step, &binder, &is_param)).collect();
        Graph { kernel, reads, binder, leaves }
    }

    /// Returns the places of combinators in an order, and the last reads of values.
    pub fn places(&self, order: &[usize]) -> Places {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &step)| place[step] = at);
        let mut last = vec![None; self.kernel.values.len()];
        for (step, reads) in self.reads.iter().enumerate() {
            for value in reads.bound() {
                let last = &mut last[value.index()];
                *last = (*last).max(Some(place[step]));
            }
        }
        Places { place, last }
    }

    /// Estimated bytes of a value.
    pub fn bytes(&self, value: ValueId) -> u128 {
        match &self.kernel.values[value.index()].ty {
            Type::Array(array) => self.points(&array.shape).saturating_mul(array.elem.size() as u128),
            Type::Dim => 8,
            Type::Seg(seg) => self.points(&seg.parent).saturating_mul(8),
        }
    }

    fn points(&self, shape: &Shape) -> u128 {
        let axis = |&axis: &Axis| match axis {
            Axis::Const(extent) => u128::from(extent),
            Axis::Sym(symbol) => match &self.kernel.values[symbol.index()].ty {
                Type::Seg(seg) => self.points(&seg.parent).saturating_mul(SEGMENT),
                Type::Array(_) | Type::Dim => POINTS,
            },
        };
        shape.axes.iter().map(axis).fold(1, u128::saturating_mul)
    }
}

/// Places of combinators in an order, and ends of live ranges.
pub struct Places {
    /// For each combinator: its place.
    pub place: Vec<usize>,
    /// For each value: the place of the last combinator that reads it.
    pub last: Vec<Option<usize>>,
}

fn reads_of(step: &Combinator, binder: &[Option<usize>], is_param: &[bool]) -> Reads {
    let mut reads = Reads { guard: step.guard, ..Reads::default() };
    step.body.body.for_each_captured(&mut |value| {
        if binder[value.index()].is_some() {
            reads.binds.push(value);
        } else if is_param[value.index()] {
            reads.params.push(value);
        }
    });
    reads.params.extend(step.kind.bases());
    for values in [&mut reads.binds, &mut reads.params] {
        values.sort_unstable();
        values.dedup();
    }
    step.body.body.walk(&mut |stmt| {
        if let StmtKind::PrivateNew { array, size: Atom::Const(size) } = &stmt.kind {
            let elements = size.as_integer().and_then(|size| u64::try_from(size).ok()).unwrap_or(0);
            let bytes = step.body.privates[array.index()].elem.size() as u64;
            reads.private = reads.private.saturating_add(elements.saturating_mul(bytes));
        }
    });
    reads
}
