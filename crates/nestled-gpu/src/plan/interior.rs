//! Interior versions of maps over grids: away from the borders the out-of-range rules of reads are dead code, so interior points run a version
//! without them.
//!
//! ```text
//! b = map { y, x => add a[y - 1 clamp, x] … }        if (inside0(p, 0)) { pass0_inner(p); } else { pass0_at(p); }
//!
//! a[y - 1 clamp, x]           a[y - 1, x], for 1 ≤ y
//! abs (sub x 2)               x - 2, for 2 ≤ x
//! min (add x 3) last          x + 3, for x ≤ last − 3
//! ```
//!
//! The analysis covers affine indices: a coordinate (or its negation), plus an extent (or its negation), plus a constant or the counter of a loop
//! between constants.

use super::group::Group;
use super::step::{Step, array_steps};
use super::view::View;
use nestled_ir::{Atom, Block, Kernel, LocalId, Op, Rule, StmtKind, Thunk, Type};

/// Thunks with more statements than this have no interior version.
const MOST: usize = 400;

/// Bound of the magnitude of constants, so that sums with a coordinate and an extent fit into 32 bits.
const FAR: i64 = 1 << 20;

/// A term and whether it is negated.
type Signed<T> = Option<(T, bool)>;

/// An affine index: at most one coordinate, at most one extent, and a constant in the range `low..=high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Along {
    /// The axis.
    pub coordinate: Signed<usize>,
    /// The position of the shape parameter.
    pub extent: Signed<usize>,
    pub low: i64,
    high: i64,
}

/// Adds two terms: `None` if both are present and do not cancel.
fn sum<T: Copy + PartialEq>(a: Signed<T>, b: Signed<T>) -> Option<Signed<T>> {
    match (a, b) {
        (one, None) | (None, one) => Some(one),
        (Some((a, minus)), Some((b, other))) => (a == b && minus != other).then_some(None),
    }
}

impl Along {
    fn constant(low: i64, high: i64) -> Option<Along> {
        (-FAR < low && low <= high && high < FAR).then_some(Along {
            coordinate: None,
            extent: None,
            low,
            high,
        })
    }

    fn coordinate(axis: usize) -> Along {
        Along { coordinate: Some((axis, false)), extent: None, low: 0, high: 0 }
    }

    fn extent(shape: usize) -> Along {
        Along { coordinate: None, extent: Some((shape, false)), low: 0, high: 0 }
    }

    fn add(self, other: Along) -> Option<Along> {
        let range = Along::constant(self.low + other.low, self.high + other.high)?;
        let coordinate = sum(self.coordinate, other.coordinate)?;
        Some(Along { coordinate, extent: sum(self.extent, other.extent)?, ..range })
    }

    fn neg(self) -> Along {
        let turned = |(what, minus): (usize, bool)| (what, !minus);
        Along {
            coordinate: self.coordinate.map(turned),
            extent: self.extent.map(turned),
            low: -self.high,
            high: -self.low,
        }
    }

    fn sub(self, other: Along) -> Option<Along> {
        self.add(other.neg())
    }
}

/// The simplifications of a thunk in the interior.
#[derive(Debug, Default)]
pub(crate) struct Inner {
    along: Vec<Option<Along>>,
    /// Operations whose result is one of their operands.
    handed: Vec<(LocalId, Atom)>,
    /// Affine forms that must not be negative for the simplifications to hold.
    needs: Vec<Along>,
}

impl Inner {
    pub fn of(kernel: &Kernel, space: &[Step], thunk: &Thunk) -> Inner {
        let mut inner = Inner { along: vec![None; thunk.locals.len()], ..Inner::default() };
        for (axis, param) in thunk.params().enumerate() {
            inner.along[param.index()] = Some(Along::coordinate(axis));
        }
        inner.block((kernel, space), &thunk.body);
        inner
    }

    fn atom(&self, kernel: &Kernel, atom: Atom) -> Option<Along> {
        match atom {
            Atom::Local(local) => self.along[local.index()],
            Atom::Const(scalar) => scalar.as_integer().and_then(|value| Along::constant(value, value)),
            Atom::Value(value) => {
                let shape = kernel.shapes.iter().position(|&shape| shape == value)?;
                matches!(kernel.values[value.index()].ty, Type::Dim).then(|| Along::extent(shape))
            }
        }
    }

    fn block(&mut self, (kernel, space): (&Kernel, &[Step]), block: &Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Op { dst, op, args } => self.along[dst.index()] = self.op(kernel, *dst, *op, args),
                StmtKind::Read { array, index, .. } => {
                    for (step, index) in array_steps(kernel, *array).into_iter().zip(index) {
                        if let Some(along) = self.atom(kernel, index.at) {
                            self.inside(space, step, along, index.rule);
                        }
                    }
                }
                StmtKind::Window { offsets, .. } => {
                    for (axis, offset) in offsets.iter().enumerate() {
                        let by = Along::constant(offset.by, offset.by);
                        if let Some(along) = by.and_then(|by| by.add(Along::coordinate(axis))) {
                            self.inside(space, space[axis], along, offset.rule);
                        }
                    }
                }
                StmtKind::For { var, from, to, body, .. } => {
                    let ends = (self.atom(kernel, *from), self.atom(kernel, *to));
                    if let (Some(from), Some(to)) = ends
                        && let (None, None, None, None) =
                            (from.coordinate, from.extent, to.coordinate, to.extent)
                    {
                        self.along[var.index()] = Along::constant(from.low, to.high - 1);
                    }
                    self.block((kernel, space), body);
                }
                kind => kind.blocks().into_iter().for_each(|block| self.block((kernel, space), block)),
            }
        }
    }

    fn op(&mut self, kernel: &Kernel, dst: LocalId, op: Op, args: &[Atom]) -> Option<Along> {
        let arg = |at: usize| self.atom(kernel, args[at]);
        match op {
            Op::Add => arg(0)?.add(arg(1)?),
            Op::Sub => arg(0)?.sub(arg(1)?),
            Op::Neg => Some(arg(0)?.neg()),
            Op::Abs => {
                let index = arg(0).filter(|index| index.coordinate.is_some())?;
                self.hand_on(dst, args[0], index, index)
            }
            // The bound is the same for all points; the other operand is the result in the interior.
            Op::Min | Op::Max => {
                let (a, b) = (arg(0)?, arg(1)?);
                let (at, index, bound) = match (a.coordinate, b.coordinate) {
                    (Some(_), None) => (args[0], a, b),
                    (None, Some(_)) => (args[1], b, a),
                    _ => return None,
                };
                let need = if op == Op::Min { bound.sub(index)? } else { index.sub(bound)? };
                self.hand_on(dst, at, index, need)
            }
            _ => None,
        }
    }

    fn hand_on(&mut self, dst: LocalId, from: Atom, index: Along, need: Along) -> Option<Along> {
        self.handed.push((dst, from));
        self.needs.push(need);
        Some(index)
    }

    /// Requires an index to be inside, if the condition has the same form for all points.
    fn inside(&mut self, space: &[Step], step: Step, index: Along, rule: Rule) {
        let own = |(axis, _)| index == Along::coordinate(axis) && space[axis] == step;
        // Its own coordinate is inside at every point.
        if rule != Rule::Proved
            && !index.coordinate.is_some_and(own)
            && let Some(needs) = inside(step, index)
        {
            self.needs.extend(needs);
        }
    }

    /// Returns the operand that the operation's result equals.
    pub fn handed(&self, dst: LocalId) -> Option<Atom> {
        self.handed.iter().find(|(handed, _)| *handed == dst).map(|(_, from)| *from)
    }

    /// Returns the rule for an index in the interior.
    pub fn rule(&self, kernel: &Kernel, step: Step, at: Atom, rule: Rule) -> Rule {
        let found = self.atom(kernel, at).and_then(|index| inside(step, index));
        if found.is_some() { Rule::Proved } else { rule }
    }

    /// Returns the rule for a window at an offset from a coordinate, in the interior.
    pub fn window_rule(&self, step: Step, (axis, by): (usize, i64), rule: Rule) -> Rule {
        let along = Along::constant(by, by).and_then(|by| by.add(Along::coordinate(axis)));
        if along.and_then(|index| inside(step, index)).is_some() { Rule::Proved } else { rule }
    }

    /// Returns the constant difference between an index and a coordinate, if there is one and the index is inside.
    pub fn offset(&self, kernel: &Kernel, step: Step, axis: usize, at: Atom, rule: Rule) -> Option<i64> {
        let off = self.atom(kernel, at)?.sub(Along::coordinate(axis))?;
        let inner = rule == Rule::Proved || self.rule(kernel, step, at, rule) == Rule::Proved;
        let plain = off.coordinate.is_none() && off.extent.is_none() && off.low == off.high;
        (inner && plain).then_some(off.low)
    }
}

/// Returns the affine forms that must not be negative for an index to be inside.
fn inside(step: Step, index: Along) -> Option<[Along; 2]> {
    let extent = match step {
        Step::Const(extent) => Along::constant(extent as i64, extent as i64)?,
        Step::Extent(shape) => Along::extent(shape),
        Step::Seg(_) | Step::Placed { .. } => return None,
    };
    Some([index, extent.add(Along::constant(-1, -1)?)?.sub(index)?])
}

/// Returns the affine forms that must not be negative where the interior version of a pass of maps runs: of those that differ in their constant only, the least.
pub(crate) fn needs(kernel: &Kernel, space: &[Step], maps: &[usize]) -> Vec<Along> {
    let mut needs: Vec<Along> = Vec::new();
    for &map in maps {
        for need in Inner::of(kernel, space, &kernel.steps[map].body).needs {
            let alike =
                |known: &&mut Along| (known.coordinate, known.extent) == (need.coordinate, need.extent);
            match needs.iter_mut().find(alike) {
                Some(known) => known.low = known.low.min(need.low),
                None => needs.push(need),
            }
        }
    }
    needs
}

impl View<'_> {
    /// True if a version for interior points is worth its text.
    pub fn has_interior(&self, group: &Group) -> bool {
        let mut statements = 0;
        for &map in &group.maps {
            self.kernel.steps[map].body.body.walk(&mut |_| statements += 1);
        }
        statements <= MOST && !needs(self.kernel, &self.space, &group.maps).is_empty()
    }
}
