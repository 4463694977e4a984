//! Partition of a long row by one digit, by all threads.
//!
//! The row is cut into blocks; each counts its digits. Where the records of a block with a digit go follows from all counts, in the
//! order of digits first and blocks second, which is what makes it stable. Then the blocks write at the same time, and the parts (one for
//! each digit) are rows of their own.
#![allow(unsafe_code)] // No slice of the target belongs to one thread.

use super::record::View;
use super::serial::{RADIX, count, digit};
use crate::pool::Pool;
use std::marker::PhantomData;

/// The records of a block: enough that counting them outweighs the table of counts.
pub(super) const ROW_BLOCK: usize = 1 << 16;

/// The records of a block.
pub(super) fn block_of<R>(data: &[R], block: usize) -> &[R] {
    &data[block * ROW_BLOCK..data.len().min((block + 1) * ROW_BLOCK)]
}

/// Moves the records to `to`, ordered by one digit; gives where the parts end.
pub(super) fn partition<V: View>(
    pool: &Pool,
    from: &[V::Raw],
    to: &mut [V::Raw],
    shift: u32,
) -> [usize; RADIX] {
    let mut counts = vec![[0; RADIX]; from.len().div_ceil(ROW_BLOCK)];
    pool.for_each_mut(&mut counts, |block, counts| {
        *counts = count::<V>(block_of(from, block), shift);
    });
    let ends = begins(&mut counts);
    let to = Shared(to.as_mut_ptr(), to.len(), PhantomData);
    let to = &to;
    pool.for_each_mut(&mut counts, |block, next| {
        for record in block_of(from, block) {
            let next = &mut next[digit::<V>(*record, shift)];
            // SAFETY: `begins` gives each digit of each block as many places of its own as `count` found, in records that nobody has
            // changed since; `digit` depends on nothing else.
            unsafe { to.write(*next, *record) };
            *next += 1;
        }
    });
    ends
}

/// Turns the counts of each block into where it writes; gives where the digits end.
fn begins(counts: &mut [[usize; RADIX]]) -> [usize; RADIX] {
    let (mut sum, mut ends) = (0, [0; RADIX]);
    for (digit, end) in ends.iter_mut().enumerate() {
        for block in &mut *counts {
            sum += std::mem::replace(&mut block[digit], sum);
        }
        *end = sum;
    }
    ends
}

/// A slice that several threads write.
struct Shared<'a, R>(*mut R, usize, PhantomData<&'a mut [R]>);

// SAFETY: only written, each element by one thread, and records may be sent.
unsafe impl<R: Send> Sync for Shared<'_, R> {}

impl<R> Shared<'_, R> {
    /// # Safety
    /// Nobody else uses the element meanwhile.
    unsafe fn write(&self, index: usize, value: R) {
        assert!(index < self.1, "a record stays in its row");
        // SAFETY: inside the slice, and the rest is what the caller promises.
        unsafe { self.0.add(index).write(value) }
    }
}
