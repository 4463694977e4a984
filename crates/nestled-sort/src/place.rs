//! Result arrays shared by several threads, each of which writes at places of its own.
#![allow(unsafe_code)] // Such an array is no slice for any thread.

use std::marker::PhantomData;
use std::ops::Range;

/// The right to write the results at a range of positions. It can be given away in parts, but not copied.
#[derive(Debug)]
pub(super) struct Place {
    range: Range<usize>,
}

impl Place {
    /// All places of a job.
    ///
    /// # Safety
    /// It is made once for the results of a job, and used for no others.
    pub(super) unsafe fn all(len: usize) -> Place {
        Place { range: 0..len }
    }

    /// The first position.
    pub(super) fn start(&self) -> usize {
        self.range.start
    }

    /// The number of positions.
    pub(super) fn len(&self) -> usize {
        self.range.len()
    }

    /// Gives away the first `len`.
    pub(super) fn take(&mut self, len: usize) -> Place {
        assert!(len <= self.len(), "only what is there can be given away");
        let middle = self.range.start + len;
        Place { range: std::mem::replace(&mut self.range.start, middle)..middle }
    }
}

/// An array of results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Results<'a, T> {
    data: *mut T,
    len: usize,
    lifetime: PhantomData<&'a mut [T]>,
}

// SAFETY: each element is written by the one thread that has the right to, and elements may be sent.
unsafe impl<T: Send> Send for Results<'_, T> {}
// SAFETY: a shared reference gives elements only for a `Place`, of which there is one for each position; who has it may be any thread, and elements may be sent.
unsafe impl<T: Send> Sync for Results<'_, T> {}

impl<'a, T> Results<'a, T> {
    pub(super) fn new(results: &'a mut [T]) -> Results<'a, T> {
        Results { data: results.as_mut_ptr(), len: results.len(), lifetime: PhantomData }
    }

    /// The results at a place.
    pub(super) fn at<'b>(&'b self, place: &'b mut Place) -> &'b mut [T] {
        assert!(place.range.end <= self.len, "a place is in the array");
        // SAFETY: inside the array, which is borrowed mutably for `'a`. Nobody else has the right to these positions (that is what a place
        // is), and its owner lends it to us mutably.
        unsafe { std::slice::from_raw_parts_mut(self.data.add(place.range.start), place.len()) }
    }
}
