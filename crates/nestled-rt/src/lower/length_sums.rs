//! Sum plans: expresses the elements of a kernel's result as sums of segment lengths of its arguments, with multiplicities. With that the
//! host allocates data over such lengths before they are added up, and recognises segmentations with equal offsets.
//!
//! ```text
//! map { i, j => if lt j 1 { len s[i] } else { len t[i] } }       the total of s, and as often that of t as j has values but one
//! map { i => add (len s[i, 0]) (len t[i]) }                      a part of the total of s, and that of t
//! map { j => select (lt j 1) n m }                               n, and m as often as j has values but one
//! ```
//!
//! A segment is taken at most once where its index is injective. A coordinate is. So is the number of earlier points at which a condition
//! holds, at points where it holds (and likewise where it does not): the branches of a condition are merged by such indices.

use super::plan_axis::PlanAxis;
use nestled_ir::{
    Atom, Axis, Block, Combinator, CombinatorKind, Direction, Inclusion, Kernel, Level, LocalId, MonoidOp,
    MonoidPart, Op, Scalar, ScalarType, Stmt, StmtKind, Type, ValueId,
};
use std::collections::HashMap;

/// A bound on the sum of the elements of a result, as a sum of terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LengthSums {
    /// The sum is at most that of these terms.
    pub terms: Vec<Term>,
    /// The sum is exactly that: every segment of a term is taken once.
    pub exact: bool,
    /// The elements are the lengths of a segmentation, in order.
    pub alike: bool,
}

/// Lengths of segments that a sum is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Term {
    /// A shape argument, by position: a segmentation, or an extent, which is one length.
    pub of: usize,
    /// Restricts the term to segments with this last coordinate.
    pub part: Option<u64>,
    /// Each segment is taken at most as often as the product of these.
    pub times: Vec<Times>,
    /// True if each segment of the term is taken exactly once.
    covers: bool,
}

/// An upper bound on the number of values of a coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Times {
    /// The axis of the coordinate.
    pub axis: PlanAxis,
    /// Number of first values that are excluded.
    pub less: u64,
    /// The bound, whatever the axis.
    pub most: u64,
}

/// The sum plan of a result; `None` if its elements are no recognised sums of lengths.
pub(super) fn of(kernel: &Kernel, faults: bool, value: ValueId) -> Option<LengthSums> {
    let (at, step) = binder(kernel, value)?;
    let (result, all) = match &step.kind {
        CombinatorKind::Map => (at, true),
        CombinatorKind::Reduce { monoid, .. } => {
            let plain = monoid.parts.iter().all(|part| matches!(part, MonoidPart::Op(_)));
            let adds = monoid.parts.get(at) == Some(&MonoidPart::Op(MonoidOp::Add));
            (plain && adds).then_some((at, true))?
        }
        // What is left out only makes less.
        CombinatorKind::Filter { .. } => (at.checked_sub(1)?, false),
        _ => return None,
    };
    let sums = Sums { kernel, faults };
    let code = Code::of(step);
    let result = step.body.body.results[result];
    let terms = sums.terms(&code, result, &mut Vec::new(), DEEP)?;
    let exact = all && !faults && step.guard.is_none() && terms.iter().all(|term| term.covers);
    let one = matches!(terms[..], [Term { part: None, .. }]);
    Some(LengthSums { exact, alike: exact && one && step.kind == CombinatorKind::Map, terms })
}

/// The combinator that binds a value, and the position of the value among its results.
fn binder(kernel: &Kernel, value: ValueId) -> Option<(usize, &Combinator)> {
    let (_, step) = kernel.binder(value)?;
    Some((step.binds.iter().position(|&bind| bind == value)?, step))
}

/// Expressions deeper than this are not looked through.
const DEEP: usize = 16;

/// A thunk, with the statement that defines each local.
struct Code<'a> {
    step: &'a Combinator,
    made: HashMap<LocalId, &'a StmtKind>,
}

impl<'a> Code<'a> {
    fn of(step: &'a Combinator) -> Code<'a> {
        let mut made = HashMap::new();
        step.body.body.walk(&mut |stmt: &'a Stmt| {
            for &dst in stmt.kind.dsts() {
                made.insert(dst, &stmt.kind);
            }
        });
        Code { step, made }
    }

    fn levels(&self) -> usize {
        self.step.body.n_params
    }

    /// The axis of a coordinate.
    fn coordinate(&self, atom: Atom) -> Option<usize> {
        match atom {
            Atom::Local(local) if local.index() < self.levels() => Some(local.index()),
            _ => None,
        }
    }

    fn made(&self, atom: Atom) -> Option<&'a StmtKind> {
        match atom {
            Atom::Local(local) => self.made.get(&local).copied(),
            _ => None,
        }
    }
}

/// Conditions that hold, or do not.
type Path = Vec<(Atom, bool)>;

fn is_number(atom: Atom, number: i64) -> bool {
    matches!(atom, Atom::Const(scalar) if scalar.as_integer() == Some(number))
}

fn small(atom: Atom) -> Option<u64> {
    match atom {
        Atom::Const(Scalar::Idx(number)) => u64::try_from(number).ok(),
        _ => None,
    }
}

/// A choice: its condition, and both sides of one of its results.
fn choice(code: &Code<'_>, atom: Atom) -> Option<(Atom, Atom, Atom)> {
    match code.made(atom)? {
        StmtKind::Op { op: Op::Select, args, .. } => Some((args[0], args[1], args[2])),
        StmtKind::If { dsts, cond, then, otherwise } => {
            let at = dsts.iter().position(|&dst| Atom::Local(dst) == atom)?;
            let side = |block: &Block| block.results.get(at).copied();
            Some((*cond, side(then)?, side(otherwise)?))
        }
        _ => None,
    }
}

struct Sums<'a> {
    kernel: &'a Kernel,
    /// True if points may fault: their counts and lengths are then replaced by zeros.
    faults: bool,
}

impl<'a> Sums<'a> {
    /// The unguarded `map` at the same level that computes the value, with the operand that is its result.
    fn map_behind(&self, code: &Code<'a>, bind: ValueId) -> Option<(Code<'a>, Atom)> {
        let (at, step) = binder(self.kernel, bind)?;
        let plain =
            step.kind == CombinatorKind::Map && step.guard.is_none() && step.level() == code.step.level();
        plain.then(|| (Code::of(step), step.body.body.results[at]))
    }

    fn terms(&self, code: &Code<'a>, atom: Atom, path: &mut Path, deep: usize) -> Option<Vec<Term>> {
        if is_number(atom, 0) {
            return Some(Vec::new());
        }
        let deep = deep.checked_sub(1)?;
        if let Some((cond, then, otherwise)) = choice(code, atom) {
            let mut terms = Vec::new();
            for (side, holds) in [(then, true), (otherwise, false)] {
                path.push((cond, holds));
                let of_side = self.terms(code, side, path, deep);
                path.pop();
                terms.extend(of_side?.into_iter().map(|term| Term { covers: false, ..term }));
            }
            return Some(terms);
        }
        if let Atom::Value(extent) = atom {
            return self.extent(code, extent, path).map(|term| vec![term]);
        }
        match code.made(atom)? {
            StmtKind::Len { seg, at, .. } => self.lengths(code, *seg, at, path).map(|term| vec![term]),
            StmtKind::Own { bind, .. } => {
                let (code, atom) = self.map_behind(code, *bind)?;
                self.terms(&code, atom, &mut Vec::new(), deep)
            }
            StmtKind::Op { op: Op::Add, args, .. } => {
                let mut terms = self.terms(code, args[0], path, deep)?;
                terms.extend(self.terms(code, args[1], path, deep)?);
                Some(terms)
            }
            StmtKind::Op { op: Op::Min, args, .. } => {
                // What is less than a length may be negative, which is a fault.
                let natural =
                    |atom: &Atom| matches!(atom, Atom::Const(number) if number.as_integer() >= Some(0));
                let sides = (self.terms(code, args[0], path, deep), self.terms(code, args[1], path, deep));
                let least = match sides {
                    (Some(terms), Some(_)) => terms,
                    (Some(terms), None) if natural(&args[1]) => terms,
                    (None, Some(terms)) if natural(&args[0]) => terms,
                    _ => return None,
                };
                Some(least.into_iter().map(|term| Term { covers: false, ..term }).collect())
            }
            // Sums of lengths have their 63 bits.
            StmtKind::Op { op: Op::Convert(ScalarType::Idx | ScalarType::I64), args, .. } => {
                self.terms(code, args[0], path, deep)
            }
            _ => None,
        }
    }

    /// An extent, at each point.
    fn extent(&self, code: &Code<'a>, extent: ValueId, path: &Path) -> Option<Term> {
        let of = self.kernel.shapes.iter().position(|&shape| shape == extent)?;
        let times = (0..code.levels()).map(|axis| self.times(code, axis, path)).collect();
        Some(Term { of, part: None, times, covers: false })
    }

    /// The lengths of segments, one for each point.
    fn lengths(&self, code: &Code<'a>, seg: ValueId, at: &[Atom], path: &Path) -> Option<Term> {
        let mut named = vec![false; code.levels()];
        for &index in at {
            match (code.coordinate(index), index) {
                (Some(axis), _) => named[axis] = true,
                (None, Atom::Const(_)) => {}
                _ if at.len() == 1 && named.len() == 1 && self.is_count(code, index, path, DEEP) => {
                    named[0] = true
                }
                _ => return None,
            }
        }
        let part = at.last().and_then(|&last| small(last));
        let unnamed = (0..named.len()).filter(|&axis| !named[axis]);
        let times = unnamed.map(|axis| self.times(code, axis, path)).collect();
        let covers = named.iter().all(|&named| named) && self.covers(code, seg, at);
        let of = self.kernel.shapes.iter().position(|&shape| shape == seg)?;
        Some(Term { of, part, times, covers })
    }

    /// True if the points of the kernel together take every segment, or every segment with one last coordinate.
    fn covers(&self, code: &Code<'a>, seg: ValueId, at: &[Atom]) -> bool {
        let Type::Seg(ty) = &self.kernel.values[seg.index()].ty else { return false };
        let mut parent = Vec::new();
        self.coordinates(&ty.parent.axes, &mut parent);
        let axes = parent.iter().zip(&self.kernel.space);
        let own = |(axis, &index): (usize, &Atom)| code.coordinate(index) == Some(axis);
        let last = at.last().is_some_and(|&last| small(last).is_some());
        let named = if last { at.len() - 1 } else { at.len() };
        at[..named].iter().enumerate().all(own)
            && code.levels() == named
            && axes.take(named).all(|(parent, axis)| parent == axis)
    }

    /// Lists one axis for each coordinate of a shape; a segmentation is preceded by the axes of its parent.
    fn coordinates(&self, axes: &[Axis], into: &mut Vec<Axis>) {
        for &axis in axes {
            if let Axis::Sym(symbol) = axis
                && let Type::Seg(ty) = &self.kernel.values[symbol.index()].ty
            {
                self.coordinates(&ty.parent.axes, into);
            }
            into.push(axis);
        }
    }

    /// Bounds the number of values of a coordinate under the conditions of the path.
    fn times(&self, code: &Code<'a>, axis: usize, path: &Path) -> Times {
        let mut times =
            Times { axis: PlanAxis::of(self.kernel, self.kernel.space[axis]), less: 0, most: u64::MAX };
        for &(cond, holds) in path {
            let Some(StmtKind::Op { op: Op::Lt, args, .. }) = code.made(cond) else { continue };
            if code.coordinate(args[0]) == Some(axis)
                && let Some(end) = small(args[1])
            {
                if holds {
                    times.most = times.most.min(end);
                } else {
                    times.less = times.less.max(end);
                }
            }
        }
        times
    }

    /// True if a number counts the earlier points at which a condition of the path has the same outcome.
    fn is_count(&self, code: &Code<'a>, atom: Atom, path: &Path, deep: usize) -> bool {
        if self.faults {
            return false;
        }
        let Some(deep) = deep.checked_sub(1) else { return false };
        path.iter().any(|&(cond, holds)| self.counts(code, atom, (code, cond, holds), deep))
    }

    fn counts(
        &self,
        code: &Code<'a>,
        atom: Atom,
        (there, cond, holds): (&Code<'a>, Atom, bool),
        deep: usize,
    ) -> bool {
        let Some(deep) = deep.checked_sub(1) else { return false };
        if let Some((own, then, otherwise)) = choice(code, atom)
            && self.alike((code, own), (there, cond), deep)
        {
            let side = if holds { then } else { otherwise };
            return self.counts(code, side, (there, cond, holds), deep);
        }
        match code.made(atom) {
            Some(StmtKind::Own { bind, .. }) => match self.map_behind(code, *bind) {
                Some((behind, atom)) => self.counts(&behind, atom, (there, cond, holds), deep),
                None => holds && self.counts_before(*bind, (there, cond), deep),
            },
            Some(StmtKind::Op { op: Op::Sub, args, .. }) if !holds && code.coordinate(args[0]) == Some(0) => {
                match code.made(args[1]) {
                    Some(StmtKind::Own { bind, .. }) => self.counts_before(*bind, (there, cond), deep),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// True if a scan counts, at each point, the earlier points at which a condition holds.
    fn counts_before(&self, bind: ValueId, cond: (&Code<'a>, Atom), deep: usize) -> bool {
        let Some((at, step)) = binder(self.kernel, bind) else { return false };
        let CombinatorKind::Scan { within, monoid, inclusion, direction } = &step.kind else { return false };
        let counts = *within == Level::WHOLE
            && monoid.parts.get(at) == Some(&MonoidPart::Op(MonoidOp::Add))
            && monoid.parts.iter().all(|part| matches!(part, MonoidPart::Op(_)))
            && (*inclusion, *direction) == (Inclusion::Exclusive, Direction::Forward)
            && step.guard.is_none()
            && step.level() == Level(1);
        let code = Code::of(step);
        counts
            && match code.made(step.body.body.results[at]) {
                Some(StmtKind::Op { op: Op::Select, args, .. }) => {
                    is_number(args[1], 1) && is_number(args[2], 0) && self.alike((&code, args[0]), cond, deep)
                }
                _ => false,
            }
    }

    /// True if two expressions have the same value at every point, by structural comparison.
    fn alike(&self, (left, a): (&Code<'a>, Atom), (right, b): (&Code<'a>, Atom), deep: usize) -> bool {
        let Some(deep) = deep.checked_sub(1) else { return false };
        if let Some(StmtKind::Own { bind, .. }) = left.made(a)
            && let Some((code, atom)) = self.map_behind(left, *bind)
        {
            return self.alike((&code, atom), (right, b), deep);
        }
        if let Some(StmtKind::Own { bind, .. }) = right.made(b)
            && let Some((code, atom)) = self.map_behind(right, *bind)
        {
            return self.alike((left, a), (&code, atom), deep);
        }
        let all = |xs: &[Atom], ys: &[Atom]| {
            xs.len() == ys.len() && xs.iter().zip(ys).all(|(&x, &y)| self.alike((left, x), (right, y), deep))
        };
        match (left.made(a), right.made(b)) {
            (None, None) => match (left.coordinate(a), right.coordinate(b)) {
                (None, None) => !matches!(a, Atom::Local(_)) && a == b,
                (one, other) => one == other,
            },
            (Some(StmtKind::Op { op, args, .. }), Some(StmtKind::Op { op: other, args: others, .. })) => {
                op == other && all(args, others)
            }
            (Some(StmtKind::Len { seg, at, .. }), Some(StmtKind::Len { seg: other, at: others, .. })) => {
                seg == other && all(at, others)
            }
            (Some(StmtKind::Own { bind, .. }), Some(StmtKind::Own { bind: other, .. })) => bind == other,
            _ => false,
        }
    }
}
