//! Scatter targets: scalars that several threads write, at places that are known only while it happens.
#![allow(unsafe_code)] // A mutable slice is seen as one of atomic integers.

use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// An integer that can be written by several threads.
pub(super) trait Cell: Copy {
    /// The atomic type of the same size.
    type Atomic: Sync;
    /// Writes it.
    fn store(to: &Self::Atomic, value: Self);
}

macro_rules! cell {
    ($($integer:ty, $atomic:ty;)*) => {$(
        impl Cell for $integer {
            type Atomic = $atomic;

            #[inline(always)]
            fn store(to: &$atomic, value: $integer) {
                to.store(value, Ordering::Relaxed);
            }
        }
    )*};
}

cell! {
    u8, AtomicU8;
    u16, AtomicU16;
    u32, AtomicU32;
    u64, AtomicU64;
    i64, AtomicI64;
}

/// Integers that several threads write. Meant for different places; at the same place one of the values stays.
pub(super) struct Targets<'a, T: Cell>(&'a [T::Atomic]);

impl<'a, T: Cell> Targets<'a, T> {
    pub(super) fn new(values: &'a mut [T]) -> Targets<'a, T> {
        let (data, len) = (values.as_mut_ptr(), values.len());
        // SAFETY: the slice is borrowed mutably, so for `'a` nobody sees it otherwise; the atomic of an integer has its size and its bits, and
        // its alignment is the size, as that of the integer is on all machines with 64-bit pointers.
        const { assert!(align_of::<T::Atomic>() == align_of::<T>() && size_of::<T::Atomic>() == size_of::<T>()) };
        Targets(unsafe { std::slice::from_raw_parts(data.cast(), len) })
    }

    #[inline(always)]
    pub(super) fn set(&self, index: usize, value: T) {
        T::store(&self.0[index], value);
    }
}
