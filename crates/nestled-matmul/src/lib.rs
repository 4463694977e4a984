//! Matrix multiplication, by all threads.
//!
//! ```
//! use nestled_matmul::matmul;
//! use nestled_pool::Pool;
//!
//! let mut product = [0.0; 2];
//! matmul(Pool::global(), &[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0], &mut product, [2, 2, 1]);
//! assert_eq!(product, [17.0, 39.0]);
//! ```
//!
//! The product is cut into tiles (`tiles.rs`); a thread computes a whole tile at a time. Products of floats come from the crates `gemm-f32` and
//! `gemm-f64`, whose kernels use the widest vectors at hand; those of integers from a loop of our own (`integer.rs`). Integers wrap.
//!
//! Floats are summed in an order that depends on the machine and on the sizes of the matrices, with fused multiply-add where the machine
//! has it. It does not depend on the number of threads: how the product is cut depends on the sizes alone, and a tile is computed by one
//! thread.
//!
//! **Measured** (`cargo run --release -p nestled-matmul --example multiplying`) on 2 virtual cores (Zen 5, KVM), two threads, in 10⁹ operations per
//! second at 2048²: `f32` 393, `f64` 195; one thread: 196 and 99. Integers at 1000², one thread of a busy machine: `i32` 35, `i64` 21, `u8` 140.

mod float;
mod integer;
#[cfg(test)]
mod tests;
mod tiles;

use nestled_pool::Pool;
use tiles::Tile;

/// Element types of matrices: `f32`, `f64`, `i32`, `u32`, `i64`, `u8`, `u16`.
#[expect(private_bounds, reason = "only the types of this module are numbers")]
pub trait Number: Multiply {}

impl<T: Multiply> Number for T {}

/// The multiplication of one tile.
trait Multiply: Copy + Default + Send + Sync {
    /// Writes the tile. The inner extent is not 0.
    fn multiply(tile: Tile<'_, Self>);
}

/// Writes the product of `left`, `[n, k]`, and `right`, `[k, m]`, where `sizes` are n, k and m.
///
/// # Panics
/// If a matrix has not as many elements as `sizes` say.
pub fn matmul<T: Number>(pool: &Pool, left: &[T], right: &[T], product: &mut [T], sizes: [usize; 3]) {
    let [n, k, m] = sizes;
    let fits = |len, rows: usize, columns| rows.checked_mul(columns) == Some(len);
    assert!(fits(left.len(), n, k), "{n} rows of {k} on the left");
    assert!(fits(right.len(), k, m), "{k} rows of {m} on the right");
    assert!(fits(product.len(), n, m), "{n} rows of {m} in the product");
    if k == 0 {
        product.fill(T::default());
    } else {
        tiles::for_each(pool, left, right, product, sizes, T::multiply);
    }
}
