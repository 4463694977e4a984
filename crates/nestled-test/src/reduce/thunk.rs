//! Edits that shrink thunks.

use super::Nth;
use crate::generate::Case;
use nestled_ir::{Atom, Block, LocalId, Program, Rule, Scalar, ScalarType, Stmt, StmtKind, Thunk};

fn each_thunk(program: &mut Program, visit: &mut dyn FnMut(&mut Thunk)) {
    program.thunks.iter_mut().for_each(|def| visit(&mut def.thunk));
    for step in program.kernels.iter_mut().flat_map(|kernel| &mut kernel.steps) {
        visit(&mut step.body);
    }
}

fn each_block(block: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
    visit(block);
    for stmt in &mut block.stmts {
        stmt.kind.blocks_mut().into_iter().for_each(|block| each_block(block, visit));
    }
}

/// Replaces every use of a local by another operand.
fn rename(thunk: &mut Thunk, from: LocalId, to: Atom) {
    let swap = |atom: &mut Atom| {
        if *atom == Atom::Local(from) {
            *atom = to;
        }
    };
    each_block(&mut thunk.body, &mut |block| {
        block.stmts.iter_mut().for_each(|stmt| stmt.kind.for_each_atom(&mut |atom| swap(atom)));
        block.results.iter_mut().for_each(swap);
    });
}

fn rename_all(thunk: &mut Thunk, pairs: Vec<(LocalId, Atom)>) {
    pairs.into_iter().for_each(|(from, to)| rename(thunk, from, to));
}

/// Drops some statements in a row.
pub(super) fn drop_statements(case: &mut Case, nth: &mut Nth, n: usize) {
    each_thunk(&mut case.program, &mut |thunk| {
        each_block(&mut thunk.body, &mut |block| {
            if let Some(at) = nth.among(block.stmts.len()) {
                let end = (at + n).min(block.stmts.len());
                block.stmts.drain(at..end);
            }
        });
    });
}

/// Drops a statement, and replaces its results by zero.
pub(super) fn forget(case: &mut Case, nth: &mut Nth) {
    each_thunk(&mut case.program, &mut |thunk| {
        let mut dropped: Option<Stmt> = None;
        each_block(&mut thunk.body, &mut |block| {
            if let Some(at) = nth.among(block.stmts.len()) {
                dropped = Some(block.stmts.remove(at));
            }
        });
        let dsts = dropped.iter().flat_map(|stmt| stmt.kind.dsts().to_vec());
        let pairs = dsts.map(|dst| (dst, Atom::Const(Scalar::zero(thunk.local_type(dst))))).collect();
        rename_all(thunk, pairs);
    });
}

/// Replaces an `if` by one of its branches.
pub(super) fn inline_branch(case: &mut Case, nth: &mut Nth) {
    each_thunk(&mut case.program, &mut |thunk| {
        let mut pairs = Vec::new();
        each_block(&mut thunk.body, &mut |block| {
            for at in 0..block.stmts.len() {
                let StmtKind::If { dsts, then, otherwise, .. } = &block.stmts[at].kind else { continue };
                let taken = if nth.here() {
                    then.clone()
                } else if nth.here() {
                    otherwise.clone()
                } else {
                    continue;
                };
                pairs.extend(dsts.iter().copied().zip(taken.results));
                block.stmts.splice(at..=at, taken.stmts);
                return;
            }
        });
        rename_all(thunk, pairs);
    });
}

/// Replaces a loop by its initial values, or by one round of its body.
pub(super) fn skip_loop(case: &mut Case, nth: &mut Nth) {
    each_thunk(&mut case.program, &mut |thunk| {
        let mut pairs = Vec::new();
        each_block(&mut thunk.body, &mut |block| {
            for at in 0..block.stmts.len() {
                let (dsts, carried, body, start) = match &block.stmts[at].kind {
                    StmtKind::For { dsts, carried, body, var, from, .. } => {
                        (dsts, carried, body, Some((*var, *from)))
                    }
                    StmtKind::While { dsts, carried, body, .. } => (dsts, carried, body, None),
                    _ => continue,
                };
                let inits = carried.iter().map(|carried| carried.init);
                if nth.here() {
                    pairs.extend(dsts.iter().copied().zip(inits));
                    block.stmts.remove(at);
                    return;
                }
                if nth.here() {
                    pairs.extend(dsts.iter().copied().zip(body.results.clone()));
                    pairs.extend(carried.iter().map(|carried| (carried.local, carried.init)));
                    pairs.extend(start);
                    let stmts = body.stmts.clone();
                    block.stmts.splice(at..=at, stmts);
                    return;
                }
            }
        });
        rename_all(thunk, pairs);
    });
}

/// The type of an operand, if it is known without the kernel.
fn ty(types: &[ScalarType], atom: Atom) -> Option<ScalarType> {
    match atom {
        Atom::Local(local) => types.get(local.index()).copied(),
        Atom::Const(scalar) => Some(scalar.ty()),
        Atom::Value(_) => Some(ScalarType::Idx),
    }
}

/// Replaces an operand by zero or one.
pub(super) fn plain_operand(case: &mut Case, nth: &mut Nth) {
    each_thunk(&mut case.program, &mut |thunk| {
        let types: Vec<ScalarType> = thunk.locals.iter().map(|local| local.ty).collect();
        each_block(&mut thunk.body, &mut |block| {
            for stmt in &mut block.stmts {
                stmt.kind.for_each_atom(&mut |atom| make_plain(atom, &types, nth));
            }
        });
    });
}

/// Replaces a result by zero.
pub(super) fn plain_result(case: &mut Case, nth: &mut Nth) {
    each_thunk(&mut case.program, &mut |thunk| {
        let types: Vec<ScalarType> = thunk.locals.iter().map(|local| local.ty).collect();
        each_block(&mut thunk.body, &mut |block| {
            block.results.iter_mut().for_each(|atom| make_plain(atom, &types, nth));
        });
    });
}

fn make_plain(atom: &mut Atom, types: &[ScalarType], nth: &mut Nth) {
    let Some(ty) = ty(types, *atom) else { return };
    let zero = Atom::Const(Scalar::zero(ty));
    if *atom != zero && nth.here() {
        *atom = zero;
    }
}

/// Makes all indices of a read clamp.
pub(super) fn plain_rules(case: &mut Case, nth: &mut Nth) {
    each_thunk(&mut case.program, &mut |thunk| {
        each_block(&mut thunk.body, &mut |block| {
            for stmt in &mut block.stmts {
                match &mut stmt.kind {
                    StmtKind::Read { index, default, site, .. } if nth.here() => {
                        index.iter_mut().for_each(|index| index.rule = Rule::Proved);
                        (*default, *site) = (None, None);
                    }
                    StmtKind::Window { offsets, default, site, .. } if nth.here() => {
                        offsets.iter_mut().for_each(|offset| offset.rule = Rule::Clamp);
                        (*default, *site) = (None, None);
                    }
                    _ => {}
                }
            }
        });
    });
}
