//! Cost model of fusion: estimates of memory traffic and launches, all in bytes. All weights are written here.
//!
//! Extents that the program does not state are guessed by class: arrays are long, the axes of grids shorter, segments short, a filter keeps half, and a partition all. Only ratios matter.

use super::graph::Graph;
use crate::time::features;
use nestled_ir::{Axis, CombinatorKind, ScalarType, Type, ValueId};
use std::collections::{HashMap, HashSet};

/// Assumed number of elements of an array of one axis.
pub(crate) const LONG: f64 = 1_048_576.0;
/// Assumed extent of each axis of a grid, and number of segments of a segmentation.
pub(crate) const SIDE: f64 = 1_024.0;
/// Assumed number of elements of a segment.
pub(crate) const SEGMENT: f64 = 16.0;
/// Assumed fraction of the points that a filter keeps.
const KEPT: f64 = 0.5;

/// A cost that no plan pays: solvers count clusters with it that do not fit by themselves. It stands in no report.
pub const NEVER: f64 = 1e18;

/// Cost of what a later round over the whole reads, as a part of its bytes: as much as a kernel of its own. Two launches come on top, so that fusing does not pay.
pub const WHOLE_ROUND: f64 = 1.0;
/// Cost of what a later round over a row or segment reads, as a part of its bytes: they are still in the cache.
pub const ROW_ROUND: f64 = 0.125;
/// Cost of a stage, as a part of the bytes: rows computed twice where threads meet, and filling a ring.
pub const STAGE: f64 = 0.03125;

/// Estimated sizes of the arrays of a region.
#[derive(Debug)]
pub struct Sizes<'a> {
    graph: &'a Graph<'a>,
    /// Symbols that occur in spaces with several symbolic axes.
    sides: HashSet<ValueId>,
    /// Estimated numbers of points of the shapes that filters and partitions of the region make.
    kept: HashMap<ValueId, f64>,
}

impl<'a> Sizes<'a> {
    /// Collects the extents of the spaces, filters and partitions of a region.
    pub fn new(graph: &'a Graph<'a>) -> Sizes<'a> {
        let mut sizes = Sizes { graph, sides: HashSet::new(), kept: HashMap::new() };
        for run in &graph.runs {
            sizes.note_sides(&run.space);
        }
        for run in 0..graph.runs.len() {
            let node = &graph.runs[run];
            for (&bind, ret) in node.binds.iter().zip(&node.kernel.ret) {
                let Some((_, step)) = node.kernel.binder(*ret) else { continue };
                if !node.kernel.values[ret.index()].ty.is_shape() {
                    continue;
                }
                let all = sizes.points(&node.space[..step.level().0]);
                let kept = match step.kind {
                    CombinatorKind::Filter { .. } => all * KEPT,
                    CombinatorKind::Partition { .. } => all,
                    CombinatorKind::Map
                    | CombinatorKind::Reduce { .. }
                    | CombinatorKind::Scan { .. }
                    | CombinatorKind::Permute { .. }
                    | CombinatorKind::Serial { .. } => continue,
                };
                sizes.kept.insert(bind, kept);
            }
        }
        sizes
    }

    fn note_sides(&mut self, axes: &[Axis]) {
        let symbols: Vec<ValueId> = axes.iter().filter_map(|axis| symbol(*axis)).collect();
        if symbols.len() > 1 {
            self.sides.extend(symbols);
        }
    }

    /// Estimated number of points of a space or shape.
    pub fn points(&self, axes: &[Axis]) -> f64 {
        features::points(axes, &self.graph.function.values, &|symbol| self.extent(symbol))
    }

    /// Estimated number of points of a shape that a filter or partition of the region makes.
    pub fn kept(&self, symbol: ValueId) -> Option<f64> {
        self.kept.get(&symbol).copied()
    }

    fn extent(&self, symbol: ValueId) -> f64 {
        if let Some(&kept) = self.kept.get(&symbol) {
            return kept;
        }
        match &self.graph.function.values[symbol.index()].ty {
            Type::Seg(seg) => self.points(&seg.parent.axes) * SEGMENT,
            Type::Dim | Type::Array(_) if self.sides.contains(&symbol) => SIDE,
            Type::Dim | Type::Array(_) => LONG,
        }
    }

    /// Estimated bytes of a value of host code.
    pub fn bytes(&self, value: ValueId) -> f64 {
        match &self.graph.function.values[value.index()].ty {
            Type::Array(array) if array.shape.is_scalar() => 0.0,
            Type::Array(array) => self.points(&array.shape.axes) * array.elem.size() as f64,
            Type::Dim => 0.0,
            Type::Seg(seg) => self.points(&seg.parent.axes) * ScalarType::Idx.size() as f64,
        }
    }
}

fn symbol(axis: Axis) -> Option<ValueId> {
    match axis {
        Axis::Const(_) => None,
        Axis::Sym(symbol) => Some(symbol),
    }
}
