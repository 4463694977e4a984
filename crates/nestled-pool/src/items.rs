//! A parallel `for` over the items of a slice, each lent to one chunk alone.
#![allow(unsafe_code)] // Chunks on several threads write into one slice.

use super::Pool;

/// A pointer that threads may share, because they use it at different places.
struct Shared<T>(*mut T);

// SAFETY: what a shared reference gives is `item`, whose callers see to it that an item is used by one thread; and items may be sent to it.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// # Safety
    /// `index` lies in the slice, and nobody else uses the item as long as the reference lives.
    #[expect(
        clippy::mut_from_ref,
        reason = "the caller promises that no two references are to the same item"
    )]
    unsafe fn item(&self, index: usize) -> &mut T {
        // SAFETY: our caller promises that the item is in the slice, and that nobody else uses it as long as the reference lives.
        unsafe { &mut *self.0.add(index) }
    }
}

impl Pool {
    /// Runs `body` once for each item, as [`Pool::for_each_chunk`] does for chunks.
    ///
    /// ```
    /// # use nestled_pool::Pool;
    /// let mut squares = vec![0; 10];
    /// Pool::new(2).for_each_mut(&mut squares, |index, square| *square = index * index);
    /// assert_eq!(squares[9], 81);
    /// ```
    ///
    /// # Panics
    /// As [`Pool::for_each_chunk`].
    pub fn for_each_mut<T: Send>(&self, items: &mut [T], body: impl Fn(usize, &mut T) + Sync) {
        let (count, items) = (items.len(), Shared(items.as_mut_ptr()));
        let items = &items;
        // SAFETY: the slice is borrowed mutably until all chunks are done, and each chunk comes once.
        self.for_each_chunk(count, |index| body(index, unsafe { items.item(index) }));
    }
}
