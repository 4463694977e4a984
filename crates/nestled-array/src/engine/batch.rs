//! Batches of graphs of equal structure (found by their structural hashes): one plan runs once for each of them, so that no plan grows with
//! their number.
//!
//! A plan of hundreds of kernels takes seconds to compile, and another number of them is another plan. Subgraphs that several of the graphs share
//! are computed first, once.

use super::Engine;
use super::ticket::Ticket;
use crate::error::Result;
use crate::node::{NodeRef, Op};
use crate::plan::{Graph, key};
use std::collections::HashMap;
use std::sync::Arc;

impl Engine {
    /// Computes many nodes. Those that are like others go by themselves, the rest goes together.
    pub(super) fn eval_alike(&self, nodes: &[NodeRef], ticket: &Ticket) -> Result<()> {
        let graph = Graph::of(nodes);
        self.eval_by(&shared(&graph), ticket)?;
        let hashes: Vec<Option<u64>> = nodes.iter().map(structure).collect();
        let mut counts: HashMap<u64, usize> = HashMap::new();
        hashes.iter().flatten().for_each(|&hash| *counts.entry(hash).or_default() += 1);
        let mut rest = Vec::new();
        for (node, hash) in nodes.iter().zip(&hashes) {
            match hash {
                Some(hash) if counts[hash] > 1 => self.eval_by(std::slice::from_ref(node), ticket)?,
                Some(_) => rest.push(Arc::clone(node)),
                None => (),
            }
        }
        self.eval_by(&rest, ticket)
    }
}

/// The structural hash of the graph below a node: one plan serves all graphs that have the same. Nothing for a node that is computed.
fn structure(node: &NodeRef) -> Option<u64> {
    node.op().map(|_| key(&Graph::of(std::slice::from_ref(node))).0.hash())
}

/// The roots that a node is below.
#[derive(Clone, Copy, PartialEq)]
enum Below {
    None,
    /// Only the root of this number.
    One(usize),
    Several,
}

/// The largest subgraphs that several roots share: each is read by a node below one root only, or is a root.
fn shared(graph: &Graph) -> Vec<NodeRef> {
    let mut readers = vec![Below::None; graph.items.len()];
    let mut is_used = vec![false; graph.items.len()];
    for (number, &root) in graph.roots.iter().enumerate() {
        readers[root] = joined(readers[root], Below::One(number));
        is_used[root] = true;
    }
    // Users come after what they use.
    for (at, item) in graph.items.iter().enumerate().rev() {
        for &arg in &item.args {
            readers[arg] = joined(readers[arg], readers[at]);
            is_used[arg] |= readers[at] != Below::Several;
        }
    }
    let wanted = |at: &usize| {
        let op = graph.items[*at].op();
        // These cost nothing to write again.
        let again = matches!(op, None | Some(Op::Fill(_) | Op::Iota { .. }));
        !again && readers[*at] == Below::Several && is_used[*at]
    };
    (0..graph.items.len()).filter(wanted).map(|at| Arc::clone(&graph.items[at].node)).collect()
}

fn joined(a: Below, b: Below) -> Below {
    match (a, b) {
        (Below::None, other) | (other, Below::None) => other,
        (a, b) if a == b => a,
        _ => Below::Several,
    }
}
