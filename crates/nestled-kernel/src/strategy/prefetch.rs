//! Prefetching: loops that read once and write little, where nothing hides how long memory takes.

use super::{Info, Site};
use crate::axes::{Length, length};

/// Rows with fewer elements are left before what lies ahead is reached.
const SHORT_ROW: u64 = 512;

/// For people and tests.
pub const INFO: Info = Info {
    word: "prefetch",
    summary: "memory is asked for one page ahead, or one row ahead with groups in the lanes",
    condition: "elements are only reduced, and rows are not known to have fewer than 512 elements",
    cost: "an instruction for each load; saves waiting where the processor's own prefetching ends, at pages",
};

/// Whether memory is asked for ahead, if vectors run along an axis.
pub fn condition(site: &Site<'_>, along: usize) -> bool {
    let short = matches!(length(site.kernel, along), Length::Literal(length) if length < SHORT_ROW);
    site.nest.only_reduces(site.kernel) && (site.nest.flat || !short)
}
