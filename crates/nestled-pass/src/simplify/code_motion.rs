//! Code motion: statements are hoisted out of the block they stand in, to just before the statement that the block belongs to.
//!
//! ```text
//! a = if c { add (mul x 2) 1 } else { mul x 2 }      t = mul x 2
//!                                                    a = if c { add t 1 } else { t }
//! s = for k in 0..8 with (s = 0.0f32) {              t = exp x
//!   add s (mul xs[k] (exp x))                        s = for k in 0..8 with (s = 0.0f32) { add s (mul xs[k] t) }
//! }
//! ```
//!
//! - Statements common to both arms of an `if` ([`common`]) are computed once, before it.
//! - Loop-invariant statements ([`invariant`]) are computed before the loop; if the loop may run no round, only cheap ones.
//!
//! A statement moves only if it neither faults, nor depends on a private array, nor may run forever, so that lanes fault where they did. A `proved` read moves only where it can be
//! proved there: the proof may depend on the block, or on a check in it.

use super::cse::{ThunkKey, thunk_key};
use crate::facts::Facts;
use crate::ranges::Ranges;
use nestled_ir::{Atom, Block, LocalId, Op, Stmt, StmtKind};
use std::collections::{HashMap, HashSet};

/// Greatest number of statements inside a cheap `if`.
const MOST_CHEAP: usize = 8;

/// The facts that decide whether a statement may move.
pub struct Mover<'m, 'a> {
    /// The effects of thunks.
    pub facts: &'m Facts,
    /// The ranges known at the target of the move.
    pub ranges: &'m mut Ranges<'a>,
}

impl Mover<'_, '_> {
    fn may_move(&mut self, kind: &StmtKind) -> bool {
        match kind {
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Own { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. } => true,
            StmtKind::Read { .. } | StmtKind::Window { .. } => {
                kind.site().is_none() && self.ranges.is_proved(kind)
            }
            StmtKind::Call { thunk, .. } => self.facts.is_total(*thunk),
            StmtKind::If { .. } | StmtKind::For { .. } => {
                kind.blocks().into_iter().flat_map(|block| &block.stmts).all(|stmt| self.may_move(&stmt.kind))
            }
            StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => false,
        }
    }
}

/// True if a statement is cheap enough to be computed speculatively.
pub fn is_cheap(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Op { op, .. } => !is_expensive(*op),
        StmtKind::Read { .. }
        | StmtKind::Own { .. }
        | StmtKind::Window { .. }
        | StmtKind::Len { .. }
        | StmtKind::Start { .. } => true,
        StmtKind::If { then, otherwise, .. } => {
            let inner = || then.stmts.iter().chain(&otherwise.stmts);
            inner().count() <= MOST_CHEAP && inner().all(|stmt| is_cheap(&stmt.kind))
        }
        StmtKind::Threefry { .. }
        | StmtKind::Call { .. }
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::PrivateNew { .. }
        | StmtKind::PrivateGet { .. }
        | StmtKind::PrivateSet { .. }
        | StmtKind::Check { .. } => false,
    }
}

fn is_expensive(op: Op) -> bool {
    matches!(op, Op::Div | Op::Rem | Op::DivFloor | Op::RemFloor | Op::Sqrt) || op.is_elementary()
}

/// Loop-invariant code motion: removes the invariant statements of a block of a loop, and returns them. `inside` are all locals that the loop binds for its blocks, and `always`
/// says whether the block runs at least once.
pub fn invariant(
    block: &mut Block,
    inside: &mut HashSet<LocalId>,
    always: bool,
    mover: &mut Mover<'_, '_>,
) -> Vec<Stmt> {
    let mut moved = Vec::new();
    for stmt in std::mem::take(&mut block.stmts) {
        let free = (always || is_cheap(&stmt.kind)) && mover.may_move(&stmt.kind) && !depends(&stmt, inside);
        if free {
            stmt.kind.for_each_bound(&mut |local| {
                inside.remove(&local);
            });
            moved.push(stmt);
        } else {
            block.stmts.push(stmt);
        }
    }
    moved
}

/// True if a statement uses one of these locals, not counting those that it binds itself.
fn depends(stmt: &Stmt, locals: &HashSet<LocalId>) -> bool {
    let mut own = HashSet::new();
    stmt.kind.for_each_bound(&mut |local| {
        own.insert(local);
    });
    let uses =
        |atom: Atom| matches!(atom, Atom::Local(local) if locals.contains(&local) && !own.contains(&local));
    any_atom(stmt, &uses)
}

fn any_atom(stmt: &Stmt, holds: &dyn Fn(Atom) -> bool) -> bool {
    let in_block = |block: &Block| {
        block.results.iter().any(|&atom| holds(atom)) || block.stmts.iter().any(|stmt| any_atom(stmt, holds))
    };
    stmt.kind.atoms().into_iter().any(holds) || stmt.kind.blocks().into_iter().any(in_block)
}

/// Removes the statements common to both arms of an `if`, and returns them.
pub fn common(then: &mut Block, otherwise: &mut Block, mover: &mut Mover<'_, '_>) -> Vec<Stmt> {
    let mut found: HashMap<ThunkKey, usize> = HashMap::new();
    for (at, stmt) in then.stmts.iter().enumerate().filter(|(_, stmt)| mover.may_move(&stmt.kind)) {
        if let Some(key) = thunk_key(&stmt.kind, |_| 0) {
            found.insert(key, at);
        }
    }
    let mut names: HashMap<LocalId, LocalId> = HashMap::new();
    let mut moves = vec![false; then.stmts.len()];
    otherwise.stmts.retain(|stmt| {
        let mut kind = stmt.kind.clone();
        if found.is_empty() || !mover.may_move(&kind) {
            return true;
        }
        kind.for_each_atom(&mut |atom| rename(atom, &names));
        let Some(&at) = thunk_key(&kind, |_| 0).and_then(|key| found.get(&key)) else { return true };
        // An equal statement came before: it was merged already, unless the first stands for something known only here.
        if std::mem::replace(&mut moves[at], true) {
            return true;
        }
        names.extend(kind.dsts().iter().copied().zip(then.stmts[at].kind.dsts().iter().copied()));
        false
    });
    if names.is_empty() {
        return Vec::new();
    }
    rename_block(otherwise, &names);
    let mut moved = Vec::new();
    for (stmt, moves) in std::mem::take(&mut then.stmts).into_iter().zip(moves) {
        if moves { moved.push(stmt) } else { then.stmts.push(stmt) }
    }
    moved
}

fn rename(atom: &mut Atom, names: &HashMap<LocalId, LocalId>) {
    if let Atom::Local(local) = atom {
        *local = *names.get(local).unwrap_or(local);
    }
}

fn rename_block(block: &mut Block, names: &HashMap<LocalId, LocalId>) {
    for stmt in &mut block.stmts {
        stmt.kind.for_each_atom(&mut |atom| rename(atom, names));
        stmt.kind.blocks_mut().into_iter().for_each(|block| rename_block(block, names));
    }
    block.results.iter_mut().for_each(|atom| rename(atom, names));
}
