//! Data of nodes as values for a program, wherever they lie.

use super::errors::plain;
use crate::error::{Error, Reason, Result};
use crate::node::Data;
use crate::resident::Resident;
use nestled_rt::{Executable, Handle};

/// The data of a node that was brought, on the device of a program.
pub(super) fn handle(data: &Data, program: &Executable) -> Result<Handle> {
    match data {
        Data::Scalar(scalar) => Ok(Handle::scalar(program.device(), *scalar)),
        Data::Device(resident) => adopt(resident, program),
        Data::Host(_) => Err(Error::at("eval", Reason::Bug("data that was not brought".to_owned()), None)),
    }
}

/// A result as a value for a program, wherever it lies. If that was another device, it stays on this one from now on.
pub(super) fn adopt(resident: &Resident, program: &Executable) -> Result<Handle> {
    let shared = resident.shared();
    if let Some(handle) = program.adopt_in_place(&shared) {
        return Ok(handle);
    }
    let handle = program.adopt(&shared).map_err(|error| plain(&error))?;
    handle.share().into_iter().for_each(|there| resident.stay(there));
    Ok(handle)
}
