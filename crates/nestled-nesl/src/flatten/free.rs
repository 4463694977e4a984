//! Free variables: the locals that code uses and does not bind.

use crate::core::{Atom, Block, Local, Op};
use std::collections::HashSet;

/// Returns the free locals of an operation.
pub(super) fn free(op: &Op) -> Vec<Local> {
    let mut bound = HashSet::new();
    bound_in(op, &mut bound);
    let mut found = Vec::new();
    op.visit_atoms(&mut |atom| {
        if let Atom::Local(local) = atom
            && !bound.contains(&local)
            && !found.contains(&local)
        {
            found.push(local);
        }
    });
    found.sort_unstable();
    found
}

fn bound_in(op: &Op, bound: &mut HashSet<Local>) {
    let blocks: Vec<&Block> = match op {
        Op::If(_, yes, no) => vec![yes, no],
        Op::Each(each) => {
            bound.extend(&each.elements);
            vec![&each.body]
        }
        _ => Vec::new(),
    };
    for block in blocks {
        for statement in &block.statements {
            bound.insert(statement.local);
            bound_in(&statement.op, bound);
        }
    }
}

/// Returns the free locals of a block.
pub(super) fn free_in(block: &Block) -> Vec<Local> {
    let mut bound = HashSet::new();
    for statement in &block.statements {
        bound.insert(statement.local);
        bound_in(&statement.op, &mut bound);
    }
    let mut found = HashSet::new();
    block.visit_atoms(&mut |atom| {
        if let Atom::Local(local) = atom
            && !bound.contains(&local)
        {
            found.insert(local);
        }
    });
    let mut found: Vec<Local> = found.into_iter().collect();
    found.sort_unstable();
    found
}
