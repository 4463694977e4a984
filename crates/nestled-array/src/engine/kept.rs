//! Results of an evaluation as the data of nodes, and back.

use super::Engine;
use super::errors::plain;
use crate::error::Result;
use crate::node::Data;
use crate::resident::Resident;
use nestled_ir::Scalar;
use nestled_ir::value::Buffer;
use nestled_rt::SharedArray;
use std::sync::Arc;

/// A result of an evaluation, by its location.
#[derive(Debug)]
pub(crate) enum Kept {
    /// On the host: a single number.
    Number(Scalar),
    /// In memory that all tracks of the engine read.
    Shared(SharedArray),
}

impl Engine {
    /// A result as the data of a node.
    pub(crate) fn resident(&self, kept: Kept) -> Data {
        match kept {
            Kept::Number(scalar) => Data::Scalar(scalar),
            Kept::Shared(shared) => {
                Data::Device(Arc::new(Resident::new(Arc::<super::Shared>::clone(&self.shared), shared)))
            }
        }
    }

    /// True if this engine computed the data.
    pub(super) fn computed(&self, resident: &Resident) -> bool {
        resident.belongs_to(&self.shared)
    }
}

/// The elements, on the host. No evaluation is waited for, only a GPU that still computes them.
pub(super) fn read(resident: &Resident) -> Result<Arc<Buffer>> {
    resident.shared().read().map(Arc::new).map_err(|error| plain(&error))
}
