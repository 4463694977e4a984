//! Exact algebraic simplification of scalar operations: constant folding, canonical form, and strength reduction.
//!
//! Contract: rules go one way, the right side is never more work than the left, and **the bits are the same for all operands**, where any
//! NaN counts as any other. So `x + 0` goes only for integers (for floats −0.0 + 0.0 is +0.0), `x − x` and `x · 0` likewise (infinity, NaN).
//! Constants of commutative operations move to the right, so that rules need to look in one place.
//!
//! Integer rules rely on wrapping arithmetic and on the definition of division by zero in [`Op`] (x / 0 = 0, x rem 0 = x).

use super::identities;
use super::rule::{Operands, Simple, atom, boolean, constant, number};
use nestled_ir::interp::eval_op;
use nestled_ir::{Atom, Op, Scalar, ScalarType};

/// Greatest number of rules applied in a row: each rule makes an operation simpler, but a chain of definitions may be long.
const MOST_STEPS: usize = 16;

/// Applies the rules until none fits.
pub fn simplify(op: Op, args: Vec<Atom>, cx: &dyn Operands) -> Simple {
    let mut now = (op, args);
    for _ in 0..MOST_STEPS {
        match step(now.0, &now.1, cx) {
            Some(Simple::Atom(atom)) => return Simple::Atom(atom),
            Some(Simple::Op(op, args)) => now = (op, args),
            None => break,
        }
    }
    Simple::Op(now.0, now.1)
}

/// Applies one rule.
fn step(op: Op, args: &[Atom], cx: &dyn Operands) -> Option<Simple> {
    if let Some(value) = fold(op, args) {
        return atom(Atom::Const(value));
    }
    match *args {
        [x] => unary(op, x, cx),
        [x, y] if op.is_commutative() && is_const(x) && !is_const(y) => Some(Simple::Op(op, vec![y, x])),
        [x, y] => binary(op, x, y, cx),
        [c, x, y] if op == Op::Select => select(c, x, y, cx),
        [x, y, z] if op == Op::Fma => fma(x, y, z, cx),
        _ => None,
    }
}

fn fold(op: Op, args: &[Atom]) -> Option<Scalar> {
    let values: Option<Vec<Scalar>> = args.iter().map(|&arg| constant(arg)).collect();
    values.map(|values| eval_op(op, &values))
}

fn is_const(atom: Atom) -> bool {
    constant(atom).is_some()
}

/// True if an operand is the constant `value` (of a float: +0.0 for 0).
fn is_number(atom: Atom, ty: ScalarType, value: i64) -> bool {
    atom == number(ty, value)
}

fn unary(op: Op, x: Atom, cx: &dyn Operands) -> Option<Simple> {
    if let Op::Convert(to) | Op::Bitcast(to) = op {
        return convert(op, to, x, cx);
    }
    let (inner, args) = cx.definition(x)?;
    match (op, inner) {
        (Op::Neg, Op::Neg) | (Op::Not, Op::Not) => atom(args[0]),
        (Op::Neg, Op::Sub) if cx.ty(x).is_integer() => Some(Simple::Op(Op::Sub, vec![args[1], args[0]])),
        (Op::Abs, Op::Abs) => atom(x),
        // An unsigned number is its own absolute value, and its negation is not.
        (Op::Abs, Op::Neg) if cx.ty(x).is_signed() || cx.ty(x).is_float() => {
            Some(Simple::Op(Op::Abs, vec![args[0]]))
        }
        (Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundEven, inner) if is_rounding(inner) => {
            atom(x)
        }
        // What was an integer is one.
        (op, Op::Convert(_)) if is_rounding(op) && cx.ty(args[0]).is_integer() => atom(x),
        (Op::Abs, Op::Mul) if cx.ty(x).is_float() && args[0] == args[1] => atom(x),
        (Op::Not, _) => negated(inner, cx.ty(args[0])).map(|op| Simple::Op(op, args.to_vec())),
        _ => None,
    }
}

fn is_rounding(op: Op) -> bool {
    matches!(op, Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundEven)
}

/// Returns the negation of a comparison. Order comparisons of floats have none: with a NaN neither holds.
fn negated(comparison: Op, ty: ScalarType) -> Option<Op> {
    match comparison {
        Op::Eq => Some(Op::Ne),
        Op::Ne => Some(Op::Eq),
        Op::Lt if !ty.is_float() => Some(Op::Ge),
        Op::Le if !ty.is_float() => Some(Op::Gt),
        Op::Gt if !ty.is_float() => Some(Op::Le),
        Op::Ge if !ty.is_float() => Some(Op::Lt),
        _ => None,
    }
}

fn convert(op: Op, to: ScalarType, x: Atom, cx: &dyn Operands) -> Option<Simple> {
    let from = cx.ty(x);
    if from == to {
        return atom(x);
    }
    let (inner, args) = cx.definition(x)?;
    let first = cx.ty(args[0]);
    match (op, inner) {
        (Op::Bitcast(_), Op::Bitcast(_)) => Some(Simple::Op(op, args.to_vec())),
        (Op::Convert(_), Op::Convert(_)) if first == to && is_lossless(first, from) => atom(args[0]),
        (Op::Convert(_), Op::Convert(_)) if first == to && is_wrapped(first, from) => atom(args[0]),
        // Through a float an integer saturates, directly it wraps: between integers no float may be left out.
        (Op::Convert(_), Op::Convert(_))
            if is_lossless(first, from)
                && from.is_float() == first.is_float()
                && first != ScalarType::F16 =>
        {
            Some(Simple::Op(op, args.to_vec()))
        }
        _ => None,
    }
}

/// True if every value of one type is a value of another.
fn is_lossless(from: ScalarType, to: ScalarType) -> bool {
    use ScalarType as S;
    match from {
        S::Bool => false,
        S::I8 => matches!(to, S::I16 | S::I32 | S::I64 | S::Idx | S::F32 | S::F64),
        S::U8 => {
            matches!(to, S::I16 | S::U16 | S::I32 | S::U32 | S::I64 | S::U64 | S::Idx | S::F32 | S::F64)
        }
        S::I16 => matches!(to, S::I32 | S::I64 | S::Idx | S::F32 | S::F64),
        S::U16 => matches!(to, S::I32 | S::U32 | S::I64 | S::U64 | S::Idx | S::F32 | S::F64),
        S::I32 => matches!(to, S::I64 | S::Idx | S::F64),
        S::U32 => matches!(to, S::I64 | S::U64 | S::Idx | S::F64),
        S::I64 | S::Idx => matches!(to, S::I64 | S::Idx),
        S::U64 => to == S::U64,
        S::F16 => matches!(to, S::F32 | S::F64),
        S::F32 => to == S::F64,
        S::F64 => false,
    }
}

/// True if converting from one integer type to another and back gives the same bits.
fn is_wrapped(from: ScalarType, to: ScalarType) -> bool {
    from.is_integer() && to.is_integer() && from.bits() <= to.bits()
}

fn binary(op: Op, x: Atom, y: Atom, cx: &dyn Operands) -> Option<Simple> {
    let ty = cx.ty(x);
    if let Some(found) = equal_operands(op, x, y, ty) {
        return Some(found);
    }
    let special = match ty {
        ScalarType::Bool => boolean_rules(op, x, y, cx),
        ScalarType::F32 | ScalarType::F64 => float_rules(op, x, y, ty),
        ScalarType::F16 => None,
        ScalarType::I8
        | ScalarType::U8
        | ScalarType::I16
        | ScalarType::U16
        | ScalarType::I32
        | ScalarType::U32
        | ScalarType::I64
        | ScalarType::U64
        | ScalarType::Idx => integer_rules(op, x, y, ty).or_else(|| gather_constants(op, x, y, ty, cx)),
    };
    special.or_else(|| signs(op, x, y, cx)).or_else(|| identities::binary(op, x, y, cx))
}

/// Rules for `op x x`.
fn equal_operands(op: Op, x: Atom, y: Atom, ty: ScalarType) -> Option<Simple> {
    if x != y {
        return None;
    }
    match op {
        Op::Min | Op::Max | Op::And | Op::Or => atom(x),
        Op::Xor if ty == ScalarType::Bool => atom(boolean(false)),
        Op::Xor => atom(number(ty, 0)),
        Op::Sub if ty.is_integer() => atom(number(ty, 0)),
        Op::Rem | Op::RemFloor => atom(number(ty, 0)),
        Op::Lt | Op::Gt | Op::Ne if !ty.is_float() => atom(boolean(false)),
        Op::Lt | Op::Gt => atom(boolean(false)),
        Op::Eq | Op::Le | Op::Ge if !ty.is_float() => atom(boolean(true)),
        _ => None,
    }
}

/// Rules for integers with a constant on one side.
fn integer_rules(op: Op, x: Atom, y: Atom, ty: ScalarType) -> Option<Simple> {
    let (zero, one, ones) = (is_number(y, ty, 0), is_number(y, ty, 1), is_number(y, ty, -1));
    let x_zero = is_number(x, ty, 0);
    match op {
        Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::Shr if zero => atom(x),
        Op::Mul | Op::Div | Op::DivFloor if one => atom(x),
        Op::Rem | Op::RemFloor if one => atom(number(ty, 0)),
        Op::Rem | Op::RemFloor if zero => atom(x),
        Op::Mul | Op::And | Op::Div | Op::DivFloor | Op::MulHigh if zero => atom(y),
        Op::Div | Op::DivFloor | Op::Rem | Op::RemFloor | Op::Shl | Op::Shr if x_zero => atom(x),
        Op::Sub if x_zero => Some(Simple::Op(Op::Neg, vec![y])),
        Op::Mul if ones => Some(Simple::Op(Op::Neg, vec![x])),
        Op::And if ones => atom(x),
        Op::Or if ones => atom(y),
        Op::Xor if ones => Some(Simple::Op(Op::Not, vec![x])),
        Op::Shl | Op::Shr => shift_count(y, ty).and_then(|count| (count == 0).then_some(Simple::Atom(x))),
        _ => bounds(op, y, ty),
    }
}

/// A constant shift count modulo the width.
fn shift_count(y: Atom, ty: ScalarType) -> Option<u64> {
    constant(y).map(|count| count.to_bits() % u64::from(ty.bits()))
}

/// Comparisons that hold always or never because of the range of the type.
fn bounds(op: Op, y: Atom, ty: ScalarType) -> Option<Simple> {
    let value = constant(y)?;
    let least = nestled_ir::MonoidOp::Max.unit(ty) == Some(value);
    let greatest = nestled_ir::MonoidOp::Min.unit(ty) == Some(value);
    match op {
        Op::Lt if least => atom(boolean(false)),
        Op::Ge if least => atom(boolean(true)),
        Op::Gt if greatest => atom(boolean(false)),
        Op::Le if greatest => atom(boolean(true)),
        _ => None,
    }
}

/// `(x + 1) + 2` is `x + 3`, and so on: sums of a value and constants keep one constant.
fn gather_constants(op: Op, x: Atom, y: Atom, ty: ScalarType, cx: &dyn Operands) -> Option<Simple> {
    let value = constant(y)?;
    let (inner, args) = cx.definition(x)?;
    let (&[base, other], Some(before)) = (args, args.get(1).and_then(|&arg| constant(arg))) else {
        return None;
    };
    debug_assert_eq!(other, Atom::Const(before));
    let sum = |op: Op| eval_op(op, &[before, value]);
    match (inner, op) {
        (Op::Add, Op::Add) => Some(offset(base, sum(Op::Add), ty)),
        (Op::Add, Op::Sub) => Some(offset(base, sum(Op::Sub), ty)),
        (Op::Sub, Op::Add) => Some(offset(base, eval_op(Op::Sub, &[value, before]), ty)),
        (Op::Sub, Op::Sub) => Some(offset(base, eval_op(Op::Neg, &[sum(Op::Add)]), ty)),
        (Op::Mul, Op::Mul) | (Op::And, Op::And) | (Op::Or, Op::Or) | (Op::Xor, Op::Xor) => {
            Some(Simple::Op(op, vec![base, Atom::Const(sum(op))]))
        }
        _ => None,
    }
}

/// `base + by`, written as a subtraction where that reads better.
fn offset(base: Atom, by: Scalar, ty: ScalarType) -> Simple {
    let negative = ty.is_signed() && by.as_integer().is_some_and(|by| by < 0);
    if !negative {
        return Simple::Op(Op::Add, vec![base, Atom::Const(by)]);
    }
    Simple::Op(Op::Sub, vec![base, Atom::Const(eval_op(Op::Neg, &[by]))])
}

/// Rules for floats with a constant on one side.
fn float_rules(op: Op, x: Atom, y: Atom, ty: ScalarType) -> Option<Simple> {
    let minus_zero = Atom::Const(eval_op(Op::Neg, &[Scalar::zero(ty)]));
    match op {
        Op::Mul | Op::Div if is_number(y, ty, 1) => atom(x),
        Op::Mul | Op::Div if is_number(y, ty, -1) => Some(Simple::Op(Op::Neg, vec![x])),
        Op::Sub if is_number(y, ty, 0) => atom(x),
        Op::Add if y == minus_zero => atom(x),
        Op::Sub if x == minus_zero => Some(Simple::Op(Op::Neg, vec![y])),
        Op::Div => reciprocal(y).map(|factor| Simple::Op(Op::Mul, vec![x, Atom::Const(factor)])),
        _ => None,
    }
}

/// Returns the reciprocal of a power of two, if it is a normal number: then quotient and product are the same real number, rounded once.
fn reciprocal(y: Atom) -> Option<Scalar> {
    match constant(y)? {
        Scalar::F32(value) => {
            let inverse = 1.0 / value;
            let exact = value.is_normal() && inverse.is_normal() && value.to_bits() & 0x007f_ffff == 0;
            exact.then_some(Scalar::F32(inverse))
        }
        Scalar::F64(value) => {
            let inverse = 1.0 / value;
            let exact =
                value.is_normal() && inverse.is_normal() && value.to_bits() & 0x000f_ffff_ffff_ffff == 0;
            exact.then_some(Scalar::F64(inverse))
        }
        _ => None,
    }
}

/// `x + (−y)` is `x − y`, and so on: exact for integers and for floats.
fn signs(op: Op, x: Atom, y: Atom, cx: &dyn Operands) -> Option<Simple> {
    let negated = |atom: Atom| match cx.definition(atom) {
        Some((Op::Neg, args)) => Some(args[0]),
        _ => None,
    };
    match (op, negated(x), negated(y)) {
        (Op::Add, _, Some(y)) => Some(Simple::Op(Op::Sub, vec![x, y])),
        (Op::Add, Some(x), None) => Some(Simple::Op(Op::Sub, vec![y, x])),
        (Op::Sub, _, Some(y)) => Some(Simple::Op(Op::Add, vec![x, y])),
        (Op::Mul, Some(x), Some(y)) => Some(Simple::Op(Op::Mul, vec![x, y])),
        (Op::Mul, Some(x), None) => {
            constant(y).map(|y| Simple::Op(Op::Mul, vec![x, Atom::Const(eval_op(Op::Neg, &[y]))]))
        }
        _ => None,
    }
}

/// Rules for truth values.
fn boolean_rules(op: Op, x: Atom, y: Atom, cx: &dyn Operands) -> Option<Simple> {
    let complement = |a: Atom, b: Atom| matches!(cx.definition(a), Some((Op::Not, args)) if args[0] == b);
    match op {
        Op::And if complement(x, y) || complement(y, x) => return atom(boolean(false)),
        Op::Or if complement(x, y) || complement(y, x) => return atom(boolean(true)),
        _ => {}
    }
    let truth = constant(y)?.as_bool()?;
    match (op, truth) {
        (Op::And | Op::Min | Op::Eq, true) | (Op::Or | Op::Max | Op::Xor | Op::Ne, false) => atom(x),
        (Op::And | Op::Min, false) | (Op::Or | Op::Max, true) => atom(y),
        (Op::Xor | Op::Ne, true) | (Op::Eq, false) => Some(Simple::Op(Op::Not, vec![x])),
        (Op::Lt, false) | (Op::Gt, true) => atom(boolean(false)),
        (Op::Ge, false) | (Op::Le, true) => atom(boolean(true)),
        (Op::Gt, false) | (Op::Ge, true) => atom(x),
        (Op::Lt, true) | (Op::Le, false) => Some(Simple::Op(Op::Not, vec![x])),
        _ => None,
    }
}

fn select(c: Atom, x: Atom, y: Atom, cx: &dyn Operands) -> Option<Simple> {
    let truth = |atom: Atom| constant(atom).and_then(Scalar::as_bool);
    match (truth(c), truth(x), truth(y)) {
        (Some(true), _, _) => return atom(x),
        (Some(false), _, _) => return atom(y),
        (None, Some(true), Some(false)) => return atom(c),
        (None, Some(false), Some(true)) => return Some(Simple::Op(Op::Not, vec![c])),
        (None, Some(true), None) => return Some(Simple::Op(Op::Or, vec![c, y])),
        (None, None, Some(false)) => return Some(Simple::Op(Op::And, vec![c, x])),
        _ => {}
    }
    if x == y {
        return atom(x);
    }
    match cx.definition(c) {
        Some((Op::Not, args)) => Some(Simple::Op(Op::Select, vec![args[0], y, x])),
        _ => identities::select(c, x, y, cx),
    }
}

fn fma(x: Atom, y: Atom, z: Atom, cx: &dyn Operands) -> Option<Simple> {
    let ty = cx.ty(x);
    if is_const(x) && !is_const(y) {
        return Some(Simple::Op(Op::Fma, vec![y, x, z]));
    }
    if is_number(y, ty, 1) {
        return Some(Simple::Op(Op::Add, vec![x, z]));
    }
    if is_number(y, ty, -1) {
        return Some(Simple::Op(Op::Sub, vec![z, x]));
    }
    if let (Some((Op::Neg, a)), Some((Op::Neg, b))) = (cx.definition(x), cx.definition(y)) {
        return Some(Simple::Op(Op::Fma, vec![a[0], b[0], z]));
    }
    // −0.0 is the neutral element of addition, with any sign of the product.
    if z == Atom::Const(eval_op(Op::Neg, &[Scalar::zero(ty)])) {
        return Some(Simple::Op(Op::Mul, vec![x, y]));
    }
    None
}
