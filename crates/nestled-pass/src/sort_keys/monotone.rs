//! Monotone key functions: the code between an array's own element and a key, if it keeps or reverses the order of sorting.
//!
//! The order is that of sorts: −0.0 is less than +0.0, and NaNs are equal and last in both directions. A function is *strict* if different elements get different keys. Ranges of
//! integers, beginning with those of the element's type, show where nothing wraps and every integer is a float; whether −0.0 may occur decides if `0.0 − x` is strict.

use crate::ranges::type_bounds;
use nestled_ir::{
    Atom, Combinator, CombinatorKind, Kernel, LocalId, Op, Rule, Scalar, ScalarType, StmtKind, ValueId,
};

/// The order of keys compared with that of the elements that they are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Monotone {
    /// A greater element has a lesser key.
    pub is_reversed: bool,
    /// Different elements have different keys (all NaNs count as one).
    pub is_strict: bool,
}

const KEPT: Monotone = Monotone { is_reversed: false, is_strict: true };

impl Monotone {
    fn reversed_if(self, is_reversed: bool) -> Monotone {
        Monotone { is_reversed: self.is_reversed ^ is_reversed, ..self }
    }

    fn weak(self) -> Monotone {
        Monotone { is_strict: false, ..self }
    }

    fn then(self, next: Monotone) -> Monotone {
        Monotone { is_strict: self.is_strict && next.is_strict, ..self.reversed_if(next.is_reversed) }
    }
}

/// An operation between element and key; the operand without a literal is what comes before it.
struct Link {
    op: Op,
    operands: Vec<Option<Scalar>>,
}

/// Returns the array parameter of a kernel from whose own element a `map` makes each key, and how the keys are ordered; `None` if that is not known.
pub fn key_function(kernel: &Kernel, key: ValueId) -> Option<(ValueId, Monotone)> {
    let mut links = Vec::new();
    let array = source(kernel, key, &mut links)?;
    let mut values = Values::all(kernel.values[array.index()].ty.as_array()?.elem)?;
    let mut order = KEPT;
    for link in links.iter().rev() {
        let (next, by) = values.through(link)?;
        (values, order) = (next, order.then(by));
    }
    Some((array, order))
}

/// Follows a key back to the array parameter; the operations on the way are added, last first.
fn source(kernel: &Kernel, key: ValueId, links: &mut Vec<Link>) -> Option<ValueId> {
    let (mut value, level) = (key, kernel.binder(key)?.1.level());
    loop {
        let (_, step) = kernel.binder(value)?;
        let is_plain = step.kind == CombinatorKind::Map && step.guard.is_none() && step.level() == level;
        match is_plain.then(|| origin(step, value, links))?? {
            Origin::Earlier(bind) => value = bind,
            Origin::Array(array) => return kernel.params.contains(&array).then_some(array),
        }
    }
}

/// Where the code of a combinator has its one operand from.
enum Origin {
    Earlier(ValueId),
    Array(ValueId),
}

/// Follows a result of a combinator back to a read at the own coordinates. A thunk binds before it uses, so that one way back over its statements meets them all.
fn origin(step: &Combinator, value: ValueId, links: &mut Vec<Link>) -> Option<Origin> {
    let position = step.binds.iter().position(|bind| *bind == value)?;
    let mut wanted = local(step.body.body.results[position])?;
    for stmt in step.body.body.stmts.iter().rev() {
        match &stmt.kind {
            StmtKind::Op { dst, op, args } if *dst == wanted => {
                let mut locals = args.iter().filter_map(|&arg| local(arg));
                wanted = locals.next()?;
                let operands = args.iter().map(|&arg| literal(arg)).collect::<Vec<_>>();
                let is_one = operands.iter().filter(|operand| operand.is_none()).count() == 1;
                is_one.then(|| links.push(Link { op: *op, operands }))?;
            }
            StmtKind::Own { dst, bind } if *dst == wanted => return Some(Origin::Earlier(*bind)),
            StmtKind::Read { dst, array, index, .. } if *dst == wanted => {
                let is_own = step.is_own_point(index) && index.iter().all(|index| index.rule == Rule::Proved);
                return is_own.then_some(Origin::Array(*array));
            }
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => {}
        }
    }
    None
}

fn local(atom: Atom) -> Option<LocalId> {
    match atom {
        Atom::Local(local) => Some(local),
        Atom::Const(_) | Atom::Value(_) => None,
    }
}

fn literal(atom: Atom) -> Option<Scalar> {
    match atom {
        Atom::Const(scalar) => Some(scalar),
        Atom::Local(_) | Atom::Value(_) => None,
    }
}

/// The type and range of the values at some link between element and key.
#[derive(Clone, Copy)]
struct Values {
    ty: ScalarType,
    range: Range,
}

#[derive(Clone, Copy)]
enum Range {
    /// Integers from the one to the other; `false` and `true` are 0 and 1.
    Integers(i128, i128),
    Floats {
        /// True if −0.0 may be among them.
        has_negative_zero: bool,
    },
}

/// The greatest integer up to which all are floats of a type.
fn exact(float: ScalarType) -> i128 {
    if float == ScalarType::F32 { 1 << 24 } else { 1 << 53 }
}

fn is_in(ty: ScalarType, (least, greatest): (i128, i128)) -> bool {
    let (from, to) = type_bounds(ty);
    from <= least && greatest <= to
}

impl Values {
    /// All values of a type that can be sorted by.
    fn all(ty: ScalarType) -> Option<Values> {
        let integers = type_bounds(ty);
        let range = match ty {
            ScalarType::F16 => return None,
            ScalarType::F32 | ScalarType::F64 => Range::Floats { has_negative_zero: true },
            ScalarType::Bool
            | ScalarType::I8
            | ScalarType::U8
            | ScalarType::I16
            | ScalarType::U16
            | ScalarType::I32
            | ScalarType::U32
            | ScalarType::I64
            | ScalarType::U64
            | ScalarType::Idx => Range::Integers(integers.0, integers.1),
        };
        Some(Values { ty, range })
    }

    fn through(self, link: &Link) -> Option<(Values, Monotone)> {
        let operands = link.operands.as_slice();
        match (self.range, link.op) {
            (Range::Integers(..), Op::Convert(to)) => self.integers_to(to),
            (Range::Floats { .. }, Op::Convert(to)) => self.floats_to(to),
            (_, Op::Select) => chosen(operands),
            (Range::Integers(least, greatest), op) => self.integers(op, operands, (least, greatest)),
            (Range::Floats { has_negative_zero }, op) => self.floats(op, operands, has_negative_zero),
        }
    }

    /// Integers and truth values in another type that holds them all, or rounded to floats.
    fn integers_to(self, to: ScalarType) -> Option<(Values, Monotone)> {
        let Range::Integers(least, greatest) = self.range else { return None };
        if to.is_float() {
            let is_exact = -exact(to) <= least && greatest <= exact(to);
            let range = Range::Floats { has_negative_zero: false };
            return Some((Values { ty: to, range }, if is_exact { KEPT } else { KEPT.weak() }));
        }
        let fits = if to == ScalarType::Bool { self.ty == to } else { to.is_integer() };
        (fits && is_in(to, (least, greatest))).then_some((Values { ty: to, ..self }, KEPT))
    }

    fn floats_to(self, to: ScalarType) -> Option<(Values, Monotone)> {
        let widens = to == self.ty || to == ScalarType::F64;
        to.is_float().then_some((Values { ty: to, ..self }, if widens { KEPT } else { KEPT.weak() }))
    }

    /// An operation on integers or truth values that wraps nowhere in the range.
    fn integers(
        self,
        op: Op,
        operands: &[Option<Scalar>],
        (least, greatest): (i128, i128),
    ) -> Option<(Values, Monotone)> {
        let known = |at: usize| operands.get(at).copied().flatten().and_then(Scalar::exact_integer);
        let bits = i128::from(self.ty.bits());
        let ends = |f: &dyn Fn(i128) -> i128| (f(least), f(greatest));
        let (ends, order) = match (op, known(0), known(1)) {
            (Op::Neg, ..) => (ends(&|x| -x), KEPT),
            (Op::Not, ..) if self.ty.is_signed() => (ends(&|x| !x), KEPT),
            (Op::Not, ..) => (ends(&|x| (1 << bits) - 1 - x), KEPT),
            (Op::Add, Some(by), None) | (Op::Add, None, Some(by)) => (ends(&|x| x + by), KEPT),
            (Op::Sub, None, Some(by)) => (ends(&|x| x - by), KEPT),
            (Op::Sub, Some(from), None) => (ends(&|x| from - x), KEPT),
            (Op::Mul, Some(by), None) | (Op::Mul, None, Some(by)) if by != 0 => {
                (ends(&|x| x.saturating_mul(by)), KEPT)
            }
            (Op::Shl, None, Some(by)) if (0..bits).contains(&by) => (ends(&|x| x << by), KEPT),
            (Op::Shr, None, Some(by)) if (0..bits).contains(&by) => (ends(&|x| x >> by), KEPT.weak()),
            (Op::Div, None, Some(by)) if by > 0 => (ends(&|x| x / by), KEPT.weak()),
            (Op::DivFloor, None, Some(by)) if by > 0 => (ends(&|x| x.div_euclid(by)), KEPT.weak()),
            (Op::Min, Some(most), None) | (Op::Min, None, Some(most)) => {
                (ends(&|x| x.min(most)), KEPT.weak())
            }
            (Op::Max, Some(least), None) | (Op::Max, None, Some(least)) => {
                (ends(&|x| x.max(least)), KEPT.weak())
            }
            _ => return None,
        };
        let order = order.reversed_if(ends.0 > ends.1);
        let ends = (ends.0.min(ends.1), ends.0.max(ends.1));
        is_in(self.ty, ends).then_some((Values { range: Range::Integers(ends.0, ends.1), ..self }, order))
    }

    /// An operation on floats that makes numbers of numbers and NaNs of NaNs. Rounding keeps the order, but may make equal what was not.
    fn floats(
        self,
        op: Op,
        operands: &[Option<Scalar>],
        has_negative_zero: bool,
    ) -> Option<(Values, Monotone)> {
        let known = |at: usize| operands.get(at).copied().flatten().and_then(float).filter(|x| x.is_finite());
        let factor = |at: usize| known(at).filter(|x| *x != 0.0);
        let any = Values { range: Range::Floats { has_negative_zero: true }, ..self };
        let reversed = KEPT.reversed_if(true);
        let order = match op {
            Op::Neg => reversed,
            // Where there is no −0.0, 0.0 − x is −x, but that 0.0 stays as it is.
            Op::Sub if known(0).is_some_and(is_positive_zero) && !has_negative_zero => {
                return Some((self, reversed));
            }
            Op::Sub if known(0).is_some() => reversed.weak(),
            Op::Sub if known(1).is_some() => KEPT.weak(),
            Op::Add => known(0).or(known(1)).map(|_| KEPT.weak())?,
            Op::Mul => scaled(factor(0).or(factor(1))?),
            Op::Div => scaled(factor(1)?),
            Op::Fma => known(2).and(factor(0).or(factor(1))).map(scaled)?,
            Op::Min | Op::Max => known(0).or(known(1)).map(|_| KEPT.weak())?,
            Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundEven => KEPT.weak(),
            _ => return None,
        };
        Some((any, order))
    }
}

/// Multiplied or divided by a number.
fn scaled(by: f64) -> Monotone {
    KEPT.weak().reversed_if(by < 0.0)
}

fn is_positive_zero(x: f64) -> bool {
    x == 0.0 && x.is_sign_positive()
}

/// One of two different literals, the first where a truth value holds.
fn chosen(operands: &[Option<Scalar>]) -> Option<(Values, Monotone)> {
    let &[None, Some(yes), Some(no)] = operands else { return None };
    let ty = yes.ty();
    if let (Some(yes), Some(no)) = (yes.exact_integer(), no.exact_integer()) {
        let range = Range::Integers(yes.min(no), yes.max(no));
        return (yes != no).then_some((Values { ty, range }, KEPT.reversed_if(yes < no)));
    }
    let (yes, no) = (float(yes)?, float(no)?);
    // Equal zeros, and NaNs, are not told apart.
    let range = Range::Floats { has_negative_zero: true };
    let is_less = yes.partial_cmp(&no).filter(|order| order.is_ne())?.is_lt();
    Some((Values { ty, range }, KEPT.reversed_if(is_less)))
}

fn float(scalar: Scalar) -> Option<f64> {
    match scalar {
        Scalar::F32(x) => Some(f64::from(x)),
        Scalar::F64(x) => Some(x),
        _ => None,
    }
}
