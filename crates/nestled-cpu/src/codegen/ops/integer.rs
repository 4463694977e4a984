//! Operations on integers, except division.

use super::super::emit::llvm_type;
use super::super::text::Name;
use super::writer::Writer;
use nestled_ir::{Op, ScalarType};

impl Writer<'_, '_> {
    /// Emits an operation on integers that is neither a division nor a comparison nor a conversion.
    pub fn integer_op(&mut self, op: Op, ty: ScalarType, args: &[Name]) -> Name {
        let element = llvm_type(ty);
        let signed = ty.is_signed();
        let a = &args[0];
        match op {
            Op::Add => self.binary("add", element, a, &args[1]),
            Op::Sub => self.binary("sub", element, a, &args[1]),
            Op::Mul => self.binary("mul", element, a, &args[1]),
            Op::And => self.binary("and", element, a, &args[1]),
            Op::Or => self.binary("or", element, a, &args[1]),
            Op::Xor => self.binary("xor", element, a, &args[1]),
            Op::Min => self.intrinsic(if signed { "smin" } else { "umin" }, element, &[a, &args[1]]),
            Op::Max => self.intrinsic(if signed { "smax" } else { "umax" }, element, &[a, &args[1]]),
            Op::Shl => self.shift("shl", ty, a, &args[1]),
            Op::Shr => self.shift(if signed { "ashr" } else { "lshr" }, ty, a, &args[1]),
            Op::MulHigh => self.high_product(ty, a, &args[1]),
            Op::Neg => {
                let zero = self.literal(element, 0);
                self.binary("sub", element, &zero, a)
            }
            Op::Not => {
                let ones = self.literal(element, -1);
                self.binary("xor", element, a, &ones)
            }
            Op::Abs if signed => self.total_intrinsic("abs", element, a),
            Op::Abs => a.clone(),
            Op::Popcount => self.intrinsic("ctpop", element, &[a]),
            Op::Clz => self.total_intrinsic("ctlz", element, a),
            Op::Ctz => self.total_intrinsic("cttz", element, a),
            other => panic!("`{other}` does not take {ty}"),
        }
    }

    /// Emits a shift. LLVM leaves counts of at least the width undefined; these count modulo the width.
    fn shift(&mut self, instruction: &str, ty: ScalarType, a: &Name, count: &Name) -> Name {
        let element = llvm_type(ty);
        let most = self.literal(element, ty.bits() - 1);
        let count = self.binary("and", element, count, &most);
        self.binary(instruction, element, a, &count)
    }

    /// Emits the high half of a product. LLVM recognises this pattern, and multiplies only the halves that it needs.
    fn high_product(&mut self, ty: ScalarType, a: &Name, b: &Name) -> Name {
        let element = llvm_type(ty);
        let double = if ty.bits() == 32 { "i64" } else { "i128" };
        let extend = if ty.is_signed() { "sext" } else { "zext" };
        let (a, b) = (self.cast(extend, element, a, double), self.cast(extend, element, b, double));
        let product = self.binary("mul", double, &a, &b);
        let width = self.literal(double, ty.bits());
        let high = self.binary("lshr", double, &product, &width);
        self.cast("trunc", double, &high, element)
    }
}
