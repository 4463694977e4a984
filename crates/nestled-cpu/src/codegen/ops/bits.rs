//! Comparisons, truth values, and bit casts.

use super::super::emit::llvm_type;
use super::super::text::Name;
use super::super::value::Val;
use super::writer::Writer;
use nestled_ir::{Op, ScalarType};

/// Returns the comparison with exchanged operands.
pub(super) fn exchanged(op: Op) -> Op {
    match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        same => same,
    }
}

/// Returns the LLVM predicate of a comparison.
pub(in crate::codegen) fn predicate(op: Op, ty: ScalarType) -> String {
    let order = match op {
        Op::Eq => "eq",
        Op::Ne => "ne",
        Op::Lt => "lt",
        Op::Le => "le",
        Op::Gt => "gt",
        Op::Ge => "ge",
        other => panic!("`{other}` compares nothing"),
    };
    match (op, ty.is_float(), ty.is_signed()) {
        // The only predicate that holds for NaNs.
        (Op::Ne, true, _) => "fcmp une".to_string(),
        (_, true, _) => format!("fcmp o{order}"),
        (Op::Eq | Op::Ne, false, _) => format!("icmp {order}"),
        (_, false, true) => format!("icmp s{order}"),
        (_, false, false) => format!("icmp u{order}"),
    }
}

impl Writer<'_, '_> {
    /// Emits a comparison, with a truth value as result.
    pub fn comparison(&mut self, op: Op, ty: ScalarType, args: &[Name]) -> Name {
        let (a, b) = (&args[0], &args[1]);
        if ty != ScalarType::Bool {
            return self.binary(&predicate(op, ty), llvm_type(ty), a, b);
        }
        // On masks plain logic is shorter than comparisons.
        match op {
            Op::Ne => self.binary("xor", "i1", a, b),
            Op::Eq => {
                let differs = self.binary("xor", "i1", a, b);
                self.not(&differs)
            }
            Op::Lt | Op::Le => {
                let greater = self.not(a);
                self.binary(if op == Op::Lt { "and" } else { "or" }, "i1", &greater, b)
            }
            _ => self.comparison(exchanged(op), ty, &[b.clone(), a.clone()]),
        }
    }

    /// Emits the negation of a truth value.
    pub fn not(&mut self, a: &Name) -> Name {
        let ones = self.literal("i1", true);
        self.binary("xor", "i1", a, &ones)
    }

    /// Emits an operation on truth values.
    pub fn bool_op(&mut self, op: Op, args: &[Name]) -> Name {
        match op {
            Op::And | Op::Min => self.binary("and", "i1", &args[0], &args[1]),
            Op::Or | Op::Max => self.binary("or", "i1", &args[0], &args[1]),
            Op::Xor => self.binary("xor", "i1", &args[0], &args[1]),
            Op::Not => self.not(&args[0]),
            other => panic!("`{other}` does not take truth values"),
        }
    }

    /// Reinterprets the bits as another type.
    pub fn bitcast_to(&mut self, from: ScalarType, to: ScalarType, a: &Name) -> Val {
        let (source, target) = (llvm_type(from), llvm_type(to));
        let name = if source == target { a.clone() } else { self.cast("bitcast", source, a, target) };
        self.result(to, name)
    }
}
