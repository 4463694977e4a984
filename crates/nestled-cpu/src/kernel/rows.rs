//! Rows of partial results: the memory in which each piece of a nest leaves its results, in rows of its own.
#![allow(unsafe_code)] // Hands out addresses in a block, and fills rows.

use super::scratch::{NoMemory, Scratch, ScratchBlock};
use std::marker::PhantomData;
use std::ptr;

/// Rows of equal length in one block.
#[derive(Debug)]
pub(super) struct Rows {
    block: ScratchBlock,
    /// Bytes of a row.
    size: usize,
    count: usize,
}

/// A borrowed range of rows of a block, or other memory that is lent to a call.
///
/// It is valid for [`bytes`](Row::bytes) bytes during `'a`. Only compiled code accesses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    start: *mut u8,
    bytes: usize,
    lent: PhantomData<&'a ScratchBlock>,
}

// SAFETY: a row is an address that nothing here follows; which threads write where is what `call.rs` asks of its callers.
unsafe impl Send for Row<'_> {}
// SAFETY: a shared reference to a row gives no more than a copy of it, which may be sent.
unsafe impl Sync for Row<'_> {}

impl Rows {
    /// Allocates `count` uninitialised rows of `size` bytes.
    pub(super) fn take(scratch: &Scratch, count: usize, size: usize) -> Result<Rows, NoMemory> {
        Ok(Rows { block: scratch.take(count.saturating_mul(size))?, size, count })
    }

    /// Returns the rows from `first` on.
    ///
    /// # Panics
    /// If `first` is past the end.
    pub(super) fn from(&self, first: usize) -> Row<'_> {
        assert!(first <= self.count, "a row of {} has number {first}", self.count);
        let (before, all) = (first * self.size, self.count * self.size);
        Row { start: self.block.address().wrapping_add(before), bytes: all - before, lent: PhantomData }
    }

    /// Fills the first row.
    ///
    /// # Panics
    /// If the cells are longer than a row, or there is no row.
    pub(super) fn begin_with(&mut self, cells: &[u64]) {
        assert!(size_of_val(cells) <= self.from(0).bytes, "the first row has room for these cells");
        // SAFETY: the block has so many bytes, at a multiple of 64, and nobody else has them: it is borrowed mutably. The cells lie outside it.
        unsafe { ptr::copy_nonoverlapping(cells.as_ptr(), self.block.address().cast(), cells.len()) };
    }

    /// Returns the block, to be freed.
    pub(super) fn into_block(self) -> ScratchBlock {
        self.block
    }
}

impl<'a> Row<'a> {
    /// No memory.
    pub(super) const NONE: Row<'static> = Row { start: ptr::null_mut(), bytes: 0, lent: PhantomData };

    /// Borrows all of a block.
    pub(super) fn of_block(block: &'a ScratchBlock) -> Row<'a> {
        Row { start: block.address(), bytes: block.size(), lent: PhantomData }
    }

    /// Borrows cells that are only read.
    pub(super) fn of_cells(cells: &'a [u64]) -> Row<'a> {
        Row { start: cells.as_ptr().cast_mut().cast(), bytes: size_of_val(cells), lent: PhantomData }
    }

    /// Returns the address of the first byte.
    pub(super) fn start(self) -> *mut u8 {
        self.start
    }

    /// Returns the number of bytes.
    pub(super) fn bytes(self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lie_one_after_another() {
        let scratch = Scratch::default();
        let mut rows = Rows::take(&scratch, 3, 16).unwrap();
        rows.begin_with(&[1, 2]);
        assert_eq!(rows.from(1).start().addr() - rows.from(0).start().addr(), 16);
        assert_eq!([0, 1, 3].map(|first| rows.from(first).bytes()), [48, 32, 0]);
        // SAFETY: the row was just filled.
        assert_eq!(unsafe { rows.from(0).start().cast::<u64>().add(1).read() }, 2);
        assert!(std::panic::catch_unwind(|| rows.from(4)).is_err());
    }
}
