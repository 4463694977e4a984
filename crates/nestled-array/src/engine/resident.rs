//! Data that an engine computed, in the hands of arrays.

use super::Engine;
use super::slots::Slot;
use super::waste::Waste;
use crate::error::Result;
use crate::node::Data;
use nestled_ir::Scalar;
use nestled_ir::value::Buffer;
use nestled_rt::SharedArray;
use std::sync::Arc;

/// Where a result lies.
#[derive(Debug)]
pub(crate) enum Kept {
    /// On the host: a single number.
    Number(Scalar),
    /// In memory that all tracks of the engine read.
    Shared(SharedArray),
    /// With the only track of the engine.
    Slot(Slot),
}

/// Data on the device of an engine; given back with the last reference.
pub(crate) struct Resident {
    pub(super) engine: Engine,
    place: Place,
}

/// What a program is given.
#[derive(Clone)]
pub(crate) enum Place {
    Shared(SharedArray),
    Slot(Slot),
}

impl Engine {
    /// A result as the data of a node.
    pub(crate) fn resident(&self, kept: Kept) -> Data {
        let place = match kept {
            Kept::Number(scalar) => return Data::Scalar(scalar),
            Kept::Shared(shared) => Place::Shared(shared),
            Kept::Slot(slot) => Place::Slot(slot),
        };
        Data::Device(Arc::new(Resident { engine: self.timeless(), place }))
    }
}

impl Resident {
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// The elements, on the host. They are there: nobody waits for an evaluation but on a GPU.
    pub(super) fn read(&self) -> Result<Arc<Buffer>> {
        match &self.place {
            Place::Shared(shared) => shared.read().map(Arc::new).map_err(|error| super::blame::plain(&error)),
            Place::Slot(slot) => self.engine.with(|state| state.read(*slot)),
        }
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        if let Place::Slot(slot) = self.place {
            self.engine.shared.desk.give_up(Waste::Slot(slot));
        }
    }
}
