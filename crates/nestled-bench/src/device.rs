//! Opening of the device that is measured.

use nestled_devices::{DeviceChoice, Devices, Settings};
use nestled_ir::Program;
use nestled_rt::device::Device;
use std::rc::Rc;

/// Opens a device.
///
/// # Errors
/// If there is none.
pub fn open(choice: DeviceChoice, threads: u32) -> Result<Rc<dyn Device>, String> {
    // Only compiled kernels are measured.
    let settings = Settings { threads: Some(threads as usize), compile_first: true, ..Settings::default() };
    let devices = Devices::new(choice, settings);
    let fit = devices.for_program(&Program::default()).map_err(|error| error.to_string())?;
    let device = fit.opened.device();
    // Its threads are made with the first use. They inherit the processors of whoever makes them, so this comes before the caller keeps to one.
    device.read(&[], &mut Vec::new()).map_err(|error| format!("{error:?}"))?;
    Ok(device)
}
