//! Tiles of integers, which wrap, so that sums may be made in any order.
//!
//! A few rows and one vector or two of columns are summed in registers. What is read of the right matrix meanwhile, a panel, is copied together before, so
//! that it lies in the first cache and all panels are equally wide. The compiler makes vectors out of the loops; it does so for several sets of
//! instructions, as what every x86-64 has cannot multiply 32-bit integers in vectors.
#![allow(unsafe_code)] // Calls of functions that need instructions of a certain processor, after asking for it.

use super::Multiply;
use super::tiles::Tile;

/// Rows that are summed at once.
const ROWS: usize = 4;
/// The length of a panel.
const LENGTH: usize = 128;

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
                widest::<$type, { 128 / size_of::<$type>() }>(tile);
            }
        }
    )*};
}

multiply!(u8 i32 u32 i64);

/// Runs [`multiply`] with the widest vectors at hand.
fn widest<T: Integer, const WIDTH: usize>(tile: Tile<'_, T>) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn avx512<T: Integer, const WIDTH: usize>(tile: Tile<'_, T>) {
            multiply::<T, WIDTH>(tile);
        }
        #[target_feature(enable = "avx2")]
        fn avx2<T: Integer, const WIDTH: usize>(tile: Tile<'_, T>) {
            multiply::<T, WIDTH>(tile);
        }
        let has_avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if has_avx512 {
            // SAFETY: the processor has these instructions.
            return unsafe { avx512::<T, WIDTH>(tile) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions.
            return unsafe { avx2::<T, WIDTH>(tile) };
        }
    }
    multiply::<T, WIDTH>(tile);
}

#[inline(always)]
fn multiply<T: Integer, const WIDTH: usize>(mut tile: Tile<'_, T>) {
    let mut panel = [[T::default(); WIDTH]; LENGTH];
    for depth in (0..tile.inner).step_by(LENGTH) {
        let length = LENGTH.min(tile.inner - depth);
        for column in (0..tile.columns).step_by(WIDTH) {
            let width = WIDTH.min(tile.columns - column);
            for (at, line) in panel[..length].iter_mut().enumerate() {
                let begin = (depth + at) * tile.stride + column;
                line[..width].copy_from_slice(&tile.right[begin..begin + width]);
            }
            let place = Place { depth, column, width };
            let (whole, all) = (tile.rows - tile.rows % ROWS, tile.rows);
            (0..whole)
                .step_by(ROWS)
                .for_each(|row| rows::<T, WIDTH, ROWS>(&mut tile, &panel[..length], row, place));
            (whole..all).for_each(|row| rows::<T, WIDTH, 1>(&mut tile, &panel[..length], row, place));
        }
    }
}

/// Where a panel comes from, and how much of its width is filled.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    column: usize,
    width: usize,
}

/// Adds to some rows what a panel contributes.
#[inline(always)]
fn rows<T: Integer, const WIDTH: usize, const ROWS: usize>(
    tile: &mut Tile<'_, T>,
    panel: &[[T; WIDTH]],
    row: usize,
    Place { depth, column, width }: Place,
) {
    let inner = tile.inner;
    let left: [&[T]; ROWS] =
        std::array::from_fn(|at| &tile.left[(row + at) * inner + depth..][..panel.len()]);
    let mut sums = [[T::default(); WIDTH]; ROWS];
    for (at, line) in panel.iter().enumerate() {
        for (sums, left) in sums.iter_mut().zip(left) {
            let factor = left[at];
            sums.iter_mut().zip(line).for_each(|(sum, element)| *sum = sum.add(factor.mul(*element)));
        }
    }
    for (at, sums) in sums.iter().enumerate() {
        let to = tile.row(row + at, column, width);
        if depth == 0 {
            to.copy_from_slice(&sums[..width]);
        } else {
            to.iter_mut().zip(sums).for_each(|(to, sum)| *to = to.add(*sum));
        }
    }
}
