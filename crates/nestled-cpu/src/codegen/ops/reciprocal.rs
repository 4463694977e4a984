//! Division of vectors of 64-bit integers by way of reciprocals, for processors that convert them to doubles and back (AVX-512).
//!
//! Let a and b > 0 be magnitudes, less than 2⁶⁴. The reciprocal of b is made too small on purpose, by 2⁻⁵⁰ of itself. Converting both,
//! inverting and multiplying round four times, by at most 2⁻⁵³ each: so the product is below a/b, by less than 2⁻⁴⁹ of it.
//!
//! 1. The product truncated is q₁ ≤ a/b, and r₁ = a − q₁·b ≥ 0 is exact. As a/b is less than 2⁶⁴, r₁/b is less than 2¹⁵ + 1.
//! 2. In the same way r₁ gives q₂ ≤ r₁/b; the product is now less than 2⁻³³ below r₁/b, so q₂ is the quotient of r₁ by b, or one less.
//! 3. If what remains is not less than b, it was one less.
//!
//! 11 instructions for 8 lanes, and 3 for each sign, where there are signs; the division is left out where the divisor is the same in all lanes. LLVM
//! writes 61 instructions with 8 divisions, or 68 for a literal.

use super::super::text::Name;
use super::super::value::{Depth, Val};
use super::writer::Writer;
use nestled_ir::{Op, ScalarType};

/// A divisor: the value, its magnitude, and the reciprocal of the magnitude, slightly too small.
struct Divisor {
    value: Name,
    magnitude: Name,
    reciprocal: Name,
}

impl Writer<'_, '_> {
    /// True if vectors of 64 bits are divided here.
    pub fn has_reciprocals(&self) -> bool {
        self.is_vector() && self.emit.target.avx512
    }

    /// Emits one of the four divisions of vectors.
    pub fn by_reciprocal(&mut self, op: Op, args: &[Val]) -> Name {
        let a = self.value(&args[0]);
        let divisor = self.divisor(&args[1]);
        let b = &divisor.value;
        let (quotient, rest) = self.magnitudes(args[0].ty, &a, &divisor);
        let zero = self.literal("i64", 0);
        if !args[0].ty.is_signed() {
            // The two that round down are the same without signs, and do not come here.
            let (result, by_zero) = if op == Op::Div { (quotient, &zero) } else { (rest, &a) };
            let good = self.binary("icmp ne", "i64", b, &zero);
            return self.select(&good, "i64", &result, by_zero);
        }
        let signs = self.binary("xor", "i64", &a, b);
        let (result, sign, by_zero) = match op {
            Op::Div => (quotient, signs, &zero),
            Op::Rem => (rest, a.clone(), &a),
            _ => {
                // With different signs, rounding down is away from zero, unless there is no remainder.
                let differ = self.binary("icmp slt", "i64", &signs, &zero);
                let inexact = self.binary("icmp ne", "i64", &rest, &zero);
                let away = self.binary("and", "i1", &differ, &inexact);
                if op == Op::DivFloor {
                    (self.increment_where(&away, &quotient), signs, &zero)
                } else {
                    let other = self.binary("sub", "i64", &divisor.magnitude, &rest);
                    (self.select(&away, "i64", &other, &rest), b.clone(), &a)
                }
            }
        };
        let signed = self.with_sign(&result, &sign);
        let good = self.binary("icmp ne", "i64", b, &zero);
        self.select(&good, "i64", &signed, by_zero)
    }

    /// Emits the quotient of the magnitudes, and the remainder. Unspecified for zero divisors.
    fn magnitudes(&mut self, ty: ScalarType, a: &Name, divisor: &Divisor) -> (Name, Name) {
        let Divisor { magnitude, reciprocal, .. } = divisor;
        let a = self.magnitude(ty, a);
        let mut digit = |rest: &Name| {
            let float = self.cast("uitofp", "i64", rest, "double");
            let product = self.binary("fmul", "double", &float, reciprocal);
            let digit = self.cast("fptoui", "double", &product, "i64");
            let part = self.binary("mul", "i64", &digit, magnitude);
            (digit, self.binary("sub", "i64", rest, &part))
        };
        let (high, rest) = digit(&a);
        let (low, rest) = digit(&rest);
        let quotient = self.binary("add", "i64", &high, &low);
        let one_less = self.binary("icmp uge", "i64", &rest, magnitude);
        let less = self.binary("sub", "i64", &rest, magnitude);
        (self.increment_where(&one_less, &quotient), self.select(&one_less, "i64", &less, &rest))
    }

    /// Computes the parts of a divisor, as far out as the divisor is known.
    fn divisor(&mut self, val: &Val) -> Divisor {
        let mut own = Writer::new(self.emit, std::slice::from_ref(val));
        let b = own.value(val);
        let magnitude = own.magnitude(val.ty, &b);
        let float = own.cast("uitofp", "i64", &magnitude, "double");
        let almost_one = own.float_literal("double", 1.0 - 2f64.powi(-50));
        let reciprocal = own.binary("fdiv", "double", &almost_one, &float);
        match val.uniform_depth() {
            None => Divisor { value: b, magnitude, reciprocal },
            Some(depth) => Divisor {
                value: self.emit.vector(val),
                magnitude: self.spread(depth, "i64", &magnitude),
                reciprocal: self.spread(depth, "double", &reciprocal),
            },
        }
    }

    /// Emits the absolute value, which of an unsigned number is the number.
    fn magnitude(&mut self, ty: ScalarType, a: &Name) -> Name {
        if ty.is_signed() { self.total_intrinsic("abs", "i64", a) } else { a.clone() }
    }

    fn spread(&mut self, depth: Depth, element: &str, scalar: &Name) -> Name {
        self.emit.splat(depth, element, scalar)
    }

    fn increment_where(&mut self, condition: &Name, a: &Name) -> Name {
        let minus_one = self.cast("sext", "i1", condition, "i64");
        self.binary("sub", "i64", a, &minus_one)
    }

    /// Gives a magnitude the sign of another number.
    fn with_sign(&mut self, magnitude: &Name, sign: &Name) -> Name {
        let last = self.literal("i64", 63);
        let sign = self.binary("ashr", "i64", sign, &last);
        let flipped = self.binary("xor", "i64", magnitude, &sign);
        self.binary("sub", "i64", &flipped, &sign)
    }
}
