//! Grouping of nodes into kernels: nodes that are computed inside the kernel of another.
//!
//! An elementwise node all of whose users are in one kernel, at the same point, is a line in that kernel, also where it is broadcast along a few components.
//! A node that costs nothing (a constant, an index, a few operations on indices, elements read at another place) is rematerialised at each use. All others get a kernel, or a statement of
//! host code, of their own. The passes decide which of those to fuse.

use crate::function::{Arg, ShapeArg};
use crate::node::{Op, Segmented, View};
use crate::plan::{Graph, Item, broadcast_mask};
use crate::shape::Shape;
use nestled_ir::{Op as ScalarOp, Rule};
use std::collections::HashMap;

/// The assignment of items to kernels.
pub(super) struct Groups {
    /// For each item the item that has a line for it in its kernel; the item itself if it has a value of its own.
    pub owner: Vec<usize>,
    /// For each line its coordinates in the space of its kernel.
    pub place: Vec<Place>,
    /// For each item whether it has a value in host code.
    pub stored: Vec<bool>,
    /// Items that functions take as elements of segments, with the items that hold the lengths.
    pub for_functions: HashMap<usize, usize>,
}

/// True if the node can be a line of code, computed once and used by other lines.
fn is_line(op: &Op) -> bool {
    matches!(op, Op::Map { .. } | Op::Apply { .. } | Op::Gather { .. } | Op::Random { .. })
}

/// True if the node is free: rematerialised at each use.
pub(super) fn is_free(graph: &Graph, item: &Item) -> bool {
    match item.op() {
        Some(Op::Fill(_) | Op::Iota { .. }) => true,
        Some(Op::View { view, .. }) => match graph.items[item.args[0]].op() {
            Some(Op::Fill(_)) => !has_default(view),
            _ => true,
        },
        _ => is_index_arithmetic(graph, item, DEEPEST),
    }
}

/// The most operations on top of each other that are as good as an index.
const DEEPEST: u32 = 3;

/// True for sums and products of indices and literals: memory would hold what costs less than reading it, and a reader could not see how its places go
/// along with the coordinates.
fn is_index_arithmetic(graph: &Graph, item: &Item, depth: u32) -> bool {
    let Some(Op::Map { op: ScalarOp::Add | ScalarOp::Sub | ScalarOp::Mul, .. }) = item.op() else {
        return false;
    };
    let mut args = item.args.iter().map(|&arg| &graph.items[arg]);
    let is_index = |arg: &Item| {
        matches!(arg.op(), Some(Op::Iota { .. })) || depth > 1 && is_index_arithmetic(graph, arg, depth - 1)
    };
    let is_known = |arg: &Item| matches!(arg.op(), Some(Op::Fill(_))) || is_index(arg);
    item.node.elem.is_integer() && args.clone().all(is_known) && args.any(is_index)
}

fn has_default(view: &View) -> bool {
    view.axes.iter().any(|axis| axis.rule == Rule::Else)
}

/// True if a view needs its source in memory.
pub(super) fn reads_memory(graph: &Graph, view: &View, source: usize) -> bool {
    !matches!(graph.items[source].op(), Some(Op::Fill(_))) || has_default(view)
}

/// The coordinates of a line in the space of its kernel: for each of its axes the axis of the space, or [`ZERO`].
pub(super) type Place = [u8; Shape::MAX_RANK];

/// The only index of a broadcast axis.
pub(super) const ZERO: u8 = u8::MAX;

/// The place of a line that has all axes of the space.
const OWN: Place = [0, 1, 2, 3, 4, 5, 6, 7];

/// True if a line has all axes of the space, in their order.
pub(super) fn is_own_place(place: &Place, rank: usize) -> bool {
    place[..rank] == OWN[..rank]
}

/// The largest factor by which broadcasting may repeat a line that is not cheap: components of colours and small vectors.
const STRETCH: usize = 8;

/// The largest weight of a line that is cheap: it is recomputed however often an axis is broadcast.
const CHEAP: u32 = 8;

/// The largest weight of lines in a kernel over short segments. There a vector holds the elements of one segment, and many of its lanes are empty: what costs more is computed before, in
/// full vectors.
const HEAVY: u32 = 24;

/// The mean length of segments that fill a vector.
const FILLED: usize = 12;

/// True if the segments of an operation are short on average.
fn are_short(graph: &Graph, item: &Item) -> bool {
    let [values, lengths] = [0, 1].map(|position| graph.items[item.args[position]].node.shape.size());
    values < lengths.saturating_mul(FILLED)
}

/// Estimates the cost of each line together with the lines that it uses, in additions.
fn weights(graph: &Graph) -> Vec<u32> {
    let mut weights: Vec<u32> = Vec::with_capacity(graph.items.len());
    for item in &graph.items {
        let own = match item.op() {
            Some(Op::Fill(_) | Op::Iota { .. }) => 0,
            Some(Op::Map { op, .. }) if op.is_elementary() => 10,
            Some(Op::Map { op: ScalarOp::Div | ScalarOp::Sqrt, .. }) => 4,
            Some(Op::Map { .. }) | None => 1,
            Some(Op::Gather { .. }) => 3,
            Some(Op::Apply { .. } | Op::Random { .. }) => 20,
            // Their values are read.
            Some(_) => {
                weights.push(1);
                continue;
            }
        };
        let args = item.args.iter().map(|&arg| weights[arg]);
        weights.push(args.fold(own, u32::saturating_add));
    }
    weights
}

/// Returns the place of an argument in the kernel of an item that is at `place`; `None` if the argument has to be in memory.
fn place_of(graph: &Graph, weights: &[u32], item: &Item, place: &Place, position: usize) -> Option<Place> {
    let arg = &graph.items[item.args[position]];
    let stretched = || {
        let (shape, own) = (&arg.node.shape, &item.node.shape);
        let cheap = weights[item.args[position]] <= CHEAP;
        if !cheap && own.size() > shape.size().max(1).saturating_mul(STRETCH) {
            return None;
        }
        let (mask, ahead) = (broadcast_mask(shape, own), own.len() - shape.len());
        let mut there = OWN;
        for axis in 0..shape.len() {
            there[axis] = if mask >> axis & 1 == 1 { ZERO } else { place[axis + ahead] };
        }
        Some(there)
    };
    match item.op() {
        Some(Op::Map { .. } | Op::Apply { .. }) => stretched(),
        Some(Op::Reduce { .. } | Op::ArgReduce { .. } | Op::Scan { .. } | Op::Filter { .. }) => Some(OWN),
        Some(Op::Segmented { how, .. }) if position == 0 && !matches!(how, Segmented::Sort { .. }) => {
            let fills_lanes = weights[item.args[0]] <= HEAVY || !are_short(graph, item);
            fills_lanes.then_some(OWN)
        }
        Some(Op::Gather { .. }) if position > 0 => stretched(),
        Some(Op::Scatter { .. }) if position > 0 => Some(OWN),
        _ => None,
    }
}

/// True if a free argument can be rematerialised at this use.
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

/// Items that functions take as elements of segments, but for those that are better computed in full vectors.
fn for_functions(graph: &Graph, weights: &[u32]) -> HashMap<usize, usize> {
    let mut found = HashMap::new();
    for item in &graph.items {
        let Some(Op::Function { call, .. }) = item.op() else { continue };
        let border = &call.function.border;
        for (&arg, role) in item.args.iter().zip(&border.args) {
            let Arg::Elements(shape) = *role else { continue };
            let ShapeArg { parent: Some(parent), lengths: Some(lengths), .. } = border.shapes[shape] else {
                continue;
            };
            let lengths = item.args[lengths];
            let [values, rows] = [arg, lengths].map(|item| graph.items[item].node.shape.size());
            let fills_lanes = weights[arg] <= HEAVY || values >= rows.saturating_mul(FILLED);
            if border.shapes[parent].parent.is_none() && fills_lanes {
                found.entry(arg).or_insert(lengths);
            }
        }
    }
    found
}

impl Groups {
    /// Assigns the items to kernels; `is_literal` tells whether the value of a fill is a constant of the program.
    pub fn of(graph: &Graph, is_literal: &dyn Fn(usize) -> bool) -> Groups {
        let n = graph.items.len();
        let mut stored = vec![false; n];
        // What the users of an item that were seen so far agree on.
        let mut wanted: Vec<Option<(usize, Place)>> = vec![None; n];
        let mut place = vec![OWN; n];
        let weights = weights(graph);
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
                (owner[at], place[at]) = wanted[at].unwrap_or((at, OWN));
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
                let there = if free { None } else { place_of(graph, &weights, item, &place[at], position) };
                match (there, wanted[arg]) {
                    (Some(there), None) => wanted[arg] = Some((owner[at], there)),
                    (Some(there), Some(known)) if known == (owner[at], there) => {}
                    (Some(_), Some(_)) | (None, _) => stored[arg] = true,
                }
            }
        }
        let for_functions = for_functions(graph, &weights);
        Groups { owner, place, stored, for_functions }
    }
}
