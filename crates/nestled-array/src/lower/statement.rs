//! Lowering of items that have a value of their own: a kernel and its run, or a statement of host code.

use super::Lower;
use super::coordinates::{Coordinates, ZERO_INDEX, proved};
use super::kernel::KernelWriter;
use crate::node::{Body, Clash, Fold, Op};
use nestled_ir::{
    Atom, Base, Collision, CombinatorKind, Direction, HostOp, Inclusion, Level, Library, Monoid, Order,
    Range, ScalarType, ValueId,
};
use std::sync::Arc;

impl Lower<'_> {
    /// Writes the statement or kernel that computes an item.
    pub(super) fn statement(&mut self, item: usize) {
        let args = self.graph.items[item].args.clone();
        match self.op(item) {
            Op::Param(_) => unreachable!("parameters are inputs"),
            Op::Fill(_)
            | Op::Iota { .. }
            | Op::Random { .. }
            | Op::Map { .. }
            | Op::Apply { .. }
            | Op::View { .. }
            | Op::Gather { .. } => match (self.segments_for(item), self.merged(item)) {
                (Some(lengths), _) => self.segmented_map(item, lengths),
                (None, Some(merged)) => self.merged_map(item, merged),
                (None, None) => self.map(item),
            },
            Op::Reduce { axes, monoid, .. } => self.reduce(item, args[0], axes, monoid),
            Op::ArgReduce { axis, max, .. } => self.arg_reduce(item, args[0], *axis, *max),
            Op::Fold { axis, body, .. } => self.fold(item, args[0], *axis, body),
            Op::Scan { axis, monoid, inclusion, direction, .. } => {
                self.scan(item, args[0], *axis, monoid, (*inclusion, *direction));
            }
            Op::Reshape { .. } => self.reshape(item, args[0]),
            Op::Concat { axis, .. } => match self.merged(item) {
                Some(merged) => self.merged_map(item, merged),
                None => self.concat(item, &args, *axis),
            },
            Op::Scatter { indices, clash, .. } => self.scatter(item, &args, indices.len(), *clash),
            Op::MatMul { .. } => {
                let (left, right) = (self.host(args[0]), self.host(args[1]));
                let op = HostOp::Library(Library::MatMul { left, right });
                self.values[item] = Some(self.main.emit_one(&self.out, &format!("v{item}"), op));
            }
            Op::Filter { .. } => self.filter(item, args[0], args[1]),
            Op::Segmented { how, .. } => {
                self.segmented(item, (args[0], args[1], args.get(2).copied()), how);
            }
            Op::Owners { .. } => self.owners(item, args[0]),
            Op::Function { call, result, .. } => self.function(item, &call.function, *result),
            Op::Sort { descending, .. } => {
                let payload: Vec<ValueId> = args[1..].iter().map(|&payload| self.host(payload)).collect();
                let keys = self.host(args[0]);
                self.values[item] = Some(self.sorted(item, keys, payload, order(*descending)));
            }
        }
    }

    /// A kernel with one point for each element. Axes that always have one element are left out of its space: a loop of one round has no use.
    fn map(&mut self, item: usize) {
        let rank = self.rank(item);
        let mut order: Vec<usize> = (0..rank).filter(|&axis| self.extent(item, axis) != Err(1)).collect();
        if order.is_empty() && rank > 0 {
            order.push(rank - 1);
        }
        let (mut kernel, at) = self.sweep(item, item, &order);
        self.lines(&mut kernel, item, &at);
        let result = self.line(&mut kernel, item, &at);
        let made = kernel.end(CombinatorKind::Map, vec![result])[0];
        if order.len() == rank {
            return self.run_as(item, kernel, made);
        }
        let made = self.run(kernel, made, &format!("y{item}"));
        let shape = self.shape(item);
        self.values[item] = Some(self.main.reshape(&mut self.out, &format!("v{item}"), made, shape));
    }

    /// Begins a kernel over some axes of an array, in this order; returns the own coordinate along each axis.
    pub(super) fn sweep(&mut self, item: usize, of: usize, order: &[usize]) -> (KernelWriter, Coordinates) {
        let kernel = self.begin_over(item, of, order);
        let mut at = vec![ZERO_INDEX; self.rank(of)];
        for (&axis, coordinate) in order.iter().zip(kernel.k.code.params()) {
            at[axis] = coordinate;
        }
        (kernel, at)
    }

    /// Begins a kernel whose points are the elements of an argument, computed there if that belongs to the kernel.
    pub(super) fn sweep_argument(
        &mut self,
        item: usize,
        arg: usize,
        order: &[usize],
    ) -> (KernelWriter, Coordinates, Atom) {
        let (mut kernel, at) = self.sweep(item, arg, order);
        self.lines(&mut kernel, item, &at);
        // Its own points, whatever the shape of the item: nothing is stretched.
        let element = self.value(&mut kernel, arg, &at);
        (kernel, at, element)
    }

    /// Writes a sequential fold: a loop over the elements of each row.
    fn fold(&mut self, item: usize, arg: usize, axis: usize, body: &Arc<Body>) {
        let thunk = self.thunk(body);
        let kept: Vec<usize> = (0..self.rank(arg)).filter(|&other| other != axis).collect();
        let (mut kernel, mut at) = self.sweep(item, arg, &kept);
        let array = self.param(&mut kernel, arg);
        let start = self.number(&mut kernel, self.starts[item]);
        let extent = self.extent_value(&mut kernel, arg, axis);
        let code = &mut kernel.k.code;
        let (carried, counter) = (code.carried("a", start), code.local("k", ScalarType::Idx));
        at[axis] = Atom::Local(counter);
        code.open();
        let element = code.read(array, proved(&at), None, None);
        let next = code.call(&self.out, thunk, &[Atom::Local(carried.local), element]);
        let round = code.close(next);
        let results = code.for_loop(counter, [ZERO_INDEX, extent], vec![carried], round);
        let made = kernel.end(CombinatorKind::Map, results)[0];
        self.run_as(item, kernel, made);
    }

    /// Writes a scan, which runs along the last axis of its space; if it is along another axis, the result is transposed.
    fn scan(
        &mut self,
        item: usize,
        arg: usize,
        axis: usize,
        fold: &Fold,
        (inclusion, direction): (Inclusion, Direction),
    ) {
        let rank = self.rank(item);
        let order: Vec<usize> = (0..rank).filter(|&other| other != axis).chain([axis]).collect();
        let monoid = self.monoid(fold);
        let (mut kernel, _, element) = self.sweep_argument(item, arg, &order);
        let kind = CombinatorKind::Scan { within: Level(rank - 1), monoid, inclusion, direction };
        let made = kernel.end(kind, vec![element])[0];
        if axis + 1 == rank {
            return self.run_as(item, kernel, made);
        }
        let scanned = self.run(kernel, made, &format!("s{item}"));
        let all: Vec<usize> = (0..rank).collect();
        let (mut turn, at) = self.sweep(item, item, &all);
        let array = turn.k.param(&self.main, scanned);
        let there: Coordinates = order.iter().map(|&axis| at[axis]).collect();
        let element = turn.k.code.read(array, proved(&there), None, None);
        let made = turn.end(CombinatorKind::Map, vec![element])[0];
        self.run_as(item, turn, made);
    }

    fn reshape(&mut self, item: usize, arg: usize) {
        let (rank, arg_rank) = (self.rank(item), self.rank(arg));
        if rank > 0 && arg_rank > 0 {
            let (value, shape) = (self.host(arg), self.shape(item));
            self.values[item] = Some(self.main.reshape(&mut self.out, &format!("v{item}"), value, shape));
            return;
        }
        // From or to a single number.
        let order: Vec<usize> = (0..rank).collect();
        let (mut kernel, _) = self.sweep(item, item, &order);
        let element = self.value(&mut kernel, arg, &vec![ZERO_INDEX; arg_rank]);
        let made = kernel.end(CombinatorKind::Map, vec![element])[0];
        self.run_as(item, kernel, made);
    }

    fn filter(&mut self, item: usize, mask: usize, source: usize) {
        let (mut kernel, at, keep) = self.sweep_argument(item, mask, &[0]);
        let keep = kernel.end(CombinatorKind::Map, vec![keep])[0];
        // The elements are read again where the mask holds.
        kernel.begin(1);
        self.lines(&mut kernel, item, &at);
        let element = self.value(&mut kernel, source, &at);
        let kind = CombinatorKind::Filter { within: Level::WHOLE };
        let made = kernel.k.end("r", kind, Some(keep), vec![element]);
        let names: [&str; 2] = [&format!("k{item}"), &format!("v{item}")];
        let made = self.main.run(&mut self.out, kernel.k, made, &names);
        self.kept.insert(item, made[0]);
        self.values[item] = Some(made[1]);
    }

    fn scatter(&mut self, item: usize, args: &[usize], n_indices: usize, clash: Clash) {
        let (base, source) = (args[0], args[args.len() - 1]);
        let order: Vec<usize> = (0..self.rank(source)).collect();
        let (mut kernel, at) = self.sweep(item, source, &order);
        self.lines(&mut kernel, item, &at);
        let mut results = Vec::new();
        for &index in &args[1..=n_indices] {
            results.push(self.index(&mut kernel, index, &at, 0));
        }
        results.push(self.value(&mut kernel, source, &at));
        let base = match self.graph.items[base].op() {
            Some(Op::Fill(value)) if self.constant[self.starts[base] + self.rank(base)] => {
                Base::Fill(vec![*value])
            }
            _ => Base::Arrays(vec![self.param(&mut kernel, base)]),
        };
        let dest = self.shape(item);
        let dest = kernel.k.shape(&self.main, &dest);
        let collision = match clash {
            Clash::First => Collision::First,
            Clash::Last => Collision::Last,
            Clash::Combine(op) => Collision::Combine(Monoid::op(op)),
        };
        let kind = CombinatorKind::Permute { dest, base, range: Range::Drop, collision };
        let made = kernel.end(kind, results)[0];
        self.run_as(item, kernel, made);
    }
}

/// The order of a sort.
pub(super) fn order(descending: bool) -> Order {
    if descending { Order::Descending } else { Order::Ascending }
}
