//! What an executor tells whoever wants to watch it.

use nestled_ir::Span;
use std::cell::RefCell;
use std::rc::Rc;

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A kernel was queued.
    Launch {
        /// Its name.
        kernel: &'a str,
        /// The statement that runs it.
        span: Span,
    },
    /// A native operation was queued.
    Native {
        /// Its name.
        name: &'a str,
        /// The statement that asks for it.
        span: Span,
    },
    /// Memory was allocated.
    Allocate {
        /// How much.
        bytes: u64,
    },
    /// Elements were copied to the device.
    CopyIn {
        /// How many bytes.
        bytes: u64,
    },
    /// Elements were copied from the device.
    CopyOut {
        /// How many bytes.
        bytes: u64,
    },
    /// The host waited for the device.
    Wait,
}

/// Somebody who watches. Without one, an executor does nothing but look whether there is one.
pub trait Trace {
    /// Is told of each event, in order.
    fn event(&mut self, event: Event<'_>);
}

/// A watcher that an executor and its owner share.
pub type SharedTrace = Rc<RefCell<dyn Trace>>;

/// Counts events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Kernels that were queued.
    pub launches: u64,
    /// Native operations that were queued.
    pub natives: u64,
    /// Buffers that were allocated.
    pub allocations: u64,
    /// Bytes copied to the device.
    pub bytes_in: u64,
    /// Bytes copied from the device.
    pub bytes_out: u64,
    /// How often the host waited.
    pub waits: u64,
}

impl Trace for Counters {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Launch { .. } => self.launches += 1,
            Event::Native { .. } => self.natives += 1,
            Event::Allocate { .. } => self.allocations += 1,
            Event::CopyIn { bytes } => self.bytes_in += bytes,
            Event::CopyOut { bytes } => self.bytes_out += bytes,
            Event::Wait => self.waits += 1,
        }
    }
}
