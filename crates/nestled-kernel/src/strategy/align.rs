//! Aligned reads: the first whole vector of a loop begins where an array that it reads begins a vector in memory.
//!
//! Memory that users give begins anywhere: that of `malloc` and of NumPy sixteen bytes after a multiple of 64. Each vector then lies in two cache lines,
//! which takes two accesses. Where memory bounds the loop this costs nothing; a scatter into tables is bound by its accesses.

use super::{Info, Site};
use crate::nest::Order;
use crate::stream::{Way, way};
use nestled_ir::{CombinatorKind, Direction, Placement, StmtKind, Type, ValueId, are_own_coordinates};

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "aligned-to",
    summary: "vectors begin where those of an array begin in memory, so that none lies in two cache lines",
    condition: "a forward loop over one axis, of maps whose results are not stored and of scatters that combine in tables; an array that is read in order",
    cost: "up to a vector of points more in the boundary; saves an access for each vector of memory that is not aligned",
};

/// Returns the array by which vectors are aligned, if that pays where vectors may begin anywhere.
pub fn condition(site: &Site<'_>) -> Option<ValueId> {
    let (nest, kernel) = (site.nest, site.kernel);
    let plain = nest.level == 1
        && nest.group == 0
        && nest.order == Order::Vectors
        && nest.direction == Direction::Forward;
    let suits = |step: usize| match kernel.steps[step].kind {
        CombinatorKind::Map => kernel.steps[step].binds.iter().all(|&bind| site.memory.home(bind).is_none()),
        CombinatorKind::Permute { .. } => way(site.program, kernel, step) == Way::Combine,
        _ => false,
    };
    let scatters = |step: usize| matches!(kernel.steps[step].kind, CombinatorKind::Permute { .. });
    let pays = plain && site.steps().all(suits) && site.steps().any(scatters);
    if !pays {
        return None;
    }
    site.steps().find_map(|step| {
        let mut found = None;
        kernel.steps[step].body.body.walk(&mut |stmt| {
            if let StmtKind::Read { array, index, .. } = &stmt.kind
                && are_own_coordinates(index)
                && is_dense(&kernel.values[array.index()].ty)
            {
                found = found.or(Some(*array));
            }
        });
        found
    })
}

fn is_dense(ty: &Type) -> bool {
    ty.as_array().is_some_and(|array| array.placement == Placement::Dense)
}
