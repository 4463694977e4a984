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

#[cfg(test)]
mod tests {
    use super::*;
    use nestled_devices::{DeviceChoice, Devices, Settings};
    use nestled_ir::Program;
    use nestled_ir::value::{Array, Buffer, Value};
    use std::sync::Arc;

    /// An executable that does nothing but copy to its device.
    fn porter(choice: DeviceChoice) -> Executable {
        let program = Program::default();
        let devices = Devices::new(choice, Settings::default());
        let device = devices.for_program(&program).unwrap().opened.device();
        Executable::new(&program, device).unwrap()
    }

    #[test]
    fn an_array_that_was_copied_to_a_device_stays_there() {
        let [here, there] = [DeviceChoice::Reference, DeviceChoice::Cpu].map(porter);
        let value = Value::Array(Array::vector(Buffer::I64(vec![5, 7])));
        let shared = here.put(&[value]).unwrap().remove(0).share().unwrap();
        let resident = Resident::new(Arc::new(()), shared);
        assert!(there.adopt_in_place(&resident.shared()).is_none(), "the devices share no memory");
        drop(adopt(&resident, &there).unwrap());
        assert!(there.adopt_in_place(&resident.shared()).is_some());
        assert_eq!(resident.shared().read().unwrap().get(1).as_integer(), Some(7));
    }
}
