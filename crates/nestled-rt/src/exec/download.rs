//! Downloads: copies values from the device to the host.

use super::datum::{ArrayData, Datum, LengthsData, SegData};
use super::wait::Wait;
use crate::device::{Cell, Device, Slice};
use crate::error::Error;
use crate::trace::{Event, SharedTrace, awaited};
use nestled_ir::value::{Array, AxisValue, Buffer, Lengths, Segmentation, Value, count_points};
use nestled_ir::{Scalar, ScalarType, Span};
use std::rc::Rc;
use std::sync::Arc;

/// Reads values on a device. The caller checks for faults, before or afterwards.
pub(crate) struct Reader<'a> {
    pub device: &'a Rc<dyn Device>,
    pub trace: Option<&'a SharedTrace>,
    /// The statement that wants to know.
    pub span: Span,
    /// True if buffers referenced only by this reader are not read again, so that they may be taken out.
    pub last: bool,
    pub wait: Wait,
}

impl Reader<'_> {
    /// Waits for one number.
    async fn number_at(&self, cell: Cell) -> Result<Option<Scalar>, Error> {
        let mut numbers = Vec::new();
        let (cells, span) = ([cell], self.span);
        let read = self.wait.read(&**self.device, &cells, &mut numbers);
        awaited(self.trace, read, |_| Event::Wait { span }).await?;
        Ok(numbers.first().copied())
    }

    /// A scalar.
    pub async fn scalar(&self, datum: &Datum) -> Result<Scalar, Error> {
        if let (Datum::Cell(cell), None) = (datum, datum.known()) {
            self.number_at(cell.cell()).await?.into_iter().for_each(|number| cell.learn(number));
        }
        datum.known().ok_or_else(|| Error::Bug("a number is wanted where there is none".to_owned()))
    }

    /// An extent.
    pub async fn extent(&self, datum: &Datum) -> Result<u64, Error> {
        Ok(self.scalar(datum).await?.as_integer().unwrap_or(0).max(0) as u64)
    }

    /// An extent in a cell.
    pub async fn extent_at(&self, cell: Cell) -> Result<u64, Error> {
        Ok(self.number_at(cell).await?.and_then(|number| number.as_integer()).unwrap_or(0).max(0) as u64)
    }

    /// An axis of a shape.
    pub async fn axis(&self, datum: &Datum) -> Result<AxisValue, Error> {
        match datum {
            Datum::Seg(seg) => Ok(AxisValue::Seg(match seg.host.get() {
                Some(host) => Arc::clone(host),
                // A segmentation may be one of the segments of another.
                None => Box::pin(self.seg(seg)).await?,
            })),
            extent => Ok(AxisValue::Extent(self.extent(extent).await?)),
        }
    }

    /// Several axes.
    pub async fn axes(&self, data: &[Datum]) -> Result<Vec<AxisValue>, Error> {
        let mut axes = Vec::with_capacity(data.len());
        for datum in data {
            axes.push(self.axis(datum).await?);
        }
        Ok(axes)
    }

    /// A segmentation; it is fetched once.
    pub async fn seg(&self, seg: &SegData) -> Result<Arc<Segmentation>, Error> {
        if let Some(host) = seg.host.get() {
            return Ok(Arc::clone(host));
        }
        let parent = self.axes(&seg.parent).await?;
        let lengths = match &seg.lengths {
            LengthsData::Regular(length) => Lengths::Regular { length: self.extent(length).await? },
            LengthsData::Offsets { offsets, .. } => {
                let len = (count_points(&parent) + 1).min(offsets.len);
                let slice = Slice { buffer: offsets.id, offset: 0, len };
                Lengths::Offsets(indices(self.copy_out(slice).await?)?)
            }
        };
        let host = Arc::new(Segmentation { parent, lengths });
        Ok(Arc::clone(seg.host.get_or_init(|| host)))
    }

    /// An array with a shape.
    pub async fn array(&self, array: &ArrayData, axes: &[Datum]) -> Result<Array, Error> {
        let shape = self.axes(axes).await?;
        let (slice, elem) = (array.slice(), array.data.elem);
        let Some(view) = &array.view else {
            let slice = Slice { len: count_points(&shape).min(slice.len), ..slice };
            let data = match array.data.host() {
                Some(host) if slice.offset == 0 && slice.len == host.len() as u64 => Arc::clone(host),
                None if self.last && Rc::strong_count(&array.data) == 1 => {
                    Arc::new(self.take_out(slice).await?)
                }
                _ => Arc::new(self.copy_out(slice).await?),
            };
            return Ok(Array { elem, shape, starts: None, data });
        };
        let segments = match shape.first() {
            Some(AxisValue::Seg(seg)) => seg.n_segments(),
            _ => return Err(Error::Bug("a view over no segmentation".to_owned())),
        };
        let starts = view.starts.slice();
        let starts = self.copy_out(Slice { len: segments.min(starts.len), ..starts }).await?;
        let len = self.extent(&view.extent).await?.min(slice.len);
        let data = Arc::new(self.copy_out(Slice { len, ..slice }).await?);
        Ok(Array { elem, shape, starts: Some(indices(starts)?), data })
    }

    /// Any value: axes are those of an array, and ignored otherwise.
    pub async fn value(&self, datum: &Datum, axes: &[Datum]) -> Result<Value, Error> {
        Ok(match datum {
            Datum::Array(array) => Value::Array(self.array(array, axes).await?),
            Datum::Seg(seg) => Value::Seg(self.seg(seg).await?),
            scalar => Value::Scalar(self.scalar(scalar).await?),
        })
    }

    /// Elements of a buffer that goes then.
    async fn take_out(&self, slice: Slice) -> Result<Buffer, Error> {
        let (size, span) = (|data: &Buffer| data.size(), self.span);
        let copied = |data: &Result<Buffer, _>| Event::CopyOut { bytes: data.as_ref().map_or(0, size), span };
        Ok(awaited(self.trace, self.wait.take_out(&**self.device, slice), copied).await?)
    }

    /// Elements of a buffer.
    pub async fn copy_out(&self, slice: Slice) -> Result<Buffer, Error> {
        let (size, span) = (|data: &Buffer| data.size(), self.span);
        let copied = |data: &Result<Buffer, _>| Event::CopyOut { bytes: data.as_ref().map_or(0, size), span };
        Ok(awaited(self.trace, self.wait.copy_out(&**self.device, slice), copied).await?)
    }
}

fn indices(buffer: Buffer) -> Result<Arc<[i64]>, Error> {
    match buffer {
        Buffer::Idx(indices) => Ok(indices.into()),
        other => Err(Error::Bug(format!("{} where `{}` is wanted", other.elem(), ScalarType::Idx))),
    }
}
