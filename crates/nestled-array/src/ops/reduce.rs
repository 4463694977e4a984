//! Reductions: total, over an axis, over several axes.

use super::fallible;
use crate::array::Array;
use crate::element::{Element, Float, Number};
use crate::error::{Error, Result, expect};
use crate::node::{Fold, Node, NodeRef, Op};
use nestled_ir::{MonoidOp, ScalarType};
use std::sync::Arc;

/// Checks axes, and puts them in order.
#[track_caller]
pub(super) fn checked_axes(name: &'static str, node: &NodeRef, axes: &[usize]) -> Result<Vec<usize>> {
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    let rank = node.shape.len();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) || sorted.last().is_some_and(|&last| last >= rank) {
        let message = format!("{axes:?} are no axes of an array of shape {}", node.shape);
        return Err(Error::new(name, message));
    }
    Ok(sorted)
}

#[track_caller]
pub(crate) fn reduce<T: Element>(
    array: &Array<T>,
    fold: Fold,
    axes: &[usize],
    name: &'static str,
) -> Result<Array<T>> {
    let axes = checked_axes(name, &array.node, axes)?;
    if axes.is_empty() {
        return Ok(array.clone());
    }
    let shape = array.shape().without(&axes);
    let arg = Arc::clone(&array.node);
    Ok(Array::of(Node::lazy(T::TYPE, shape, Op::Reduce { arg, axes, monoid: fold })))
}

fn all_axes<T: Element>(array: &Array<T>) -> Vec<usize> {
    (0..array.rank()).collect()
}

macro_rules! reductions {
    ($class:ident: $($(#[$doc:meta])* $name:ident $axis:ident $try_axis:ident $axes:ident $try_axes:ident $op:ident;)*) => {
        impl<T: $class> Array<T> {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self) -> Array<T> {
                self.$axes(&all_axes(self))
            }
        )*}
        fallible! { impl[T: $class] Array<T> {$(
            #[doc = concat!("As `", stringify!($name), "`, along one axis, which goes.")]
            fn $axis $try_axis[](&self, axis: usize) -> Array<T> {
                self.$try_axes(&[axis])
            }
            #[doc = concat!("As `", stringify!($name), "`, along some axes, which go.")]
            fn $axes $try_axes[](&self, axes: &[usize]) -> Array<T> {
                reduce(self, Fold::Op(MonoidOp::$op), axes, stringify!($axes))
            }
        )*}}
    };
}

macro_rules! widening_reductions {
    ($($(#[$doc:meta])* $name:ident $axis:ident $try_axis:ident $axes:ident $try_axes:ident $op:ident;)*) => {
        impl<T: Number> Array<T> {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self) -> Array<T::Wide> {
                self.$axes(&all_axes(self))
            }
        )*}
        fallible! { impl[T: Number] Array<T> {$(
            #[doc = concat!("As `", stringify!($name), "`, along one axis, which goes.")]
            fn $axis $try_axis[](&self, axis: usize) -> Array<T::Wide> {
                reduce(&self.cast::<T::Wide>(), Fold::Op(MonoidOp::$op), &[axis], stringify!($axis))
            }
            #[doc = concat!("As `", stringify!($name), "`, along some axes, which go.")]
            fn $axes $try_axes[](&self, axes: &[usize]) -> Array<T::Wide> {
                reduce(&self.cast::<T::Wide>(), Fold::Op(MonoidOp::$op), axes, stringify!($axes))
            }
        )*}}
    };
}

widening_reductions! {
    /// The sum of all elements. That of integers is `i64`, however narrow they are; [`wrapping_sum`](Array::wrapping_sum) has their own width. Floats are
    /// added by pairs, in an order that depends on the shape alone.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<i32>::range(6).reshape(&[2, 3]).sum().item()?, 15);
    /// assert_eq!(Array::from_vec(vec![200u8, 100]).sum().item()?, 300i64);
    /// # Ok::<(), Error>(())
    /// ```
    sum sum_axis try_sum_axis sum_axes try_sum_axes Add;
    /// The product of all elements. That of integers is `i64`, however narrow they are.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<i32>::range(6).reshape(&[2, 3]).product().item()?, 0);
    /// assert_eq!(Array::from_vec(vec![200u8, 100]).product().item()?, 20_000i64);
    /// # Ok::<(), Error>(())
    /// ```
    product product_axis try_product_axis product_axes try_product_axes Mul;
}

reductions! { Number:
    /// The sum of all elements in their own type, modulo its width.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![200u8, 100]).wrapping_sum().item()?, 44);
    /// # Ok::<(), Error>(())
    /// ```
    wrapping_sum wrapping_sum_axis try_wrapping_sum_axis wrapping_sum_axes try_wrapping_sum_axes Add;
    /// The product of all elements in their own type, modulo its width.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![200u8, 100]).wrapping_product().item()?, 32);
    /// # Ok::<(), Error>(())
    /// ```
    wrapping_product wrapping_product_axis try_wrapping_product_axis wrapping_product_axes try_wrapping_product_axes Mul;
    /// The greatest element; NaN if there is one, and the least value of the type if there is none.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<i32>::range(6).reshape(&[2, 3]).max().item()?, 5);
    /// # Ok::<(), Error>(())
    /// ```
    max max_axis try_max_axis max_axes try_max_axes Max;
    /// The least element; NaN if there is one, and the greatest value of the type if there is none.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<i32>::range(6).reshape(&[2, 3]).min().item()?, 0);
    /// # Ok::<(), Error>(())
    /// ```
    min min_axis try_min_axis min_axes try_min_axes Min;
}

fallible! { impl[] Array<bool> {
    /// True where all elements along an axis are true; removes the axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::from_vec(vec![true, true, false, true]).reshape(&[2, 2]);
    /// assert_eq!(m.all_axis(1).to_vec()?, [true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    fn all_axis try_all_axis[](&self, axis: usize) -> Array<bool> {
        reduce(self, Fold::Op(MonoidOp::And), &[axis], "all_axis")
    }
    /// True where any element along an axis is true; removes the axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::from_vec(vec![true, true, false, true]).reshape(&[2, 2]);
    /// assert_eq!(m.any_axis(1).to_vec()?, [true, true]);
    /// # Ok::<(), Error>(())
    /// ```
    fn any_axis try_any_axis[](&self, axis: usize) -> Array<bool> {
        reduce(self, Fold::Op(MonoidOp::Or), &[axis], "any_axis")
    }
}}

impl Array<bool> {
    /// True if all elements are true.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::from_vec(vec![true, true, false, true]).reshape(&[2, 2]);
    /// assert!(!m.all().item()?);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn all(&self) -> Array<bool> {
        expect(reduce(self, Fold::Op(MonoidOp::And), &all_axes(self), "all"))
    }

    /// True if any element is true.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::from_vec(vec![true, true, false, true]).reshape(&[2, 2]);
    /// assert!(m.any().item()?);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn any(&self) -> Array<bool> {
        expect(reduce(self, Fold::Op(MonoidOp::Or), &all_axes(self), "any"))
    }

    /// Counts the elements that are true.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::from_vec(vec![true, true, false, true]).reshape(&[2, 2]);
    /// assert_eq!(m.count().item()?, 3);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn count(&self) -> Array<i64> {
        self.cast::<i64>().sum()
    }
}

fallible! { impl[T: Number] Array<T> {
    /// The mean along an axis; removes the axis. That of integers is `f64`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0, 3.0, 5.0, 7.0]).reshape(&[2, 2]).mean_axis(1).to_vec()?, [2.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn mean_axis try_mean_axis[](&self, axis: usize) -> Array<T::Mean> {
        mean(self, &checked_axes("mean_axis", &self.node, &[axis])?)
    }

    /// The variance along an axis: the mean of the squared distances from the mean; removes the axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 3, 5, 9]).reshape(&[2, 2]).var_axis(1).to_vec()?, [1.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn var_axis try_var_axis[](&self, axis: usize) -> Array<T::Mean> {
        variance(self, &checked_axes("var_axis", &self.node, &[axis])?)
    }

    /// The square root of [`var_axis`](Array::var_axis).
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 3, 5, 9]).reshape(&[2, 2]).std_axis(1).to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn std_axis try_std_axis[](&self, axis: usize) -> Array<T::Mean> {
        Ok(variance(self, &checked_axes("std_axis", &self.node, &[axis])?)?.sqrt())
    }
}}

impl<T: Number> Array<T> {
    /// The mean of all elements; NaN if there are none. That of integers is `f64`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0f64, 3.0]).mean().item()?, 2.0);
    /// assert_eq!(Array::from_vec(vec![200u8, 101]).mean().item()?, 150.5);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn mean(&self) -> Array<T::Mean> {
        expect(mean(self, &all_axes(self)))
    }

    /// The variance of all elements: the mean of the squares of their distances from the mean.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1.0f64, 2.0, 6.0]).var().item()?, 14.0 / 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn var(&self) -> Array<T::Mean> {
        expect(variance(self, &all_axes(self)))
    }

    /// The standard deviation of all elements: the square root of [`var`](Array::var).
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1i32, 5]).std().item()?, 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn std(&self) -> Array<T::Mean> {
        self.var().sqrt()
    }
}

#[track_caller]
fn mean<T: Number>(array: &Array<T>, axes: &[usize]) -> Result<Array<T::Mean>> {
    let count: f64 = axes.iter().map(|&axis| array.shape()[axis] as f64).product();
    let sum = reduce(&array.cast::<T::Mean>(), Fold::Op(MonoidOp::Add), axes, "mean")?;
    Ok(sum / T::Mean::of(count))
}

#[track_caller]
fn variance<T: Number>(array: &Array<T>, axes: &[usize]) -> Result<Array<T::Mean>> {
    let mut middle = mean(array, axes)?;
    for &axis in axes {
        middle = middle.try_add_dim(axis)?;
    }
    mean(&(array.cast::<T::Mean>() - middle).square(), axes)
}

fallible! { impl[T: Number] Array<T> {
    /// The index of the greatest element along an axis, the first of equal ones: −0 and +0 are equal. A NaN is greater than all else.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 3, 7, 5]).reshape(&[2, 2]).argmax_axis(1).to_vec()?, [1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn argmax_axis try_argmax_axis[](&self, axis: usize) -> Array<i64> {
        arg_reduce(self, axis, "argmax_axis", true)
    }
    /// The index of the least element along an axis, the first of equal ones: −0 and +0 are equal. A NaN is less than all else.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 3, 7, 5]).reshape(&[2, 2]).argmin_axis(1).to_vec()?, [0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn argmin_axis try_argmin_axis[](&self, axis: usize) -> Array<i64> {
        arg_reduce(self, axis, "argmin_axis", false)
    }
    /// The index of the greatest element, counted in row-major order.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 7, 5]).argmax().item()?, 1);
    /// assert!(Array::<f32>::zeros(&[0]).try_argmax().is_err());
    /// # Ok::<(), Error>(())
    /// ```
    fn argmax try_argmax[](&self) -> Array<i64> {
        arg_reduce(&self.ravel(), 0, "argmax", true)
    }
    /// The index of the least element, counted in row-major order.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![4, 7, 1]).argmin().item()?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    fn argmin try_argmin[](&self) -> Array<i64> {
        arg_reduce(&self.ravel(), 0, "argmin", false)
    }
}}

#[track_caller]
fn arg_reduce<T: Number>(array: &Array<T>, axis: usize, name: &'static str, max: bool) -> Result<Array<i64>> {
    let axis = checked_axes(name, &array.node, &[axis])?[0];
    if array.shape()[axis] == 0 {
        let which = if max { "greatest" } else { "least" };
        return Err(Error::new(
            name,
            format!("{} has no elements along axis {axis}, and so no {which}", array.shape()),
        ));
    }
    let shape = array.shape().without(&[axis]);
    // λcu puts −0 before +0; −0 + 0 is +0.
    let is_float = matches!(T::TYPE, ScalarType::F32 | ScalarType::F64);
    let keys = if is_float { array + T::ZERO } else { array.clone() };
    Ok(Array::lazy(shape, Op::ArgReduce { arg: keys.node, axis, max }))
}
