//! Slot contents: scalars known to the host, and reference-counted handles of device memory.

pub mod sum;

use super::live_buffers::{LiveBuffers, Purpose};
use crate::device::{BufferId, Cell, Device, DeviceError, Slice};
use crate::trace::{Event, SharedTrace, When, watched};
use nestled_ir::value::{Buffer, Segmentation};
use nestled_ir::{Scalar, ScalarType};
use std::cell::{Cell as Field, OnceCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use sum::Sum;

/// Extents from here on need 64 bits.
pub(crate) const WIDE: u64 = 1 << 31;

/// The content of a slot. Two words, so that windows of deep recursions stay small.
#[derive(Clone, Debug, Default)]
pub(crate) enum Datum {
    /// No value: not computed yet, moved away, or lost because its statement faulted.
    #[default]
    Empty,
    /// A number that the host knows; extents are `idx`.
    Scalar(Scalar),
    /// A number or an extent on the device.
    Cell(Rc<CellData>),
    /// A segmentation.
    Seg(Rc<SegData>),
    /// An array.
    Array(Rc<ArrayData>),
}

/// The owner of a buffer; gives it back when the last handle goes.
pub(crate) struct DeviceBuffer {
    device: Rc<dyn Device>,
    /// The watcher that was told of the allocation, to be told of the release.
    trace: Option<SharedTrace>,
    pub id: BufferId,
    pub elem: ScalarType,
    pub len: u64,
    /// Elements that have not been given back yet.
    kept: Field<u64>,
    /// The memory of the host that it lies in, if it does.
    host: Option<Arc<Buffer>>,
    /// True if others read its memory, so that nobody may write it.
    is_shared: bool,
    /// The list that it is in; `entry` is its index there.
    live_buffers: Rc<LiveBuffers>,
    entry: u32,
}

impl DeviceBuffer {
    /// A new buffer.
    pub fn allocate(
        device: &Rc<dyn Device>,
        trace: Option<&SharedTrace>,
        live_buffers: &Rc<LiveBuffers>,
        elem: ScalarType,
        len: u64,
        purpose: &Purpose,
    ) -> Result<DeviceBuffer, DeviceError> {
        let start = trace.map(|_| Instant::now());
        let id = device.allocate(elem, len)?;
        let bytes = len.saturating_mul(elem.size() as u64);
        let entry = live_buffers.insert(purpose.clone(), bytes);
        if let (Some(trace), Some(start)) = (trace, start) {
            trace.borrow_mut().event(Event::Allocate { bytes }, When::since(start));
        }
        let (device, trace, live_buffers) = (Rc::clone(device), trace.cloned(), Rc::clone(live_buffers));
        Ok(DeviceBuffer {
            device,
            trace,
            id,
            elem,
            len,
            kept: Field::new(len),
            host: None,
            is_shared: false,
            live_buffers,
            entry,
        })
    }

    /// Wraps a buffer adopted from another device.
    pub fn adopted(
        device: &Rc<dyn Device>,
        live_buffers: &Rc<LiveBuffers>,
        id: BufferId,
        elem: ScalarType,
        len: u64,
    ) -> DeviceBuffer {
        let entry =
            live_buffers.insert(Purpose::Words("an argument"), len.saturating_mul(elem.size() as u64));
        let (device, live_buffers) = (Rc::clone(device), Rc::clone(live_buffers));
        DeviceBuffer {
            device,
            trace: None,
            id,
            elem,
            len,
            kept: Field::new(len),
            host: None,
            is_shared: true,
            live_buffers,
            entry,
        }
    }

    /// Elements of the host, if the device can use them where they are.
    pub fn lent(
        device: &Rc<dyn Device>,
        live_buffers: &Rc<LiveBuffers>,
        data: &Arc<Buffer>,
        purpose: &Purpose,
    ) -> Option<DeviceBuffer> {
        let id = device.lend(data)?;
        let entry = live_buffers.insert(purpose.clone(), data.size());
        let (device, live_buffers, host) =
            (Rc::clone(device), Rc::clone(live_buffers), Some(Arc::clone(data)));
        let (elem, len) = (data.elem(), data.len() as u64);
        Some(DeviceBuffer {
            device,
            trace: None,
            id,
            elem,
            len,
            kept: Field::new(len),
            host,
            is_shared: true,
            live_buffers,
            entry,
        })
    }

    /// The host's memory that it lies in.
    pub fn host(&self) -> Option<&Arc<Buffer>> {
        self.host.as_ref()
    }

    /// Gives back all but the first elements.
    pub fn trim(&self, len: u64) {
        let bytes = (self.kept.get() - len) * self.elem.size() as u64;
        watched(self.trace.as_ref(), || self.device.trim(self.id, len), |()| Event::Free { bytes });
        self.kept.set(len);
        self.live_buffers.shrink(self.entry, len * self.elem.size() as u64);
    }

    /// True if the buffer can be reused for another value: it has exactly these elements, was never trimmed, and nobody else reads its memory.
    pub fn fits(&self, elem: ScalarType, len: u64) -> bool {
        !self.is_shared && self.elem == elem && self.len == len && self.kept.get() == len
    }

    /// Renames the buffer in the list of live ones, when it is reused for another value.
    pub fn rename(&self, purpose: &Purpose) {
        self.live_buffers.rename(self.entry, purpose);
    }

    /// The whole buffer.
    pub fn slice(&self) -> Slice {
        Slice { buffer: self.id, offset: 0, len: self.len }
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        let bytes = self.kept.get().saturating_mul(self.elem.size() as u64);
        watched(self.trace.as_ref(), || self.device.free(self.id), |()| Event::Free { bytes });
        self.live_buffers.remove(self.entry);
    }
}

impl fmt::Debug for DeviceBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {} {}", self.id, self.len, self.elem)
    }
}

/// An upper bound on an extent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bound {
    /// The bound.
    pub most: u64,
    /// The known size from which the bound was derived. If it is much smaller, the bound may be far too large.
    pub root: u64,
}

/// A number on the device.
#[derive(Debug)]
pub(crate) struct CellData {
    pub buffer: Rc<DeviceBuffer>,
    pub at: u64,
    /// The upper bound on an extent, if the host knows one. Without it, allocating an array over the extent has to wait for the number.
    pub bound: Option<Bound>,
    /// The number, once it has been fetched; all copies of the handle learn it.
    pub known: OnceCell<Scalar>,
}

impl CellData {
    /// Its place on the device.
    pub fn cell(&self) -> Cell {
        Cell { buffer: self.buffer.id, at: self.at }
    }

    /// Stores the fetched number. An extent with a bound is clamped to it, even after a fault.
    pub fn learn(&self, scalar: Scalar) {
        let scalar = match (scalar, self.bound) {
            (Scalar::Idx(extent), Some(bound)) => Scalar::Idx(extent.clamp(0, bound.most as i64)),
            (other, _) => other,
        };
        // A cell that was asked for twice in one go is learnt twice.
        let _ = self.known.set(scalar);
    }
}

/// A segmentation.
#[derive(Debug)]
pub(crate) struct SegData {
    /// The axes of the points that own a segment each.
    pub parent: Vec<Datum>,
    pub lengths: LengthsData,
    /// The symbolic bound on the sum of the lengths, if the host knew one before they were added up.
    pub sum: Option<Rc<Sum>>,
    /// Identity of this segmentation.
    pub identity: Rc<()>,
    /// Identity of its offsets, shared by segmentations that are known to have equal ones.
    pub cut: Rc<()>,
    /// The copy on the host, once fetched.
    pub host: OnceCell<Arc<Segmentation>>,
}

impl SegData {
    /// A segmentation that the host does not know yet.
    pub fn new(parent: Vec<Datum>, lengths: LengthsData) -> SegData {
        SegData { parent, lengths, sum: None, identity: Rc::new(()), cut: Rc::new(()), host: OnceCell::new() }
    }
}

/// The lengths of segments.
#[derive(Debug)]
pub(crate) enum LengthsData {
    /// Equal lengths.
    Regular(Datum),
    /// Offsets, padded with the total to the end of the buffer; and the total.
    Offsets { offsets: Rc<DeviceBuffer>, total: Datum },
}

/// An array.
#[derive(Debug)]
pub(crate) struct ArrayData {
    pub data: Rc<DeviceBuffer>,
    pub offset: u64,
    /// Number of elements; an upper bound where the shape is known only on the device.
    pub len: u64,
    /// The segment starts, if it is a view.
    pub view: Option<Rc<ViewData>>,
    /// The symbolic bound on the sum of the elements, if they are lengths and the host knows one.
    pub sum: Option<Rc<Sum>>,
}

/// The segment starts and the buffer size of a view.
#[derive(Debug)]
pub(crate) struct ViewData {
    /// Start of each segment.
    pub starts: Rc<ArrayData>,
    /// The exact number of elements in the buffer.
    pub extent: Datum,
}

/// Offsets of segments that a run has made, and the lengths with which they may be kept when it has ended.
#[derive(Debug)]
pub(crate) struct NewOffsets {
    pub lengths: Rc<ArrayData>,
    pub offsets: Rc<DeviceBuffer>,
}

impl ArrayData {
    /// A dense array that fills a buffer.
    pub fn whole(data: Rc<DeviceBuffer>) -> ArrayData {
        let len = data.len;
        ArrayData { data, offset: 0, len, view: None, sum: None }
    }

    /// The slice that holds its elements.
    pub fn slice(&self) -> Slice {
        Slice { buffer: self.data.id, offset: self.offset, len: self.len }
    }
}

impl Datum {
    /// An extent that the host knows.
    pub fn extent(extent: u64) -> Datum {
        Datum::Scalar(Scalar::Idx(extent as i64))
    }

    /// The number, if the host knows it.
    pub fn known(&self) -> Option<Scalar> {
        match self {
            Datum::Scalar(scalar) => Some(*scalar),
            Datum::Cell(cell) => cell.known.get().copied(),
            Datum::Empty | Datum::Seg(_) | Datum::Array(_) => None,
        }
    }

    /// The extent, if the host knows it.
    pub fn known_extent(&self) -> Option<u64> {
        self.known()?.as_integer().map(|extent| extent.max(0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_takes_two_words() {
        assert_eq!(std::mem::size_of::<Datum>(), 16);
    }
}
