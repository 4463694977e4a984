//! Operands of array operations.

use crate::array::Array;
use crate::element::Element;

/// An array, a reference to one, or a number.
///
/// ```
/// # use nestled_array::*;
/// let x = Array::from_vec(vec![1.0, 4.0]);
/// assert_eq!(x.maximum(2.0).maximum(&x + 1.0).to_vec()?, [2.0, 5.0]);
/// # Ok::<(), Error>(())
/// ```
pub trait Operand<T: Element> {
    /// Converts it to an array.
    fn array(self) -> Array<T>;
}

impl<T: Element> Operand<T> for Array<T> {
    fn array(self) -> Array<T> {
        self
    }
}

impl<T: Element> Operand<T> for &Array<T> {
    fn array(self) -> Array<T> {
        self.clone()
    }
}

impl<T: Element> Operand<T> for T {
    #[track_caller]
    fn array(self) -> Array<T> {
        Array::scalar(self)
    }
}
