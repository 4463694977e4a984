//! Sorting along an axis. It is stable; −0.0 is less than 0.0, and every NaN comes last, in both orders.

use super::fallible;
use super::reduce::checked_axes;
use crate::array::Array;
use crate::element::{Element, Ordered};
use crate::error::{Error, Reason, Result};
use crate::node::{Node, Op};
use std::sync::Arc;

/// Moves an axis to the end, applies an action there, and moves the axis back.
#[track_caller]
fn at_last<T: Ordered, U: Element>(
    name: &'static str,
    array: &Array<T>,
    axis: usize,
    action: impl FnOnce(&Array<T>) -> Array<U>,
) -> Result<Array<U>> {
    let rank = array.rank();
    checked_axes(name, &array.node, &[axis])?;
    if axis + 1 == rank {
        return Ok(action(array));
    }
    let there: Vec<usize> = (0..rank).filter(|&other| other != axis).chain([axis]).collect();
    let mut back = vec![0; rank];
    there.iter().enumerate().for_each(|(own, &axis)| back[axis] = own);
    action(&array.try_transpose(&there)?).try_transpose(&back)
}

#[track_caller]
fn sorted<T: Ordered, U: Element>(keys: &Array<T>, payload: Option<&Array<U>>, descending: bool) -> Array<U> {
    let op = Op::Sort {
        keys: Arc::clone(&keys.node),
        payload: payload.map(|one| Arc::clone(&one.node)),
        descending,
    };
    Array::of(Node::lazy(U::TYPE, *keys.shape(), op))
}

fallible! { impl[T: Ordered] Array<T> {
    /// Sorts along an axis, least element first.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![3, 1, 2]).sort(0).to_vec()?, [1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn sort try_sort[](&self, axis: usize) -> Array<T> {
        at_last("sort", self, axis, |keys| sorted::<T, T>(keys, None, false))
    }

    /// Sorts along an axis, greatest element first.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![3, 1, 2]).sort_descending(0).to_vec()?, [3, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn sort_descending try_sort_descending[](&self, axis: usize) -> Array<T> {
        at_last("sort_descending", self, axis, |keys| sorted::<T, T>(keys, None, true))
    }

    /// The indices that sort an axis, least element first.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![3, 1, 2]).argsort(0).to_vec()?, [1, 2, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn argsort try_argsort[](&self, axis: usize) -> Array<i64> {
        at_last("argsort", self, axis, |keys| {
            let places = Array::<i64>::index(keys.shape(), keys.rank() - 1);
            sorted(keys, Some(&places), false)
        })
    }

}}

fallible! { impl[T: Element] Array<T> {
    /// Sorts elements by keys along an axis, least key first.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![10, 20, 30]).sort_by_key(0, &Array::from_vec(vec![3, 1, 2])).to_vec()?, [20, 30, 10]);
    /// # Ok::<(), Error>(())
    /// ```
    fn sort_by_key try_sort_by_key[K: Ordered](&self, axis: usize, keys: &Array<K>) -> Array<T> {
        if keys.shape() != self.shape() {
            return Err(Error::of("sort_by_key", Reason::Shapes(*self.shape(), *keys.shape())));
        }
        checked_axes("sort_by_key", &self.node, &[axis])?;
        if axis + 1 == self.rank() {
            return Ok(sorted(keys, Some(self), false));
        }
        self.try_take_along(axis, &keys.try_argsort(axis)?, super::gather::Outside::Clamp)
    }
}}
