//! Checked shapes, of extents that come from outside: too many extents, or too many elements, are an error.

use super::Shape;
use crate::error::Error;

impl Shape {
    /// A shape with these extents.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(*Array::<u8>::zeros(&[4]).shape(), Shape::new(&[4])?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// More than eight extents, or more elements than can be counted.
    #[track_caller]
    pub fn new(extents: &[usize]) -> Result<Shape, Error> {
        Shape::checked("shape", extents)
    }

    /// The shape of an operation's argument or result, or an error.
    #[track_caller]
    pub(crate) fn checked(operation: &'static str, extents: &[usize]) -> Result<Shape, Error> {
        if extents.len() > Shape::MAX_RANK {
            return Err(Error::new(
                operation,
                format!("the {} axes of {extents:?} are more than eight", extents.len()),
            ));
        }
        let count = extents.iter().try_fold(1u64, |count, &extent| count.checked_mul(extent.max(1) as u64));
        if count.is_none_or(|count| count > i64::MAX as u64) {
            return Err(Error::new(
                operation,
                format!("the shape {extents:?} has more elements than can be counted"),
            ));
        }
        Ok(Shape::of(extents))
    }
}
