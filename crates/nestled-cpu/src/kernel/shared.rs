//! A pointer shared between threads.
#![allow(unsafe_code)] // Sends pointers to other threads.

/// A pointer that is sent to other threads. Dereferencing is `unsafe`, so each use states why no two threads access the same place.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedPointer<T>(pub *mut T);

// SAFETY: sharing the number alone touches no memory; nothing here follows it.
unsafe impl<T> Sync for SharedPointer<T> {}
// SAFETY: the number is the same in every thread; nothing here follows it, nor frees what it leads to.
unsafe impl<T> Send for SharedPointer<T> {}

impl<T> SharedPointer<T> {
    /// Returns the pointer `count` elements further.
    pub(super) fn add(self, count: usize) -> *mut T {
        self.0.wrapping_add(count)
    }
}
