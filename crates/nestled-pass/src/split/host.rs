//! Host side of splitting: a run of a kernel becomes runs of its parts.

use super::part::{Part, PartInput, PartResult};
use nestled_ir::typing::Substitution;
use nestled_ir::{HostAtom, HostBlock, HostOp, HostStmt, Kernel, KernelId, Program, Value, ValueId};
use std::collections::HashMap;

/// The kernels that replace a kernel.
pub enum Pieces {
    /// The kernel is not split; its new id.
    Whole(KernelId),
    /// The kernel is split; its parts are consecutive.
    Parts {
        /// The kernel of the first part.
        first: usize,
        /// The parts.
        parts: Vec<Part>,
    },
}

/// Replaces all runs. `whole` is the program before splitting, in which the runs still name their kernels.
pub fn replace_runs(program: &mut Program, whole: &Program, pieces: &[Pieces]) {
    for function in &mut program.functions {
        let mut body = std::mem::take(&mut function.body);
        replace_in(&mut body, &mut function.values, whole, pieces);
        function.body = body;
    }
}

fn replace_in(block: &mut HostBlock, values: &mut Vec<Value>, whole: &Program, pieces: &[Pieces]) {
    let mut stmts = Vec::with_capacity(block.stmts.len());
    for mut stmt in std::mem::take(&mut block.stmts) {
        stmt.op.blocks_mut().into_iter().for_each(|block| replace_in(block, values, whole, pieces));
        let HostOp::Run { kernel, .. } = &mut stmt.op else {
            stmts.push(stmt);
            continue;
        };
        match &pieces[kernel.index()] {
            Pieces::Whole(id) => {
                *kernel = *id;
                stmts.push(stmt);
            }
            Pieces::Parts { first, parts } => {
                let whole = whole.kernel(*kernel);
                run_parts(&stmt, whole, *first, parts, values, &mut stmts);
            }
        }
    }
    block.stmts = stmts;
}

/// Makes the runs of the parts that replace the run of the whole.
fn run_parts(
    run: &HostStmt,
    whole: &Kernel,
    first: usize,
    parts: &[Part],
    values: &mut Vec<Value>,
    stmts: &mut Vec<HostStmt>,
) {
    let HostOp::Run { kernel: _, shapes, args } = &run.op else { unreachable!("the caller has looked") };
    let substitution = Substitution::new(&whole.shapes, shapes);
    // What leaves the whole can be read by later parts as well.
    let mut made: HashMap<ValueId, ValueId> =
        whole.ret.iter().copied().zip(run.binds.iter().copied()).collect();
    for (at, part) in parts.iter().enumerate() {
        let mut binds = Vec::with_capacity(part.results.len());
        for target in &part.results {
            binds.push(match target {
                PartResult::Result(position) => run.binds[*position],
                PartResult::Later(value) => {
                    let entry = &whole.values[value.index()];
                    let bind = ValueId::from(values.len());
                    let ty = substitution.ty(&entry.ty);
                    values.push(Value { name: entry.name.clone(), ty, span: entry.span });
                    made.insert(*value, bind);
                    bind
                }
            });
        }
        let arg = |source: &PartInput| match source {
            PartInput::Param(position) => args[*position],
            PartInput::Made(value) => HostAtom::Value(made[value]),
        };
        let op = HostOp::Run {
            kernel: KernelId::from(first + at),
            shapes: part.shapes.iter().map(|&position| shapes[position]).collect(),
            args: part.args.iter().map(arg).collect(),
        };
        stmts.push(HostStmt { binds, op, span: run.span });
    }
}
