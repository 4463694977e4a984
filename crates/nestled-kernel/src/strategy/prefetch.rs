//! Software prefetching for loops that read each element once and write little, where nothing hides the latency of memory.

use super::{Info, Site};
use crate::axes::{Length, length};

/// Rows with fewer elements than this end before the prefetched address is reached.
const SHORT_ROW: u64 = 512;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "prefetch",
    summary: "memory is asked for one page ahead, or one row ahead with groups in the lanes",
    condition: "elements are only reduced, and rows are not known to have fewer than 512 elements",
    cost: "an instruction for each load; saves waiting where the processor's own prefetching ends, at pages",
};

/// True if memory should be prefetched, where vectors run along the axis `along`.
pub fn condition(site: &Site<'_>, along: usize) -> bool {
    let short = matches!(length(site.kernel, along), Length::Literal(length) if length < SHORT_ROW);
    site.nest.only_reduces(site.kernel) && (site.nest.flat || !short)
}
