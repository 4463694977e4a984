//! Arrays put together, and taken apart.

use super::fallible;
use super::reduce::checked_axes;
use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Reason, Result, expect};
use crate::node::Op;
use crate::shape::Shape;
use std::sync::Arc;

/// Arrays one after another along an axis; their other extents are equal.
///
/// # Panics
/// Where they are not; see [`try_concat`].
#[track_caller]
pub fn concat<T: Element>(parts: &[&Array<T>], axis: usize) -> Array<T> {
    expect(try_concat(parts, axis))
}

/// As [`concat()`], but an error instead of a panic.
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
        extents[axis] += part.shape()[axis];
    }
    if parts.len() == 1 {
        return Ok((*first).clone());
    }
    let args = parts.iter().map(|part| Arc::clone(&part.node)).collect();
    Ok(Array::lazy(Shape::new(&extents)?, Op::Concat { args, axis }))
}

/// Arrays of one shape one after another along a new axis.
///
/// # Panics
/// Where shapes differ; see [`try_stack`].
#[track_caller]
pub fn stack<T: Element>(parts: &[&Array<T>], axis: usize) -> Array<T> {
    expect(try_stack(parts, axis))
}

/// As [`stack`], but an error instead of a panic.
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
    /// What [`stack`] put together: one array for each place along an axis, which goes. An image becomes its colour planes.
    fn unstack try_unstack[](&self, axis: usize) -> Vec<Array<T>> {
        checked_axes("unstack", &self.node, &[axis])?;
        let mut planes = Vec::with_capacity(self.shape()[axis]);
        for place in 0..self.shape()[axis] {
            planes.push(self.try_at(axis, place)?);
        }
        Ok(planes)
    }
}}
