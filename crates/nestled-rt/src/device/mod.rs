//! Devices: the one narrow trait between the executor and the machines that run kernels.
//!
//! A device has **one queue**. Copies in, launches, native operations and frees enter it in the order of the calls, and take effect
//! in that order, now or later. Only [`Device::read`], [`Device::copy_out`] and [`Device::wait`] wait. An asynchronous device
//! queues everything else; a synchronous one is correct as well.
//!
//! Each of the three waits has a form that **does not block** ([`Device::poll_read`] and the like), for programs that must not, as in a browser: the wait begins at the first poll, and a
//! [`Ticket`] remembers it until it is over. By default these forms wait, and are ready at once. A device that overrides them has a [`Turn`], and work of a run that was given up
//! half-way tells nobody of its faults ([`Device::abandon`]).
//!
//! # What the trait does not check
//!
//! The caller (the executor, and nothing else) is responsible for all of this:
//!
//! - The program is verified, and within the device's [`Description`].
//! - Buffers are alive: allocated by this device, not freed, and every part that is read has been written by something queued before.
//! - Slices lie inside their buffers and have the element type that the kernel's text gives them; result slices are as long as the
//!   *bounds* of the shape arguments demand, and a scalar, count or extent has length 1.
//! - Two results never overlap; a result overlaps an argument only where [`Compiled::in_place`] allows it.
//! - Shape arguments match the kernel's shape parameters in number and kind, their bounds are no less than their exact values,
//!   and the exact values fit the arguments' slices.
//! - One run at a time: regions are numbered afresh in each, after [`Device::clear_fault`].
//!
//! Errors of the *program* are not on this list. After a fault, offsets, starts and counts on the device may be rubbish (counts stay within
//! their bounds when they are read), so a device keeps every access inside its slices, whatever its arguments.
//!
//! # Faults
//!
//! A launch that faults does not stop the queue. The device keeps the least fault by (region, site, element), and **skips** a launch
//! whose [`Launch::region`] is later than that of the fault, or whose [`Launch::least_site`] is greater than its site: nothing
//! that it or its successors in the region do could then be reported. A skipped launch leaves its results initialised,
//! with any values. The executor learns of a fault when it waits, and decides what is reported.
//!
//! # One thread
//!
//! A device handle belongs to one thread, so that a launch takes no lock, except that of a queue which several handles of a GPU share; a device may use threads inside. It is called through
//! `dyn Device`: devices live in crates that depend on this one, so an enum could not name them, and a virtual call costs nothing beside a
//! launch.

mod describe;
mod error;
mod interpret;
mod launch;
mod math;
mod native;
mod share;
mod slice;
mod ticket;

pub use describe::Description;
pub use error::{DeviceError, DeviceFault};
pub use interpret::{
    Interpreted, LaunchMemory, Operands, device_error, in_place_interpreted, interpret, launch_meter,
};
pub use launch::{Arg, Compiled, InPlace, KernelHandle, KernelRequest, Launch, Made, Origin, ShapeArg};
pub use math::Math;
pub use native::{Native, NativeKind, Rows};
pub use share::{HostMemory, SharedBuffer};
pub use slice::{BufferId, Cell, Extent, Slice};
pub use ticket::{Ticket, Turn};

use nestled_ir::value::Buffer;
use nestled_ir::{Program, Scalar, ScalarType};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// Bytes copied between the memories of a device and the host on the device's own account.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Copied {
    /// To the device.
    pub to_device: u64,
    /// To the host.
    pub to_host: u64,
}

/// A machine that runs kernels. See the [module](self) for the duties of callers.
pub trait Device {
    /// The name, limits and capabilities of the device; the same at every call.
    fn describe(&self) -> &Description;

    /// Prepares kernels, many at a time and ahead of use, so that a device may compile them side by side. Returns one reply for each
    /// request, in order. Handles stay valid until they are [forgotten](Device::forget).
    fn compile(
        &self,
        program: &Arc<Program>,
        requests: &[KernelRequest],
    ) -> Result<Vec<Compiled>, DeviceError>;

    /// Allocates memory for `len` elements. A device chooses its own representation of elements, so sizes are counted in elements. A device
    /// with a pool empties it before it returns [`DeviceError::OutOfMemory`].
    fn allocate(&self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError>;

    /// Gives a buffer back, once everything queued so far is done with it.
    fn free(&self, buffer: BufferId);

    /// Shrinks a buffer to its first `len` elements: a filter's result was allocated with its bound, and now its length is known.
    fn trim(&self, buffer: BufferId, len: u64) {
        let _ = (buffer, len);
    }

    /// Writes elements into a buffer. `data` has the buffer's element type; it is copied before the call returns.
    fn copy_in(&self, buffer: BufferId, offset: u64, data: &Buffer) -> Result<(), DeviceError>;

    /// A read-only buffer that aliases host memory, which must not be written while the buffer is alive; `None` where elements have to be
    /// copied. It is freed like any other.
    fn lend(&self, data: &Arc<Buffer>) -> Option<BufferId> {
        let _ = data;
        None
    }

    /// Waits, and reads the elements of a slice of a buffer at its last use: only [`Device::free`] may follow. Its memory may be released already.
    fn take_out(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        self.copy_out(slice)
    }

    /// Waits, and reads the elements of a slice.
    fn copy_out(&self, slice: Slice) -> Result<Buffer, DeviceError>;

    /// Copies a slice into another buffer of the same element type, from element `at` on. A device that can does so without the host.
    fn copy(&self, from: Slice, into: BufferId, at: u64) -> Result<(), DeviceError> {
        self.copy_in(into, at, &self.copy_out(from)?)
    }

    /// Queues a kernel.
    fn launch(&self, launch: &Launch<'_>) -> Result<(), DeviceError>;

    /// Queues a native operation.
    fn native(&self, native: Native) -> Result<(), DeviceError>;

    /// Waits for everything queued before, appends one number for each cell to `into`, and tells the least fault since
    /// [`Device::clear_fault`].
    fn read(&self, cells: &[Cell], into: &mut Vec<Scalar>) -> Result<Option<DeviceFault>, DeviceError>;

    /// [`Device::read`] that does not block: nothing is appended to `into` before it is ready. The first poll, with an empty ticket, begins the wait; the others give the same ticket and
    /// cells. The waker is woken when it is worth asking again; a device that makes progress only when it is asked wakes it at once.
    fn poll_read(
        &self,
        ticket: &mut Ticket,
        cells: &[Cell],
        into: &mut Vec<Scalar>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<DeviceFault>, DeviceError>> {
        let _ = (ticket, context);
        Poll::Ready(self.read(cells, into))
    }

    /// [`Device::copy_out`] that does not block, polled as [`Device::poll_read`] is.
    fn poll_copy_out(
        &self,
        ticket: &mut Ticket,
        slice: Slice,
        context: &mut Context<'_>,
    ) -> Poll<Result<Buffer, DeviceError>> {
        let _ = (ticket, context);
        Poll::Ready(self.copy_out(slice))
    }

    /// [`Device::take_out`] that does not block, polled as [`Device::poll_read`] is.
    fn poll_take_out(
        &self,
        ticket: &mut Ticket,
        slice: Slice,
        context: &mut Context<'_>,
    ) -> Poll<Result<Buffer, DeviceError>> {
        let _ = (ticket, context);
        Poll::Ready(self.take_out(slice))
    }

    /// Whose turn it is, where runs may stop at reads.
    fn turn(&self) -> Option<&Turn> {
        None
    }

    /// Waits for everything queued, and tells the least fault.
    fn wait(&self) -> Result<Option<DeviceFault>, DeviceError> {
        self.read(&[], &mut Vec::new())
    }

    /// Bytes copied so far on the device's own account, where it leaves work to the host. Executors report it to traces.
    fn copied(&self) -> Copied {
        Copied::default()
    }

    /// Switches the timing of kernels on or off, for those queued from here on. It costs the host a little at each launch, so it is off by default.
    fn time_kernels(&self, on: bool) {
        let _ = on;
    }

    /// Total time on the device of all timed kernels since it was opened, as far as the host has waited for them; `None` if the device
    /// cannot tell, or timing was never switched on. Kernels that ran concurrently count one by one, so the sum may exceed the time that
    /// passed.
    fn kernel_time(&self) -> Option<Duration> {
        None
    }

    /// Bytes of scratch memory that kernels keep for later launches, beside all buffers, apart from a small amount that any launch takes; 0 where a device cannot tell.
    fn scratch(&self) -> u64 {
        0
    }

    /// Shares a buffer with devices of the same kind in other threads; it must not be written from here on. `None` where buffers belong to
    /// one device alone.
    fn share(&self, buffer: BufferId) -> Option<Arc<dyn SharedBuffer>> {
        let _ = buffer;
        None
    }

    /// A buffer of this device for memory that a device of the same kind shares; `None` for another kind. It is freed like any other.
    fn adopt(&self, shared: &Arc<dyn SharedBuffer>) -> Option<BufferId> {
        let _ = shared;
        None
    }

    /// The offsets of segments of these lengths, one more than lengths, if they were kept: a buffer that must not be written, and is freed like any other.
    fn kept_offsets(&self, lengths: Slice) -> Option<BufferId> {
        let _ = lengths;
        None
    }

    /// True if the device keeps offsets with these lengths, and has none yet. It keeps them with buffers that many runs share.
    fn wants_offsets(&self, lengths: Slice) -> bool {
        let _ = lengths;
        false
    }

    /// Keeps the offsets of segments of these lengths, none of which is negative, as long as the lengths. Nobody writes the offsets from here on.
    fn keep_offsets(&self, lengths: Slice, offsets: BufferId) {
        let _ = (lengths, offsets);
    }

    /// A kernel is not launched any more.
    fn forget(&self, kernel: KernelHandle) {
        let _ = kernel;
    }

    /// A run is over: what was put off, to run beside later launches, runs now.
    fn end_run(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Forgets the fault. Nothing that can fault is in the queue then, but for work of runs that were [given up](Device::abandon).
    fn clear_fault(&self);

    /// The run ends without waiting for what it has queued: that still takes effect, but its faults and errors concern nobody.
    fn abandon(&self) {}
}
