//! Handles: results that stay on the device.

use crate::device::Device;
use crate::error::Error;
use crate::exec::{Datum, LengthsData, Reader, Wait, at_once};
use crate::trace::SharedTrace;
use nestled_ir::value::Value;
use nestled_ir::{Form, Placement, Scalar, ScalarType, Shape, Span, Type};
use std::fmt;
use std::rc::Rc;

/// A value that a run has left on its device. It may outlive the run and the executable; its memory is given back with the last
/// handle. Opaque, so that one array may later lie on several devices.
#[derive(Clone)]
pub struct Handle {
    device: Rc<dyn Device>,
    datum: Datum,
    axes: Vec<Datum>,
    is_dim: bool,
}

impl Handle {
    pub(crate) fn new(device: &Rc<dyn Device>, datum: Datum, axes: Vec<Datum>, is_dim: bool) -> Handle {
        let handle = Handle { device: Rc::clone(device), datum, axes, is_dim };
        handle.trim();
        handle
    }

    /// An array that others hold as well: it keeps the room that it has.
    pub(crate) fn lent(device: &Rc<dyn Device>, datum: Datum, axes: Vec<Datum>) -> Handle {
        Handle { device: Rc::clone(device), datum, axes, is_dim: false }
    }

    /// A number that takes no memory of the device.
    pub fn scalar(device: &Rc<dyn Device>, scalar: Scalar) -> Handle {
        Handle { device: Rc::clone(device), datum: Datum::Scalar(scalar), axes: Vec::new(), is_dim: false }
    }

    /// An extent, to be given as a shape argument.
    pub fn extent(device: &Rc<dyn Device>, extent: u64) -> Handle {
        Handle { device: Rc::clone(device), datum: Datum::extent(extent), axes: Vec::new(), is_dim: true }
    }

    /// Brings the value to the host; waits for it.
    ///
    /// # Errors
    /// Only if the device is lost.
    pub fn to_value(&self) -> Result<Value, Error> {
        at_once(self.read(None, Wait::Block))
    }

    /// As [`to_value`](Self::to_value), but where it would wait, the future is not ready. See [`Executable::run_async`](crate::Executable::run_async).
    ///
    /// # Errors
    /// Only if the device is lost.
    pub async fn to_value_async(&self) -> Result<Value, Error> {
        self.read(None, Wait::Stop).await
    }

    /// Moves the value to the host, with a watcher; the device's memory may be released.
    pub(crate) async fn take(self, trace: Option<&SharedTrace>, wait: Wait) -> Result<Value, Error> {
        let last = matches!(&self.datum, Datum::Array(array) if Rc::strong_count(array) == 1);
        self.read_by(&Reader { device: &self.device, trace, span: Span::NONE, last, wait }).await
    }

    /// Copies the value to the host, with a watcher.
    pub(crate) async fn read(&self, trace: Option<&SharedTrace>, wait: Wait) -> Result<Value, Error> {
        self.read_by(&Reader { device: &self.device, trace, span: Span::NONE, last: false, wait }).await
    }

    async fn read_by(&self, reader: &Reader<'_>) -> Result<Value, Error> {
        match self.is_dim {
            true => Ok(Value::Dim(reader.extent(&self.datum).await?)),
            false => reader.value(&self.datum, &self.axes).await,
        }
    }

    /// What reads it, and tells nobody.
    fn reader(&self, wait: Wait) -> Reader<'_> {
        Reader { device: &self.device, trace: None, span: Span::NONE, last: false, wait }
    }

    /// The axes of an array, to be given as shape arguments.
    pub fn axes(&self) -> Vec<Handle> {
        let axis = |datum: &Datum| {
            let is_dim = !matches!(datum, Datum::Seg(_));
            Handle { device: Rc::clone(&self.device), datum: datum.clone(), axes: Vec::new(), is_dim }
        };
        self.axes.iter().map(axis).collect()
    }

    pub(crate) fn device(&self) -> &Rc<dyn Device> {
        &self.device
    }

    /// The extents of an array, if the host knows them all.
    pub(crate) fn known_extents(&self) -> Option<Vec<u64>> {
        self.axes.iter().map(Datum::known_extent).collect()
    }

    /// The extents of an array, of which those that only the device knows are fetched if that takes no waiting. It then takes no more room than it needs.
    pub(crate) fn fetched_extents(&self) -> Option<Vec<u64>> {
        if let Some(known) = self.known_extents() {
            return Some(known);
        }
        if !self.device.describe().waits_are_free {
            return None;
        }
        let extents = self.awaited_extents()?;
        self.trim();
        Some(extents)
    }

    /// The extents of an array, after a wait for those that only the device knows.
    pub(crate) fn awaited_extents(&self) -> Option<Vec<u64>> {
        let reader = self.reader(Wait::Block);
        self.axes.iter().map(|axis| at_once(reader.extent(axis))).collect::<Result<_, _>>().ok()
    }

    /// Whether it is one of a shape.
    pub(crate) fn is_extent(&self) -> bool {
        self.is_dim
    }

    pub(crate) fn datum(&self) -> &Datum {
        &self.datum
    }

    /// True if the value lies on this device.
    pub fn is_on(&self, device: &Rc<dyn Device>) -> bool {
        Rc::ptr_eq(&self.device, device)
    }

    /// True if the value has the type; `axes_of` gives the run-time axes of a shape.
    pub(crate) async fn fits(
        &self,
        ty: &Type,
        axes_of: impl Fn(&Shape) -> Vec<Datum>,
        wait: Wait,
    ) -> Result<bool, Error> {
        Ok(match (&self.datum, ty) {
            (Datum::Seg(seg), Type::Seg(wanted)) => {
                let form = match seg.lengths {
                    LengthsData::Regular(_) => Form::Regular,
                    LengthsData::Offsets { .. } => Form::Offsets,
                };
                form == wanted.form && self.same_axes(&seg.parent, &axes_of(&wanted.parent), wait).await?
            }
            (Datum::Array(array), Type::Array(wanted)) => {
                let is_view = wanted.placement == Placement::View;
                array.data.elem == wanted.elem
                    && array.view.is_some() == is_view
                    && self.same_axes(&self.axes, &axes_of(&wanted.shape), wait).await?
            }
            (Datum::Scalar(scalar), ty) => self.is_scalar(scalar.ty(), ty),
            (Datum::Cell(cell), ty) => self.is_scalar(cell.buffer.elem, ty),
            (Datum::Empty | Datum::Seg(_) | Datum::Array(_), _) => false,
        })
    }

    /// True if a scalar has the type. Only numbers known not to be negative may be extents.
    fn is_scalar(&self, elem: ScalarType, ty: &Type) -> bool {
        match ty {
            Type::Dim => self.is_dim,
            ty => ty.as_scalar() == Some(elem),
        }
    }

    async fn same_axes(&self, left: &[Datum], right: &[Datum], wait: Wait) -> Result<bool, Error> {
        if left.len() != right.len() {
            return Ok(false);
        }
        let reader = self.reader(wait);
        for (a, b) in left.iter().zip(right) {
            let is_one = match (a, b) {
                (Datum::Cell(a), Datum::Cell(b)) => a.cell() == b.cell(),
                (Datum::Seg(a), Datum::Seg(b)) => Rc::ptr_eq(a, b),
                _ => false,
            };
            if !is_one && !reader.axis(a).await?.same(&reader.axis(b).await?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Releases the memory that a filter's result was given in excess, once its length is known.
    fn trim(&self) {
        let Datum::Array(array) = &self.datum else { return };
        let Some(known) = self.known_extents() else { return };
        // Some may be too great for a product that a later zero ends.
        let points = known.iter().fold(1, |points: u64, &extent| points.saturating_mul(extent));
        if Rc::strong_count(&array.data) == 1
            && array.view.is_none()
            && array.offset == 0
            && points < array.data.len
        {
            array.data.trim(points);
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.datum)
    }
}
