//! Dependence graph of a kernel: the values that each combinator reads and binds.

use nestled_ir::{Atom, Axis, Combinator, Kernel, Shape, Stmt, StmtKind, Thunk, Type, ValueId};

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
    /// For each value: whether it is a parameter; shapes are none.
    is_param: Vec<bool>,
    /// For each value: whether a combinator reads it. `times`: how often it leaves the kernel.
    read: Vec<bool>,
    times: Vec<usize>,
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
        let reads: Vec<Reads> = kernel.steps.iter().map(|step| reads_of(step, &binder, &is_param)).collect();
        let (mut read, mut times) = (vec![false; leaves.len()], vec![0; leaves.len()]);
        reads.iter().flat_map(Reads::bound).for_each(|value| read[value.index()] = true);
        kernel.ret.iter().for_each(|value| times[value.index()] += 1);
        Graph { kernel, reads, binder, leaves, is_param, read, times }
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

    /// True if a part that reads a value it does not bind takes it as an argument.
    pub fn is_argument(&self, value: ValueId) -> bool {
        self.is_param[value.index()] || self.binder[value.index()].is_some()
    }

    /// How many results of a part a value is, if others read it as well or not.
    pub fn n_results(&self, value: ValueId, is_read: bool) -> usize {
        self.times[value.index()].max(usize::from(is_read))
    }

    /// True if a combinator reads a value.
    pub fn is_read(&self, value: ValueId) -> bool {
        self.read[value.index()]
    }

    /// Bytes of the private arrays that a statement makes, those in its blocks included, as far as their sizes are known.
    pub fn private_bytes(thunk: &Thunk, stmt: &Stmt) -> u64 {
        let mut all: u64 = 0;
        walk(stmt, &mut |stmt| {
            if let StmtKind::PrivateNew { array, size: Atom::Const(size) } = &stmt.kind {
                let elements = size.as_integer().and_then(|size| u64::try_from(size).ok()).unwrap_or(0);
                let bytes = thunk.privates[array.index()].elem.size() as u64;
                all = all.saturating_add(elements.saturating_mul(bytes));
            }
        });
        all
    }

    /// Estimated bytes of a value.
    pub fn bytes(&self, value: ValueId) -> u128 {
        match &self.kernel.values[value.index()].ty {
            Type::Array(array) => self.points(&array.shape).saturating_mul(array.elem.size() as u128),
            Type::Dim => 8,
            Type::Seg(seg) => self.points(&seg.parent).saturating_mul(8),
        }
    }

    /// Estimated number of points of a shape.
    pub fn points(&self, shape: &Shape) -> u128 {
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
    let private = step.body.body.stmts.iter().map(|stmt| Graph::private_bytes(&step.body, stmt));
    reads.private = private.fold(0, u64::saturating_add);
    reads
}

/// Visits a statement, then those inside its blocks.
pub fn walk<'s>(stmt: &'s Stmt, visit: &mut dyn FnMut(&'s Stmt)) {
    visit(stmt);
    stmt.kind.blocks().into_iter().for_each(|block| block.walk(visit));
}
