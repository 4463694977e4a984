//! Offsets of segments that outlive a run: kept by the device with lengths that many runs share, so that only the first run adds these up.
//!
//! Only offsets of a run without faults are kept: then no length is negative.

use super::datum::{ArrayData, Datum, DeviceBuffer, NewOffsets};
use super::live_buffers::Purpose;
use super::machine::Machine;
use super::size_bounds::extent;
use nestled_ir::ScalarType;
use std::rc::Rc;

/// Greatest number of offsets that one run leaves behind.
const MOST: usize = 16;

impl Machine<'_> {
    /// The offsets of segments with these lengths, as an earlier run left them. `count` is the number of segments.
    pub(super) fn kept_offsets(&self, lengths: &ArrayData, count: &Datum) -> Option<Rc<DeviceBuffer>> {
        if !is_whole(lengths, count) {
            return None;
        }
        let id = self.device.kept_offsets(lengths.slice())?;
        let len = lengths.len.saturating_add(1);
        let kept = DeviceBuffer::adopted(self.device, &self.exe.live_buffers, id, ScalarType::Idx, len);
        kept.rename(&Purpose::Words("a segmentation"));
        Some(Rc::new(kept))
    }

    /// Offsets that are queued: they are kept if the device keeps those of these lengths.
    pub(super) fn offsets_made(
        &mut self,
        lengths: &Rc<ArrayData>,
        count: &Datum,
        offsets: &Rc<DeviceBuffer>,
    ) {
        let made = &mut self.new_offsets;
        let is_first = || made.iter().all(|other| other.lengths.slice() != lengths.slice());
        if made.len() < MOST
            && is_whole(lengths, count)
            && is_first()
            && self.device.wants_offsets(lengths.slice())
        {
            made.push(NewOffsets { lengths: Rc::clone(lengths), offsets: Rc::clone(offsets) });
        }
    }

    /// The run has ended without a fault.
    pub(super) fn keep_offsets(&mut self) {
        for NewOffsets { lengths, offsets } in self.new_offsets.drain(..) {
            // Results of the run may be written again in the next one.
            if Rc::strong_count(&offsets) == 1 {
                self.device.keep_offsets(lengths.slice(), offsets.id);
            }
        }
    }
}

/// True if the elements are the lengths of all segments, and of no others.
fn is_whole(lengths: &ArrayData, count: &Datum) -> bool {
    lengths.view.is_none()
        && extent(count).is_ok_and(|count| count.exact.is_none() && count.bound == lengths.len)
}
