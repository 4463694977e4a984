//! Integers that several threads write, at places that are known only while it happens.
#![allow(unsafe_code)] // A mutable slice is seen as one of atomic integers.

use std::sync::atomic::{AtomicI64, Ordering};

/// Integers that several threads write. Meant for different places; at the same place one of the values stays.
pub(super) struct Targets<'a>(&'a [AtomicI64]);

impl<'a> Targets<'a> {
    pub(super) fn new(values: &'a mut [i64]) -> Targets<'a> {
        let (data, len) = (values.as_mut_ptr(), values.len());
        // SAFETY: the slice is borrowed mutably, so for `'a` nobody sees it otherwise; an `AtomicI64` has the size and the bits of an
        // `i64`, and its alignment is 8, as that of an `i64` is on all machines with 64-bit pointers.
        const { assert!(align_of::<AtomicI64>() == align_of::<i64>()) };
        Targets(unsafe { std::slice::from_raw_parts(data.cast(), len) })
    }

    pub(super) fn set(&self, index: usize, value: i64) {
        self.0[index].store(value, Ordering::Relaxed);
    }
}
