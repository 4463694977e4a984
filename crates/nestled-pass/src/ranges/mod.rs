//! Value range analysis of integers: intervals, and linear relations between indices, coordinates, counters, extents and lengths of segments.
//!
//! ```text
//! map { i =>                                  map { i =>
//!   j = max (sub i 1) 0                         j = max (sub i 1) 0
//!   if lt (add i 1) n {                         if lt (add i 1) n {
//!     add xs[j clamp] (xs[i + 1] else 0.0)        add xs[j proved] xs[i + 1 proved]
//! ```
//!
//! A walk over a thunk shows [`Ranges`] the statements in order, and asks
//!
//! - which axes of an access are in bounds ([`Ranges::prove`]): their rules become `proved`, defaults and sites are removed;
//! - which comparisons are decided ([`Ranges::truth`]), and which `min`, `max` or `rem` equals one of its operands ([`Ranges::decide`]).
//!
//! The facts come from the coordinates of the point, extents (never negative), the counters of loops, the conditions of the arms and guards around a statement, earlier checks and
//! reads, and from `min`, `max`, `select`, `rem`, `div` and `if` of all these.
//!
//! **Wrapping.** A sum is followed only where it cannot leave its type. Sums of coordinates and counters cannot, because no run has [`MOST_POINTS`] points along an axis or rounds
//! of a loop: it would be over any limit on steps. Extents of arrays may be anything.
//!
//! **Faults.** Results of an earlier combinator are known only if it cannot fault: a lane that faulted holds zeros.

mod accesses;
mod conditions;
mod facts;
mod kernel;
mod linear;
mod operations;
mod walk;

pub use kernel::KernelRanges;
pub use linear::{Linear, Var};
pub use walk::{Repeats, walk_kernel};

pub use accesses::Coordinate;
use facts::Inequalities;
use nestled_ir::typing::Scope;
use nestled_ir::{
    Atom, Axis, CombinatorKind, LocalId, Op, PrivateId, ScalarType, Thunk, Type, Value, ValueId,
};
use std::collections::HashMap;

/// A bound that no run reaches, of the points along an axis and of the rounds of a loop.
pub const MOST_POINTS: i128 = 1 << 48;

/// The state of the analysis while a thunk is walked.
#[derive(Debug)]
pub struct Ranges<'a> {
    thunk: &'a Thunk,
    values: &'a [Value],
    space: &'a [Axis],
    outer: &'a KernelRanges,
    facts: Inequalities,
    /// The linear forms of locals; a local without one is a variable.
    forms: HashMap<LocalId, Linear>,
    /// For each boolean local: the operation that computes it.
    truths: HashMap<LocalId, (Op, Vec<Atom>)>,
    /// For each boolean local read from an earlier combinator: the bind.
    guards: HashMap<LocalId, ValueId>,
    /// The indices of [`Var::Length`] for lengths of segments.
    lengths: HashMap<(ValueId, Vec<Linear>), u32>,
    /// The sizes of private arrays, in elements.
    sizes: HashMap<PrivateId, Linear>,
}

impl<'a> Ranges<'a> {
    /// Starts at the beginning of a thunk, with the facts about its coordinates, the extents around it, and its guard.
    pub fn new(
        thunk: &'a Thunk,
        values: &'a [Value],
        space: &'a [Axis],
        outer: &'a KernelRanges,
        guard: Option<ValueId>,
    ) -> Ranges<'a> {
        let mut ranges = Ranges {
            thunk,
            values,
            space,
            outer,
            facts: Inequalities::default(),
            forms: HashMap::new(),
            truths: HashMap::new(),
            guards: HashMap::new(),
            lengths: HashMap::new(),
            sizes: HashMap::new(),
        };
        for (position, value) in values.iter().enumerate() {
            if let Some(ty) = value.ty.as_scalar().filter(|ty| ty.is_integer()) {
                let (low, high) = type_bounds(ty);
                let low = if matches!(value.ty, Type::Dim) { 0 } else { low };
                ranges.facts.bound(Var::Value(ValueId::from(position)), (low, high));
            }
        }
        if !space.is_empty() {
            (0..thunk.n_params).for_each(|axis| ranges.coordinate(axis));
        }
        if let Some(guard) = guard {
            outer.conditions(guard, true).iter().for_each(|fact| ranges.facts.learn(fact.clone()));
        }
        ranges
    }

    /// Records the lengths of the arrays that a combinator gives to its thunk.
    pub fn give(&mut self, kind: &CombinatorKind) {
        if let CombinatorKind::Serial { bases } = kind {
            for (array, &base) in self.thunk.given().zip(bases) {
                if let &[Coordinate::Extent(axis)] = self.coordinates(base).as_slice() {
                    self.sizes.insert(array, extent(axis));
                }
            }
        }
    }

    fn coordinate(&mut self, position: usize) {
        let var = Var::Local(LocalId::from(position));
        self.facts.bound(var, (0, MOST_POINTS - 1));
        let extent = match self.space[position] {
            Axis::Sym(symbol) if self.scope().is_seg(self.space[position]) => {
                let outer =
                    (0..position).map(|outer| Linear::var(Var::Local(LocalId::from(outer)))).collect();
                self.length(symbol, outer)
            }
            Axis::Sym(symbol) => {
                // There is a point, so that there are some along this axis, and no more than there can be.
                self.facts.bound(Var::Value(symbol), (1, MOST_POINTS));
                Linear::var(Var::Value(symbol))
            }
            axis => extent(axis),
        };
        self.learn_below(&Linear::var(var), &extent);
    }

    fn scope(&self) -> Scope<'a> {
        Scope::new(self.values)
    }

    /// Enters a block.
    pub fn enter(&mut self) {
        self.facts.enter();
    }

    /// Leaves a block: facts learned in it are forgotten.
    pub fn leave(&mut self) {
        self.facts.leave();
    }

    /// Forgets all about a local: it is computed elsewhere now, where less may be known.
    pub fn forget(&mut self, local: LocalId) {
        self.forms.remove(&local);
        self.truths.remove(&local);
        self.guards.remove(&local);
        self.facts.forget(Var::Local(local));
        self.unknown(local, self.thunk.local_type(local));
    }

    /// Returns the linear form of an integer operand.
    pub fn form(&self, atom: Atom) -> Linear {
        match atom {
            Atom::Local(local) => {
                self.forms.get(&local).cloned().unwrap_or_else(|| Linear::var(Var::Local(local)))
            }
            Atom::Const(scalar) => Linear::constant(scalar.exact_integer().unwrap_or(0)),
            Atom::Value(value) => Linear::var(Var::Value(value)),
        }
    }

    /// The type of an operand.
    fn ty(&self, atom: Atom) -> ScalarType {
        self.scope().thunk_atom(self.thunk, atom).expect("operands of verified thunks are scalars")
    }

    /// True if `x < y` is known.
    pub fn is_below(&self, x: &Linear, y: &Linear) -> bool {
        y.plus(-1, x).and_then(|gap| gap.shifted(-1)).is_some_and(|goal| self.facts.shows(&goal))
    }

    /// True if `x ≤ y` is known.
    pub fn is_at_most(&self, x: &Linear, y: &Linear) -> bool {
        y.plus(-1, x).is_some_and(|goal| self.facts.shows(&goal))
    }

    /// True if `x ≥ 0` is known.
    pub fn is_natural(&self, x: &Linear) -> bool {
        self.facts.shows(x)
    }

    /// The least and the greatest value of a form.
    pub fn range(&self, x: &Linear) -> (i128, i128) {
        self.facts.range(x)
    }

    /// Assumes `x < y` to the end of the block.
    fn learn_below(&mut self, x: &Linear, y: &Linear) {
        if let Some(fact) = y.plus(-1, x).and_then(|gap| gap.shifted(-1)) {
            self.facts.learn(fact);
        }
    }

    /// Assumes `x ≤ y` to the end of the block.
    fn learn_at_most(&mut self, x: &Linear, y: &Linear) {
        if let Some(fact) = y.plus(-1, x) {
            self.facts.learn(fact);
        }
    }

    /// Returns the length of the segment of a point, as a variable.
    fn length(&mut self, seg: ValueId, of: Vec<Linear>) -> Linear {
        let next = u32::try_from(self.lengths.len()).expect("thunks have fewer than 2^32 statements");
        let number = *self.lengths.entry((seg, of)).or_insert(next);
        let var = Var::Length(number);
        self.facts.bound(var, (0, i128::from(i64::MAX)));
        Linear::var(var)
    }
}

/// The form of an axis that is an extent.
pub fn extent(axis: Axis) -> Linear {
    match axis {
        Axis::Const(extent) => Linear::constant(i128::from(extent)),
        Axis::Sym(symbol) => Linear::var(Var::Value(symbol)),
    }
}

/// The least and the greatest number of an integer type.
pub(crate) fn type_bounds(ty: ScalarType) -> (i128, i128) {
    match (ty.is_signed(), ty.bits()) {
        (true, bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (false, bits) => (0, (1 << bits) - 1),
    }
}
