//! Operations on floats.

use super::super::emit::{Emit, llvm_type};
use super::super::text::Name;
use super::super::value::Val;
use super::writer::Writer;
use nestled_ir::interp::eval_op;
use nestled_ir::{Op, Scalar, ScalarType};

/// The integer of the same size.
pub(super) fn bits_of(element: &str) -> &'static str {
    match element {
        "half" => "i16",
        "float" => "i32",
        _ => "i64",
    }
}

/// A float literal as a double.
fn as_double(scalar: Scalar) -> Option<f64> {
    match scalar {
        Scalar::F32(value) => Some(f64::from(value)),
        Scalar::F64(value) => Some(value),
        _ => None,
    }
}

impl Writer<'_, '_> {
    /// An operation on floats that is none of minimum, maximum, comparison, conversion.
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
            // Where the processor has none, this becomes a call: see `Symbols::c_math`.
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

    /// Ties away from zero: what is left of x + h toward zero, where h is the float before one half, with the sign of x. With one half
    /// itself the float before 0.5 would be rounded up to 1 in the sum. With h, let u be the unit of x. If u ≥ 1, then x is an integer
    /// and h < u/2 is rounded away. Else a tie n + 0.5 gives n + 1 − h', where h' = 0.5 − h is at most a quarter of
    /// the unit of the sum, or half of it (n = 0), which goes to the even n + 1; and anything below the tie is below it by at
    /// least u > h', so its sum is below n + 1 and stays there.
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

    /// Minimum and maximum: NaN if either is NaN, and −0.0 less than +0.0.
    ///
    /// Elsewhere there is an instruction for it. That of x86, `min(a, b) = a < b ? a : b`, gives b also if either is NaN or both are
    /// zero. Two of them, with the operands in both orders, give {x, y} in these cases, and twice the same else:
    /// - minimum: their *or* has the sign of a −0.0, and all the bits of a NaN. 3 instructions.
    /// - maximum: their *and* is +0.0 if either is; a NaN is set apart. 5 instructions.
    ///
    /// One is enough (or a comparison and a mask, for zeros of one sign) with a literal on one side.
    pub fn float_extreme(&mut self, op: Op, args: &[Val]) -> Val {
        let ty = args[0].ty;
        for (literal, other) in [(&args[0], &args[1]), (&args[1], &args[0])] {
            if let Some(scalar) = literal.as_const() {
                return self.extreme_with(op, scalar, other);
            }
        }
        let element = llvm_type(ty);
        let (x, y) = (self.value(&args[0]), self.value(&args[1]));
        if !cfg!(target_arch = "x86_64") {
            let name = if op == Op::Min { "minimum" } else { "maximum" };
            let name = self.intrinsic(name, element, &[&x, &y]);
            return self.result(ty, name);
        }
        let better = if op == Op::Min { "fcmp olt" } else { "fcmp ogt" };
        let integer = bits_of(element);
        let forth = self.pick(better, element, &x, &y);
        let back = self.pick(better, element, &y, &x);
        let forth = self.cast("bitcast", element, &forth, integer);
        let back = self.cast("bitcast", element, &back, integer);
        let bits = if op == Op::Min {
            self.binary("or", integer, &forth, &back)
        } else {
            let both = self.binary("and", integer, &forth, &back);
            let unordered = self.binary("fcmp uno", element, &x, &y);
            // All bits set are a NaN, and cheap to choose.
            let nan = self.literal(integer, -1);
            self.select(&unordered, integer, &nan, &both)
        };
        let name = self.cast("bitcast", integer, &bits, element);
        self.result(ty, name)
    }

    /// `x` if it compares so with `y`, else `y`.
    fn pick(&mut self, compare: &str, element: &str, x: &Name, y: &Name) -> Name {
        let better = self.binary(compare, element, x, y);
        self.select(&better, element, x, y)
    }

    fn extreme_with(&mut self, op: Op, literal: Scalar, other: &Val) -> Val {
        if literal.is_nan() {
            return Val::constant(eval_op(op, &[literal, literal]));
        }
        let (ty, element) = (other.ty, llvm_type(other.ty));
        let limit = as_double(literal).unwrap_or_else(|| panic!("{literal:?} is no float"));
        let (x, limit_name) = (self.value(other), self.float_literal(element, limit));
        // Of two zeros the other operand is taken in the first way, and the literal in the second.
        let literal_wins = limit == 0.0 && limit.is_sign_negative() == (op == Op::Min);
        let name = match (literal_wins, op) {
            (false, Op::Min) => self.pick("fcmp olt", element, &limit_name, &x),
            (false, _) => self.pick("fcmp ogt", element, &limit_name, &x),
            (true, Op::Min) => self.pick("fcmp ult", element, &x, &limit_name),
            (true, _) => self.pick("fcmp ugt", element, &x, &limit_name),
        };
        self.result(ty, name)
    }
}

/// A key as an integer that compares as `argmin` and `argmax` want: −0.0 below +0.0, and each NaN as this number, the least or the greatest.
///
/// The bits of floats compare as integers do, but for the negative ones, which are in the opposite order: there all bits but the sign
/// are flipped. The infinities are then at some distance from the ends, so these are free for NaNs.
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
