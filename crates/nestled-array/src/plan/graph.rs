//! The graph of one evaluation in topological order: arguments before their users.

use crate::node::{Data, Node, NodeRef, Op, State};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// The nodes of an evaluation.
pub(crate) struct Graph {
    /// Arguments come before their users.
    pub items: Vec<Item>,
    /// The wanted nodes: positions among the items.
    pub roots: Vec<usize>,
}

/// A node of an evaluation.
pub(crate) struct Item {
    pub node: NodeRef,
    pub kind: Kind,
    /// Positions of its arguments.
    pub args: Vec<usize>,
}

/// The kind of a node: a leaf with data, or lazy.
#[derive(Clone)]
pub(crate) enum Kind {
    /// Computed.
    Leaf(Data),
    /// To be computed.
    Lazy(Arc<Op>),
}

impl Graph {
    /// Collects the nodes that some nodes need, in topological order. Iterative: uses no call stack, however deep the graph is.
    pub fn of(wanted: &[NodeRef]) -> Graph {
        let mut graph = Graph { items: Vec::new(), roots: Vec::new() };
        let mut known: HashMap<*const Node, usize, BuildHasherDefault<PointerHasher>> = HashMap::default();
        // What was begun: the node, what it is, and how many of its arguments have been looked at.
        let mut open: Vec<(NodeRef, Arc<Op>, usize)> = Vec::new();
        let enter =
            |node: &NodeRef, graph: &mut Graph, known: &mut HashMap<_, usize, _>, open: &mut Vec<_>| {
                if known.contains_key(&Arc::as_ptr(node)) {
                    return;
                }
                match node.state() {
                    State::Ready(data) => {
                        known.insert(Arc::as_ptr(node), graph.items.len());
                        graph.items.push(Item {
                            node: Arc::clone(node),
                            kind: Kind::Leaf(data),
                            args: Vec::new(),
                        });
                    }
                    State::Lazy(op) => open.push((Arc::clone(node), op, 0)),
                }
            };
        for root in wanted {
            enter(root, &mut graph, &mut known, &mut open);
            while let Some((node, op, at)) = open.last_mut() {
                let args = op.args();
                if let Some(&arg) = args.get(*at) {
                    *at += 1;
                    let arg = Arc::clone(arg);
                    enter(&arg, &mut graph, &mut known, &mut open);
                    continue;
                }
                let pointer = Arc::as_ptr(node);
                // It may have been reached again while it was open only through a circle, and there is none.
                let args = args.iter().map(|arg| known[&Arc::as_ptr(arg)]).collect();
                let (node, op) = (Arc::clone(node), Arc::clone(op));
                open.pop();
                if known.contains_key(&pointer) {
                    continue;
                }
                known.insert(pointer, graph.items.len());
                graph.items.push(Item { node, kind: Kind::Lazy(op), args });
            }
            graph.roots.push(known[&Arc::as_ptr(root)]);
        }
        graph
    }

    /// The roots of the same graph with other nodes in place of parameters. Nodes that need no parameter are shared, and computed once.
    pub fn over(&self, given: &[NodeRef]) -> Vec<NodeRef> {
        let mut nodes: Vec<NodeRef> = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let same = |&arg: &usize| Arc::ptr_eq(&nodes[arg], &self.items[arg].node);
            let node = match &item.kind {
                Kind::Lazy(op) => match &**op {
                    Op::Param(number) => Arc::clone(&given[*number]),
                    _ if item.args.iter().all(same) => Arc::clone(&item.node),
                    op => {
                        let mut args = item.args.iter().map(|&arg| Arc::clone(&nodes[arg]));
                        // There are as many arguments as before.
                        let op = op.with(&mut |arg| args.next().unwrap_or_else(|| Arc::clone(arg)));
                        Node::lazy_at(item.node.elem, item.node.shape, op, item.node.place)
                    }
                },
                Kind::Leaf(_) => Arc::clone(&item.node),
            };
            nodes.push(node);
        }
        self.roots.iter().map(|&root| Arc::clone(&nodes[root])).collect()
    }

    /// Number of nodes to compute.
    pub fn n_lazy(&self) -> usize {
        self.items.iter().filter(|item| matches!(item.kind, Kind::Lazy(_))).count()
    }
}

impl Item {
    /// The operation, of a node that is to be computed.
    pub fn op(&self) -> Option<&Op> {
        match &self.kind {
            Kind::Leaf(_) => None,
            Kind::Lazy(op) => Some(op),
        }
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.node.shape.len()
    }

    /// True if the value comes from outside: data, or an argument.
    pub fn is_input(&self) -> bool {
        matches!(self.op(), None | Some(Op::Param(_)))
    }
}

/// Addresses are well spread but for their low bits.
#[derive(Default)]
pub(crate) struct PointerHasher(u64);

impl Hasher for PointerHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 32;
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}
