//! Total integer division. Vectors avoid one scalar division per lane where floats, reciprocals or multiplications are faster.

use super::super::emit::llvm_type;
use super::super::text::Name;
use super::super::value::{Depth, Val};
use super::writer::Writer;
use nestled_ir::{Op, Scalar, ScalarType};

/// True if the result of a division is the quotient.
fn wants_quotient(op: Op) -> bool {
    matches!(op, Op::Div | Op::DivFloor)
}

impl Writer<'_, '_> {
    /// Emits one of the four divisions.
    pub fn integer_division(&mut self, op: Op, args: &[Val]) -> Val {
        let ty = args[0].ty;
        // Without signs, rounding down and toward zero are the same.
        let op = match (op, ty.is_signed()) {
            (Op::DivFloor, false) => Op::Div,
            (Op::RemFloor, false) => Op::Rem,
            (op, _) => op,
        };
        if let Some(divisor) = args[1].as_const().and_then(Scalar::as_integer) {
            return self.division_by(op, args, divisor);
        }
        if ty.bits() == 64 && self.has_reciprocals() {
            let name = self.by_reciprocal(op, args);
            return self.result(ty, name);
        }
        let (a, b) = (self.value(&args[0]), self.value(&args[1]));
        let name = match (self.is_vector(), ty) {
            (true, ty) if ty.bits() <= 32 => {
                let float = if ty.bits() == 8 { "float" } else { "double" };
                let fa = self.as_float(ty, &a, float);
                let quotient = match args[1].uniform_depth() {
                    Some(depth) => self.quotient_by_one(op, float, &fa, &args[1], depth),
                    None => {
                        let fb = self.as_float(ty, &b, float);
                        self.binary("fdiv", float, &fa, &fb)
                    }
                };
                self.rounded(op, ty, float, &quotient, &a, &b)
            }
            _ => self.by_integers(op, ty, &a, &b),
        };
        self.result(ty, name)
    }

    /// Emits a division by a literal, which LLVM turns into multiplications and shifts.
    fn division_by(&mut self, op: Op, args: &[Val], divisor: i64) -> Val {
        let dividend = &args[0];
        let ty = dividend.ty;
        let element = llvm_type(ty);
        match divisor {
            0 | 1 if wants_quotient(op) == (divisor == 1) => return dividend.clone(),
            0 | 1 => return Val::constant(Scalar::zero(ty)),
            -1 if !wants_quotient(op) => return Val::constant(Scalar::zero(ty)),
            _ => {}
        }
        // A power of two becomes a shift; for other divisors LLVM would multiply lane by lane.
        if ty.bits() == 64 && self.has_reciprocals() && divisor.unsigned_abs().count_ones() != 1 {
            let name = self.by_reciprocal(op, args);
            return self.result(ty, name);
        }
        let a = self.value(dividend);
        let name = if divisor == -1 {
            let zero = self.literal(element, 0);
            self.binary("sub", element, &zero, &a)
        } else if matches!(op, Op::DivFloor | Op::RemFloor) && divisor > 0 {
            self.floor_by_positive(op, ty, &a, divisor)
        } else {
            let b = self.literal(element, divisor);
            self.plain_division(op, ty, &a, &b)
        };
        self.result(ty, name)
    }

    /// Emits a division that rounds down, by a positive literal. For a power of two, a shift or a mask rounds down; for others a negative remainder
    /// tells that the quotient was rounded up.
    fn floor_by_positive(&mut self, op: Op, ty: ScalarType, a: &Name, divisor: i64) -> Name {
        let element = llvm_type(ty);
        if divisor.count_ones() == 1 {
            let (instruction, by) = match op {
                Op::DivFloor => ("ashr", i64::from(divisor.trailing_zeros())),
                _ => ("and", divisor - 1),
            };
            let by = self.literal(element, by);
            return self.binary(instruction, element, a, &by);
        }
        let b = self.literal(element, divisor);
        let rest = self.binary("srem", element, a, &b);
        let sign = self.literal(element, ty.bits() - 1);
        let below = self.binary("ashr", element, &rest, &sign);
        if op == Op::RemFloor {
            let more = self.binary("and", element, &below, &b);
            return self.binary("add", element, &rest, &more);
        }
        let quotient = self.binary("sdiv", element, a, &b);
        self.binary("add", element, &quotient, &below)
    }

    /// Emits any of the divisions where LLVM's are defined: the divisor is not 0, and it is not min / −1.
    fn plain_division(&mut self, op: Op, ty: ScalarType, a: &Name, b: &Name) -> Name {
        let element = llvm_type(ty);
        let (div, rem) = if ty.is_signed() { ("sdiv", "srem") } else { ("udiv", "urem") };
        match op {
            Op::Div => return self.binary(div, element, a, b),
            Op::Rem => return self.binary(rem, element, a, b),
            _ => {}
        }
        let rest = self.binary(rem, element, a, b);
        // Rounded toward zero is one too high where the remainder has the sign opposite to the divisor's.
        let zero = self.literal(element, 0);
        let signs = self.binary("xor", element, &rest, b);
        let opposite = self.binary("icmp slt", element, &signs, &zero);
        let inexact = self.binary("icmp ne", element, &rest, &zero);
        let adjust = self.binary("and", "i1", &opposite, &inexact);
        if op == Op::RemFloor {
            let more = self.select(&adjust, element, b, &zero);
            return self.binary("add", element, &rest, &more);
        }
        let quotient = self.binary(div, element, a, b);
        let less = self.cast("sext", "i1", &adjust, element);
        self.binary("add", element, &quotient, &less)
    }

    /// Divides with the processor's instruction, lane by lane. It traps for 0 and for min / −1, so the divisor is replaced there. With 1, min / −1 is
    /// already right: min, remainder 0.
    fn by_integers(&mut self, op: Op, ty: ScalarType, a: &Name, b: &Name) -> Name {
        let element = llvm_type(ty);
        let (zero, one) = (self.literal(element, 0), self.literal(element, 1));
        let by_zero = self.binary("icmp eq", element, b, &zero);
        let mut unfit = by_zero.clone();
        if ty.is_signed() {
            let (least, minus_one) =
                (self.literal(element, i64::MIN >> (64 - ty.bits())), self.literal(element, -1));
            let least = self.binary("icmp eq", element, a, &least);
            let minus_one = self.binary("icmp eq", element, b, &minus_one);
            let overflows = self.binary("and", "i1", &least, &minus_one);
            unfit = self.binary("or", "i1", &unfit, &overflows);
        }
        let divisor = self.select(&unfit, element, &one, b);
        let result = self.plain_division(op, ty, a, &divisor);
        let by_zero_result = if wants_quotient(op) { &zero } else { a };
        self.select(&by_zero, element, by_zero_result, &result)
    }

    /// Computes a/b for a uniform divisor: (a ± ½) · (1/b), where the sign is such that the number lies on the far side of a/b, seen from the integer
    /// that rounding is to lead to.
    ///
    /// It is then at least ½/|b| away from each integer, and the two roundings change it by less: by about (|a| + ½)/|b| · 2¹⁻ᵖ.
    fn quotient_by_one(&mut self, op: Op, float: &str, fa: &Name, b: &Val, depth: Depth) -> Name {
        let mut own = Writer::new(self.emit, std::slice::from_ref(b));
        let divisor = own.value(b);
        let divisor = own.as_float(b.ty, &divisor, float);
        let one = own.float_literal(float, 1.0);
        let reciprocal = own.binary("fdiv", float, &one, &divisor);
        let reciprocal = self.emit.splat(depth, float, &reciprocal);
        let half = self.float_literal(float, 0.5);
        let half = match op {
            // Away from zero; and for quotients rounded down, upwards.
            Op::Div | Op::Rem => self.intrinsic("copysign", float, &[&half, fa]),
            _ => {
                let divisor = self.emit.splat(depth, float, &divisor);
                self.intrinsic("copysign", float, &[&half, &divisor])
            }
        };
        let sum = self.binary("fadd", float, fa, &half);
        self.binary("fmul", float, &sum, &reciprocal)
    }

    /// Rounds a quotient of floats to an integer. Dividing integers of n bits as floats of p > 2·n bits of precision (24 for 8 bits, 53 for 32 of
    /// them) is exact:
    ///
    /// Operands and all integers below 2ⁿ are floats, and rounding is monotone: so the rounded quotient is on the same side of each integer as a/b,
    /// or is that integer itself. The latter only if a/b is: else a/b is at least 1/|b| away from it, and the error is at most |a/b| · 2⁻ᵖ, which is
    /// less than 1/|b| since |a| < 2ᵖ. Thus truncating, or rounding down, gives the quotient. For a zero divisor the float is not a number, and is
    /// not selected; min / −1 does not fit, and is not selected either.
    fn rounded(&mut self, op: Op, ty: ScalarType, float: &str, quotient: &Name, a: &Name, b: &Name) -> Name {
        let element = llvm_type(ty);
        let mut quotient = quotient.clone();
        if matches!(op, Op::DivFloor | Op::RemFloor) {
            quotient = self.intrinsic("floor", float, &[&quotient]);
        }
        let mut quotient = match ty {
            narrow if narrow.bits() < 32 => {
                let wide = self.cast("fptosi", float, &quotient, "i32");
                self.cast("trunc", "i32", &wide, element)
            }
            ScalarType::I32 => self.cast("fptosi", float, &quotient, element),
            _ => self.cast("fptoui", float, &quotient, element),
        };
        let zero = self.literal(element, 0);
        if ty.is_signed() {
            let minus_one = self.literal(element, -1);
            let negates = self.binary("icmp eq", element, b, &minus_one);
            let negated = self.binary("sub", element, &zero, a);
            quotient = self.select(&negates, element, &negated, &quotient);
        }
        let good = self.binary("icmp ne", element, b, &zero);
        let quotient = self.select(&good, element, &quotient, &zero);
        if wants_quotient(op) {
            return quotient;
        }
        // For a zero divisor the quotient is 0, so the remainder is the dividend.
        let product = self.binary("mul", element, &quotient, b);
        self.binary("sub", element, a, &product)
    }

    fn as_float(&mut self, ty: ScalarType, a: &Name, float: &str) -> Name {
        match ty {
            narrow if narrow.bits() < 32 => self.narrow_to_float(narrow, a, float),
            ScalarType::I32 => self.cast("sitofp", "i32", a, float),
            _ => self.cast("uitofp", "i32", a, float),
        }
    }
}
