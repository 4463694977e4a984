//! Full unrolling of tiny loops with a known number of rounds.
//!
//! ```text
//! s = for j in 0..2 with (s = 0i32) { add s xs[i, j] }      a = add 0 xs[i, 0]
//!                                                           s = add a xs[i, 1]
//! ```
//!
//! Each round binds locals of its own; sites keep their numbers. Loops with inner loops or new private arrays stay, and so do those with more than [`MOST`] statements in all
//! rounds together.

use nestled_ir::{Atom, Block, Carried, LocalId, Scalar, Stmt, StmtKind, Thunk};
use std::collections::HashMap;

/// Greatest number of statements of all rounds together.
const MOST: i64 = 24;

/// Returns the thunk with tiny loops unrolled.
pub fn unroll(thunk: &Thunk) -> Thunk {
    let mut found = false;
    thunk.body.walk(&mut |stmt| found |= rounds(&stmt.kind).is_some());
    if !found {
        return thunk.clone();
    }
    let mut unrolling = Unrolling { thunk: thunk.clone() };
    let body = unrolling.block(&thunk.body, &mut HashMap::new());
    Thunk { body, ..unrolling.thunk }
}

/// Returns the values of the counter, if a statement is a loop to unroll.
fn rounds(kind: &StmtKind) -> Option<std::ops::Range<i64>> {
    let StmtKind::For { from, to, body, .. } = kind else { return None };
    let (&Atom::Const(Scalar::Idx(from)), &Atom::Const(Scalar::Idx(to))) = (from, to) else { return None };
    let mut size = 0;
    let mut plain = true;
    body.walk(&mut |stmt| {
        size += 1;
        plain &=
            !matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::PrivateNew { .. });
    });
    let tiny = from < to && to.checked_sub(from)?.saturating_mul(size) <= MOST;
    (plain && tiny && size > 0).then_some(from..to)
}

/// The substitution for locals of the original thunk.
type Names = HashMap<LocalId, Atom>;

struct Unrolling {
    thunk: Thunk,
}

impl Unrolling {
    fn block(&mut self, block: &Block, names: &mut Names) -> Block {
        let mut stmts = Vec::new();
        let results = self.inline(block, names, &mut stmts);
        Block { stmts, results }
    }

    /// Copies the statements of a block with the substitution; returns its results.
    fn inline(&mut self, block: &Block, names: &mut Names, out: &mut Vec<Stmt>) -> Vec<Atom> {
        for stmt in &block.stmts {
            if let (StmtKind::For { dsts, var, carried, body, .. }, Some(rounds)) =
                (&stmt.kind, rounds(&stmt.kind))
            {
                let values = self.rounds(*var, carried, rounds, body, names, out);
                names.extend(dsts.iter().copied().zip(values));
                continue;
            }
            let mut stmt = stmt.clone();
            stmt.kind.for_each_atom(&mut |atom| *atom = named(*atom, names));
            stmt.kind.for_each_local(&mut |local| {
                if let Some(Atom::Local(new)) = names.get(local) {
                    *local = *new;
                }
            });
            for inner in stmt.kind.blocks_mut() {
                *inner = self.block(inner, names);
            }
            out.push(stmt);
        }
        block.results.iter().map(|&result| named(result, names)).collect()
    }

    fn rounds(
        &mut self,
        var: LocalId,
        carried: &[Carried],
        rounds: std::ops::Range<i64>,
        body: &Block,
        names: &mut Names,
        out: &mut Vec<Stmt>,
    ) -> Vec<Atom> {
        let mut values: Vec<Atom> = carried.iter().map(|carried| named(carried.init, names)).collect();
        let first = rounds.start;
        for round in rounds {
            names.insert(var, Atom::Const(Scalar::Idx(round)));
            names.extend(carried.iter().map(|carried| carried.local).zip(values));
            if round > first {
                self.rename(body, names);
            }
            values = self.inline(body, names, out);
        }
        values
    }

    /// Makes new locals for all that a block binds.
    fn rename(&mut self, block: &Block, names: &mut Names) {
        block.walk(&mut |stmt| {
            for &dst in stmt.kind.dsts() {
                self.thunk.locals.push(self.thunk.locals[dst.index()].clone());
                names.insert(dst, Atom::Local(LocalId::from(self.thunk.locals.len() - 1)));
            }
        });
    }
}

fn named(atom: Atom, names: &Names) -> Atom {
    match atom {
        Atom::Local(local) => *names.get(&local).unwrap_or(&atom),
        Atom::Const(_) | Atom::Value(_) => atom,
    }
}
