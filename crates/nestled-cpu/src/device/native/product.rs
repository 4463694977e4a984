//! Matrix multiplication.

use super::views::Plain;
use super::{Work, first};
use crate::device::memory::bug;
use nestled_ir::ScalarType;
use nestled_matmul::{Number, matmul};
use nestled_rt::device::{DeviceError, Extent, Slice};

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
        let sizes = exact.map(|size| size as usize);
        match elem {
            // Signed and unsigned integers wrap alike.
            ScalarType::I8 | ScalarType::U8 => self.product_of::<u8>(slices, sizes),
            ScalarType::I16 | ScalarType::U16 => self.product_of::<u16>(slices, sizes),
            ScalarType::I32 | ScalarType::U32 => self.product_of::<u32>(slices, sizes),
            ScalarType::I64 | ScalarType::U64 | ScalarType::Idx => self.product_of::<i64>(slices, sizes),
            ScalarType::F32 => self.product_of::<f32>(slices, sizes),
            ScalarType::F64 => self.product_of::<f64>(slices, sizes),
            ScalarType::Bool | ScalarType::F16 => Err(bug(format!("a matrix of {elem}"))),
        }
    }

    fn product_of<T: Number + Plain>(
        &self,
        slices: [Slice; 3],
        sizes: [usize; 3],
    ) -> Result<(), DeviceError> {
        let [left, right, product] = slices;
        let (left, right) = (self.views.input::<T>(left)?, self.views.input::<T>(right)?);
        matmul(self.pool, left, right, self.views.output(product)?, sizes);
        Ok(())
    }
}
