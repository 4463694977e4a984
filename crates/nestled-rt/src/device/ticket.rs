//! Tickets: waits that have begun, for callers who do not block, and the turn of the run that may stop at them.
//!
//! Whoever polls a device keeps the ticket. A wait is given up when its ticket is dropped, which is safe at any time.

use std::any::Any;
use std::cell::Cell;
use std::fmt;

/// A wait that has begun: what a device notes of it between two polls. An empty one begins a new wait.
#[derive(Default)]
pub struct Ticket(Option<Box<dyn Any>>);

impl Ticket {
    /// True if no wait has begun.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Notes something of the wait, in place of what was noted before.
    pub fn note(&mut self, state: impl Any) {
        self.0 = Some(Box::new(state));
    }

    /// What was noted, if it is of this type.
    pub fn noted<T: Any>(&mut self) -> Option<&mut T> {
        self.0.as_mut()?.downcast_mut()
    }

    /// Ends the wait.
    pub fn end(&mut self) {
        self.0 = None;
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "Ticket(empty)" } else { "Ticket(begun)" })
    }
}

/// The turn of one run: a device whose reads stop runs has one, so that no other run begins while one is stopped.
#[derive(Debug, Default)]
pub struct Turn(Cell<bool>);

impl Turn {
    /// Takes the turn; false if another run has it.
    pub fn take(&self) -> bool {
        !self.0.replace(true)
    }

    /// Gives the turn back.
    pub fn give_back(&self) {
        self.0.set(false);
    }
}
