//! The runtime of λcu: executes programs on devices.
//!
//! An [`Executable`] is a program made ready for a [`Device`]: its host code is lowered to a flat list of instructions, its kernels are
//! compiled. Running it queues kernels, and waits only for numbers that the host needs. The [`Reference`] device runs kernels by the
//! interpreter that defines λcu; others live in crates of their own.
#![forbid(unsafe_code)]

pub mod device;
mod error;
mod exec;
mod executable;
mod handle;
pub mod json;
mod limits;
mod lower;
pub mod npy;
pub mod npz;
mod reference;
mod shared;
mod trace;
pub mod zip;

pub use error::{Error, Live};
pub use executable::{Executable, Limits};
pub use handle::Handle;
pub use limits::missing_type;
pub use reference::{Reference, ReferenceConfig};
pub use shared::SharedArray;
pub use trace::{ChromeTrace, Counters, Event, Profile, SharedTrace, Trace, Watchers, When, Work};

use device::Device;
use nestled_ir::Program;
use nestled_ir::interp::World;
use nestled_ir::value::{AxisValue, Value};
use std::rc::Rc;

/// Runs one function of a verified program on a device, and brings its results back.
///
/// # Errors
/// See [`Error`].
pub fn run_on(
    device: Rc<dyn Device>,
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    Executable::new(program, device)?.run(function, shapes, args, world)
}
