//! Integer tiles by a blocked loop. Integers wrap, so that sums may be made in any order.
//!
//! A few rows of the right matrix, each by a factor, are added to a row of the product at once; these few rows are used for all rows of the
//! tile before the next, so that they stay in the first cache. The compiler vectorises the loop for several instruction sets, because the
//! base of x86-64 cannot multiply 32-bit integers in vectors.

use super::Multiply;
use super::tiles::Tile;
use nestled_multiversion::{Job, with_avx512};

/// Rows of the right matrix that are added at once.
const AT_ONCE: usize = 4;
/// Rows of the right matrix that stay in the cache meanwhile.
const NEAR: usize = 32;

/// Wrapping arithmetic.
trait Integer: Copy + Default {
    /// `self + a`
    fn add(self, a: Self) -> Self;
    /// `self · a`
    fn mul(self, a: Self) -> Self;
}

macro_rules! multiply {
    ($($type:ty)*) => {$(
        impl Integer for $type {
            #[inline(always)]
            fn add(self, a: $type) -> $type {
                self.wrapping_add(a)
            }

            #[inline(always)]
            fn mul(self, a: $type) -> $type {
                self.wrapping_mul(a)
            }
        }

        impl Multiply for $type {
            fn multiply(tile: Tile<'_, $type>) {
                with_avx512(tile);
            }
        }
    )*};
}

multiply!(u8 u16 i32 u32 i64);

impl<T: Integer> Job for Tile<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        multiply(self);
    }
}

#[inline(always)]
fn multiply<T: Integer>(mut tile: Tile<'_, T>) {
    let (inner, stride, right) = (tile.inner, tile.stride, tile.right);
    for depth in (0..inner).step_by(NEAR) {
        let length = NEAR.min(inner - depth);
        for row in 0..tile.rows {
            let factors = &tile.left[row * inner + depth..][..length];
            let (columns, to) = (tile.columns, tile.row(row));
            if depth == 0 {
                to.fill(T::default());
            }
            let line = |at: usize| &right[(depth + at) * stride..][..columns];
            let (groups, rest) = factors.as_chunks::<AT_ONCE>();
            for (group, factors) in groups.iter().enumerate() {
                add(to, *factors, std::array::from_fn(|at| line(group * AT_ONCE + at)));
            }
            for (at, factor) in rest.iter().enumerate() {
                add(to, [*factor], [line(groups.len() * AT_ONCE + at)]);
            }
        }
    }
}

/// Adds lines by a factor each, which are all as long as `to`.
#[inline(always)]
fn add<T: Integer, const LINES: usize>(to: &mut [T], factors: [T; LINES], lines: [&[T]; LINES]) {
    let lines = lines.map(|line| &line[..to.len()]);
    for (at, to) in to.iter_mut().enumerate() {
        let mut sum = *to;
        for (factor, line) in factors.iter().zip(lines) {
            sum = sum.add(factor.mul(line[at]));
        }
        *to = sum;
    }
}
