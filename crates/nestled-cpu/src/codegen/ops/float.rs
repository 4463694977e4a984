//! Operations on floats.

use super::super::emit::{Emit, llvm_type};
use super::super::text::Name;
use super::super::value::Val;
use super::writer::Writer;
use nestled_ir::{Op, Scalar, ScalarType};

/// Returns the integer type of the same size.
pub(super) fn bits_of(element: &str) -> &'static str {
    match element {
        "half" => "i16",
        "float" => "i32",
        _ => "i64",
    }
}

impl Writer<'_, '_> {
    /// Emits an operation on floats that is none of minimum, maximum, comparison, conversion.
    pub fn float_op(&mut self, op: Op, ty: ScalarType, args: &[Name]) -> Name {
        let element = llvm_type(ty);
        let a = &args[0];
        match op {
            Op::Add => self.binary("fadd", element, a, &args[1]),
            Op::Sub => self.binary("fsub", element, a, &args[1]),
            Op::Mul => self.binary("fmul", element, a, &args[1]),
            Op::Div => self.binary("fdiv", element, a, &args[1]),
            Op::Neg => {
                let wide = self.ty(element);
                self.define(format_args!("fneg {wide} {a}"))
            }
            Op::Abs => self.intrinsic("fabs", element, &[a]),
            // Processors without the instruction call a function: see `Symbols::with_c_math`.
            Op::Fma => self.intrinsic("fma", element, &[a, &args[1], &args[2]]),
            Op::Sqrt => self.intrinsic("sqrt", element, &[a]),
            Op::Floor => self.intrinsic("floor", element, &[a]),
            Op::Ceil => self.intrinsic("ceil", element, &[a]),
            Op::Trunc => self.intrinsic("trunc", element, &[a]),
            Op::RoundEven => self.intrinsic("roundeven", element, &[a]),
            Op::Round => self.round(ty, a),
            other => panic!("`{other}` does not take {ty}"),
        }
    }

    /// Rounds, with ties away from zero: x + h is truncated, where h is the float before one half, with the sign of x. With one half itself the float
    /// before 0.5 would be rounded up to 1 in the sum. With h, let u be the unit of x. If u ≥ 1, then x is an integer and h < u/2 is rounded away.
    /// Else a tie n + 0.5 gives n + 1 − h', where h' = 0.5 − h is at most a quarter of the unit of the sum, or half of it (n = 0), which goes to the
    /// even n + 1; and anything below the tie is below it by at least u > h', so its sum is below n + 1 and stays there.
    fn round(&mut self, ty: ScalarType, a: &Name) -> Name {
        let element = llvm_type(ty);
        let before_half = if ty == ScalarType::F32 {
            f64::from(f32::from_bits(0.5f32.to_bits() - 1))
        } else {
            f64::from_bits(0.5f64.to_bits() - 1)
        };
        let half = self.float_literal(element, before_half);
        let half = self.intrinsic("copysign", element, &[&half, a]);
        let sum = self.binary("fadd", element, a, &half);
        self.intrinsic("trunc", element, &[&sum])
    }
}

/// Converts a key to an integer that orders as `argmin` and `argmax` require: −0.0 below +0.0, and each NaN as this number, the least or the
/// greatest.
///
/// The bits of floats order as integers, except for negative floats, which are in the opposite order: so all their bits but the sign are flipped. The
/// infinities are then at some distance from the ends, so these are free for NaNs.
pub(in super::super) fn ordered_key(emit: &mut Emit<'_>, key: &Val, nan: i64) -> Val {
    let (bits, nan, magnitude) = match key.ty {
        ScalarType::F32 if nan < 0 => (ScalarType::I32, Scalar::I32(i32::MIN), Scalar::I32(i32::MAX)),
        ScalarType::F32 => (ScalarType::I32, Scalar::I32(i32::MAX), Scalar::I32(i32::MAX)),
        ScalarType::F64 => (ScalarType::I64, Scalar::I64(nan), Scalar::I64(i64::MAX)),
        _ => return key.clone(),
    };
    let sign_at = Scalar::from_bits(bits, u64::from(bits.bits()) - 1);
    let number = emit.op(Op::Bitcast(bits), std::slice::from_ref(key));
    let negative = emit.op(Op::Shr, &[number.clone(), Val::constant(sign_at)]);
    let flipped = emit.op(Op::And, &[negative, Val::constant(magnitude)]);
    let number = emit.op(Op::Xor, &[number, flipped]);
    let is_nan = emit.op(Op::Ne, &[key.clone(), key.clone()]);
    emit.op(Op::Select, &[is_nan, Val::constant(nan), number])
}
