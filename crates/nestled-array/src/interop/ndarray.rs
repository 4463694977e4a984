//! Conversion between arrays and those of the crate `ndarray`.

use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Reason, Result};
use ndarray::{ArrayD, Dimension, IxDyn};

impl<T: Element> Array<T> {
    /// The elements of an array of the crate `ndarray`; without a copy if they lie in rows.
    ///
    /// ```
    /// use nestled_array::Array;
    /// let matrix = ndarray::array![[1.0f32, 2.0], [3.0, 4.0]];
    /// let array = Array::from_ndarray(matrix.reversed_axes())?;
    /// assert_eq!(**array.shape(), [2, 2]);
    /// assert_eq!(array.to_vec()?, [1.0, 3.0, 2.0, 4.0]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// It has more than eight axes.
    #[track_caller]
    pub fn from_ndarray<D: Dimension>(array: ndarray::Array<T, D>) -> Result<Array<T>> {
        let shape = array.shape().to_vec();
        let elements = match array.is_standard_layout() {
            true => {
                let (mut elements, offset) = array.into_raw_vec_and_offset();
                elements.drain(..offset.unwrap_or(0));
                elements.truncate(shape.iter().product());
                elements
            }
            false => array.iter().copied().collect(),
        };
        Array::try_new(elements, &shape)
    }

    /// The elements as an array of the crate `ndarray`.
    ///
    /// ```
    /// use nestled_array::Array;
    /// let array = Array::<i32>::range(6).reshape(&[2, 3]) + 1;
    /// assert_eq!(array.to_ndarray()?, ndarray::array![[1, 2, 3], [4, 5, 6]].into_dyn());
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluation.
    #[track_caller]
    pub fn to_ndarray(&self) -> Result<ArrayD<T>> {
        match ArrayD::from_shape_vec(IxDyn(self.shape()), self.to_vec()?) {
            Ok(array) => Ok(array),
            Err(error) => Err(Error::of("to_ndarray", Reason::Bug(error.to_string()))),
        }
    }
}
