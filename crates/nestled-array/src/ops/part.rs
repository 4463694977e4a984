//! Replacement of parts of arrays.

use super::fallible;
use super::place::AxisRange;
use crate::array::{Array, Border};
use crate::element::Element;
use crate::error::{Error, Reason, Result, expect};
use crate::operand::Operand;

fallible! { impl[T: Element] Array<T> {
    /// A copy with other elements in a range along one axis; the elements are broadcast to the shape of the part.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(m.with_slice(1, 1.., 0).to_vec()?, [0, 0, 0, 3, 0, 0]);
    /// assert_eq!(m.with_slice(0, -1.., Array::from([7, 8, 9])).to_vec()?, [0, 1, 2, 7, 8, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    fn with_slice try_with_slice[](&self, axis: usize, range: impl AxisRange, values: impl Operand<T>) -> Array<T> {
        replaced("with_slice", self, axis, &range, &values.array())
    }
}}

impl<T: Element> Array<T> {
    /// Replaces the elements in a range along one axis: `a[..., 1:3] = values` of NumPy. Clones of the array do not change.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let mut x = Array::<i32>::range(6);
    /// x.set_slice(0, 2..4, -1);
    /// assert_eq!(x.to_vec()?, [0, 1, -1, -1, 4, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// The range is not inside, or the values cannot be stretched to its shape.
    #[track_caller]
    pub fn set_slice(&mut self, axis: usize, range: impl AxisRange, values: impl Operand<T>) {
        *self = expect(replaced("set_slice", self, axis, &range, &values.array()));
    }
}

#[track_caller]
fn replaced<T: Element>(
    name: &'static str,
    array: &Array<T>,
    axis: usize,
    range: &impl AxisRange,
    values: &Array<T>,
) -> Result<Array<T>> {
    let part = array.part_of(name, axis, range)?;
    let mut extents = array.shape().to_vec();
    extents[axis] = part.count;
    let Ok(values) = values.try_broadcast_to(&extents) else {
        let there = crate::shape::Shape::of(&extents);
        return Err(Error::of(name, Reason::Shapes(there, *values.shape())));
    };
    if part.count == 0 {
        return Ok(array.clone());
    }
    // The values lie in their place, and what is around them is not looked at.
    let (mut before, mut after) = (vec![0; array.rank()], vec![0; array.rank()]);
    before[axis] = part.start;
    after[axis] = array.shape()[axis] - part.start - part.count;
    let spread = values.try_pad(&before, &after, Border::Clamp)?;
    let mut along = vec![1; array.rank()];
    along[axis] = array.shape()[axis];
    let place = Array::<i64>::index(&along, axis);
    let (start, end) = (part.start as i64, (part.start + part.count) as i64);
    place.ge(start).and(place.lt(end)).try_select(spread, array)
}
