//! The vectorisation factor: the number of lanes W, the points that a nest computes at once.
//!
//! W is 16 where the order of a reduction, a scan or a stream depends on it. Loops in thunks are bound by latency, so they get four registers of
//! their widest type; all other nests get one register of their widest type. W is always between 16 and 64.

use crate::cost::Costs;
use crate::nest::{Nest, Order};
use crate::target::Target;
use nestled_ir::{CombinatorKind, Kernel, Program, ScalarType, Thunk};

/// The minimum and the maximum number of lanes.
const LEAST: usize = 16;
const MOST: usize = 64;

/// Chooses W for a nest.
pub fn lanes(program: &Program, kernel: &Kernel, nest: &Nest, target: &Target) -> usize {
    let steps = || nest.items.iter().map(|item| &kernel.steps[item.step]);
    let plain = |kind: &CombinatorKind| matches!(kind, CombinatorKind::Map | CombinatorKind::Reduce { .. });
    if nest.tiled || nest.order == Order::Points || !steps().all(|step| plain(&step.kind)) {
        return LEAST;
    }
    let size = steps().map(|step| widest(&step.body)).max().unwrap_or(1);
    let mut costs = Costs::default();
    if steps().any(|step| costs.block(program, &step.body.body).loops) {
        let bytes = target.vector_bits as usize / 8;
        return (4 * bytes / size.max(4)).clamp(LEAST, MOST);
    }
    (target.vector_bits as usize / 8 / size).clamp(LEAST, MOST)
}

/// Returns the size in bytes of the widest type that a thunk computes with. Indices are not counted: they are often linear.
fn widest(thunk: &Thunk) -> usize {
    let sizes = thunk.locals.iter().filter(|local| local.ty != ScalarType::Idx).map(|local| local.ty.size());
    sizes.max().unwrap_or(4)
}
