//! Work of runs: the time of what they compute, of which memory [hides](super::problem::Problem::unhidden) a part. It is in bytes moved.

use super::cost::Sizes;
use super::graph::{Graph, RunNode};
use crate::time::{Features, Rates, features};
use nestled_ir::ValueId;
use std::collections::HashMap;

/// Returns the work of a run as a kernel of its own.
pub fn work(graph: &Graph<'_>, sizes: &Sizes<'_>, rates: &Rates, run: usize) -> f64 {
    let node = &graph.runs[run];
    rates.work(&Features::of(graph.program, node.kernel, &RunSizes::new(node, sizes))) / rates.byte()
}

/// The estimated sizes of a run, by the symbols of its kernel.
struct RunSizes {
    extents: HashMap<ValueId, f64>,
}

impl RunSizes {
    fn new(node: &RunNode<'_>, sizes: &Sizes<'_>) -> RunSizes {
        let shapes = node
            .kernel
            .shapes
            .iter()
            .zip(node.shapes)
            .map(|(&symbol, &axis)| (symbol, sizes.points(&[axis])));
        let kept =
            node.kernel.ret.iter().zip(node.binds).filter_map(|(&ret, &bind)| Some((ret, sizes.kept(bind)?)));
        RunSizes { extents: shapes.chain(kept).collect() }
    }
}

impl features::Sizes for RunSizes {
    fn extent(&self, symbol: ValueId) -> f64 {
        self.extents.get(&symbol).copied().unwrap_or(1.0)
    }

    fn scalar(&self, param: ValueId) -> Option<f64> {
        self.extents.get(&param).copied()
    }
}
