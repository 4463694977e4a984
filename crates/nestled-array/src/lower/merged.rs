//! Axis collapsing: the last two axes of images with few components become one axis of the kernel's space.
//!
//! A loop along an axis of four points wastes most of a vector. Where elements are gathered, or planes are interleaved, nothing is lost when
//! pixels and components are one axis: `e = 4·x + c`.

use super::Lower;
use super::coordinates::{Coordinates, index, proved};
use super::kernel::{KernelWriter, Merged};
use crate::node::Op;
use crate::plan::Kind;
use nestled_ir::{Atom, Axis, CombinatorKind, HostOp, Op as ScalarOp, Shape};
use std::ops::Range;

/// The largest number of components.
const MOST: u64 = 8;

impl Lower<'_> {
    /// The space of an item's kernel if its last two axes should be collapsed.
    pub(super) fn merged(&mut self, item: usize) -> Option<Vec<Axis>> {
        let rank = self.rank(item);
        let gathers = |at: usize| matches!(self.op(at), Op::Gather { .. });
        let wanted = match self.op(item) {
            Op::Concat { axis, .. } => axis + 1 == rank,
            _ => gathers(item) || self.members[item].iter().any(|&member| gathers(member)),
        };
        if rank < 2 || !wanted || self.reads_computed(item) {
            return None;
        }
        self.extent(item, rank - 1).err().filter(|extent| (2..=MOST).contains(extent))?;
        let mut space: Vec<Axis> = (0..rank - 2).map(|axis| self.axis(item, axis)).collect();
        space.push(self.extent_of(item, rank - 2..rank));
        Some(space)
    }

    /// The extent of some adjacent axes as one axis.
    pub(super) fn extent_of(&mut self, item: usize, axes: Range<usize>) -> Axis {
        let shape: Vec<Axis> = axes.map(|axis| self.axis(item, axis)).collect();
        let constant = |product: u64, axis: &Axis| match axis {
            Axis::Const(extent) => product.checked_mul(*extent),
            Axis::Sym(_) => None,
        };
        if let Some(extent) = shape.iter().try_fold(1, constant) {
            return Axis::Const(extent);
        }
        if let [only] = shape[..] {
            return only;
        }
        let shape = Shape::new(shape);
        if let Some(&known) = self.sizes.get(&shape) {
            return Axis::Sym(known);
        }
        let size = self.main.emit_one(&self.out, "points", HostOp::Size { shape: shape.clone() });
        self.sizes.insert(shape, size);
        Axis::Sym(size)
    }

    /// True if a kernel reads, at its own points, results of other kernels. An array read with other axes could not be fused with its producer.
    fn reads_computed(&mut self, item: usize) -> bool {
        let graph = self.graph;
        let members = self.members[item].clone();
        let args = |at: usize| graph.items[at].args.iter().copied();
        let read: Vec<usize> = members.iter().copied().chain([item]).flat_map(args).collect();
        read.into_iter().any(|arg| {
            let computed = matches!(&graph.items[arg].kind, Kind::Lazy(op) if !matches!(**op, Op::Param(_)));
            computed
                && !members.contains(&arg)
                && self.rank(arg) == self.rank(item)
                && (0..self.rank(item)).all(|axis| self.extent(arg, axis) == self.extent(item, axis))
        })
    }

    /// Reads an array of the same axes at the own point.
    pub(super) fn read_merged(&mut self, kernel: &mut KernelWriter, item: usize, merged: &Merged) -> Atom {
        let value = self.host(item);
        let value = self.shaped(value, merged.shape.clone(), &format!("x{item}m"));
        let array = kernel.k.param(&self.main, value);
        kernel.k.code.read(array, proved(&merged.own), None, None)
    }

    /// Writes the kernel of an item with its last two axes collapsed.
    pub(super) fn merged_map(&mut self, item: usize, space: Vec<Axis>) {
        let rank = self.rank(item);
        let mut kernel = self.begin(item, &space);
        let own = kernel.k.code.params();
        let mut at = own[..rank - 2].to_vec();
        at.extend(self.split(&mut kernel, own[rank - 2], item, rank - 2..rank));
        kernel.merged = Some(Merged { shape: Shape::new(space), own, at: at.clone() });
        self.lines(&mut kernel, item, &at);
        let result = match self.op(item) {
            Op::Concat { axis, .. } => {
                let args = self.graph.items[item].args.clone();
                self.concat_line(&mut kernel, &args, *axis, &at)
            }
            _ => self.line(&mut kernel, item, &at),
        };
        let made = kernel.end(CombinatorKind::Map, vec![result])[0];
        let made = self.run(kernel, made, &format!("y{item}"));
        let shape = self.shape(item);
        self.values[item] = Some(self.main.reshape(&mut self.out, &format!("v{item}"), made, shape));
    }

    /// Splits a coordinate along collapsed axes into coordinates along each.
    pub(super) fn split(
        &mut self,
        kernel: &mut KernelWriter,
        mut point: Atom,
        item: usize,
        axes: Range<usize>,
    ) -> Coordinates {
        let mut inner = Vec::new();
        for axis in (axes.start + 1..axes.end).rev() {
            let extent = self.axis(item, axis);
            let (by, along) = match extent {
                Axis::Const(extent) if extent.is_power_of_two() => {
                    let bits = index(i64::from(extent.trailing_zeros()));
                    ((ScalarOp::Shr, bits), (ScalarOp::And, index(extent as i64 - 1)))
                }
                _ => {
                    let extent = kernel.k.extent(&self.main, extent);
                    ((ScalarOp::Div, extent), (ScalarOp::Rem, extent))
                }
            };
            inner.push(kernel.k.code.op(along.0, &[point, along.1]));
            point = kernel.k.code.op(by.0, &[point, by.1]);
        }
        inner.push(point);
        inner.reverse();
        inner
    }
}
