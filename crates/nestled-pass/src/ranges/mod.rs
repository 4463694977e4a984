//! What indices can be: intervals, and linear relations to coordinates, counters, extents and lengths of segments.
//!
//! ```text
//! map { i =>                                  map { i =>
//!   j = max (sub i 1) 0                         j = max (sub i 1) 0
//!   if lt (add i 1) n {                         if lt (add i 1) n {
//!     add xs[j clamp] (xs[i + 1] else 0.0)        add xs[j proved] xs[i + 1 proved]
//! ```
//!
//! Who walks over a thunk tells [`Ranges`] what the statements are, in order, and asks
//!
//! - which axes of an access cannot be missed ([`Ranges::prove`]): their rules become `proved`, defaults and sites go;
//! - which comparison always comes out the same ([`Ranges::truth`]), and which `min`, `max` or `rem` gives one of its operands
//!   ([`Ranges::decide`]).
//!
//! Known are the coordinates of the point, extents (never negative), the counters of loops, the conditions of the arms and guards around
//! a statement, what was checked or read before it, and what `min`, `max`, `select`, `rem`, `div` and an `if` make of these.
//!
//! **Wrapping.** A sum is followed only where it cannot leave its type. That sums of coordinates cannot is so because no run has
//! [`MOST_POINTS`] points along an axis or rounds of a loop: it would be over any limit on steps. Extents of arrays may be anything.
//!
//! **Faults.** What an earlier combinator computed is known only if it cannot fault: a lane that faulted holds zeros.

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
use facts::Facts;
use nestled_ir::typing::Scope;
use nestled_ir::{
    Atom, Axis, CombinatorKind, LocalId, Op, PrivateId, ScalarType, Thunk, Type, Value, ValueId,
};
use std::collections::HashMap;

/// More points along an axis, and more rounds of a loop, than any run can go through.
pub const MOST_POINTS: i128 = 1 << 48;

/// What is known while a thunk is walked.
#[derive(Debug)]
pub struct Ranges<'a> {
    thunk: &'a Thunk,
    values: &'a [Value],
    space: &'a [Axis],
    outer: &'a KernelRanges,
    facts: Facts,
    /// What a local is, where that is not just itself.
    forms: HashMap<LocalId, Linear>,
    /// The operation that computes a truth value.
    truths: HashMap<LocalId, (Op, Vec<Atom>)>,
    /// Truth values of earlier combinators.
    guards: HashMap<LocalId, ValueId>,
    /// The numbers of lengths of segments.
    lengths: HashMap<(ValueId, Vec<Linear>), u32>,
    /// How many elements private arrays have.
    sizes: HashMap<PrivateId, Linear>,
}

impl<'a> Ranges<'a> {
    /// What is known where a thunk begins: of its coordinates, of the extents around it, and of its guard.
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
            facts: Facts::default(),
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

    /// Takes note of how long the arrays are that a combinator gives to its thunk.
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

    /// A block begins.
    pub fn enter(&mut self) {
        self.facts.enter();
    }

    /// A block ends: what was learned in it is forgotten.
    pub fn leave(&mut self) {
        self.facts.leave();
    }

    /// What is known of a local no longer counts: it is computed elsewhere now, where less may be known.
    pub fn forget(&mut self, local: LocalId) {
        self.forms.remove(&local);
        self.truths.remove(&local);
        self.guards.remove(&local);
        self.facts.forget(Var::Local(local));
        self.unknown(local, self.thunk.local_type(local));
    }

    /// An integer operand as a sum.
    pub fn form(&self, atom: Atom) -> Linear {
        match atom {
            Atom::Local(local) => {
                self.forms.get(&local).cloned().unwrap_or_else(|| Linear::var(Var::Local(local)))
            }
            Atom::Const(scalar) => Linear::constant(scalar.as_integer().map_or(0, i128::from)),
            Atom::Value(value) => Linear::var(Var::Value(value)),
        }
    }

    /// The type of an operand.
    fn ty(&self, atom: Atom) -> ScalarType {
        self.scope().thunk_atom(self.thunk, atom).expect("operands of verified thunks are scalars")
    }

    /// Whether `x < y` surely.
    pub fn is_below(&self, x: &Linear, y: &Linear) -> bool {
        y.plus(-1, x).and_then(|gap| gap.shifted(-1)).is_some_and(|goal| self.facts.shows(&goal))
    }

    /// Whether `x ≤ y` surely.
    pub fn is_at_most(&self, x: &Linear, y: &Linear) -> bool {
        y.plus(-1, x).is_some_and(|goal| self.facts.shows(&goal))
    }

    /// Whether `x ≥ 0` surely.
    pub fn is_natural(&self, x: &Linear) -> bool {
        self.facts.shows(x)
    }

    /// The least and greatest that a sum may be.
    pub fn range(&self, x: &Linear) -> (i128, i128) {
        self.facts.range(x)
    }

    /// From here to the end of the block `x < y`.
    fn learn_below(&mut self, x: &Linear, y: &Linear) {
        if let Some(fact) = y.plus(-1, x).and_then(|gap| gap.shifted(-1)) {
            self.facts.learn(fact);
        }
    }

    /// From here to the end of the block `x ≤ y`.
    fn learn_at_most(&mut self, x: &Linear, y: &Linear) {
        if let Some(fact) = y.plus(-1, x) {
            self.facts.learn(fact);
        }
    }

    /// The length of the segment that a point owns.
    fn length(&mut self, seg: ValueId, of: Vec<Linear>) -> Linear {
        let next = u32::try_from(self.lengths.len()).expect("thunks have fewer than 2^32 statements");
        let number = *self.lengths.entry((seg, of)).or_insert(next);
        let var = Var::Length(number);
        self.facts.bound(var, (0, i128::from(i64::MAX)));
        Linear::var(var)
    }
}

/// An axis that is an extent.
pub fn extent(axis: Axis) -> Linear {
    match axis {
        Axis::Const(extent) => Linear::constant(i128::from(extent)),
        Axis::Sym(symbol) => Linear::var(Var::Value(symbol)),
    }
}

/// The least and the greatest number of an integer type.
fn type_bounds(ty: ScalarType) -> (i128, i128) {
    match (ty.is_signed(), ty.bits()) {
        (true, bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (false, bits) => (0, (1 << bits) - 1),
    }
}
