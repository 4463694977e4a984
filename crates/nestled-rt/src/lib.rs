//! The runtime of λcu: executes programs on devices.
//!
//! An [`Executable`] is a program made ready for a [`Device`]: its host code is lowered to a flat list of instructions, its kernels are
//! compiled. Running it queues kernels, and waits only for numbers that the host needs. The [`Reference`] device runs kernels by the
//! interpreter that defines λcu; others live in crates of their own.
//!
//! # How it runs
//!
//! Host code runs on a stack of its own. All that is known of a device are opaque buffers, kernels prepared ahead, queued launches, and fault words, which are looked at where a region ends. The reference
//! device runs kernels at once or, to prove that the executor waits where it must, deferred. Where it does wait, the executor fetches all numbers that somebody may want next; and what lengths come to at
//! most it follows from one segmentation to the next, through the kernels that make them (`lower/length_sums.rs`, `exec/length_sums.rs`), so that room is made without a wait. So a recursion waits once for each level,
//! to know whether it goes on; tests count. Values are moved at their last use, so that a buffer goes when nobody needs it any more, and a result takes the place of an argument where the device says that
//! it may (`Compiled::in_place`). Where it waits, a run can stop instead, as a future that any executor takes up again ([`Executable::run_async`]). The list of live buffers (`exec/live_buffers.rs`) knows what is held, and what was at most.
//!
//! `trace/` has those who watch a run: counters, the table of `--profile`, the file of `--trace`. `npy/`, `npz.rs` and `zip/` are NumPy's files, read and written in a stream.
#![forbid(unsafe_code)]

pub mod device;
mod error;
mod exec;
mod executable;
mod handle;
pub mod json;
mod kernel_limits;
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
pub use kernel_limits::missing_type;
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
