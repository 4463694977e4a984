//! Promotion of elementwise instructions to the iteration space of a segmented instruction that uses their results.
//!
//! ```text
//! s v  COPY 1 0  * FLOAT  …  +_REDUCE FLOAT        v·v is made as [s], so that one sweep can make and add it
//! ```
//!
//! Looks ahead within a straight-line stretch of statements without visible effects. So the check that the vector has as many elements as the descriptor may
//! come earlier, but there is none that would not have been made.

use crate::stack::ir::{Kind, Stmt, Var};
use crate::syntax::instr::{Instr, Move};
use std::collections::HashMap;

/// Returns, for results of elementwise instructions of a block, the descriptor under which they will be used.
pub fn promote(stmts: &[Stmt]) -> HashMap<Var, Var> {
    let mut all = HashMap::new();
    // When each value of the block is bound; what is not here is older.
    let mut bound: HashMap<Var, usize> = HashMap::new();
    for (position, stmt) in stmts.iter().enumerate() {
        bound.extend(stmt.binds.iter().map(|&bind| (bind, position)));
    }
    let mut end = stmts.len();
    while end > 0 {
        // A stretch without calls, branches, and anything that the world could see.
        let start = stmts[..end].iter().rposition(|stmt| !is_plain(stmt)).map_or(0, |at| at + 1);
        let mut wanted: HashMap<Var, Var> = HashMap::new();
        for position in (start..end).rev() {
            let stmt = &stmts[position];
            match &stmt.kind {
                Kind::Do(Instr::Point(..), args) | Kind::Fused(_, args) => {
                    let result = stmt.binds[0];
                    let Some(&seg) = wanted.get(&result) else { continue };
                    if bound.get(&seg).is_none_or(|&at| at < position) {
                        all.insert(result, seg);
                        args.iter().for_each(|&arg| {
                            wanted.entry(arg).or_insert(seg);
                        });
                    }
                }
                Kind::Do(instr, args) => {
                    for (vector, seg) in under(*instr, args) {
                        wanted.entry(vector).or_insert(seg);
                    }
                }
                _ => {}
            }
        }
        end = start.saturating_sub(1);
    }
    all
}

/// True if the next statement surely runs after this one, and nothing between them is visible outside.
fn is_plain(stmt: &Stmt) -> bool {
    match &stmt.kind {
        Kind::Do(instr, _) => !matches!(
            instr,
            Instr::StartTimer
                | Instr::StopTimer
                | Instr::Read(_)
                | Instr::Write(_)
                | Instr::Fread(_)
                | Instr::Fwrite(_)
                | Instr::Fopen
                | Instr::Fclose
                | Instr::FreadChar
                | Instr::Spawn
        ),
        Kind::Fused(..) | Kind::Const(_) | Kind::Initial(_) => true,
        Kind::Call(..) | Kind::If { .. } | Kind::Exit => false,
    }
}

/// Returns the operands that an instruction takes under a descriptor, with that descriptor.
fn under(instr: Instr, args: &[Var]) -> Vec<(Var, Var)> {
    match (instr, args) {
        (Instr::Scan(..) | Instr::Reduce(..) | Instr::Rank { .. }, &[v, s]) => vec![(v, s)],
        (Instr::Pack(_), &[v, f, s]) => vec![(v, s), (f, s)],
        (Instr::Extract(_), &[v, _, s]) | (Instr::Replace(_), &[v, _, _, s]) => vec![(v, s)],
        (Instr::Move(Move::Permute, _), &[v, x, s]) => vec![(v, s), (x, s)],
        (Instr::Move(Move::Dpermute, _), &[v, x, d, s, t]) => vec![(v, s), (x, s), (d, t)],
        (Instr::Move(Move::Fpermute, _), &[v, x, f, s, _]) => vec![(v, s), (x, s), (f, s)],
        (Instr::Move(Move::Bpermute, _), &[v, x, s, t]) => vec![(v, s), (x, t)],
        (Instr::Move(Move::Bfpermute, _), &[v, x, f, s, t]) => vec![(v, s), (x, t), (f, t)],
        (Instr::Move(Move::Dfpermute, _), &[v, x, f, d, s, t]) => vec![(v, s), (x, s), (f, s), (d, t)],
        _ => Vec::new(),
    }
}
