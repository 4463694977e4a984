//! What moves along with the keys.

use super::BLOCK;
use super::record::{Tag32, Tag64, Tagged};
use crate::pool::Pool;

/// Where the elements of the result come from: sorted records.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a>(pub(super) Records<'a>);

#[derive(Clone, Copy, Debug)]
pub(super) enum Records<'a> {
    Narrow(&'a [u64]),
    Wide(&'a [u128]),
}

/// An array that moves along with the keys. [`Column`] is one, whatever its elements.
pub trait Payload {
    /// The number of elements.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fetches the elements from their positions.
    fn gather(&mut self, pool: &Pool, positions: Positions<'_>);
}

/// An array to move along, and the place for it in its new order.
#[derive(Debug)]
pub struct Column<'a, T> {
    from: &'a [T],
    to: &'a mut [T],
}

impl<'a, T> Column<'a, T> {
    /// Moves elements of `from` to `to`.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn new(from: &'a [T], to: &'a mut [T]) -> Column<'a, T> {
        assert_eq!(from.len(), to.len(), "the payload has a place to go");
        Column { from, to }
    }
}

impl<T: Copy + Send + Sync> Payload for Column<'_, T> {
    fn len(&self) -> usize {
        self.from.len()
    }

    fn gather(&mut self, pool: &Pool, positions: Positions<'_>) {
        match positions.0 {
            Records::Narrow(records) => gather::<T, Tag32>(pool, self.from, self.to, records),
            Records::Wide(records) => gather::<T, Tag64>(pool, self.from, self.to, records),
        }
    }
}

fn gather<T: Copy + Send + Sync, V: Tagged>(pool: &Pool, from: &[T], to: &mut [T], records: &[V::Raw]) {
    let mut blocks: Vec<_> = to.chunks_mut(BLOCK).zip(records.chunks(BLOCK)).collect();
    pool.for_each_mut(&mut blocks, |_, (to, records)| {
        for (to, record) in to.iter_mut().zip(*records) {
            *to = from[V::tag(*record)];
        }
    });
}
