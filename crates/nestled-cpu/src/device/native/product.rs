//! The product of two matrices: each sum from left to right, without fused operations.

use super::views::Plain;
use super::{Work, first};
use crate::device::memory::bug;
use crate::pool::Pool;
use nestled_ir::ScalarType;
use nestled_rt::device::{DeviceError, Extent, Slice};

/// A number as matrices have them. Integers wrap.
trait Number: Plain {
    const ZERO: Self;
    /// `self + a · b`.
    fn add_product(self, a: Self, b: Self) -> Self;
}

macro_rules! integers {
    ($($type:ty)*) => {
        $(impl Number for $type {
            const ZERO: $type = 0;
            #[inline]
            fn add_product(self, a: $type, b: $type) -> $type {
                self.wrapping_add(a.wrapping_mul(b))
            }
        })*
    };
}

macro_rules! floats {
    ($($type:ty)*) => {
        $(impl Number for $type {
            const ZERO: $type = 0.0;
            #[inline]
            fn add_product(self, a: $type, b: $type) -> $type {
                self + a * b
            }
        })*
    };
}

integers!(u8 i32 u32 i64);
floats!(f32 f64);

impl Work<'_> {
    pub(super) fn product(
        &self,
        elem: ScalarType,
        left: Slice,
        right: Slice,
        product: Slice,
        sizes: [Extent; 3],
    ) -> Result<(), DeviceError> {
        let mut exact = [0; 3];
        for (exact, size) in exact.iter_mut().zip(sizes) {
            *exact = self.exact(size)?;
        }
        let [n, k, m] = exact;
        let len = |a: u64, b: u64| a.checked_mul(b).ok_or_else(|| bug("a matrix too large to count"));
        let slices = [first(left, len(n, k)?)?, first(right, len(k, m)?)?, first(product, len(n, m)?)?];
        match elem {
            ScalarType::U8 => self.product_of::<u8>(slices, k, m),
            ScalarType::I32 => self.product_of::<i32>(slices, k, m),
            ScalarType::U32 => self.product_of::<u32>(slices, k, m),
            ScalarType::I64 | ScalarType::Idx => self.product_of::<i64>(slices, k, m),
            ScalarType::F32 => self.product_of::<f32>(slices, k, m),
            ScalarType::F64 => self.product_of::<f64>(slices, k, m),
            ScalarType::Bool | ScalarType::F16 => Err(bug(format!("a matrix of {elem}"))),
        }
    }

    fn product_of<T: Number>(&self, slices: [Slice; 3], k: u64, m: u64) -> Result<(), DeviceError> {
        let [left, right, product] = slices;
        let (left, right) = (self.views.input::<T>(left)?, self.views.input::<T>(right)?);
        multiply(self.pool, left, right, self.views.output(product)?, k as usize, m as usize);
        Ok(())
    }
}

/// Rows that one thread multiplies.
const ROWS: usize = 16;
/// Columns whose sums stay in the first cache.
const COLUMNS: usize = 512;

fn multiply<T: Number>(pool: &Pool, left: &[T], right: &[T], product: &mut [T], k: usize, m: usize) {
    if product.is_empty() {
        return;
    }
    let mut bands: Vec<&mut [T]> = product.chunks_mut(ROWS * m).collect();
    pool.for_each_mut(&mut bands, |band, product| {
        product.fill(T::ZERO);
        for from in (0..m).step_by(COLUMNS) {
            let columns = from..m.min(from + COLUMNS);
            for (row, sums) in product.chunks_mut(m).enumerate() {
                let (sums, row) = (&mut sums[columns.clone()], band * ROWS + row);
                for (at, &a) in left[row * k..(row + 1) * k].iter().enumerate() {
                    let right = &right[at * m + columns.start..at * m + columns.end];
                    sums.iter_mut().zip(right).for_each(|(sum, &b)| *sum = sum.add_product(a, b));
                }
            }
        }
    });
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn sums_of_products() {
        for (n, k, m) in [(0, 3, 2), (3, 0, 2), (1, 1, 1), (37, 5, 600), (2, 70, 3)] {
            let left: Vec<i32> = (0..n * k).map(|at| at as i32 * 7 % 23 - 11).collect();
            let right: Vec<i32> = (0..k * m).map(|at| at as i32 * 5 % 19 - 9).collect();
            let mut product = vec![99; n * m];
            multiply(&Pool::new(2), &left, &right, &mut product, k, m);
            for (at, &found) in product.iter().enumerate() {
                let sum: i32 = (0..k).map(|i| left[at / m * k + i] * right[i * m + at % m]).sum();
                assert_eq!(found, sum, "{n} {k} {m}");
            }
        }
    }
}
