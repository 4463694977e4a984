//! Lowering of scalar operations at W points.
//!
//! [`Emit::op`] writes one operation, bit for bit what [`eval_op`] computes. The form of the operands decides the code. Literals are folded.
//! Operations on uniform operands are computed once and hoisted as far out as the operands are known; no operation traps, so they may run where the
//! original code was not reached. Linear indices stay linear where they can (`index.rs`). All else is vector code. `writer.rs` lets the same lines
//! serve for one LLVM scalar and for a vector.
//!
//! There are no fast-math flags: where an instruction does less than the operation promises, the rest is written out. Instruction counts are noted
//! beside the tricks.

mod bits;
mod convert;
mod divide;
mod extreme;
mod float;
mod half;
mod index;
mod integer;
mod random;
mod reciprocal;
#[cfg(test)]
mod tests;
mod writer;

use super::emit::Emit;
use super::lane_groups;
use super::value::Val;
use nestled_ir::interp::eval_op;
use nestled_ir::{Op, Scalar, ScalarType};
use writer::Writer;

pub(super) use bits::predicate;
pub(super) use float::ordered_key;

impl Emit<'_> {
    /// Emits an operation that is not elementary.
    ///
    /// # Panics
    /// If the operation is elementary, or does not take operands of these types.
    pub fn op(&mut self, op: Op, args: &[Val]) -> Val {
        if let Some(literals) = args.iter().map(Val::as_const).collect::<Option<Vec<Scalar>>>() {
            return Val::constant(eval_op(op, &literals));
        }
        if let Some(same) = unchanged(op, args) {
            return same;
        }
        let mut val = match self.index_op(op, args).or_else(|| self.op_in_parts(op, args)) {
            Some(val) => val,
            None => Writer::new(self, args).op(op, args),
        };
        val.group = lane_groups::of_result(op, args, &val);
        val
    }
}

/// Returns the operand that an operation returns unchanged, if that is known.
fn unchanged(op: Op, args: &[Val]) -> Option<Val> {
    match (op, args) {
        (Op::Convert(to) | Op::Bitcast(to), [x]) if x.ty == to => Some(x.clone()),
        (Op::Select, [condition, yes, no]) => match condition.as_const()? {
            Scalar::Bool(true) => Some(yes.clone()),
            _ => Some(no.clone()),
        },
        _ => None,
    }
}

impl Writer<'_, '_> {
    fn op(&mut self, op: Op, args: &[Val]) -> Val {
        let ty = args[op.first_shared_operand()].ty;
        match op {
            Op::Div | Op::Rem | Op::DivFloor | Op::RemFloor if ty.is_integer() => {
                return self.integer_division(op, args);
            }
            Op::Select => return self.choose(args),
            Op::Min | Op::Max if ty.is_float() => return self.float_extreme(op, args),
            _ => {}
        }
        let names: Vec<_> = args.iter().map(|arg| self.value(arg)).collect();
        let result = match op {
            Op::Convert(to) => return self.convert(ty, to, &names[0]),
            Op::Bitcast(to) => return self.bitcast_to(ty, to, &names[0]),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let name = self.comparison(op, ty, &names);
                return self.result(ScalarType::Bool, name);
            }
            _ if ty == ScalarType::Bool => self.bool_op(op, &names),
            _ if ty.is_integer() => self.integer_op(op, ty, &names),
            _ => self.float_op(op, ty, &names),
        };
        self.result(ty, result)
    }
}
