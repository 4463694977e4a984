//! Results that stay on the device.

use crate::device::Device;
use crate::error::Error;
use crate::exec::{Datum, Reader};
use nestled_ir::value::Value;
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

    /// Brings the value to the host; waits for it.
    ///
    /// # Errors
    /// Only if the device is lost.
    pub fn to_value(&self) -> Result<Value, Error> {
        let reader = Reader { device: &self.device, trace: None };
        if self.is_dim {
            return Ok(Value::Dim(reader.extent(&self.datum)?));
        }
        reader.value(&self.datum, &self.axes)
    }

    /// Gives back what a filter was given too much, if its length is known by now.
    fn trim(&self) {
        let Datum::Array(array) = &self.datum else { return };
        let known: Option<Vec<u64>> = self.axes.iter().map(Datum::known_extent).collect();
        let Some(known) = known else { return };
        let points: u64 = known.iter().product();
        if Rc::strong_count(&array.data) == 1 && array.offset == 0 && points < array.data.len {
            self.device.trim(array.data.id, points);
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.datum)
    }
}
