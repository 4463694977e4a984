//! Which nodes are computed inside the kernel of another.
//!
//! An elementwise node all of whose users are in one kernel, at the same point, is a line in that kernel. A node that costs nothing (a
//! constant, an index, elements read at another place) is written anew wherever it is used. All others get a kernel, or a statement of host code, of their
//! own; what of those is worth joining is decided by the passes.

use crate::node::{Op, Segmented, View};
use crate::plan::{Graph, Item, broadcast_mask};
use nestled_ir::Rule;

/// Where each item is computed.
pub(super) struct Groups {
    /// For each item the one in whose kernel it is a line; itself if it has a value of its own.
    pub owner: Vec<usize>,
    /// Whether the item has a value in host code.
    pub stored: Vec<bool>,
}

/// Whether the node is a line of code that other lines may use.
fn is_line(op: &Op) -> bool {
    matches!(op, Op::Map { .. } | Op::Apply { .. } | Op::Gather { .. } | Op::Random { .. })
}

/// Whether the node is written anew wherever it is used.
pub(super) fn is_free(graph: &Graph, item: &Item) -> bool {
    match item.op() {
        Some(Op::Fill(_) | Op::Iota { .. }) => true,
        Some(Op::View { view, .. }) => match graph.items[item.args[0]].op() {
            Some(Op::Fill(_)) => !has_default(view),
            _ => true,
        },
        _ => false,
    }
}

fn has_default(view: &View) -> bool {
    view.axes.iter().any(|axis| axis.rule == Rule::Else)
}

/// Whether a view needs its source in memory.
pub(super) fn reads_memory(graph: &Graph, view: &View, source: usize) -> bool {
    !matches!(graph.items[source].op(), Some(Op::Fill(_))) || has_default(view)
}

/// Whether an argument is used at the own point, and need not be in memory.
fn at_own_point(graph: &Graph, item: &Item, position: usize) -> bool {
    let arg = &graph.items[item.args[position]];
    let unstretched = || arg.rank() == item.rank() && broadcast_mask(&arg.node.shape, &item.node.shape) == 0;
    match item.op() {
        Some(Op::Map { .. } | Op::Apply { .. }) => unstretched(),
        Some(Op::Reduce { .. } | Op::ArgReduce { .. } | Op::Scan { .. } | Op::Filter { .. }) => true,
        Some(Op::Segmented { how, .. }) => position == 0 && !matches!(how, Segmented::Sort { .. }),
        Some(Op::Gather { .. }) => position > 0 && unstretched(),
        Some(Op::Scatter { .. }) => position > 0,
        _ => false,
    }
}

/// Whether a free argument can be written out where it is used.
fn takes_free(item: &Item, position: usize) -> bool {
    match item.op() {
        Some(
            Op::Map { .. }
            | Op::Apply { .. }
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Scan { .. }
            | Op::Filter { .. },
        ) => true,
        Some(Op::Segmented { how, .. }) => position == 0 && !matches!(how, Segmented::Sort { .. }),
        Some(Op::Gather { .. }) => position > 0,
        // A base that is one value is a literal.
        Some(Op::Scatter { .. }) => true,
        _ => false,
    }
}

impl Groups {
    /// Decides; `is_literal` says of a fill whether its value is a constant of the program.
    pub fn of(graph: &Graph, is_literal: &dyn Fn(usize) -> bool) -> Groups {
        let n = graph.items.len();
        let mut stored = vec![false; n];
        // What the users of an item that were seen so far agree on.
        let mut wanted: Vec<Option<usize>> = vec![None; n];
        let mut owner: Vec<usize> = (0..n).collect();
        for &root in &graph.roots {
            stored[root] = true;
        }
        for at in (0..n).rev() {
            let item = &graph.items[at];
            let Some(op) = item.op() else {
                stored[at] = true;
                continue;
            };
            let free = is_free(graph, item);
            if matches!(op, Op::Param(_)) || !(is_line(op) || free) || (!free && wanted[at].is_none()) {
                stored[at] = true;
            }
            if !free && !stored[at] {
                owner[at] = wanted[at].unwrap_or(at);
            }
            if free && !stored[at] && wanted[at].is_none() {
                // Nobody but free lines use it; they write it out.
                owner[at] = at;
            }
            for (position, &arg) in item.args.iter().enumerate() {
                let arg_item = &graph.items[arg];
                let literal = matches!(arg_item.op(), Some(Op::Fill(_))) && is_literal(arg);
                let base = matches!(op, Op::Scatter { .. }) && position == 0;
                if is_free(graph, arg_item) && takes_free(item, position) && (literal || !base) {
                    continue;
                }
                if let Op::View { view, .. } = op
                    && !reads_memory(graph, view, arg)
                {
                    continue;
                }
                if at_own_point(graph, item, position) && !free {
                    let here = owner[at];
                    match wanted[arg] {
                        None => wanted[arg] = Some(here),
                        Some(there) if there == here => {}
                        Some(_) => stored[arg] = true,
                    }
                } else {
                    stored[arg] = true;
                }
            }
        }
        Groups { owner, stored }
    }
}
