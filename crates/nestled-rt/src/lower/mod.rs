//! Lowering of host code: from blocks and names to flat instructions and slots.
//!
//! Lowering happens once for each program, in three steps over each function:
//!
//! 1. [`flatten`] turns blocks into a list of instructions with forward jumps; a slot is still a value of the function.
//! 2. [`liveness`] walks the list backwards and marks each last use, so that the executor moves values out of their slots there.
//! 3. [`slots`] walks it forwards and lets values with disjoint live ranges share a slot.
//!
//! Jumps only go forward (loops are calls in tail position), so one walk is enough for each step.

mod flatten;
mod instr;
mod kernel;
mod length_sums;
mod liveness;
mod plan_axis;
mod shape_equalities;
mod slots;

pub(crate) use instr::{Code, EachOperand, Instr, Literal, NO_SLOT, Operand, PrintOperand, Slot};
pub(crate) use kernel::{KernelPlan, ParamPlan, ResultKind, ResultPlan};
pub(crate) use length_sums::{LengthSums, Times};
pub(crate) use plan_axis::PlanAxis;

use nestled_ir::Program;

/// A program, lowered.
#[derive(Debug)]
pub(crate) struct Lowered {
    /// The code of each function.
    pub functions: Vec<Code>,
    /// The launch plan of each kernel.
    pub kernels: Vec<KernelPlan>,
}

/// Lowers a verified program.
pub(crate) fn lower(program: &Program) -> Lowered {
    let kernels: Vec<KernelPlan> = program.kernels.iter().map(|k| kernel::plan(program, k)).collect();
    let functions = program
        .functions
        .iter()
        .map(|function| {
            let mut code = flatten::flatten(program, function, &kernels);
            liveness::mark_last_uses(&mut code, function.values.len());
            slots::assign(&mut code);
            code
        })
        .collect();
    Lowered { functions, kernels }
}
