//! Uploads: copies values from the host to the device. They wait for nothing: where there is no memory, the caller waits, and uploads all once more.

use super::datum::{ArrayData, CellData, Datum, DeviceBuffer, LengthsData, SegData, ViewData};
use super::live_buffers::{LiveBuffers, Purpose};
use crate::device::{Cell, Device, DeviceError, Slice};
use crate::error::Error;
use crate::trace::{Event, SharedTrace, watched};
use nestled_ir::value::{Array, AxisValue, Buffer, Lengths, Segmentation, Value};
use nestled_ir::{Form, Placement, ScalarType, Span, Type};
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

/// Copies the arguments of one run to a device; a segmentation that several of them share is copied once.
pub(crate) struct Uploader<'a> {
    pub device: &'a Rc<dyn Device>,
    pub trace: Option<&'a SharedTrace>,
    pub live_buffers: &'a Rc<LiveBuffers>,
    pub segs: Vec<(Arc<Segmentation>, Form, Rc<SegData>)>,
}

impl Uploader<'_> {
    /// Uploads a value of a type; `name` is its purpose, for messages.
    pub fn value(&mut self, value: &Value, ty: &Type, name: &Purpose) -> Result<Datum, Error> {
        match value {
            Value::Scalar(scalar) => Ok(Datum::Scalar(*scalar)),
            Value::Dim(extent) => Ok(Datum::extent(*extent)),
            Value::Seg(seg) => {
                let form = ty.as_seg().map_or(own_form(seg), |seg| seg.form);
                Ok(Datum::Seg(self.seg(seg, form, name)?))
            }
            Value::Array(array) => {
                let placement = ty.as_array().map_or(Placement::Dense, |array| array.placement);
                Ok(Datum::Array(Rc::new(self.array(array, placement, name)?)))
            }
        }
    }

    /// A shape argument of a type.
    pub fn axis(&mut self, axis: &AxisValue, ty: &Type, name: &Purpose) -> Result<Datum, Error> {
        self.value(&Value::from(axis.clone()), ty, name)
    }

    fn seg(&mut self, seg: &Arc<Segmentation>, form: Form, name: &Purpose) -> Result<Rc<SegData>, Error> {
        let same =
            |known: &&(Arc<Segmentation>, Form, Rc<SegData>)| Arc::ptr_eq(&known.0, seg) && known.1 == form;
        if let Some((_, _, known)) = self.segs.iter().find(same) {
            return Ok(Rc::clone(known));
        }
        let mut parent = Vec::with_capacity(seg.parent.len());
        for axis in &seg.parent {
            parent.push(match axis {
                AxisValue::Extent(extent) => Datum::extent(*extent),
                AxisValue::Seg(outer) => Datum::Seg(self.seg(outer, own_form(outer), name)?),
            });
        }
        let lengths = match (form, &seg.lengths) {
            (Form::Regular, Lengths::Regular { length }) => LengthsData::Regular(Datum::extent(*length)),
            _ => self.offsets(seg, name)?,
        };
        let data = SegData::new(parent, lengths);
        // A segmentation that changed its form here does so on the way back as well.
        if own_form(seg) == form {
            let _ = data.host.set(Arc::clone(seg));
        }
        let data = Rc::new(data);
        self.segs.push((Arc::clone(seg), form, Rc::clone(&data)));
        Ok(data)
    }

    fn offsets(&mut self, seg: &Segmentation, name: &Purpose) -> Result<LengthsData, Error> {
        let n_offsets = match &seg.lengths {
            Lengths::Offsets(offsets) => offsets.len() as u64,
            Lengths::Regular { .. } => seg.n_segments() + 1,
        };
        let buffer = self.room(ScalarType::Idx, n_offsets, name)?;
        for first in (0..n_offsets).step_by(OFFSETS_AT_ONCE as usize) {
            let piece = first..n_offsets.min(first + OFFSETS_AT_ONCE);
            let list = match &seg.lengths {
                Lengths::Offsets(offsets) => offsets[piece.start as usize..piece.end as usize].to_vec(),
                Lengths::Regular { length } => piece.map(|at| at.saturating_mul(*length) as i64).collect(),
            };
            self.copy_in(&buffer, first, &Buffer::Idx(list))?;
        }
        let total = Datum::extent(seg.total());
        Ok(LengthsData::Offsets { offsets: buffer, total })
    }

    fn array(&mut self, array: &Array, placement: Placement, name: &Purpose) -> Result<ArrayData, Error> {
        let lent = DeviceBuffer::lent(self.device, self.live_buffers, &array.data, name);
        let elements = match lent {
            Some(lent) => Rc::new(lent),
            None => self.buffer(&array.data, name)?,
        };
        let mut data = ArrayData::whole(elements);
        let starts = match (&array.starts, array.shape.first(), placement) {
            (Some(starts), _, _) => Some(starts.to_vec()),
            (None, Some(AxisValue::Seg(seg)), Placement::View) => {
                Some((0..seg.n_segments()).map(|at| seg.lengths.start(at) as i64).collect())
            }
            _ => None,
        };
        if let Some(starts) = starts {
            let starts = self.buffer(&Buffer::Idx(starts), name)?;
            let extent = Datum::extent(data.len);
            data.view = Some(Rc::new(ViewData { starts: Rc::new(ArrayData::whole(starts)), extent }));
        }
        Ok(data)
    }

    /// Elements in a buffer of their own.
    pub fn buffer(&mut self, elements: &Buffer, name: &Purpose) -> Result<Rc<DeviceBuffer>, Error> {
        let buffer = self.room(elements.elem(), elements.len() as u64, name)?;
        self.copy_in(&buffer, 0, elements)?;
        Ok(buffer)
    }

    fn copy_in(&self, buffer: &DeviceBuffer, at: u64, elements: &Buffer) -> Result<(), Error> {
        let copied = Event::CopyIn { bytes: elements.size(), span: Span::NONE };
        watched(self.trace, || self.device.copy_in(buffer.id, at, elements), |_| copied)?;
        Ok(())
    }

    /// Allocates a buffer for `len` elements.
    fn room(&self, elem: ScalarType, len: u64, name: &Purpose) -> Result<Rc<DeviceBuffer>, Error> {
        match DeviceBuffer::allocate(self.device, self.trace, self.live_buffers, elem, len, name) {
            Err(DeviceError::OutOfMemory { wanted, free }) => {
                let (value, live) = (name.to_string(), self.live_buffers.largest());
                Err(Error::OutOfMemory { wanted, free, value, live, span: Span::NONE })
            }
            outcome => Ok(Rc::new(outcome?)),
        }
    }

    /// Concatenates the first elements of dense arrays, and numbers, in one buffer. Each part states its number of elements.
    pub fn joined(&self, elem: ScalarType, parts: &[(&Datum, u64)]) -> Result<Datum, Error> {
        let total = parts.iter().map(|(_, len)| len).sum();
        let room = self.room(elem, total, &Purpose::Words("arrays one after another"))?;
        let mut at = 0;
        let mut rest = parts.iter().filter(|(_, len)| *len > 0).peekable();
        while let Some(&(part, mut len)) = rest.next() {
            let copied = match part {
                Datum::Scalar(scalar) => {
                    // Numbers that the host knows go in one copy.
                    let mut scalars = vec![*scalar];
                    while let Some((Datum::Scalar(scalar), _)) = rest.peek() {
                        scalars.push(*scalar);
                        rest.next();
                    }
                    len = scalars.len() as u64;
                    self.device.copy_in(room.id, at, &Buffer::from_scalars(elem, &scalars))
                }
                Datum::Cell(cell) => {
                    let Cell { buffer, at: offset } = cell.cell();
                    self.device.copy(Slice { buffer, offset, len: 1 }, room.id, at)
                }
                Datum::Array(array) if array.view.is_none() => {
                    self.device.copy(Slice { len, ..array.slice() }, room.id, at)
                }
                Datum::Array(_) | Datum::Seg(_) | Datum::Empty => {
                    return Err(Error::Bug("this is no dense array".to_owned()));
                }
            };
            copied?;
            at += len;
        }
        Ok(Datum::Array(Rc::new(ArrayData::whole(room))))
    }
}

/// Number of offsets that are built and copied at a time, so that long lists of them are not held in memory twice.
const OFFSETS_AT_ONCE: u64 = 1 << 20;

/// The form in which a segmentation knows its lengths.
fn own_form(seg: &Segmentation) -> Form {
    match seg.lengths {
        Lengths::Regular { .. } => Form::Regular,
        Lengths::Offsets(_) => Form::Offsets,
    }
}

/// A number in a buffer, as a datum.
pub(crate) fn cell_at(buffer: &Rc<DeviceBuffer>, at: u64) -> Datum {
    let cell = CellData { buffer: Rc::clone(buffer), at, bound: None, known: OnceCell::new() };
    Datum::Cell(Rc::new(cell))
}
