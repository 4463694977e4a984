//! Conversions from and to binary16.
//!
//! LLVM calls a function of the C library for each lane where the processor cannot convert, and for doubles nearly always; so these are
//! written out.

use super::super::text::Name;
use super::writer::Writer;

impl Writer<'_, '_> {
    /// Converts a binary16 to `float`.
    pub fn half_to_float(&mut self, a: &Name) -> Name {
        if self.emit.target.f16c {
            return self.cast("fpext", "half", a, "float");
        }
        let bits = self.cast("bitcast", "half", a, "i16");
        let bits = self.cast("zext", "i16", &bits, "i32");
        let (magnitude, sign) = (self.masked(&bits, 0x7fff), self.masked(&bits, 0x8000));
        // The bits of a magnitude, where a `float` has them, are that times 2⁻¹¹²; small ones are subnormal there too, which is exact.
        let moved = self.shifted("shl", &magnitude, 13);
        let small = self.cast("bitcast", "i32", &moved, "float");
        let scale = self.float_literal("float", 2f64.powi(112));
        let scaled = self.binary("fmul", "float", &small, &scale);
        let number = self.cast("bitcast", "float", &scaled, "i32");
        // Infinities and NaNs have the greatest exponent in both.
        let exponent = self.literal("i32", 0x7f80_0000);
        let special = self.binary("or", "i32", &moved, &exponent);
        let infinity = self.literal("i32", 0x7c00);
        let is_special = self.binary("icmp uge", "i32", &magnitude, &infinity);
        let magnitude = self.select(&is_special, "i32", &special, &number);
        let sign = self.shifted("shl", &sign, 16);
        let signed = self.binary("or", "i32", &magnitude, &sign);
        self.cast("bitcast", "i32", &signed, "float")
    }

    /// Converts a `float` to the nearest binary16, ties to even.
    pub fn float_to_half(&mut self, a: &Name) -> Name {
        if self.emit.target.f16c {
            return self.cast("fptrunc", "float", a, "half");
        }
        let bits = self.cast("bitcast", "float", a, "i32");
        let (magnitude, sign) = (self.masked(&bits, 0x7fff_ffff), self.masked(&bits, 0x8000_0000));
        // Below 2⁻¹⁴ the unit is 2⁻²⁴, which is also that of a `float` between 0.5 and 1: the sum rounds as wanted.
        let as_float = self.cast("bitcast", "i32", &magnitude, "float");
        let half = self.float_literal("float", 0.5);
        let sum = self.binary("fadd", "float", &as_float, &half);
        let sum = self.cast("bitcast", "float", &sum, "i32");
        let half_bits = self.literal("i32", 0.5f32.to_bits());
        let subnormal = self.binary("sub", "i32", &sum, &half_bits);
        // Above, thirteen bits go. A carry out of the fraction goes into the exponent by itself, up to infinity.
        let last = self.shifted("lshr", &magnitude, 13);
        let odd = self.masked(&last, 1);
        let almost_half = self.literal("i32", 0xfff);
        let rounded = self.binary("add", "i32", &magnitude, &almost_half);
        let rounded = self.binary("add", "i32", &rounded, &odd);
        let bias = self.literal("i32", 112 << 23);
        let rebiased = self.binary("sub", "i32", &rounded, &bias);
        let normal = self.shifted("lshr", &rebiased, 13);
        let infinity = self.literal("i32", 0x7c00);
        let normal = self.intrinsic("umin", "i32", &[&normal, &infinity]);
        let least_normal = self.literal("i32", 113 << 23);
        let is_small = self.binary("icmp ult", "i32", &magnitude, &least_normal);
        let number = self.select(&is_small, "i32", &subnormal, &normal);
        let nan = self.literal("i32", 0x7e00);
        let ordered = self.binary("fcmp ord", "float", a, a);
        let number = self.select(&ordered, "i32", &number, &nan);
        let sign = self.shifted("lshr", &sign, 16);
        let signed = self.binary("or", "i32", &number, &sign);
        let signed = self.cast("trunc", "i32", &signed, "i16");
        self.cast("bitcast", "i16", &signed, "half")
    }

    /// Converts a `double` to the nearest binary16, ties to even. The `float` in between is rounded *to odd*: of the two neighbours of an inexact
    /// value, the one whose last bit is set. That bit then tells on which side of a tie the number lies, so the second rounding is right.
    pub fn double_to_half(&mut self, a: &Name) -> Name {
        let nearest = self.cast("fptrunc", "double", a, "float");
        let back = self.cast("fpext", "float", &nearest, "double");
        let (size, size_back) =
            (self.intrinsic("fabs", "double", &[a]), self.intrinsic("fabs", "double", &[&back]));
        // Rounding away from zero is one too much, also for infinity. The comparisons are false for a NaN, which stays one.
        let away = self.binary("fcmp ogt", "double", &size_back, &size);
        let away = self.cast("sext", "i1", &away, "i32");
        let inexact = self.binary("fcmp one", "double", &back, a);
        let inexact = self.cast("zext", "i1", &inexact, "i32");
        let bits = self.cast("bitcast", "float", &nearest, "i32");
        let toward_zero = self.binary("add", "i32", &bits, &away);
        let odd = self.binary("or", "i32", &toward_zero, &inexact);
        let odd = self.cast("bitcast", "i32", &odd, "float");
        self.float_to_half(&odd)
    }

    fn masked(&mut self, a: &Name, mask: u32) -> Name {
        let mask = self.literal("i32", mask);
        self.binary("and", "i32", a, &mask)
    }

    fn shifted(&mut self, instruction: &str, a: &Name, by: u32) -> Name {
        let by = self.literal("i32", by);
        self.binary(instruction, "i32", a, &by)
    }
}
