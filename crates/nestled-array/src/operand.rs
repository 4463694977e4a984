//! What may stand beside an array in an operation.

use crate::array::Array;
use crate::element::Element;

/// An array, a reference to one, or a number.
pub trait Operand<T: Element> {
    /// As an array.
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
