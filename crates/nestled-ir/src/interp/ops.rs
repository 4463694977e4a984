//! Scalar operations, except the elementary functions.

use crate::op::Op;
use crate::scalar::{Scalar, ScalarType};
use crate::value::{f16_from_f64, f16_to_f64};

/// Instantiates expressions for operands of every integer type (and, where given, of every float type and of `bool`).
macro_rules! typed {
    ($op:expr, $args:expr, |$x:ident, $y:ident| int $int:expr $(; float $float:expr)? $(; bool $bool:expr)?) => {
        match ($args[0], $args[$args.len() - 1]) {
            (Scalar::I8($x), Scalar::I8($y)) => Scalar::I8($int),
            (Scalar::U8($x), Scalar::U8($y)) => Scalar::U8($int),
            (Scalar::I16($x), Scalar::I16($y)) => Scalar::I16($int),
            (Scalar::U16($x), Scalar::U16($y)) => Scalar::U16($int),
            (Scalar::I32($x), Scalar::I32($y)) => Scalar::I32($int),
            (Scalar::U32($x), Scalar::U32($y)) => Scalar::U32($int),
            (Scalar::I64($x), Scalar::I64($y)) => Scalar::I64($int),
            (Scalar::U64($x), Scalar::U64($y)) => Scalar::U64($int),
            (Scalar::Idx($x), Scalar::Idx($y)) => Scalar::Idx($int),
            $((Scalar::F32($x), Scalar::F32($y)) => canonical(Scalar::F32($float)),
            (Scalar::F64($x), Scalar::F64($y)) => canonical(Scalar::F64($float)),)?
            $((Scalar::Bool($x), Scalar::Bool($y)) => Scalar::Bool($bool),)?
            _ => mistyped($op, $args),
        }
    };
}

/// Instantiates an expression for operands of each float type.
macro_rules! floats {
    ($op:expr, $args:expr, |$x:ident| $body:expr) => {
        match $args[0] {
            Scalar::F32($x) => canonical(Scalar::F32($body)),
            Scalar::F64($x) => canonical(Scalar::F64($body)),
            _ => mistyped($op, $args),
        }
    };
}

/// Instantiates a comparison for operands of every type that can be compared.
macro_rules! compare {
    ($op:expr, $args:expr, $compare:tt) => {
        match ($args[0], $args[1]) {
            (Scalar::Bool(x), Scalar::Bool(y)) => Scalar::Bool(x $compare y),
            (Scalar::I8(x), Scalar::I8(y)) => Scalar::Bool(x $compare y),
            (Scalar::U8(x), Scalar::U8(y)) => Scalar::Bool(x $compare y),
            (Scalar::I16(x), Scalar::I16(y)) => Scalar::Bool(x $compare y),
            (Scalar::U16(x), Scalar::U16(y)) => Scalar::Bool(x $compare y),
            (Scalar::I32(x), Scalar::I32(y)) => Scalar::Bool(x $compare y),
            (Scalar::U32(x), Scalar::U32(y)) => Scalar::Bool(x $compare y),
            (Scalar::I64(x), Scalar::I64(y)) => Scalar::Bool(x $compare y),
            (Scalar::U64(x), Scalar::U64(y)) => Scalar::Bool(x $compare y),
            (Scalar::Idx(x), Scalar::Idx(y)) => Scalar::Bool(x $compare y),
            (Scalar::F32(x), Scalar::F32(y)) => Scalar::Bool(x $compare y),
            (Scalar::F64(x), Scalar::F64(y)) => Scalar::Bool(x $compare y),
            _ => mistyped($op, $args),
        }
    };
}

/// Computes an operation that is not elementary; `None` if it is.
///
/// # Panics
/// If the operation does not take operands of these types.
#[inline]
pub(super) fn plain(op: Op, args: &[Scalar]) -> Option<Scalar> {
    Some(match op {
        Op::Add => typed!(op, args, |x, y| int x.wrapping_add(y); float x + y),
        Op::Sub => typed!(op, args, |x, y| int x.wrapping_sub(y); float x - y),
        Op::Mul => typed!(op, args, |x, y| int x.wrapping_mul(y); float x * y),
        Op::Div => typed!(op, args, |x, y| int if y == 0 { 0 } else { x.wrapping_div(y) }; float x / y),
        Op::Rem => typed!(op, args, |x, y| int if y == 0 { x } else { x.wrapping_rem(y) }),
        Op::DivFloor => typed!(op, args, |x, y| int {
            let floor = i128::from(x).checked_div_euclid(i128::from(y)).unwrap_or(0);
            let euclid_is_above = i128::from(y) < 0 && i128::from(x) != floor * i128::from(y);
            (floor - i128::from(euclid_is_above)) as _
        }),
        Op::RemFloor => typed!(op, args, |x, y| int {
            let (x, y) = (i128::from(x), i128::from(y));
            let rem = if y == 0 { x } else { x.rem_euclid(y) };
            (if y < 0 && rem != 0 { rem + y } else { rem }) as _
        }),
        Op::Min => typed!(op, args, |x, y| int x.min(y);
            float if x.is_nan() || y.is_nan() { x + y } else if x < y || (x == y && x.is_sign_negative()) { x } else { y };
            bool x & y),
        Op::Max => typed!(op, args, |x, y| int x.max(y);
            float if x.is_nan() || y.is_nan() { x + y } else if x > y || (x == y && x.is_sign_positive()) { x } else { y };
            bool x | y),
        Op::And => typed!(op, args, |x, y| int x & y; bool x & y),
        Op::Or => typed!(op, args, |x, y| int x | y; bool x | y),
        Op::Xor => typed!(op, args, |x, y| int x ^ y; bool x ^ y),
        Op::Shl => typed!(op, args, |x, y| int x.wrapping_shl(y as u32)),
        Op::Shr => typed!(op, args, |x, y| int x.wrapping_shr(y as u32)),
        Op::MulHigh => mul_high(op, args),
        Op::Neg | Op::Abs | Op::Not | Op::Popcount | Op::Clz | Op::Ctz => unary(op, args),
        Op::Eq => compare!(op, args, ==),
        Op::Ne => compare!(op, args, !=),
        Op::Lt => compare!(op, args, <),
        Op::Le => compare!(op, args, <=),
        Op::Gt => compare!(op, args, >),
        Op::Ge => compare!(op, args, >=),
        Op::Select => match args[0] {
            Scalar::Bool(true) => args[1],
            Scalar::Bool(false) => args[2],
            _ => mistyped(op, args),
        },
        Op::Fma => match (args[0], args[1], args[2]) {
            (Scalar::F32(a), Scalar::F32(b), Scalar::F32(c)) => canonical(Scalar::F32(a.mul_add(b, c))),
            (Scalar::F64(a), Scalar::F64(b), Scalar::F64(c)) => canonical(Scalar::F64(a.mul_add(b, c))),
            _ => mistyped(op, args),
        },
        Op::Sqrt => floats!(op, args, |x| x.sqrt()),
        Op::Floor => floats!(op, args, |x| x.floor()),
        Op::Ceil => floats!(op, args, |x| x.ceil()),
        Op::Trunc => floats!(op, args, |x| x.trunc()),
        Op::Round => floats!(op, args, |x| x.round()),
        Op::RoundEven => floats!(op, args, |x| x.round_ties_even()),
        Op::Convert(to) => convert(op, args, to),
        Op::Bitcast(to) => Scalar::from_bits(to, args[0].to_bits()),
        Op::Rsqrt
        | Op::Exp
        | Op::Exp2
        | Op::Expm1
        | Op::Ln
        | Op::Log2
        | Op::Log10
        | Op::Log1p
        | Op::Pow
        | Op::Sin
        | Op::Cos
        | Op::Tan
        | Op::Asin
        | Op::Acos
        | Op::Atan
        | Op::Sinh
        | Op::Cosh
        | Op::Tanh
        | Op::Asinh
        | Op::Acosh
        | Op::Atanh
        | Op::Atan2
        | Op::Erf => return None,
    })
}

fn mul_high(op: Op, args: &[Scalar]) -> Scalar {
    match (args[0], args[1]) {
        (Scalar::I32(x), Scalar::I32(y)) => Scalar::I32(((i64::from(x) * i64::from(y)) >> 32) as i32),
        (Scalar::U32(x), Scalar::U32(y)) => Scalar::U32(((u64::from(x) * u64::from(y)) >> 32) as u32),
        (Scalar::I64(x), Scalar::I64(y)) => Scalar::I64(((i128::from(x) * i128::from(y)) >> 64) as i64),
        (Scalar::U64(x), Scalar::U64(y)) => Scalar::U64(((u128::from(x) * u128::from(y)) >> 64) as u64),
        _ => mistyped(op, args),
    }
}

fn unary(op: Op, args: &[Scalar]) -> Scalar {
    match (op, args[0]) {
        // Signs of floats are bits: a NaN keeps its payload.
        (Op::Neg, Scalar::F32(x)) => Scalar::F32(-x),
        (Op::Neg, Scalar::F64(x)) => Scalar::F64(-x),
        (Op::Abs, Scalar::F32(x)) => Scalar::F32(x.abs()),
        (Op::Abs, Scalar::F64(x)) => Scalar::F64(x.abs()),
        (Op::Abs, Scalar::U8(_) | Scalar::U16(_) | Scalar::U32(_) | Scalar::U64(_)) => args[0],
        (Op::Abs, Scalar::I8(x)) => Scalar::I8(x.wrapping_abs()),
        (Op::Abs, Scalar::I16(x)) => Scalar::I16(x.wrapping_abs()),
        (Op::Abs, Scalar::I32(x)) => Scalar::I32(x.wrapping_abs()),
        (Op::Abs, Scalar::I64(x)) => Scalar::I64(x.wrapping_abs()),
        (Op::Abs, Scalar::Idx(x)) => Scalar::Idx(x.wrapping_abs()),
        (Op::Neg, _) => typed!(op, args, |x, _y| int x.wrapping_neg()),
        (Op::Not, _) => typed!(op, args, |x, _y| int !x; bool !x),
        (Op::Popcount, _) => typed!(op, args, |x, _y| int x.count_ones() as _),
        (Op::Clz, _) => typed!(op, args, |x, _y| int x.leading_zeros() as _),
        (Op::Ctz, _) => typed!(op, args, |x, _y| int x.trailing_zeros() as _),
        _ => mistyped(op, args),
    }
}

/// Converts between types. Rust's `as` truncates, saturates, wraps and rounds as λcu says.
fn convert(op: Op, args: &[Scalar], to: ScalarType) -> Scalar {
    macro_rules! number {
        ($x:expr, $is_zero:expr) => {
            match to {
                ScalarType::Bool => Scalar::Bool(!$is_zero),
                ScalarType::I8 => Scalar::I8($x as i8),
                ScalarType::U8 => Scalar::U8($x as u8),
                ScalarType::I16 => Scalar::I16($x as i16),
                ScalarType::U16 => Scalar::U16($x as u16),
                ScalarType::I32 => Scalar::I32($x as i32),
                ScalarType::U32 => Scalar::U32($x as u32),
                ScalarType::I64 => Scalar::I64($x as i64),
                ScalarType::U64 => Scalar::U64($x as u64),
                ScalarType::Idx => Scalar::Idx($x as i64),
                ScalarType::F32 => canonical(Scalar::F32($x as f32)),
                ScalarType::F64 => canonical(Scalar::F64($x as f64)),
                // Only floats come here, and to a double they convert exactly.
                ScalarType::F16 => Scalar::F16(f16_from_f64($x as f64)),
            }
        };
    }
    match args[0] {
        same if same.ty() == to => same,
        Scalar::Bool(x) => number!(u8::from(x), !x),
        Scalar::I8(x) => number!(x, x == 0),
        Scalar::U8(x) => number!(x, x == 0),
        Scalar::I16(x) => number!(x, x == 0),
        Scalar::U16(x) => number!(x, x == 0),
        Scalar::I32(x) => number!(x, x == 0),
        Scalar::U32(x) => number!(x, x == 0),
        Scalar::I64(x) | Scalar::Idx(x) => number!(x, x == 0),
        Scalar::U64(x) => number!(x, x == 0),
        Scalar::F32(x) => number!(x, x == 0.0),
        Scalar::F64(x) => number!(x, x == 0.0),
        Scalar::F16(bits) if to.is_float() => number!(f16_to_f64(bits), false),
        Scalar::F16(_) => mistyped(op, args),
    }
}

/// NaNs that operations make have one bit pattern here, so that runs repeat on every machine.
#[inline]
fn canonical(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::F32(x) if x.is_nan() => Scalar::F32(f32::from_bits(0x7fc0_0000)),
        Scalar::F64(x) if x.is_nan() => Scalar::F64(f64::from_bits(0x7ff8_0000_0000_0000)),
        other => other,
    }
}

#[cold]
fn mistyped(op: Op, args: &[Scalar]) -> ! {
    panic!("`{op}` does not take {args:?}; the verifier rejects that")
}

/// Threefry-2x32 with 20 rounds: key and counter to two random words.
pub fn threefry2x32(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [u32; 8] = [13, 15, 26, 6, 17, 29, 16, 24];
    // The parity constant of the Threefish family, at 32 bits.
    let keys = [key[0], key[1], 0x1bd1_1bda ^ key[0] ^ key[1]];
    let mut x = [counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1])];
    for round in 0..20 {
        x[0] = x[0].wrapping_add(x[1]);
        x[1] = x[1].rotate_left(ROTATIONS[round % 8]) ^ x[0];
        if round % 4 == 3 {
            let injection = round / 4 + 1;
            x[0] = x[0].wrapping_add(keys[injection % 3]);
            x[1] = x[1].wrapping_add(keys[(injection + 1) % 3]).wrapping_add(injection as u32);
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use Scalar::{Bool, F16, F32, F64, I32, I64, Idx, U8, U32, U64};

    fn check(op: Op, cases: &[(&[Scalar], Scalar)]) {
        for (args, result) in cases {
            assert_eq!(plain(op, args), Some(*result), "{op} {args:?}");
        }
    }

    #[test]
    fn integers_wrap_and_divide_totally() {
        check(Op::Add, &[(&[U8(255), U8(1)], U8(0)), (&[I64(i64::MAX), I64(1)], I64(i64::MIN))]);
        check(Op::Sub, &[(&[U32(0), U32(1)], U32(u32::MAX)), (&[Idx(i64::MIN), Idx(1)], Idx(i64::MAX))]);
        check(
            Op::Div,
            &[
                (&[I32(7), I32(0)], I32(0)),
                (&[I32(i32::MIN), I32(-1)], I32(i32::MIN)),
                (&[I32(-7), I32(2)], I32(-3)),
            ],
        );
        check(
            Op::Rem,
            &[
                (&[I32(7), I32(0)], I32(7)),
                (&[I32(i32::MIN), I32(-1)], I32(0)),
                (&[I32(-7), I32(2)], I32(-1)),
            ],
        );
        check(
            Op::DivFloor,
            &[
                (&[I32(-7), I32(2)], I32(-4)),
                (&[I32(7), I32(-2)], I32(-4)),
                (&[I32(-7), I32(-2)], I32(3)),
                (&[I32(-8), I32(2)], I32(-4)),
                (&[I64(i64::MIN), I64(-1)], I64(i64::MIN)),
                (&[U8(200), U8(7)], U8(28)),
                (&[I32(7), I32(0)], I32(0)),
            ],
        );
        check(
            Op::RemFloor,
            &[
                (&[I32(-7), I32(2)], I32(1)),
                (&[I32(7), I32(-2)], I32(-1)),
                (&[I32(-8), I32(2)], I32(0)),
                (&[I64(i64::MIN), I64(-1)], I64(0)),
                (&[I32(7), I32(0)], I32(7)),
            ],
        );
        check(Op::Abs, &[(&[I32(i32::MIN)], I32(i32::MIN)), (&[I64(-5)], I64(5)), (&[U8(200)], U8(200))]);
        check(
            Op::MulHigh,
            &[
                (&[I64(i64::MIN), I64(i64::MIN)], I64(1 << 62)),
                (&[I32(-1), I32(1)], I32(-1)),
                (&[U32(u32::MAX), U32(u32::MAX)], U32(u32::MAX - 1)),
            ],
        );
    }

    #[test]
    fn wide_unsigned_integers_have_no_sign() {
        const HALF: u64 = 1 << 63;
        check(Op::Add, &[(&[U64(u64::MAX), U64(2)], U64(1))]);
        check(Op::Neg, &[(&[U64(1)], U64(u64::MAX))]);
        check(Op::Abs, &[(&[U64(u64::MAX)], U64(u64::MAX))]);
        for (quotient, rest) in [(Op::Div, Op::Rem), (Op::DivFloor, Op::RemFloor)] {
            check(quotient, &[(&[U64(u64::MAX), U64(HALF)], U64(1)), (&[U64(HALF), U64(0)], U64(0))]);
            check(rest, &[(&[U64(u64::MAX), U64(HALF)], U64(HALF - 1)), (&[U64(HALF), U64(0)], U64(HALF))]);
        }
        check(Op::Shr, &[(&[U64(HALF), U64(127)], U64(1))]);
        check(Op::Lt, &[(&[U64(HALF - 1), U64(HALF)], Bool(true))]);
        check(Op::Max, &[(&[U64(HALF - 1), U64(HALF)], U64(HALF))]);
        check(Op::MulHigh, &[(&[U64(u64::MAX), U64(u64::MAX)], U64(u64::MAX - 1))]);
        check(
            Op::Convert(ScalarType::U64),
            &[
                (&[F32(-1.0)], U64(0)),
                (&[F64(1e20)], U64(u64::MAX)),
                (&[F64(f64::NAN)], U64(0)),
                (&[I32(-1)], U64(u64::MAX)),
                (&[Idx(i64::MIN)], U64(HALF)),
            ],
        );
        check(Op::Convert(ScalarType::I64), &[(&[U64(u64::MAX)], I64(-1))]);
        // A tie, which goes to the even one, and what lies just above.
        check(
            Op::Convert(ScalarType::F32),
            &[
                (&[U64(HALF + (1 << 39))], F32(9_223_372_036_854_775_808.0)),
                (&[U64(HALF + (1 << 39) + 1)], F32(9_223_373_136_366_403_584.0)),
                (&[U64(u64::MAX)], F32(18_446_744_073_709_551_616.0)),
            ],
        );
        check(Op::Bitcast(ScalarType::F64), &[(&[U64(0x3ff0_0000_0000_0000)], F64(1.0))]);
    }

    #[test]
    fn shifts_take_their_count_modulo_the_width() {
        check(
            Op::Shl,
            &[(&[U8(1), U8(9)], U8(2)), (&[I32(1), I32(-1)], I32(i32::MIN)), (&[I64(1), I64(64)], I64(1))],
        );
        check(
            Op::Shr,
            &[
                (&[I32(i32::MIN), I32(31)], I32(-1)),
                (&[U32(1 << 31), U32(31)], U32(1)),
                (&[Idx(-8), Idx(65)], Idx(-4)),
            ],
        );
    }

    #[test]
    fn minimum_and_maximum_know_zeros_and_nans() {
        let nan = F32(f32::from_bits(0xffc0_1234));
        let canonical = F32(f32::from_bits(0x7fc0_0000));
        check(
            Op::Min,
            &[
                (&[F32(0.0), F32(-0.0)], F32(-0.0)),
                (&[F32(-0.0), F32(0.0)], F32(-0.0)),
                (&[nan, F32(1.0)], canonical),
                (&[F32(1.0), nan], canonical),
                (&[F32(f32::INFINITY), F32(1.0)], F32(1.0)),
                (&[Bool(true), Bool(false)], Bool(false)),
            ],
        );
        check(
            Op::Max,
            &[
                (&[F64(0.0), F64(-0.0)], F64(0.0)),
                (&[F64(-0.0), F64(0.0)], F64(0.0)),
                (&[F64(-0.0), F64(-0.0)], F64(-0.0)),
                (&[I32(-1), I32(-2)], I32(-1)),
            ],
        );
    }

    #[test]
    fn signs_are_bits() {
        let nan = 0x7fc0_0001;
        check(
            Op::Neg,
            &[(&[F32(0.0)], F32(-0.0)), (&[F32(f32::from_bits(nan))], F32(f32::from_bits(nan | 1 << 31)))],
        );
        check(Op::Abs, &[(&[F64(-0.0)], F64(0.0)), (&[F64(f64::NEG_INFINITY)], F64(f64::INFINITY))]);
    }

    #[test]
    fn conversions_truncate_saturate_wrap_and_round() {
        check(
            Op::Convert(ScalarType::I32),
            &[
                (&[F32(-1.9)], I32(-1)),
                (&[F32(3e9)], I32(i32::MAX)),
                (&[F64(f64::NEG_INFINITY)], I32(i32::MIN)),
                (&[F64(f64::NAN)], I32(0)),
                (&[U32(u32::MAX)], I32(-1)),
                (&[I64(1 << 32 | 5)], I32(5)),
                (&[Bool(true)], I32(1)),
            ],
        );
        check(
            Op::Convert(ScalarType::U8),
            &[(&[F32(300.0)], U8(255)), (&[F32(-1.0)], U8(0)), (&[I32(-1)], U8(255))],
        );
        check(
            Op::Convert(ScalarType::F32),
            &[
                (&[I64((1 << 24) + 1)], F32(16_777_216.0)),
                (&[I64(9_007_199_791_611_905)], F32(9_007_200_328_482_816.0)),
                (&[F16(0x0001)], F32(2f32.powi(-24))),
                (&[F64(1e39)], F32(f32::INFINITY)),
            ],
        );
        // By way of `f32` this would be rounded twice, and up.
        check(
            Op::Convert(ScalarType::F16),
            &[
                (&[F64(1.0 + 2f64.powi(-11) + 2f64.powi(-40))], F16(0x3c01)),
                (&[F64(1.0 + 2f64.powi(-11))], F16(0x3c00)),
                (&[F32(-1e-10)], F16(0x8000)),
                (&[F32(f32::NAN)], F16(0x7e00)),
            ],
        );
        check(
            Op::Convert(ScalarType::Bool),
            &[(&[F32(-0.0)], Bool(false)), (&[F32(f32::NAN)], Bool(true)), (&[I64(1 << 40)], Bool(true))],
        );
    }

    #[test]
    fn fused_operations_round_once() {
        let x = F32(1.0 + 2f32.powi(-12));
        let product = plain(Op::Mul, &[x, x]).unwrap();
        let negated = plain(Op::Neg, &[product]).unwrap();
        check(Op::Fma, &[(&[x, x, negated], F32(2f32.powi(-24)))]);
    }

    #[test]
    fn elementary_functions_are_left_to_their_text() {
        for &op in Op::PLAIN {
            if op.is_elementary() {
                assert_eq!(plain(op, &[F32(1.0), F32(1.0)]), None);
                for ty in [ScalarType::F32, ScalarType::F64] {
                    let args = vec![Scalar::zero(ty); op.arity()];
                    assert_eq!(crate::interp::eval_op(op, &args).ty(), ty, "{op}");
                }
            }
        }
    }
}
