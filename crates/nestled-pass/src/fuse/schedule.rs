//! Statement scheduling after fusion: a topological order of the statements of a region.
//!
//! A statement comes after all that it depends on; of those that are ready, the one that stood first in the program goes first.

use nestled_ir::HostStmt;
use std::collections::{BTreeMap, BTreeSet};

/// A statement that is to be placed.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The statement.
    pub stmt: HostStmt,
    /// The statements of the region that it replaces, in order.
    pub was: Vec<usize>,
    /// The statements of the region that it depends on.
    pub needs: BTreeSet<usize>,
}

/// Returns the statements in a topological order; `None` if they have a dependence cycle.
pub fn schedule(placed: Vec<Placed>) -> Option<Vec<HostStmt>> {
    let home: BTreeMap<usize, usize> = placed
        .iter()
        .enumerate()
        .flat_map(|(node, placed)| placed.was.iter().map(move |&was| (was, node)))
        .collect();
    let mut later = vec![Vec::new(); placed.len()];
    let mut waits_for = vec![0usize; placed.len()];
    for (node, placed) in placed.iter().enumerate() {
        let needs: BTreeSet<usize> = placed.needs.iter().filter_map(|need| home.get(need).copied()).collect();
        for need in needs.into_iter().filter(|&need| need != node) {
            later[need].push(node);
            waits_for[node] += 1;
        }
    }
    let key = |node: usize| (placed[node].was.first().copied(), node);
    let mut ready: BTreeSet<(Option<usize>, usize)> =
        (0..placed.len()).filter(|&node| waits_for[node] == 0).map(key).collect();
    let mut order = Vec::new();
    while let Some((_, node)) = ready.pop_first() {
        order.push(node);
        for &next in &later[node] {
            waits_for[next] -= 1;
            if waits_for[next] == 0 {
                ready.insert(key(next));
            }
        }
    }
    let mut stmts: Vec<Option<HostStmt>> = placed.into_iter().map(|placed| Some(placed.stmt)).collect();
    (order.len() == stmts.len()).then(|| order.into_iter().filter_map(|node| stmts[node].take()).collect())
}
