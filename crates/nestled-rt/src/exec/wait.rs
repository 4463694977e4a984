//! Waits for the device as futures, which either block or stop: the only places where a run is not over when it is asked.
//!
//! A run that blocks is ready when it is polled once. One that stops gives control back to whoever polls it, and goes on where it stopped; it may be dropped there.

use crate::device::{Cell, Device, DeviceError, DeviceFault, Slice, Ticket};
use crate::error::Error;
use nestled_ir::Scalar;
use nestled_ir::value::Buffer;
use std::future::{Future, Ready, poll_fn, ready};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// The two ways to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// The thread waits.
    Block,
    /// The future is not ready.
    Stop,
}

impl Wait {
    /// [`Device::read`].
    pub async fn read(
        self,
        device: &dyn Device,
        cells: &[Cell],
        into: &mut Vec<Scalar>,
    ) -> Result<Option<DeviceFault>, DeviceError> {
        if self == Wait::Block {
            return device.read(cells, into);
        }
        let mut ticket = Ticket::default();
        poll_fn(|context| device.poll_read(&mut ticket, cells, into, context)).await
    }

    /// [`Device::copy_out`].
    pub async fn copy_out(self, device: &dyn Device, slice: Slice) -> Result<Buffer, DeviceError> {
        if self == Wait::Block {
            return device.copy_out(slice);
        }
        let mut ticket = Ticket::default();
        poll_fn(|context| device.poll_copy_out(&mut ticket, slice, context)).await
    }

    /// [`Device::take_out`].
    pub async fn take_out(self, device: &dyn Device, slice: Slice) -> Result<Buffer, DeviceError> {
        if self == Wait::Block {
            return device.take_out(slice);
        }
        let mut ticket = Ticket::default();
        poll_fn(|context| device.poll_take_out(&mut ticket, slice, context)).await
    }
}

impl Wait {
    /// Runs a future as far as it goes without a stop: to its end, where waits block. Otherwise it moves to the heap.
    #[inline(always)]
    pub fn soon<'a, T>(self, future: impl Future<Output = Result<T, Error>> + 'a) -> Soon<'a, T> {
        match self {
            Wait::Block => Soon::Now(ready(at_once(future))),
            Wait::Stop => Soon::Later(Box::pin(future)),
        }
    }
}

/// The outcome of a future, or the future on the heap. It is small, so that futures which await it are: making and moving them costs as many instructions as they have words.
pub(crate) enum Soon<'a, T> {
    Now(Ready<Result<T, Error>>),
    Later(Pin<Box<dyn Future<Output = Result<T, Error>> + 'a>>),
}

impl<T> Future for Soon<'_, T> {
    type Output = Result<T, Error>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T, Error>> {
        match self.get_mut() {
            Soon::Now(outcome) => Pin::new(outcome).poll(context),
            Soon::Later(future) => future.as_mut().poll(context),
        }
    }
}

/// The outcome of a future whose waits block.
#[inline(always)]
pub(crate) fn at_once<T>(future: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => Err(Error::Bug("a run that blocks has stopped".to_owned())),
    }
}
