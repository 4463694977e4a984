//! Products of matrices that lie in memory whose type is known only when the program runs.
#![allow(unsafe_code)] // Matrices are given by pointers.

use super::{Number, matmul};
use crate::pool::Pool;
use crate::raw::{slice, slice_mut};
use nestled_ir::ScalarType;

/// As [`matmul`], for matrices in memory of any type of numbers.
///
/// # Panics
/// If `elem` is `bool` or `f16`.
///
/// # Safety
/// The pointers are aligned for `elem`, those to operands to n · k and k · m elements, that to the product to memory for n · m.
/// Until the call returns nobody writes to the operands, and nobody else touches the product.
pub unsafe fn matmul_in_memory(
    pool: &Pool,
    elem: ScalarType,
    left: *const u8,
    right: *const u8,
    product: *mut u8,
    sizes: [usize; 3],
) {
    /// # Safety
    /// As above, where `elem` is `T`.
    unsafe fn typed<T: Number>(pool: &Pool, [left, right, product]: [*mut u8; 3], sizes: [usize; 3]) {
        let [n, k, m] = sizes;
        // SAFETY: the caller says that the memory is there and who uses it. All types of numbers may have any bits.
        let (left, right, product) =
            unsafe { (slice(left, n * k), slice(right, k * m), slice_mut(product, n * m)) };
        matmul::<T>(pool, left, right, product, sizes);
    }
    let matrices = [left.cast_mut(), right.cast_mut(), product];
    // SAFETY: what the caller promises; signed and unsigned integers wrap alike.
    unsafe {
        match elem {
            ScalarType::U8 => typed::<u8>(pool, matrices, sizes),
            ScalarType::I32 | ScalarType::U32 => typed::<u32>(pool, matrices, sizes),
            ScalarType::I64 | ScalarType::Idx => typed::<i64>(pool, matrices, sizes),
            ScalarType::F32 => typed::<f32>(pool, matrices, sizes),
            ScalarType::F64 => typed::<f64>(pool, matrices, sizes),
            ScalarType::Bool | ScalarType::F16 => {
                panic!("`matmul` multiplies numbers, not `{}`", elem.name())
            }
        }
    }
}
