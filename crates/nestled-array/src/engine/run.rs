//! Evaluation by an engine: graphs are run in parts, and results brought to the host, each under a ticket.

use super::Engine;
use super::kept;
use super::ticket::Ticket;
use crate::error::Result;
use crate::node::{Data, NodeRef, Op, State as NodeState};
use crate::plan::{Graph, Kind};
use std::sync::Arc;

/// Adds the other parts of what functions give that are wanted: a call by itself runs once.
fn beside(wanted: &mut Vec<NodeRef>) {
    let mut more: Vec<NodeRef> = Vec::new();
    for node in wanted.iter() {
        if let Some(op) = node.op()
            && let Op::Function { call, .. } = &*op
        {
            more.extend(call.wanted());
        }
    }
    for node in more {
        if !wanted.iter().any(|known| Arc::ptr_eq(known, &node)) {
            wanted.push(node);
        }
    }
}

impl Engine {
    pub(super) fn eval_by(&self, nodes: &[NodeRef], ticket: &Ticket) -> Result<()> {
        let lazy = |node: &&NodeRef| matches!(node.state(), NodeState::Lazy(_));
        loop {
            let mut wanted: Vec<NodeRef> = Vec::with_capacity(nodes.len());
            for node in nodes.iter().filter(lazy) {
                if !wanted.iter().any(|known| Arc::ptr_eq(known, node)) {
                    wanted.push(Arc::clone(node));
                }
            }
            beside(&mut wanted);
            if wanted.is_empty() {
                return Ok(());
            }
            let graph = Graph::of(&wanted);
            if self.join_many_by(&graph, ticket)? {
                continue;
            }
            if graph.n_lazy() > self.shared.config.part {
                return self.eval_in_parts(graph, ticket);
            }
            // Somebody else may be at it.
            if let Some(claim) = self.shared.scheduler.claim(&graph, ticket)? {
                let outcome = self.eval_graph(graph, ticket);
                drop(claim);
                return outcome;
            }
        }
    }

    /// Nodes of one part after another; each part leaves what later ones need.
    pub(super) fn eval_in_parts(&self, graph: Graph, ticket: &Ticket) -> Result<()> {
        let Graph { items, roots } = graph;
        let mut last_use: Vec<usize> = (0..items.len()).collect();
        for (at, item) in items.iter().enumerate() {
            item.args.iter().for_each(|&arg| last_use[arg] = at);
        }
        roots.iter().for_each(|&root| last_use[root] = usize::MAX);
        let mut items: Vec<Option<_>> = items.into_iter().map(Some).collect();
        let mut begin = 0;
        while begin < items.len() {
            let (mut end, mut count) = (begin, 0);
            while end < items.len() && count < self.shared.config.part {
                count += usize::from(items[end].as_ref().is_some_and(|item| item.op().is_some()));
                end += 1;
            }
            let mut wanted = Vec::new();
            for at in begin..end {
                let Some(item) = &items[at] else { continue };
                // These cost nothing to write again.
                let again = matches!(item.op(), None | Some(Op::Fill(_) | Op::Iota { .. }));
                if last_use[at] >= end && (!again || last_use[at] == usize::MAX) {
                    wanted.push(Arc::clone(&item.node));
                }
            }
            // What is not needed any more goes at once.
            items[begin..end].iter_mut().for_each(|item| *item = None);
            if !wanted.is_empty() {
                self.eval_part(&wanted, ticket)?;
            }
            begin = end;
        }
        Ok(())
    }

    /// Nodes of which what they need was computed before.
    pub(super) fn eval_part(&self, wanted: &[NodeRef], ticket: &Ticket) -> Result<()> {
        loop {
            let lazy = |node: &&NodeRef| matches!(node.state(), NodeState::Lazy(_));
            let wanted: Vec<NodeRef> = wanted.iter().filter(lazy).cloned().collect();
            if wanted.is_empty() {
                return Ok(());
            }
            let graph = Graph::of(&wanted);
            if let Some(claim) = self.shared.scheduler.claim(&graph, ticket)? {
                let outcome = self.eval_graph(graph, ticket);
                drop(claim);
                return outcome;
            }
        }
    }

    /// Computes a graph, whose roots this evaluation has claimed, and publishes them.
    pub(super) fn eval_graph(&self, mut graph: Graph, ticket: &Ticket) -> Result<()> {
        self.bring_by(&mut graph, ticket)?;
        let results = self.with_by(ticket, |state| state.run(&graph))?;
        for (&root, kept) in graph.roots.iter().zip(results) {
            graph.items[root].node.fulfil(self.resident(kept));
        }
        Ok(())
    }

    /// Data of other engines comes to the host; data of the host goes to the device, and stays there. The graph then knows where it lies, whatever
    /// other engines do with the nodes meanwhile.
    pub(crate) fn bring(&self, graph: &mut Graph) -> Result<()> {
        self.bring_by(graph, &self.ticket())
    }

    pub(super) fn bring_by(&self, graph: &mut Graph, ticket: &Ticket) -> Result<()> {
        for item in &mut graph.items {
            if let Kind::Leaf(data) = &mut item.kind {
                *data = self.bring_one_by(&item.node, data, ticket)?;
            }
        }
        Ok(())
    }

    /// The data of a node on this engine's device, where it is brought if it is not there.
    pub(crate) fn bring_one(&self, node: &NodeRef, data: &Data) -> Result<Data> {
        self.bring_one_by(node, data, &self.ticket())
    }

    pub(super) fn bring_one_by(&self, node: &NodeRef, data: &Data, ticket: &Ticket) -> Result<Data> {
        let buffer = match data {
            Data::Scalar(_) => return Ok(data.clone()),
            Data::Device(resident) if self.computed(resident) => return Ok(data.clone()),
            Data::Device(resident) if resident.is_foreign() => {
                let shared = resident.shared();
                let taken = self.with_by(ticket, |state| state.take_over(node.elem, &shared))?;
                let data = self.resident(taken);
                node.fulfil(data.clone());
                return Ok(data);
            }
            Data::Device(resident) => kept::read(resident)?,
            Data::Host(buffer) => Arc::clone(buffer),
        };
        let data = if node.shape.is_empty() {
            Data::Scalar(buffer.get(0))
        } else {
            self.resident(self.with_by(ticket, |state| state.upload(node.elem, &node.shape, buffer))?)
        };
        node.fulfil(data.clone());
        Ok(data)
    }
}
