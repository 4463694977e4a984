//! Which combinator of a kernel reads what.

use nestled_ir::{Atom, Axis, Combinator, Kernel, Shape, StmtKind, Type, ValueId};

/// A kernel, and what its combinators read.
pub struct Graph<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// For each combinator what it reads; each value once.
    pub reads: Vec<Reads>,
    /// For each value the combinator that binds it.
    pub binder: Vec<Option<usize>>,
    /// For each value whether it leaves the kernel.
    pub leaves: Vec<bool>,
}

/// What a combinator reads.
#[derive(Default)]
pub struct Reads {
    /// Values that thunks read and other combinators bind.
    pub binds: Vec<ValueId>,
    /// Parameters; shapes are left out.
    pub params: Vec<ValueId>,
    /// Its guard.
    pub guard: Option<ValueId>,
    /// Bytes of private arrays.
    pub private: u64,
}

impl Reads {
    /// What other combinators bind, the guard included.
    pub fn bound(&self) -> impl Iterator<Item = ValueId> {
        self.binds.iter().copied().chain(self.guard)
    }
}

/// How many points an axis is taken to have where the program does not say, and how long a segment is taken to be.
const POINTS: u128 = 1 << 12;
const SEGMENT: u128 = 1 << 4;

impl<'k> Graph<'k> {
    /// The graph of a kernel.
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

    /// For each combinator its place in an order.
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

    /// About how many bytes a value has.
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

/// Where combinators stand in an order, and how long values are wanted.
pub struct Places {
    /// For each combinator its place.
    pub place: Vec<usize>,
    /// For each value the place of the last combinator that reads it.
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
