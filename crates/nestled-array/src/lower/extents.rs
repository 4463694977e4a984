//! Equality of extents: equivalence classes of axes that have the same extent, whatever the data.
//!
//! Two axes are *one* if an operation says so: those of an elementwise operation and of its arguments, those that a transform keeps. Extents
//! that happen to be equal are not one: with other data they differ, and the program stays the same.

use crate::node::{GatherAxis, Op, Segmented, ViewExtent};
#[cfg(debug_assertions)]
use crate::plan::Number;
use crate::plan::{Graph, Item, broadcast_mask};

/// The extents of all axes of a graph.
pub(super) struct Extents {
    /// For each item the position of its first axis.
    base: Vec<usize>,
    /// Union-find: for each axis the representative of its class.
    representative: Vec<usize>,
    /// For each representative the number that is its extent.
    number: Vec<Option<usize>>,
}

impl Extents {
    /// Computes the classes of a graph.
    pub fn of(graph: &Graph, starts: &[usize]) -> Extents {
        let mut base = Vec::with_capacity(graph.items.len());
        let mut n = 0;
        for item in &graph.items {
            base.push(n);
            n += item.rank();
        }
        let mut extents = Extents { base, representative: (0..n).collect(), number: vec![None; n] };
        for (at, item) in graph.items.iter().enumerate() {
            extents.unite_item(graph, at, item);
        }
        for (at, item) in graph.items.iter().enumerate() {
            for (axis, number) in own_extents(item).into_iter().zip(starts[at]..) {
                let number = number + own_extents_begin(item);
                let representative = extents.find(extents.base[at] + axis);
                extents.number[representative].get_or_insert(number);
            }
        }
        extents
    }

    /// The number that is the extent of an axis.
    pub fn number(&mut self, item: usize, axis: usize) -> Option<usize> {
        let representative = self.find(self.base[item] + axis);
        self.number[representative]
    }

    fn find(&mut self, axis: usize) -> usize {
        let mut at = axis;
        while self.representative[at] != at {
            self.representative[at] = self.representative[self.representative[at]];
            at = self.representative[at];
        }
        at
    }

    fn unite(&mut self, left: usize, right: usize) {
        let (left, right) = (self.find(left), self.find(right));
        // The earlier one leads, so that names follow the order of the program.
        self.representative[left.max(right)] = left.min(right);
    }

    fn unite_stretched(&mut self, graph: &Graph, at: usize, arg: usize) {
        let (shape, own) = (&graph.items[arg].node.shape, &graph.items[at].node.shape);
        let (mask, ahead) = (broadcast_mask(shape, own), own.len() - shape.len());
        for axis in (0..shape.len()).filter(|axis| mask >> axis & 1 == 0) {
            self.unite(self.base[at] + axis + ahead, self.base[arg] + axis);
        }
    }

    fn unite_all(&mut self, at: usize, arg: usize, rank: usize) {
        (0..rank).for_each(|axis| self.unite(self.base[at] + axis, self.base[arg] + axis));
    }

    fn unite_item(&mut self, graph: &Graph, at: usize, item: &Item) {
        let Some(op) = item.op() else { return };
        let base = self.base[at];
        let args: Vec<usize> = item.args.iter().map(|&arg| self.base[arg]).collect();
        match op {
            Op::Param(_)
            | Op::Fill(_)
            | Op::Iota { .. }
            | Op::Random { .. }
            | Op::Reshape { .. }
            | Op::Owners { .. } => {}
            Op::Function { call, result, .. } => {
                let border = &call.function.border;
                let like = |shape: usize| args[border.shapes[shape].elements];
                for (arg, &axis) in args.iter().enumerate() {
                    border.shape_of(arg).into_iter().for_each(|shape| self.unite(axis, like(shape)));
                }
                let extent = call.function.extent_of(*result);
                extent.into_iter().for_each(|shape| self.unite(base, like(shape)));
            }
            Op::Map { .. } | Op::Apply { .. } => {
                item.args.iter().for_each(|&arg| self.unite_stretched(graph, at, arg));
            }
            Op::View { view, .. } => {
                for (axis, extent) in view.out.iter().enumerate() {
                    if let ViewExtent::Same(source) = extent {
                        self.unite(base + axis, args[0] + source);
                    }
                }
            }
            Op::Reduce { axes, .. } => {
                let rank = graph.items[item.args[0]].rank();
                let kept = (0..rank).filter(|axis| !axes.contains(axis));
                kept.enumerate().for_each(|(own, axis)| self.unite(base + own, args[0] + axis));
            }
            Op::ArgReduce { axis: along, .. } | Op::Fold { axis: along, .. } => {
                let rank = graph.items[item.args[0]].rank();
                let kept = (0..rank).filter(|axis| axis != along);
                kept.enumerate().for_each(|(own, axis)| self.unite(base + own, args[0] + axis));
            }
            Op::Scan { .. } | Op::Sort { .. } => {
                item.args.iter().for_each(|&arg| self.unite_all(at, arg, item.rank()));
            }
            Op::Concat { axis: along, .. } => {
                for &arg in &args {
                    let others = (0..item.rank()).filter(|axis| axis != along);
                    others.for_each(|axis| self.unite(base + axis, arg + axis));
                }
            }
            Op::Gather { axes, indices, .. } => {
                for (axis, how) in axes.iter().enumerate() {
                    if let GatherAxis::Own(own) = how {
                        self.unite(base + own, args[0] + axis);
                    }
                }
                item.args[1..=indices.len()].iter().for_each(|&arg| self.unite_stretched(graph, at, arg));
            }
            Op::Scatter { .. } => {
                self.unite_all(at, item.args[0], item.rank());
                let source = item.args[item.args.len() - 1];
                let rank = graph.items[source].rank();
                for &arg in &item.args[1..item.args.len() - 1] {
                    self.unite_all(source, arg, rank);
                }
            }
            Op::Filter { .. } => self.unite(args[0], args[1]),
            Op::Segmented { how, .. } => match how {
                Segmented::Reduce(_) => self.unite(base, args[1]),
                Segmented::Scan(..) => self.unite(base, args[0]),
                Segmented::Sort { .. } => {
                    self.unite(base, args[0]);
                    args.get(2).into_iter().for_each(|&payload| self.unite(base, payload));
                }
            },
            Op::MatMul { .. } => {
                self.unite(base, args[0]);
                self.unite(base + 1, args[1] + 1);
                self.unite(args[0] + 1, args[1]);
            }
        }
    }
}

/// The axes whose extents are among the numbers of an item, in the order of the numbers.
fn own_extents(item: &Item) -> Vec<usize> {
    match item.op() {
        None
        | Some(
            Op::Param(_)
            | Op::Fill(_)
            | Op::Iota { .. }
            | Op::Random { .. }
            | Op::Reshape { .. }
            | Op::Owners { .. },
        ) => (0..item.rank()).collect(),
        Some(Op::View { view, .. }) => {
            (0..item.rank()).filter(|&axis| view.out[axis] == ViewExtent::New).collect()
        }
        Some(Op::Concat { axis, .. }) => vec![*axis],
        Some(Op::Function { call, result, .. }) => match call.function.extent_of(*result) {
            Some(_) => Vec::new(),
            None => (0..item.rank()).collect(),
        },
        Some(
            Op::Map { .. }
            | Op::Apply { .. }
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Scan { .. }
            | Op::Fold { .. }
            | Op::Gather { .. }
            | Op::Scatter { .. }
            | Op::MatMul { .. }
            | Op::Filter { .. }
            | Op::Segmented { .. }
            | Op::Sort { .. },
        ) => Vec::new(),
    }
}

/// Number of an item's numbers that come before its extents.
fn own_extents_begin(item: &Item) -> usize {
    match item.op() {
        Some(Op::View { view, .. }) => view.axes.len(),
        _ => 0,
    }
}

/// Checks that axes that are one have one extent.
#[cfg(debug_assertions)]
pub(super) fn check(extents: &mut Extents, graph: &Graph, numbers: &[Number]) {
    for (at, item) in graph.items.iter().enumerate() {
        for axis in 0..item.rank() {
            if let Some(number) = extents.number(at, axis) {
                debug_assert_eq!(
                    numbers[number].bits,
                    item.node.shape[axis] as u64,
                    "an extent of {}",
                    item.op().map_or("leaf", Op::name)
                );
            }
        }
    }
}
