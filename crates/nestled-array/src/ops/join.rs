//! Concatenation and stacking of arrays, and unstacking.

use super::fallible;
use super::reduce::checked_axes;
use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Reason, Result, expect};
use crate::node::Op;
use crate::shape::Shape;
use std::sync::Arc;

/// Concatenates arrays along an axis; their other extents are equal.
///
/// ```
/// # use nestled_array::*;
/// let (a, b) = (Array::from_vec(vec![1, 2]), Array::from_vec(vec![3, 4]));
/// assert_eq!(concat(&[&a, &b], 0).to_vec()?, [1, 2, 3, 4]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Panics
/// If those extents differ; see [`try_concat`].
#[track_caller]
pub fn concat<T: Element>(parts: &[&Array<T>], axis: usize) -> Array<T> {
    expect(try_concat(parts, axis))
}

/// Returns an error where [`concat()`] panics.
///
/// ```
/// # use nestled_array::*;
/// assert!(try_concat::<i32>(&[], 0).is_err());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// There is no array, no such axis, or other extents differ.
#[track_caller]
pub fn try_concat<T: Element>(parts: &[&Array<T>], axis: usize) -> Result<Array<T>> {
    let Some(first) = parts.first() else { return Err(Error::new("concat", "there is no array")) };
    checked_axes("concat", &first.node, &[axis])?;
    let mut extents = first.shape().to_vec();
    extents[axis] = 0;
    for part in parts {
        let fits =
            part.rank() == first.rank() && part.shape().without(&[axis]) == first.shape().without(&[axis]);
        if !fits {
            return Err(Error::of("concat", Reason::Shapes(*first.shape(), *part.shape())));
        }
        // What is too much stays too much.
        extents[axis] = usize::saturating_add(extents[axis], part.shape()[axis]);
    }
    if parts.len() == 1 {
        return Ok((*first).clone());
    }
    let args = parts.iter().map(|part| Arc::clone(&part.node)).collect();
    Ok(Array::lazy(Shape::checked("concat", &extents)?, Op::Concat { args, axis }))
}

/// Stacks arrays of one shape along a new axis.
///
/// ```
/// # use nestled_array::*;
/// let (a, b) = (Array::from_vec(vec![1, 2]), Array::from_vec(vec![3, 4]));
/// assert_eq!(**stack(&[&a, &b, &a], 0).shape(), [3, 2]);
/// assert_eq!(stack(&[&a, &b], 1).to_vec()?, [1, 3, 2, 4]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Panics
/// If shapes differ; see [`try_stack`].
#[track_caller]
pub fn stack<T: Element>(parts: &[&Array<T>], axis: usize) -> Array<T> {
    expect(try_stack(parts, axis))
}

/// Returns an error where [`stack`] panics.
///
/// ```
/// # use nestled_array::*;
/// assert!(try_stack(&[&Array::<i32>::ones(&[2]), &Array::ones(&[3])], 0).is_err());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// There is no array, no place for such an axis, or shapes differ.
#[track_caller]
pub fn try_stack<T: Element>(parts: &[&Array<T>], axis: usize) -> Result<Array<T>> {
    let mut planes = Vec::with_capacity(parts.len());
    for part in parts {
        planes.push(part.try_add_dim(axis)?);
    }
    let planes: Vec<&Array<T>> = planes.iter().collect();
    try_concat(&planes, axis)
}

fallible! { impl[T: Element] Array<T> {
    /// Undoes [`stack`]: returns one array for each place along an axis, without that axis. An image becomes its colour planes.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Array::<i32>::range(6).reshape(&[2, 3]).unstack(0);
    /// assert_eq!(rows[1].to_vec()?, [3, 4, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn unstack try_unstack[](&self, axis: usize) -> Vec<Array<T>> {
        checked_axes("unstack", &self.node, &[axis])?;
        let mut planes = Vec::with_capacity(self.shape()[axis]);
        for place in 0..self.shape()[axis] {
            planes.push(self.try_at(axis, place)?);
        }
        Ok(planes)
    }
}}
