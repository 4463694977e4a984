//! Rows of partial results: memory that the pieces of a nest leave what they came to in, each in rows of its own.
#![allow(unsafe_code)] // Hands out addresses in a block, and fills rows.

use super::scratch::{Block, NoMemory, Scratch};
use std::marker::PhantomData;
use std::ptr;

/// So many rows, equally long, in one block.
#[derive(Debug)]
pub(super) struct Rows {
    block: Block,
    /// Bytes of a row.
    size: usize,
    count: usize,
}

/// The rows of a block from one on, or other memory that a call is given for a while.
///
/// It leads to as many bytes as [`bytes`](Row::bytes) says, which stay where they are as long as `'a`. Only calls of compiled code follow it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    start: *mut u8,
    bytes: usize,
    lent: PhantomData<&'a Block>,
}

// SAFETY: a row is an address that nothing here follows; which threads write where is what `call.rs` asks of its callers.
unsafe impl Send for Row<'_> {}
// SAFETY: a shared reference to a row gives no more than a copy of it, which may be sent.
unsafe impl Sync for Row<'_> {}

impl Rows {
    /// Memory for `count` rows of `size` bytes; what is in them means nothing.
    pub(super) fn take(scratch: &Scratch, count: usize, size: usize) -> Result<Rows, NoMemory> {
        Ok(Rows { block: scratch.take(count.saturating_mul(size))?, size, count })
    }

    /// The rows from `first` on.
    ///
    /// # Panics
    /// If it is behind the end.
    pub(super) fn from(&self, first: usize) -> Row<'_> {
        assert!(first <= self.count, "a row of {} has number {first}", self.count);
        let (before, all) = (first * self.size, self.count * self.size);
        Row { start: self.block.address().wrapping_add(before), bytes: all - before, lent: PhantomData }
    }

    /// Fills the first row.
    ///
    /// # Panics
    /// If the cells are longer than a row, or there is none.
    pub(super) fn begin_with(&mut self, cells: &[u64]) {
        assert!(size_of_val(cells) <= self.from(0).bytes, "the first row has room for these cells");
        // SAFETY: the block has so many bytes, at a multiple of 64, and nobody else has them: it is borrowed mutably. The cells lie outside it.
        unsafe { ptr::copy_nonoverlapping(cells.as_ptr(), self.block.address().cast(), cells.len()) };
    }

    /// The block, to be given back.
    pub(super) fn into_block(self) -> Block {
        self.block
    }
}

impl<'a> Row<'a> {
    /// No memory.
    pub(super) const NONE: Row<'static> = Row { start: ptr::null_mut(), bytes: 0, lent: PhantomData };

    /// All of a block.
    pub(super) fn of_block(block: &'a Block) -> Row<'a> {
        Row { start: block.address(), bytes: block.size(), lent: PhantomData }
    }

    /// Cells that are only read.
    pub(super) fn of_cells(cells: &'a [u64]) -> Row<'a> {
        Row { start: cells.as_ptr().cast_mut().cast(), bytes: size_of_val(cells), lent: PhantomData }
    }

    /// The address of the first byte.
    pub(super) fn start(self) -> *mut u8 {
        self.start
    }

    /// How many bytes there are.
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
