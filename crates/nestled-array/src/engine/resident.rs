//! Data that an engine computed, in the hands of arrays.

use super::Engine;
use super::errors::plain;
use crate::error::Result;
use crate::node::Data;
use nestled_fork as fork;
use nestled_ir::Scalar;
use nestled_ir::value::Buffer;
use nestled_rt::SharedArray;
use std::sync::{Arc, Mutex};

/// Where a result lies.
#[derive(Debug)]
pub(crate) enum Kept {
    /// On the host: a single number.
    Number(Scalar),
    /// In memory that all tracks of the engine read.
    Shared(SharedArray),
}

/// Data on the device of an engine; given back with the last reference.
pub(crate) struct Resident {
    pub(super) engine: Engine,
    shared: Mutex<SharedArray>,
}

impl Engine {
    /// A result as the data of a node.
    pub(crate) fn resident(&self, kept: Kept) -> Data {
        match kept {
            Kept::Number(scalar) => Data::Scalar(scalar),
            Kept::Shared(shared) => {
                let shared = Mutex::new(shared);
                Data::Device(Arc::new(Resident { engine: self.timeless(), shared }))
            }
        }
    }
}

impl Resident {
    /// Returns the shared array, as an argument of a program.
    pub(super) fn shared(&self) -> SharedArray {
        fork::lock(&self.shared).clone()
    }

    /// Replaces the shared array by its copy on another device.
    pub(super) fn stay(&self, there: SharedArray) {
        *fork::lock(&self.shared) = there;
    }

    /// The elements, on the host. No evaluation is waited for, only a GPU that still computes them.
    pub(super) fn read(&self) -> Result<Arc<Buffer>> {
        self.shared().read().map(Arc::new).map_err(|error| plain(&error))
    }
}
