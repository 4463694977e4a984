//! Edits that drop dead definitions.

use super::Nth;
use super::host::each_stmt;
use crate::generate::Case;
use nestled_ir::{Block, FunctionId, HostOp, KernelId, MonoidId, Program, StmtKind, ThunkId};

/// Drops a definition that nothing uses.
pub(super) fn drop_unused(case: &mut Case, nth: &mut Nth) {
    let program = &mut case.program;
    let sizes = [program.functions.len(), program.kernels.len(), program.monoids.len(), program.thunks.len()];
    let Some(at) = nth.among(sizes.iter().sum()) else { return };
    let mut used = false;
    let functions = sizes[0];
    let kernels = functions + sizes[1];
    let monoids = kernels + sizes[2];
    // Numbers beyond the dropped one move down.
    let mut moved = |id: &mut u32, dropped: usize| {
        used |= *id as usize == dropped;
        *id -= u32::from(*id as usize > dropped);
    };
    if at < functions {
        for_each_function(program, &mut |id| moved(&mut id.0, at));
        used |= &*program.functions[at].name == Program::ENTRY;
        program.functions.remove(at);
    } else if at < kernels {
        for_each_kernel(program, &mut |id| moved(&mut id.0, at - functions));
        program.kernels.remove(at - functions);
    } else if at < monoids {
        for_each_monoid(program, &mut |id| moved(&mut id.0, at - kernels));
        program.monoids.remove(at - kernels);
    } else {
        for_each_thunk(program, &mut |id| moved(&mut id.0, at - monoids));
        program.thunks.remove(at - monoids);
    }
    if used {
        // Not a smaller program: the caller drops it.
        program.functions.clear();
    }
}

fn for_each_function(program: &mut Program, visit: &mut dyn FnMut(&mut FunctionId)) {
    each_stmt(program, &mut |stmt| match &mut stmt.op {
        HostOp::Call { function, .. } | HostOp::Each { function, .. } => visit(function),
        _ => {}
    });
}

fn for_each_kernel(program: &mut Program, visit: &mut dyn FnMut(&mut KernelId)) {
    each_stmt(program, &mut |stmt| {
        if let HostOp::Run { kernel, .. } = &mut stmt.op {
            visit(kernel);
        }
    });
}

fn for_each_monoid(program: &mut Program, visit: &mut dyn FnMut(&mut MonoidId)) {
    for step in program.kernels.iter_mut().flat_map(|kernel| &mut kernel.steps) {
        if let Some(monoid) = step.kind.monoid_mut() {
            monoid.users_mut().for_each(&mut *visit);
        }
    }
}

fn for_each_thunk(program: &mut Program, visit: &mut dyn FnMut(&mut ThunkId)) {
    fn calls(block: &mut Block, visit: &mut dyn FnMut(&mut ThunkId)) {
        for stmt in &mut block.stmts {
            if let StmtKind::Call { thunk, .. } = &mut stmt.kind {
                visit(thunk);
            }
            stmt.kind.blocks_mut().into_iter().for_each(|block| calls(block, visit));
        }
    }
    program.thunks.iter_mut().for_each(|def| calls(&mut def.thunk.body, visit));
    for step in program.kernels.iter_mut().flat_map(|kernel| &mut kernel.steps) {
        calls(&mut step.body.body, visit);
    }
    program.monoids.iter_mut().for_each(|monoid| visit(&mut monoid.combine));
}
