//! Edits that shrink host code.

use super::Nth;
use crate::generate::Case;
use nestled_ir::{
    Function, FunctionId, HostAtom, HostBlock, HostOp, HostPartMut, HostStmt, Program, Scalar, ValueId,
};

/// Calls `visit` on every block of host code.
pub(super) fn each_block(program: &mut Program, visit: &mut dyn FnMut(&mut HostBlock)) {
    fn inside(block: &mut HostBlock, visit: &mut dyn FnMut(&mut HostBlock)) {
        visit(block);
        for stmt in &mut block.stmts {
            stmt.op.blocks_mut().into_iter().for_each(|block| inside(block, visit));
        }
    }
    program.functions.iter_mut().for_each(|function| inside(&mut function.body, visit));
}

/// Calls `visit` on every statement of host code.
pub(super) fn each_stmt(program: &mut Program, visit: &mut dyn FnMut(&mut HostStmt)) {
    each_block(program, &mut |block| block.stmts.iter_mut().for_each(&mut *visit));
}

/// Drops a result of the main function.
pub(super) fn drop_result(case: &mut Case, nth: &mut Nth) {
    let Some(main) = case.program.find_function(Program::ENTRY) else { return };
    let main = &mut case.program.functions[main.index()];
    if let Some(at) = nth.among(main.results.len()) {
        main.results.remove(at);
        main.body.results.remove(at);
    }
}

/// Drops some statements in a row.
pub(super) fn drop_statements(case: &mut Case, nth: &mut Nth, n: usize) {
    each_block(&mut case.program, &mut |block| {
        if let Some(at) = nth.among(block.stmts.len()) {
            let end = (at + n).min(block.stmts.len());
            block.stmts.drain(at..end);
        }
    });
}

/// Replaces an `if` by one of its branches.
pub(super) fn inline_branch(case: &mut Case, nth: &mut Nth) {
    for function in &mut case.program.functions {
        let mut renamed = Vec::new();
        inline_in(&mut function.body, nth, &mut renamed);
        for (from, to) in renamed {
            rename(function, from, to);
        }
    }
}

fn inline_in(block: &mut HostBlock, nth: &mut Nth, renamed: &mut Vec<(ValueId, HostAtom)>) {
    for at in 0..block.stmts.len() {
        let HostOp::If { then, otherwise, .. } = &mut block.stmts[at].op else { continue };
        let taken = if nth.here() {
            std::mem::take(then)
        } else if nth.here() {
            std::mem::take(otherwise)
        } else {
            inline_in(then, nth, renamed);
            inline_in(otherwise, nth, renamed);
            continue;
        };
        renamed.extend(block.stmts[at].binds.iter().copied().zip(taken.results));
        block.stmts.splice(at..=at, taken.stmts);
        return;
    }
}

/// Replaces every use of a value by another.
fn rename(function: &mut Function, from: ValueId, to: HostAtom) {
    fn inside(block: &mut HostBlock, from: ValueId, to: HostAtom) {
        for stmt in &mut block.stmts {
            for_each_atom(&mut stmt.op, &mut |atom| swap(atom, from, to));
            if let HostAtom::Value(to) = to {
                stmt.op.for_each_value(&mut |value| {
                    if *value == from {
                        *value = to;
                    }
                });
            }
            stmt.op.blocks_mut().into_iter().for_each(|block| inside(block, from, to));
        }
        block.results.iter_mut().for_each(|atom| swap(atom, from, to));
    }
    inside(&mut function.body, from, to);
    if let HostAtom::Value(to) = to {
        for value in &mut function.values {
            value.ty.for_each_symbol_mut(&mut |symbol| {
                if *symbol == from {
                    *symbol = to;
                }
            });
        }
    }
}

fn swap(atom: &mut HostAtom, from: ValueId, to: HostAtom) {
    if *atom == HostAtom::Value(from) {
        *atom = to;
    }
}

/// Calls `visit` on the operands that may be literals.
fn for_each_atom(op: &mut HostOp, visit: &mut dyn FnMut(&mut HostAtom)) {
    op.for_each_part_mut(&mut |part| {
        if let HostPartMut::Atom(atom) = part {
            visit(atom);
        }
    });
}

/// Replaces the uses of a computed scalar by zero, and drops its statement.
pub(super) fn forget_scalar(case: &mut Case, nth: &mut Nth) {
    for function in &mut case.program.functions {
        let mut scalars = Vec::new();
        function.body.walk(&mut |stmt| {
            if let (HostOp::Scalar { .. }, &[bind]) = (&stmt.op, stmt.binds.as_slice()) {
                scalars.push(bind);
            }
        });
        if let Some(at) = nth.among(scalars.len()) {
            let bind = scalars[at];
            let Some(ty) = function.values[bind.index()].ty.as_scalar() else { return };
            rename(function, bind, HostAtom::Const(Scalar::zero(ty)));
            drop_binder(&mut function.body, bind);
        }
    }
}

fn drop_binder(block: &mut HostBlock, bind: ValueId) {
    block.stmts.retain(|stmt| !stmt.binds.contains(&bind));
    for stmt in &mut block.stmts {
        stmt.op.blocks_mut().into_iter().for_each(|block| drop_binder(block, bind));
    }
}

/// Drops a result of a called function, if no caller uses it.
pub(super) fn drop_function_result(case: &mut Case, nth: &mut Nth) {
    for id in 0..case.program.functions.len() {
        let function = &mut case.program.functions[id];
        if &*function.name == Program::ENTRY {
            continue;
        }
        let Some(at) = nth.among(function.results.len()) else { continue };
        function.results.remove(at);
        function.body.results.remove(at);
        each_stmt(&mut case.program, &mut |stmt| {
            let calls = match &stmt.op {
                HostOp::Call { function, .. } | HostOp::Each { function, .. } => {
                    *function == FunctionId::from(id)
                }
                _ => false,
            };
            if calls {
                stmt.binds.remove(at);
            }
        });
        return;
    }
}

/// Drops a parameter or shape parameter of a called function.
pub(super) fn drop_parameter(case: &mut Case, nth: &mut Nth) {
    for id in 0..case.program.functions.len() {
        let function = &mut case.program.functions[id];
        if &*function.name == Program::ENTRY {
            continue;
        }
        let n_shapes = function.shapes.len();
        let Some(at) = nth.among(n_shapes + function.params.len()) else { continue };
        remove(&mut function.shapes, &mut function.params, at);
        each_stmt(&mut case.program, &mut |stmt| match &mut stmt.op {
            HostOp::Call { function, shapes, args } if *function == FunctionId::from(id) => {
                remove(shapes, args, at)
            }
            HostOp::Each { function, shapes, args, .. } if *function == FunctionId::from(id) => {
                remove(shapes, args, at)
            }
            _ => {}
        });
        return;
    }
}

/// Removes the entry of a list that is counted on in a second one.
pub(super) fn remove<A, B>(first: &mut Vec<A>, second: &mut Vec<B>, at: usize) {
    if at < first.len() {
        first.remove(at);
    } else {
        second.remove(at - first.len());
    }
}
