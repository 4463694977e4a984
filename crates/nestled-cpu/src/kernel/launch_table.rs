//! The slot table of a launch: every number and address that compiled code reads, in the layout of the kernel's plan.

use super::raw::{RawArg, RawLaunch, RawShape};
use super::scratch::ScratchBlock;
use crate::codegen::launch_table::Slot;
use std::ptr;
use std::sync::atomic::AtomicBool;

/// An interrupt flag that is never set.
pub(super) static NO_INTERRUPT: AtomicBool = AtomicBool::new(false);

/// Fills the table. Slots that the launch does not have are 0: compiled code does not read them.
pub(super) fn fill(
    slots: &mut Vec<u64>,
    layout: &[Slot],
    (launch, flag): (&RawLaunch<'_>, &AtomicBool),
    points: &[u64],
    stored: &[ScratchBlock],
) {
    slots.clear();
    for slot in layout {
        slots.push(match *slot {
            Slot::Interrupt => ptr::from_ref(flag) as u64,
            Slot::Extent(at) | Slot::Length(at) => match launch.shapes[at] {
                RawShape::Extent(extent) => extent,
                RawShape::Regular { length } => length,
                RawShape::Offsets { .. } => 0,
            },
            Slot::Offsets(at) => match launch.shapes[at] {
                RawShape::Offsets { offsets, .. } => offsets as u64,
                RawShape::Extent(_) | RawShape::Regular { .. } => 0,
            },
            Slot::Scalar(at) => match launch.args[at] {
                RawArg::Scalar(scalar) => scalar.to_bits(),
                RawArg::Dense { .. } | RawArg::View { .. } => 0,
            },
            Slot::Data(at) => match launch.args[at] {
                RawArg::Dense { data, .. } | RawArg::View { data, .. } => data as u64,
                RawArg::Scalar(_) => 0,
            },
            Slot::Elements(at) => match launch.args[at] {
                RawArg::Dense { len, .. } | RawArg::View { len, .. } => len,
                RawArg::Scalar(_) => 0,
            },
            Slot::Starts(at) => match launch.args[at] {
                RawArg::View { starts, .. } => starts as u64,
                RawArg::Dense { .. } | RawArg::Scalar(_) => 0,
            },
            Slot::Result(at) => launch.results[at].data as u64,
            Slot::Stored(at) => stored[at].address() as u64,
            // Set by each thread for itself.
            Slot::Turn(_) | Slot::Rows(_) | Slot::Width | Slot::Left | Slot::Right => 0,
            Slot::Points(level) => points[level],
        });
    }
}
