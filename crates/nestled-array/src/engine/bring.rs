//! Data of nodes as values for a program, wherever they lie.

use super::blame::plain;
use super::resident::{Place, Resident};
use super::slots::Slots;
use crate::error::{Error, Reason, Result};
use crate::node::Data;
use nestled_rt::{Executable, Handle};

impl Slots {
    /// The data of a node that was brought, on the device of a program.
    pub fn handle(&mut self, data: &Data, program: &Executable) -> Result<Handle> {
        match data {
            Data::Scalar(scalar) => Ok(Handle::scalar(program.device(), *scalar)),
            Data::Device(resident) => self.adopt(resident, program),
            Data::Host(_) => {
                Err(Error::at("eval", Reason::Bug("data that was not brought".to_owned()), None))
            }
        }
    }

    /// A result as a value for a program, wherever it lies.
    pub fn adopt(&mut self, resident: &Resident, program: &Executable) -> Result<Handle> {
        match resident.place() {
            Place::Shared(shared) => program.adopt(shared).map_err(|error| plain(&error)),
            Place::Slot(slot) => self.get_for(*slot, program),
        }
    }
}
