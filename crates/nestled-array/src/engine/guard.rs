//! Lets the state of an engine go from thread to thread.
//!
//! Devices, executables and the handles of what lies on a device belong to one thread, so that there are no locks on the way to a launch: they share
//! their parts by `Rc`. A track of an engine keeps *all* of them in one place, and one thread has it.
#![allow(unsafe_code)]

/// A value whose parts are reached through it only.
pub(super) struct Isolated<T>(T);

impl<T> Isolated<T> {
    /// Isolates a value that was made for this purpose.
    ///
    /// # Safety
    /// Nothing outside of the value, and no thread's own storage, shares an `Rc`, a cell or a raw pointer with what is inside; and nothing that
    /// [`get`](Isolated::get) lends is copied out of it.
    pub unsafe fn new(value: T) -> Isolated<T> {
        Isolated(value)
    }

    /// The value.
    pub fn get(&mut self) -> &mut T {
        &mut self.0
    }
}

// SAFETY: `new` demands that the value is closed: counts, cells and pointers that are not synchronised are all inside. It is reached by `&mut` only,
// so by one thread at a time, and whoever hands it over (the lock around it) orders their accesses.
unsafe impl<T> Send for Isolated<T> {}
