//! Tiling of a product. It depends on the sizes alone, because the order of the sums depends on the tiles.
#![allow(unsafe_code)] // Tiles are written by several threads, and are no slices.

use nestled_pool::Pool;
use std::marker::PhantomData;

/// The most rows of a tile.
const ROWS: usize = 512;
/// The most columns of a tile, unless it has few rows. (At 2048 × 2048, with two threads: 512 × 256 gives 400 GFLOP/s, 256 × 256 and
/// 2048 × 512 half of that, as they lie unluckily in the cache.)
const COLUMNS: usize = 256;
/// The number of multiplications below which a tile is not cut further.
const LITTLE: usize = 1 << 22;
/// Number of tiles that keeps all threads busy to the end.
const ENOUGH_TILES: usize = 16;

/// A rectangle of a product, with its operands.
pub(super) struct Tile<'a, T> {
    /// The rows of the left matrix.
    pub(super) left: &'a [T],
    /// The right matrix from the first column of the tile on.
    pub(super) right: &'a [T],
    product: *mut T,
    /// Number of rows and columns of the tile.
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// The inner extent.
    pub(super) inner: usize,
    /// The row stride of the right matrix and of the product.
    pub(super) stride: usize,
    lifetime: PhantomData<&'a mut [T]>,
}

impl<T> Tile<'_, T> {
    /// The elements of the first row, and from there, `stride` apart, those of the others; `columns` each.
    pub(super) fn product(&mut self) -> *mut T {
        self.product
    }

    /// A row.
    pub(super) fn row(&mut self, row: usize) -> &mut [T] {
        assert!(row < self.rows);
        // SAFETY: the tile has this row (asserted) and is lent to this thread alone, and `self` is borrowed mutably as long as the slice lives.
        unsafe { std::slice::from_raw_parts_mut(self.product.add(row * self.stride), self.columns) }
    }
}

/// Number of rows and columns of a tile.
fn tile_size([n, k, m]: [usize; 3]) -> [usize; 2] {
    let mut columns = m.min(COLUMNS);
    let mut rows = n.min(ROWS * COLUMNS / columns);
    columns = m.min((ROWS * COLUMNS / rows).max(columns));
    let is_little = |rows: usize, columns: usize| (rows * columns).saturating_mul(k) <= LITTLE;
    while n.div_ceil(rows) * m.div_ceil(columns) < ENOUGH_TILES && !is_little(rows, columns) {
        let longer = if rows >= columns { &mut rows } else { &mut columns };
        if *longer == 1 {
            break;
        }
        *longer = longer.div_ceil(2);
    }
    [rows, columns]
}

/// Runs `body` once for each tile, on all threads. The slices are as long as `sizes` (n, k and m) say.
pub(super) fn for_each<T: Copy + Send + Sync>(
    pool: &Pool,
    left: &[T],
    right: &[T],
    product: &mut [T],
    sizes: [usize; 3],
    body: impl Fn(Tile<'_, T>) + Sync,
) {
    let [n, k, m] = sizes;
    if product.is_empty() {
        return;
    }
    let [rows, columns] = tile_size(sizes);
    let across = m.div_ceil(columns);
    let product = Shared(product.as_mut_ptr());
    let product = &product;
    pool.for_each_chunk(n.div_ceil(rows) * across, |chunk| {
        let (row, column) = (chunk / across * rows, chunk % across * columns);
        let rows = rows.min(n - row);
        body(Tile {
            left: &left[row * k..(row + rows) * k],
            right: &right[column..],
            // SAFETY: the tile begins inside the product, which has `n` rows of `m`.
            product: unsafe { product.at(row * m + column) },
            rows,
            columns: columns.min(m - column),
            inner: k,
            stride: m,
            lifetime: PhantomData,
        });
    });
}

/// The product, of which each thread writes tiles of its own.
struct Shared<T>(*mut T);

// SAFETY: a shared reference gives addresses only; they are used above, for tiles that do not overlap, and elements may be sent.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// # Safety
    /// There is such an element.
    unsafe fn at(&self, index: usize) -> *mut T {
        // SAFETY: our caller promises that the element is in the product.
        unsafe { self.0.add(index) }
    }
}

#[cfg(test)]
mod tests {
    use super::tile_size;

    #[test]
    fn tiles_fit_the_sizes() {
        assert_eq!(tile_size([1, 1, 1]), [1, 1]);
        assert_eq!(tile_size([2048; 3]), [512, 256]);
        assert_eq!(tile_size([512; 3]), [128, 128]);
        assert_eq!(tile_size([3, 1000, 1_000_000]), [3, 43_690]);
        assert_eq!(tile_size([1_000_000, 10, 1]), [131_072, 1]);
        assert_eq!(tile_size([1_000_000, 100, 1]), [65_536, 1]);
        assert_eq!(tile_size([1, usize::MAX / 16, 1]), [1, 1]);
    }
}
