//! Element-wise operations made of others: tests for kinds of floats, signs, squares, and selection by a mask.

use super::{map, try_map_as};
use crate::array::Array;
use crate::element::{Element, Float, Number, Ordered};
use crate::error::Result;
use crate::operand::Operand;
use nestled_ir::Op as ScalarOp;

/// True where an element is NaN; nowhere for types that have none.
#[track_caller]
pub(super) fn is_nan_of<T: Ordered>(array: &Array<T>) -> Array<bool> {
    map(ScalarOp::Ne, &[&array.node, &array.node])
}

impl<T: Float> Array<T> {
    /// True where elements are NaN.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0, f64::NAN]).is_nan().to_vec()?, [false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn is_nan(&self) -> Array<bool> {
        is_nan_of(self)
    }

    /// True where elements are +∞ or −∞.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0, f64::NAN, -1.0 / 0.0]).is_infinite().to_vec()?, [false, false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn is_infinite(&self) -> Array<bool> {
        map(ScalarOp::Eq, &[&self.abs().node, &Array::scalar(T::of(f64::INFINITY)).node])
    }

    /// True where elements are neither infinite nor NaN.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0, f64::NAN, -1.0 / 0.0]).is_finite().to_vec()?, [true, false, false]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn is_finite(&self) -> Array<bool> {
        map(ScalarOp::Lt, &[&self.abs().node, &Array::scalar(T::of(f64::INFINITY)).node])
    }

    /// The reciprocal, 1/x.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![4.0]).recip().to_vec()?, [0.25]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn recip(&self) -> Array<T> {
        map(ScalarOp::Div, &[&Array::scalar(T::ONE).node, &self.node])
    }

    /// The fractional part: the distance above the next lower integer.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.25]).fract().to_vec()?, [0.25]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn fract(&self) -> Array<T> {
        map(ScalarOp::Sub, &[&self.node, &self.floor().node])
    }
}

impl<T: Number> Array<T> {
    /// The square.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![3.0]).square().to_vec()?, [9.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn square(&self) -> Array<T> {
        map(ScalarOp::Mul, &[&self.node, &self.node])
    }

    /// −1, 0 or 1 as the element is less than, equal to or greater than 0.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![-3.0, 2.0]).signum().to_vec()?, [-1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn signum(&self) -> Array<T> {
        let zero = Array::scalar(T::ZERO);
        let above: Array<bool> = map(ScalarOp::Gt, &[&self.node, &zero.node]);
        let below: Array<bool> = map(ScalarOp::Lt, &[&self.node, &zero.node]);
        let minus = map::<T>(ScalarOp::Sub, &[&zero.node, &Array::scalar(T::ONE).node]);
        let other: Array<T> = map(ScalarOp::Select, &[&below.node, &minus.node, &zero.node]);
        map(ScalarOp::Select, &[&above.node, &Array::scalar(T::ONE).node, &other.node])
    }
}

impl Array<bool> {
    /// Selects `yes` where the mask is true, else `no`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![true, false]).select(&Array::from_vec(vec![1, 2]), 0).to_vec()?, [1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// If the shapes cannot be broadcast together; see [`try_select`](Array::try_select).
    #[track_caller]
    pub fn select<T: Element>(&self, yes: impl Operand<T>, no: impl Operand<T>) -> Array<T> {
        crate::error::expect(self.try_select(yes, no))
    }

    /// Returns an error where [`select`](Array::select) panics.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert!(Array::from_vec(vec![true, false]).try_select(&Array::from_vec(vec![1, 2, 3]), 0).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The shapes cannot be broadcast together.
    #[track_caller]
    pub fn try_select<T: Element>(&self, yes: impl Operand<T>, no: impl Operand<T>) -> Result<Array<T>> {
        try_map_as("select", ScalarOp::Select, &[&self.node, &yes.array().node, &no.array().node])
    }
}

impl<T: Number> Array<T> {
    /// `yes` where the element is greater than 0, else `no`; NaN chooses `no`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![-1.0, 2.0]).select_positive(1, 0).to_vec()?, [0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn select_positive<U: Element>(&self, yes: impl Operand<U>, no: impl Operand<U>) -> Array<U> {
        self.gt(T::ZERO).select(yes, no)
    }
}
