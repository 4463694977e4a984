//! Lowering of reductions along axes.
//!
//! A kernel goes along the axes that stay, then along those that go. Where several axes next to each other go and others follow them in memory, they are
//! one: a loop along one long axis, for many neighbours at a time, is what devices do best.

use super::Lower;
use super::coordinates::Coordinates;
use super::groups::is_own_place;
use super::kernel::{KernelWriter, Merged};
use crate::node::{Fold, Op};
use crate::plan::broadcast_mask;
use nestled_ir::{Axis, CombinatorKind, Level, Monoid, MonoidPart, Op as ScalarOp, ScalarType, Shape, Span};
use std::ops::Range;

impl Lower<'_> {
    pub(super) fn reduce(&mut self, item: usize, arg: usize, axes: &[usize], fold: &Fold) {
        let parts = self.parts(item, arg, axes);
        let (gone, kept): (Vec<usize>, Vec<usize>) =
            (0..parts.len()).partition(|&part| axes.contains(&parts[part].start));
        let to = Level(kept.len());
        let monoid = self.monoid(fold);
        let order = [kept, gone].concat();
        let (mut kernel, at) = self.sweep_parts(item, arg, &parts, &order);
        self.lines(&mut kernel, item, &at);
        let element = self.operand(&mut kernel, item, arg, &at);
        let made = kernel.end(CombinatorKind::Reduce { to, monoid }, vec![element])[0];
        self.run_as(item, kernel, made);
    }

    /// The axes of a reduction's argument, in parts: adjacent axes of a part are reduced as one.
    fn parts(&mut self, item: usize, arg: usize, axes: &[usize]) -> Vec<Range<usize>> {
        let rank = self.rank(arg);
        let joins = self.reads_own_points(item, arg);
        let mut parts: Vec<Range<usize>> = Vec::new();
        for axis in 0..rank {
            let goes_on = axes.contains(&axis) && axis > 0 && axes.contains(&(axis - 1));
            let others_follow = (axis..rank).any(|axis| !axes.contains(&axis));
            match parts.last_mut() {
                Some(part) if joins && goes_on && others_follow => part.end = axis + 1,
                _ => parts.push(axis..axis + 1),
            }
        }
        parts
    }

    /// True if everything that the kernel of an item reads is read at the own points of `arg`.
    fn reads_own_points(&self, item: usize, arg: usize) -> bool {
        let members = &self.members[item];
        let rank = self.rank(arg);
        let own = |of: usize, read: usize| {
            let (read, of) = (&self.graph.items[read], &self.graph.items[of]);
            let is_whole = read.rank() == rank && broadcast_mask(&read.node.shape, &of.node.shape) == 0;
            is_whole || read.rank() == 0 || matches!(read.op(), Some(Op::Fill(_)))
        };
        let is_there = |read: usize| {
            members.contains(&read)
                || self.groups.stored[read]
                || matches!(self.graph.items[read].op(), Some(Op::Fill(_)))
        };
        let plain = |member: usize| {
            matches!(self.op(member), Op::Map { .. } | Op::Apply { .. })
                && self.rank(member) == rank
                && is_own_place(&self.groups.place[member], rank)
                && self.graph.items[member].args.iter().all(|&read| own(member, read) && is_there(read))
        };
        is_there(arg) && members.iter().all(|&member| plain(member))
    }

    /// Begins a kernel over parts of the axes of an array, in an order; returns the own coordinate along each axis.
    fn sweep_parts(
        &mut self,
        item: usize,
        arg: usize,
        parts: &[Range<usize>],
        order: &[usize],
    ) -> (KernelWriter, Coordinates) {
        let shape: Vec<Axis> = parts.iter().map(|part| self.extent_of(arg, part.clone())).collect();
        let space: Vec<Axis> = order.iter().map(|&part| shape[part]).collect();
        let mut kernel = self.begin(item, &space);
        let mut own = kernel.k.code.params();
        for (&part, coordinate) in order.iter().zip(kernel.k.code.params()) {
            own[part] = coordinate;
        }
        let mut at = Vec::new();
        for (part, &coordinate) in parts.iter().zip(&own) {
            at.extend(self.split(&mut kernel, coordinate, arg, part.clone()));
        }
        if parts.iter().any(|part| part.len() > 1) {
            kernel.merged = Some(Merged { shape: Shape::new(shape), own, at: at.clone() });
        }
        (kernel, at)
    }

    pub(super) fn arg_reduce(&mut self, item: usize, arg: usize, axis: usize, max: bool) {
        let order: Vec<usize> = (0..self.rank(arg)).filter(|&other| other != axis).chain([axis]).collect();
        let to = order.len() - 1;
        let (mut kernel, at, key) = self.sweep_argument(item, arg, &order);
        let part = if max { MonoidPart::ArgMax } else { MonoidPart::ArgMin };
        let kind = CombinatorKind::Reduce { to: Level(to), monoid: Monoid { parts: vec![part] } };
        let place = kernel.end(kind, vec![key, at[axis]])[1];
        kernel.begin(to);
        let place = kernel.k.code.own(place);
        let place = kernel.k.code.op(ScalarOp::Convert(ScalarType::I64), &[place]);
        let made = kernel.end(CombinatorKind::Map, vec![place])[0];
        self.run_as(item, kernel, made);
    }

    pub(super) fn monoid(&mut self, fold: &Fold) -> Monoid {
        let part = match fold {
            Fold::Op(op) => MonoidPart::Op(*op),
            Fold::User(body, unit) => {
                let combine = self.thunk(body);
                let out = &mut self.out;
                let new = || out.monoid("operator", vec![*unit], combine, Span::NONE);
                MonoidPart::User(*self.monoids.entry((combine, *unit)).or_insert_with(new))
            }
        };
        Monoid { parts: vec![part] }
    }
}
