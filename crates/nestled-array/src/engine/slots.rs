//! What lies on the devices of an engine, by numbers that threads may hand around.

use super::state::plain;
use crate::error::{Error, Reason, Result};
use crate::node::Data;
use nestled_rt::{Executable, Handle};

#[derive(Default)]
pub(super) struct Slots {
    list: Vec<Option<Handle>>,
    vacant: Vec<u32>,
}

impl Slots {
    /// Keeps a value: its number.
    pub fn keep(&mut self, handle: Handle) -> u32 {
        if let Some(slot) = self.vacant.pop() {
            self.list[slot as usize] = Some(handle);
            return slot;
        }
        self.list.push(Some(handle));
        (self.list.len() - 1) as u32
    }

    /// Gives back what nobody refers to.
    pub fn sweep(&mut self, garbage: &mut Vec<u32>) {
        for slot in garbage.drain(..) {
            self.list[slot as usize] = None;
            self.vacant.push(slot);
        }
    }

    /// A value, wherever it lies.
    pub fn get(&self, slot: u32) -> Result<&Handle> {
        let handle = self.list.get(slot as usize).and_then(Option::as_ref);
        handle.ok_or_else(|| Error::at("eval", Reason::Bug("data that is gone".to_owned()), None))
    }

    /// The data of a node that was brought, on the device of a program.
    pub fn handle(&mut self, data: &Data, program: &Executable) -> Result<Handle> {
        match data {
            Data::Scalar(scalar) => Ok(Handle::scalar(program.device(), *scalar)),
            Data::Device(resident) => self.get_for(resident.slot(), program),
            Data::Host(_) => {
                Err(Error::at("eval", Reason::Bug("data that was not brought".to_owned()), None))
            }
        }
    }

    /// A value on the device of a program. If it lay on another one, it stays on this one from now on.
    pub fn get_for(&mut self, slot: u32, program: &Executable) -> Result<Handle> {
        let handle = self.get(slot)?;
        if handle.is_on(program.device()) {
            return Ok(handle.clone());
        }
        let handle = program.bring(handle).map_err(|error| plain(&error))?;
        self.list[slot as usize] = Some(handle.clone());
        Ok(handle)
    }
}
