//! Float tiles by the crates `gemm-f32` and `gemm-f64`. (The crate `gemm` above them brings complex numbers along, which take longer to build than
//! these two together.)
#![allow(unsafe_code)] // They take pointers.

use super::Multiply;
use super::tiles::Tile;
use gemm_common::Parallelism;

macro_rules! multiply {
    ($type:ty, $gemm:expr) => {
        impl Multiply for $type {
            fn multiply(mut tile: Tile<'_, $type>) {
                let [rows, columns, inner] = [tile.rows, tile.columns, tile.inner];
                let stride = isize::try_from(tile.stride).expect("memory is smaller");
                let left_stride = isize::try_from(inner).expect("memory is smaller");
                let gemm = $gemm;
                // They want columns whose elements lie side by side, and have them if everything is transposed: what is called left and
                // rows there is right and columns here. Strides are given from column to column first.
                //
                // SAFETY: the tile lies within its matrices: `left` has `rows` rows of `inner`, and `right` begins `columns` or more
                // before the end of its first row of `inner`. The product is written, not read, and nobody else uses it.
                unsafe {
                    gemm(
                        columns,
                        rows,
                        inner,
                        tile.product(),
                        stride,
                        1,
                        false, // The product is not added to what lies there.
                        tile.right.as_ptr(),
                        stride,
                        1,
                        tile.left.as_ptr(),
                        left_stride,
                        1,
                        0.0,
                        1.0,
                        false,
                        false,
                        false,
                        Parallelism::None,
                    );
                }
            }
        }
    };
}

multiply!(f32, gemm_f32::gemm::f32::get_gemm_fn());
multiply!(f64, gemm_f64::gemm::f64::get_gemm_fn());
