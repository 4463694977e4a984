//! Conversions between element types.

use super::map;
use crate::array::Array;
use crate::element::{Element, Float, Integer};
use nestled_ir::{Op as ScalarOp, ScalarType};

impl<T: Element> Array<T> {
    /// Converts to another element type. Floats become integers by truncation, and saturate; integers wrap; `bool` is 0 or 1, and a number
    /// other than 0 is `true`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.9, -1.9]).cast::<i32>().to_vec()?, [1, -1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn cast<U: Element>(&self) -> Array<U> {
        if T::TYPE == U::TYPE {
            return Array::of(std::sync::Arc::clone(&self.node));
        }
        let is_float = |ty| matches!(ty, ScalarType::F32 | ScalarType::F64);
        if [T::TYPE, U::TYPE].contains(&ScalarType::F16) && !is_float(T::TYPE) && !is_float(U::TYPE) {
            return self.cast::<f64>().cast();
        }
        map(ScalarOp::Convert(U::TYPE), &[&self.node])
    }
}

impl<T: Float> Array<T> {
    /// Rounds down to integers.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.9, -1.1]).floor_to::<i32>().to_vec()?, [1, -2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn floor_to<U: Integer>(&self) -> Array<U> {
        self.floor().cast()
    }

    /// Rounds up to integers.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.1, -1.9]).ceil_to::<i32>().to_vec()?, [2, -1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn ceil_to<U: Integer>(&self) -> Array<U> {
        self.ceil().cast()
    }

    /// Rounds to the nearest integers, ties to even.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.4, -1.6]).round_to::<i32>().to_vec()?, [1, -2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn round_to<U: Integer>(&self) -> Array<U> {
        self.round_even().cast()
    }

    /// Rounds toward zero to integers.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.9, -1.9]).trunc_to::<i32>().to_vec()?, [1, -1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn trunc_to<U: Integer>(&self) -> Array<U> {
        self.cast()
    }
}
