//! Algebraic identities (peephole rules), second part: rules that look at the definition of an operand.
//!
//! ```text
//! and x (or x y)  →  x            sub (add x y) y  →  x             eq (select c 3 5) 3  →  c
//! min (min x 3) 5 →  min x 3      eq (add x 2) 7   →  eq x 5        div_floor x 8        →  shr x 3
//! ```
//!
//! Contract: that of [`algebra`](super::algebra), the same bits for all operands. Rules that turn a comparison into an order, or drop an operand, are for integers only: with a NaN
//! they do not hold.
//!
//! **Strength reduction.** A quotient by a power of two is a shift where it rounds down, a remainder a mask; not for `idx`, since other passes recognise quotients and remainders
//! of indices. `pow x 2` does not become a product: the last bits may differ.

use super::rule::{Operands, Simple, atom, boolean, constant, number};
use nestled_ir::interp::eval_op;
use nestled_ir::{Atom, MonoidOp, Op, Scalar, ScalarType};

/// Simplifies an operation of two operands.
pub fn binary(op: Op, x: Atom, y: Atom, cx: &dyn Operands) -> Option<Simple> {
    let ty = cx.ty(x);
    mirrored(op, x, y)
        .or_else(|| lattice(op, x, y, ty, cx))
        .or_else(|| two_valued(op, x, y, cx))
        .or_else(|| if ty.is_integer() { integer(op, x, y, ty, cx) } else { None })
        .or_else(|| power(op, x, y))
}

/// Simplifies a `select`.
pub fn select(c: Atom, x: Atom, y: Atom, cx: &dyn Operands) -> Option<Simple> {
    let chosen = |atom: Atom| match cx.definition(atom) {
        Some((Op::Select, args)) if args[0] == c => Some([args[1], args[2]]),
        _ => None,
    };
    if let Some([x, _]) = chosen(x) {
        return Some(Simple::Op(Op::Select, vec![c, x, y]));
    }
    if let Some([_, y]) = chosen(y) {
        return Some(Simple::Op(Op::Select, vec![c, x, y]));
    }
    if cx.ty(x).is_float() {
        return None;
    }
    let (op, args) = cx.definition(c)?;
    let swapped = if args == [x, y] {
        false
    } else if args == [y, x] {
        true
    } else {
        return None;
    };
    match (op, swapped) {
        (Op::Eq, _) => atom(y),
        (Op::Ne, _) => atom(x),
        (Op::Lt | Op::Le, false) | (Op::Gt | Op::Ge, true) => Some(Simple::Op(Op::Min, vec![x, y])),
        (Op::Lt | Op::Le, true) | (Op::Gt | Op::Ge, false) => Some(Simple::Op(Op::Max, vec![x, y])),
        _ => None,
    }
}

/// Returns the operation that computed an operand, if it has two operands.
fn pair(atom: Atom, cx: &dyn Operands) -> Option<(Op, [Atom; 2])> {
    match cx.definition(atom) {
        Some((op, &[a, b])) => Some((op, [a, b])),
        _ => None,
    }
}

/// Canonical form of comparisons: literals stand on the right.
fn mirrored(op: Op, x: Atom, y: Atom) -> Option<Simple> {
    let mirrored = match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        _ => return None,
    };
    (constant(x).is_some() && constant(y).is_none()).then(|| Simple::Op(mirrored, vec![y, x]))
}

/// Rules for `and`, `or`, `min` and `max`, which are idempotent: absorption, and merging of constants.
fn lattice(op: Op, x: Atom, y: Atom, ty: ScalarType, cx: &dyn Operands) -> Option<Simple> {
    if !matches!(op, Op::And | Op::Or | Op::Min | Op::Max) {
        return None;
    }
    let dual = match op {
        Op::And => Some(Op::Or),
        Op::Or => Some(Op::And),
        // With a NaN neither is the other.
        Op::Min if !ty.is_float() => Some(Op::Max),
        Op::Max if !ty.is_float() => Some(Op::Min),
        _ => None,
    };
    for (a, b) in [(x, y), (y, x)] {
        match pair(b, cx) {
            Some((inner, args)) if inner == op && args.contains(&a) => return atom(b),
            Some((inner, args)) if Some(inner) == dual && args.contains(&a) => return atom(a),
            _ => {}
        }
        if ty.is_integer() && matches!(cx.definition(b), Some((Op::Not, args)) if args[0] == a) {
            return match op {
                Op::And => atom(number(ty, 0)),
                Op::Or => atom(number(ty, -1)),
                _ => None,
            };
        }
    }
    let value = constant(y)?;
    match (op, pair(x, cx)) {
        (Op::Min | Op::Max, Some((inner, [base, other]))) if inner == op => {
            let both = eval_op(op, &[constant(other)?, value]);
            return Some(Simple::Op(op, vec![base, Atom::Const(both)]));
        }
        (Op::Min, _) if MonoidOp::Min.unit(ty) == Some(value) => return atom(x),
        (Op::Max, _) if MonoidOp::Max.unit(ty) == Some(value) => return atom(x),
        _ => {}
    }
    match op {
        Op::Min if ty.is_integer() && MonoidOp::Max.unit(ty) == Some(value) => atom(y),
        Op::Max if ty.is_integer() && MonoidOp::Min.unit(ty) == Some(value) => atom(y),
        _ => None,
    }
}

/// Rules for the comparison of a choice between two literals with a literal.
fn two_valued(op: Op, x: Atom, y: Atom, cx: &dyn Operands) -> Option<Simple> {
    if !matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge) {
        return None;
    }
    let value = constant(y)?;
    let (cond, [yes, no]) = match cx.definition(x)? {
        (Op::Select, &[c, yes, no]) => (c, [constant(yes)?, constant(no)?]),
        (Op::Convert(to), &[c]) if cx.ty(c) == ScalarType::Bool => {
            (c, [true, false].map(|value| eval_op(Op::Convert(to), &[Scalar::Bool(value)])))
        }
        _ => return None,
    };
    let truth = |side: Scalar| eval_op(op, &[side, value]).as_bool();
    match (truth(yes)?, truth(no)?) {
        (true, false) => atom(cond),
        (false, true) => Some(Simple::Op(Op::Not, vec![cond])),
        (same, _) => atom(boolean(same)),
    }
}

/// Rules for integers, which wrap.
fn integer(op: Op, x: Atom, y: Atom, ty: ScalarType, cx: &dyn Operands) -> Option<Simple> {
    sums(op, x, y, cx)
        .or_else(|| equalities(op, x, y, cx))
        .or_else(|| chains(op, x, y, ty, cx))
        .or_else(|| powers_of_two(op, x, y, ty, cx))
}

fn sums(op: Op, x: Atom, y: Atom, cx: &dyn Operands) -> Option<Simple> {
    let negated = |atom: Atom| Some(Simple::Op(Op::Neg, vec![atom]));
    match (op, pair(x, cx), pair(y, cx)) {
        (Op::Sub, Some((Op::Add, [a, b])), _) if b == y => atom(a),
        (Op::Sub, Some((Op::Add, [a, b])), _) if a == y => atom(b),
        (Op::Sub, Some((Op::Sub, [a, b])), _) if a == y => negated(b),
        (Op::Sub, _, Some((Op::Add, [a, b]))) if a == x => negated(b),
        (Op::Sub, _, Some((Op::Add, [a, b]))) if b == x => negated(a),
        (Op::Sub, _, Some((Op::Sub, [a, b]))) if a == x => atom(b),
        (Op::Add, Some((Op::Sub, [a, b])), _) if b == y => atom(a),
        (Op::Add, _, Some((Op::Sub, [a, b]))) if b == x => atom(a),
        (Op::Xor, Some((Op::Xor, [a, b])), _) if b == y => atom(a),
        (Op::Xor, Some((Op::Xor, [a, b])), _) if a == y => atom(b),
        (Op::Xor, _, Some((Op::Xor, [a, b]))) if a == x => atom(b),
        (Op::Xor, _, Some((Op::Xor, [a, b]))) if b == x => atom(a),
        _ => None,
    }
}

/// Inverts an operation on both sides of an equality with a literal.
fn equalities(op: Op, x: Atom, y: Atom, cx: &dyn Operands) -> Option<Simple> {
    if !matches!(op, Op::Eq | Op::Ne) {
        return None;
    }
    let value = constant(y)?;
    let against = |x: Atom, value: Scalar| Some(Simple::Op(op, vec![x, Atom::Const(value)]));
    match cx.definition(x)? {
        (Op::Sub | Op::Xor, &[a, b]) if value == Scalar::zero(value.ty()) => Some(Simple::Op(op, vec![a, b])),
        (Op::Add, &[a, b]) => against(a, eval_op(Op::Sub, &[value, constant(b)?])),
        (Op::Sub, &[a, b]) => against(a, eval_op(Op::Add, &[value, constant(b)?])),
        (Op::Xor, &[a, b]) => against(a, eval_op(Op::Xor, &[value, constant(b)?])),
        (inner @ (Op::Neg | Op::Not), &[a]) => against(a, eval_op(inner, &[value])),
        _ => None,
    }
}

/// Merges shifts of shifts, quotients of quotients, and remainders of remainders, by literals.
fn chains(op: Op, x: Atom, y: Atom, ty: ScalarType, cx: &dyn Operands) -> Option<Simple> {
    let (inner, [base, other]) = pair(x, cx)?;
    let (first, second) = (constant(other)?, constant(y)?);
    if inner != op {
        return None;
    }
    match op {
        Op::Shl | Op::Shr => {
            let bits = u64::from(ty.bits());
            let sum = first.to_bits() % bits + second.to_bits() % bits;
            if sum < bits {
                Some(Simple::Op(op, vec![base, Atom::Const(Scalar::from_bits(ty, sum))]))
            } else if op == Op::Shr && ty.is_signed() {
                Some(Simple::Op(op, vec![base, Atom::Const(Scalar::from_bits(ty, bits - 1))]))
            } else {
                atom(number(ty, 0))
            }
        }
        Op::Div | Op::DivFloor => {
            let (first, second) = (first.exact_integer()?, second.exact_integer()?);
            let product = (first > 0 && second > 0).then(|| first.checked_mul(second))??;
            let divisor = Scalar::from_bits(ty, product as u64);
            let fits = divisor.exact_integer() == Some(product);
            fits.then(|| Simple::Op(op, vec![base, Atom::Const(divisor)]))
        }
        Op::Rem | Op::RemFloor if first == second => atom(x),
        _ => None,
    }
}

fn powers_of_two(op: Op, x: Atom, y: Atom, ty: ScalarType, cx: &dyn Operands) -> Option<Simple> {
    let divisor = constant(y)?.exact_integer().filter(|divisor| *divisor > 1 && divisor.count_ones() == 1)?;
    let rounds_down = match op {
        Op::Div | Op::Rem => !ty.is_signed() || is_natural(x, cx),
        Op::DivFloor | Op::RemFloor => true,
        _ => return None,
    };
    if !rounds_down || ty == ScalarType::Idx {
        return None;
    }
    let by = |op: Op, by: i64| Some(Simple::Op(op, vec![x, number(ty, by)]));
    match op {
        Op::Div | Op::DivFloor => by(Op::Shr, i64::from(divisor.trailing_zeros())),
        _ => by(Op::And, (divisor - 1) as i64),
    }
}

/// True if a signed number is at least 0 because of its definition.
fn is_natural(x: Atom, cx: &dyn Operands) -> bool {
    match cx.definition(x) {
        Some((Op::And, args)) => {
            args.iter().any(|&arg| constant(arg).and_then(Scalar::as_integer).is_some_and(|mask| mask >= 0))
        }
        Some((Op::Convert(to), args)) => {
            let from = cx.ty(args[0]);
            from.is_integer() && !from.is_signed() && from.bits() < to.bits()
        }
        Some((Op::Popcount | Op::Clz | Op::Ctz, _)) => true,
        _ => false,
    }
}

/// Rules for powers: x to the power of 0 is 1, and so is every power of 1.
fn power(op: Op, x: Atom, y: Atom) -> Option<Simple> {
    let zero = |value: Scalar| matches!(value, Scalar::F32(0.0) | Scalar::F64(0.0));
    let one = |value: Scalar| matches!(value, Scalar::F32(1.0) | Scalar::F64(1.0));
    let ty = constant(x).or(constant(y))?.ty();
    let is_one = constant(y).is_some_and(zero) || constant(x).is_some_and(one);
    (op == Op::Pow && is_one).then(|| Simple::Atom(number(ty, 1)))
}
