//! Software prefetching with groups in the lanes: rows are short and far apart, so that nothing else hides the latency of memory.
//!
//! Loops over contiguous elements are not prefetched: on processors of today the instructions cost more than they save (a matrix times a vector took a seventh longer).

use super::{Info, Site};
use crate::axes::{Length, length};

/// Rows with fewer elements than this end before the prefetched address is reached.
const SHORT_ROW: u64 = 512;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "prefetch",
    summary: "memory is asked for one row ahead, with groups in the lanes",
    condition: "elements are only reduced, and rows are not known to have fewer than 512 elements",
    cost: "an instruction for each load; saves waiting for rows, between which the processor's own prefetching ends",
};

/// True if memory should be prefetched, where vectors run along the axis `along`.
pub fn condition(site: &Site<'_>, along: usize) -> bool {
    let short = matches!(length(site.kernel, along), Length::Literal(length) if length < SHORT_ROW);
    site.nest.only_reduces(site.kernel) && (site.nest.flat || !short)
}
