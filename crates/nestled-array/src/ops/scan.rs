//! Scans: prefixes along an axis.

use super::fallible;
use super::reduce::checked_axes;
use crate::array::Array;
use crate::element::{Element, Number, Ordered};
use crate::error::{Error, Result};
use crate::node::{Fold, Op};
use nestled_ir::{Direction, Inclusion, MonoidOp};
use std::sync::Arc;

#[track_caller]
pub(crate) fn scan<T: Element>(
    array: &Array<T>,
    axis: usize,
    monoid: Fold,
    inclusion: Inclusion,
    direction: Direction,
    name: &'static str,
) -> Result<Array<T>> {
    let axis = checked_axes(name, &array.node, &[axis])?[0];
    let arg = Arc::clone(&array.node);
    Ok(Array::lazy(*array.shape(), Op::Scan { arg, axis, monoid, inclusion, direction }))
}

fallible! { impl[T: Ordered] Array<T> {
    /// Scans along an axis by an operator, in the type of the elements.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::from_vec(vec![1, 2, 3]);
    /// let before = x.scan(0, Operator::Add, Inclusion::Exclusive, Direction::Forward);
    /// assert_eq!(before.to_vec()?, [0, 1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn scan try_scan[](
        &self,
        axis: usize,
        operator: MonoidOp,
        inclusion: Inclusion,
        direction: Direction,
    ) -> Array<T> {
        if operator.unit(T::TYPE).is_none() {
            return Err(Error::new("scan", format!("`{}` is not for {}", operator.name(), T::TYPE)));
        }
        scan(self, axis, Fold::Op(operator), inclusion, direction, "scan")
    }
}}

macro_rules! cumulative {
    ($result:ty: $($(#[$doc:meta])* $name:ident $try_name:ident $op:ident;)*) => {
        fallible! { impl[T: Number] Array<T> {$(
            $(#[$doc])*
            fn $name $try_name[](&self, axis: usize) -> Array<$result> {
                let fold = Fold::Op(MonoidOp::$op);
                scan(&self.cast(), axis, fold, Inclusion::Inclusive, Direction::Forward, stringify!($name))
            }
        )*}}
    };
}

cumulative! { T::Wide:
    /// Prefix sums along an axis, each with its own element included. Those of integers are `i64`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1i32, 2, 3]).cumsum(0).to_vec()?, [1, 3, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    cumsum try_cumsum Add;
    /// Prefix products along an axis, each with its own element included. Those of integers are `i64`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1i32, 2, 3]).cumprod(0).to_vec()?, [1, 2, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    cumprod try_cumprod Mul;
}

cumulative! { T:
    /// Prefix sums along an axis, each with its own element included, in the type of the elements, modulo its width.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![200u8, 100]).wrapping_cumsum(0).to_vec()?, [200, 44]);
    /// # Ok::<(), Error>(())
    /// ```
    wrapping_cumsum try_wrapping_cumsum Add;
    /// Prefix products along an axis, each with its own element included, in the type of the elements, modulo its width.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![200u8, 100]).wrapping_cumprod(0).to_vec()?, [200, 32]);
    /// # Ok::<(), Error>(())
    /// ```
    wrapping_cumprod try_wrapping_cumprod Mul;
    /// Prefix maxima along an axis, each with its own element included.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 3, 2]).cummax(0).to_vec()?, [1, 3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    cummax try_cummax Max;
    /// Prefix minima along an axis, each with its own element included.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![2, 3, 1]).cummin(0).to_vec()?, [2, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    cummin try_cummin Min;
}
