//! Many nodes that are computed alike: one after another by one plan, so that no plan grows with their number.
//!
//! A plan of hundreds of kernels takes seconds to compile, and another number of them is another plan. What several of the nodes need is computed
//! before, once.

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

/// What tells graphs apart that are not computed alike; nothing for what is there.
fn structure(node: &NodeRef) -> Option<u64> {
    node.op().map(|_| key(&Graph::of(std::slice::from_ref(node))).0.hash())
}

/// Who needs a node.
#[derive(Clone, Copy, PartialEq)]
enum Reader {
    Nobody,
    /// The root of this number.
    Root(usize),
    Several,
}

/// What several roots of a graph need, and their own nodes use: to be computed before them.
fn shared(graph: &Graph) -> Vec<NodeRef> {
    let mut readers = vec![Reader::Nobody; graph.items.len()];
    let mut is_used = vec![false; graph.items.len()];
    for (number, &root) in graph.roots.iter().enumerate() {
        readers[root] = joined(readers[root], Reader::Root(number));
        is_used[root] = true;
    }
    // Users come after what they use.
    for (at, item) in graph.items.iter().enumerate().rev() {
        for &arg in &item.args {
            readers[arg] = joined(readers[arg], readers[at]);
            is_used[arg] |= readers[at] != Reader::Several;
        }
    }
    let wanted = |at: &usize| {
        let op = graph.items[*at].op();
        // These cost nothing to write again.
        let again = matches!(op, None | Some(Op::Fill(_) | Op::Iota { .. }));
        !again && readers[*at] == Reader::Several && is_used[*at]
    };
    (0..graph.items.len()).filter(wanted).map(|at| Arc::clone(&graph.items[at].node)).collect()
}

fn joined(a: Reader, b: Reader) -> Reader {
    match (a, b) {
        (Reader::Nobody, other) | (other, Reader::Nobody) => other,
        (a, b) if a == b => a,
        _ => Reader::Several,
    }
}
