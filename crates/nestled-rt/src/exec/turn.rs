//! The turn of a run on its device. A device has one run at a time, and hears of it when one is given up.

use crate::device::Device;
use crate::error::Error;

/// A run that has its turn.
pub(crate) struct InTurn<'a> {
    device: &'a dyn Device,
    has_ended: bool,
}

impl InTurn<'_> {
    /// Takes the turn; an error if another run is on its way.
    pub fn begin(device: &dyn Device) -> Result<InTurn<'_>, Error> {
        if device.turn().is_some_and(|turn| !turn.take()) {
            let what = "another run is stopped at a read of this device: finish it or drop it first";
            return Err(Error::BadArgument(what.to_owned()));
        }
        Ok(InTurn { device, has_ended: false })
    }

    /// The run has come to its end: it has nothing in the queue that can fault.
    pub fn end(mut self) {
        self.has_ended = true;
    }
}

impl Drop for InTurn<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.device.abandon();
        }
        if let Some(turn) = self.device.turn() {
            turn.give_back();
        }
    }
}
