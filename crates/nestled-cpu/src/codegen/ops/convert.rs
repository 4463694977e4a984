//! Conversions between types.

use super::super::emit::llvm_type;
use super::super::text::Name;
use super::super::value::Val;
use super::writer::Writer;
use nestled_ir::ScalarType;

impl Writer<'_, '_> {
    /// Emits a conversion.
    pub fn convert(&mut self, from: ScalarType, to: ScalarType, a: &Name) -> Val {
        let (source, target) = (llvm_type(from), llvm_type(to));
        let name = match (from, to) {
            (_, ScalarType::Bool) if from.is_float() => {
                let zero = self.float_literal(source, 0.0);
                self.binary("fcmp une", source, a, &zero)
            }
            (_, ScalarType::Bool) => {
                let zero = self.literal(source, 0);
                self.binary("icmp ne", source, a, &zero)
            }
            (ScalarType::Bool, _) if to.is_float() => {
                let (one, zero) = (self.float_literal(target, 1.0), self.float_literal(target, 0.0));
                self.select(a, target, &one, &zero)
            }
            (ScalarType::F16, ScalarType::F32) => self.half_to_float(a),
            (ScalarType::F16, _) => {
                let float = self.half_to_float(a);
                self.cast("fpext", "float", &float, "double")
            }
            (ScalarType::F32, ScalarType::F16) => self.float_to_half(a),
            (_, ScalarType::F16) => self.double_to_half(a),
            (ScalarType::F32, ScalarType::F64) => self.cast("fpext", source, a, target),
            (ScalarType::F64, ScalarType::F32) => self.cast("fptrunc", source, a, target),
            (ScalarType::Bool, _) if self.is_vector() => {
                let name = self.cast("zext", source, a, target);
                self.emit.truths.insert(name.clone(), a.clone());
                name
            }
            _ if from.is_float() => self.float_to_integer(from, to, a),
            _ if to.is_float() => self.integer_to_float(from, target, a),
            _ if from.bits() == to.bits() => a.clone(),
            _ if self.is_vector() && (from.bits(), to.bits()) == (64, 32) => self.emit.low_halves(a),
            _ if from.bits() > to.bits() => self.cast("trunc", source, a, target),
            _ if from.is_signed() => self.cast("sext", source, a, target),
            _ => self.cast("zext", source, a, target),
        };
        self.result(to, name)
    }

    fn integer_to_float(&mut self, from: ScalarType, target: &str, a: &Name) -> Name {
        match from {
            narrow if narrow.bits() < 32 => self.narrow_to_float(narrow, a, target),
            ScalarType::U32 | ScalarType::U64 => self.cast("uitofp", llvm_type(from), a, target),
            signed => self.cast("sitofp", llvm_type(signed), a, target),
        }
    }

    /// Converts integers of 8 and 16 bits to floats, by way of 32 bits.
    pub fn narrow_to_float(&mut self, from: ScalarType, a: &Name, target: &str) -> Name {
        let extend = if from.is_signed() { "sext" } else { "zext" };
        let wide = self.cast(extend, llvm_type(from), a, "i32");
        self.cast("sitofp", "i32", &wide, target)
    }

    /// Converts a float to an integer: truncates and saturates; NaN gives 0.
    ///
    /// Other processors have an instruction for it. On x86, LLVM's own lowering is longer than this one: values out of range are clamped before the
    /// conversion where the limits are exact floats, and selected after it otherwise. Instructions with AVX-512: 5 from `f32` to `i32` and from both
    /// to `i64` and to signed ones of 8 and 16 bits, 4 to `u32`, `u8`, `u16`, and from `f64` to `i32`, 3 from `f64` to `u32`.
    fn float_to_integer(&mut self, from: ScalarType, to: ScalarType, a: &Name) -> Name {
        let (source, target) = (llvm_type(from), llvm_type(to));
        if !cfg!(target_arch = "x86_64") {
            let name = if to.is_signed() { "fptosi.sat" } else { "fptoui.sat" };
            return self.converting_intrinsic(name, source, a, target);
        }
        match to {
            ScalarType::U8 | ScalarType::U16 => {
                let low = self.not_below_zero(source, a);
                let inside = self.not_above(source, &low, f64::from((1 << to.bits()) - 1));
                let wide = self.cast("fptosi", source, &inside, "i32");
                self.cast("trunc", "i32", &wide, target)
            }
            ScalarType::I8 | ScalarType::I16 => {
                let end = 1 << (to.bits() - 1);
                let low = self.not_below(source, a, f64::from(-end));
                let inside = self.not_above(source, &low, f64::from(end - 1));
                let wide = self.cast("fptosi", source, &inside, "i32");
                let number = self.cast("trunc", "i32", &wide, target);
                self.zero_if_nan(source, a, target, &number)
            }
            ScalarType::U32 if from == ScalarType::F64 => {
                let low = self.not_below_zero(source, a);
                let inside = self.not_above(source, &low, f64::from(u32::MAX));
                self.cast("fptoui", source, &inside, target)
            }
            ScalarType::U32 => {
                let low = self.not_below_zero(source, a);
                let inside = self.cast("fptoui", source, &low, target);
                self.greatest_from(source, a, 2f64.powi(32), target, u32::MAX.into(), &inside)
            }
            ScalarType::I32 if from == ScalarType::F64 => {
                let low = self.not_below(source, a, f64::from(i32::MIN));
                let inside = self.not_above(source, &low, f64::from(i32::MAX));
                let number = self.cast("fptosi", source, &inside, target);
                self.zero_if_nan(source, a, target, &number)
            }
            ScalarType::I32 => {
                let low = self.not_below(source, a, -(2f64.powi(31)));
                let number = self.cast("fptosi", source, &low, target);
                let number = self.zero_if_nan(source, a, target, &number);
                self.greatest_from(source, a, 2f64.powi(31), target, i32::MAX.into(), &number)
            }
            ScalarType::U64 => {
                let low = self.not_below_zero(source, a);
                let inside = self.cast("fptoui", source, &low, target);
                self.greatest_from(source, a, 2f64.powi(64), target, u64::MAX.cast_signed(), &inside)
            }
            ScalarType::I64 | ScalarType::Idx => {
                let low = self.not_below(source, a, -(2f64.powi(63)));
                let number = self.cast("fptosi", source, &low, target);
                let number = self.zero_if_nan(source, a, target, &number);
                self.greatest_from(source, a, 2f64.powi(63), target, i64::MAX, &number)
            }
            ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
                panic!("{to} is no integer")
            }
        }
    }

    /// Returns `max(a, limit)`; a NaN stays.
    fn not_below(&mut self, element: &str, a: &Name, limit: f64) -> Name {
        let limit = self.float_literal(element, limit);
        let below = self.binary("fcmp ogt", element, &limit, a);
        self.select(&below, element, &limit, a)
    }

    /// Returns `max(a, 0)`; 0 for a NaN.
    fn not_below_zero(&mut self, element: &str, a: &Name) -> Name {
        let zero = self.float_literal(element, 0.0);
        let above = self.binary("fcmp ogt", element, a, &zero);
        self.select(&above, element, a, &zero)
    }

    /// Returns `min(a, limit)`; a NaN stays.
    fn not_above(&mut self, element: &str, a: &Name, limit: f64) -> Name {
        let limit = self.float_literal(element, limit);
        let above = self.binary("fcmp olt", element, &limit, a);
        self.select(&above, element, &limit, a)
    }

    /// Returns the greatest integer where `a` reaches the limit, otherwise the converted number.
    fn greatest_from(
        &mut self,
        source: &str,
        a: &Name,
        limit: f64,
        target: &str,
        greatest: i64,
        number: &Name,
    ) -> Name {
        let limit = self.float_literal(source, limit);
        let above = self.binary("fcmp oge", source, a, &limit);
        let greatest = self.literal(target, greatest);
        self.select(&above, target, &greatest, number)
    }

    fn zero_if_nan(&mut self, source: &str, a: &Name, target: &str, number: &Name) -> Name {
        let ordered = self.binary("fcmp ord", source, a, a);
        let zero = self.literal(target, 0);
        self.select(&ordered, target, number, &zero)
    }
}
