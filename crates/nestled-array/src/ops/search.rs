//! Searches in sorted vectors: each halving is an operation on all that is looked for, so that a search is one kernel.
//!
//! Vectors are sorted as [`sort`](Array::sort) does it, least element first: NaN comes after all numbers.

use super::classify::is_nan_of;
use super::fallible;
use super::gather::Outside;
use crate::array::Array;
use crate::element::{Float, Ordered};
use crate::error::{Error, Result};

/// The side of equal elements of a sorted vector.
///
/// ```
/// # use nestled_array::*;
/// let sorted = Array::from([1, 3, 3, 5]);
/// let wanted = Array::from([3]);
/// assert_eq!(sorted.search_sorted(&wanted, Side::Before).to_vec()?, [1]);
/// assert_eq!(sorted.search_sorted(&wanted, Side::After).to_vec()?, [3]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Before them.
    Before,
    /// After them.
    After,
}

/// True where one element is sorted before another.
#[track_caller]
fn is_before<T: Ordered>(one: &Array<T>, other: &Array<T>) -> Array<bool> {
    one.lt(other) | (is_nan_of(other) & !is_nan_of(one))
}

#[track_caller]
fn vector<T: Ordered>(name: &'static str, array: &Array<T>) -> Result<usize> {
    if array.rank() == 1 {
        return Ok(array.size());
    }
    Err(Error::new(name, format!("an array of shape {} is no vector", array.shape())))
}

fallible! { impl[T: Ordered] Array<T> {
    /// The places of this sorted vector where elements may be put so that it stays sorted: from 0 to its size. That it is sorted is not checked.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let edges = Array::from([0.0, 1.0, 2.5]);
    /// let x = Array::from([-1.0, 0.0, 1.5, 9.0, f64::NAN]);
    /// assert_eq!(edges.search_sorted(&x, Side::After).to_vec()?, [0, 1, 2, 3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn search_sorted try_search_sorted[](&self, wanted: &Array<T>, side: Side) -> Array<i64> {
        let count = vector("search_sorted", self)?;
        let mut place = Array::<i64>::zeros(wanted.shape());
        let Some(largest) = count.checked_ilog2() else { return Ok(place) };
        for power in (0..=largest).rev() {
            // All elements before `place` are passed; as many more, if the last of them is.
            let there = &place + (1i64 << power);
            let found = self.take(0, &(there.minimum(count as i64) - 1), Outside::Clamp);
            let passed = match side {
                Side::Before => is_before(&found, wanted),
                Side::After => !is_before(wanted, &found),
            };
            place = (passed & there.le(count as i64)).select(&there, &place);
        }
        Ok(place)
    }

    /// True where elements are among those of another array; NaN never is.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::from([3, 1, 4, 1, 5]);
    /// assert_eq!(x.is_in(&Array::from([1, 5, 9])).to_vec()?, [false, true, false, true, true]);
    /// # Ok::<(), Error>(())
    /// ```
    fn is_in try_is_in[](&self, values: &Array<T>) -> Array<bool> {
        if values.size() == 0 {
            return Ok(Array::fill(false, self.shape()));
        }
        let sorted = values.ravel().sort(0);
        let place = sorted.search_sorted(self, Side::Before);
        Ok(sorted.take(0, &place, Outside::Clamp).eq(self))
    }
}}

fallible! { impl[T: Float] Array<T> {
    /// Linear interpolation: the heights at these places of the line through points, whose places are a sorted vector without equal ones. Beyond them it goes on level.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let (places, heights) = (Array::from([0.0, 1.0, 3.0]), Array::from([10.0, 20.0, 0.0]));
    /// let x = Array::from([-1.0, 0.5, 1.0, 2.0, 4.0]);
    /// assert_eq!(x.interpolate(&places, &heights).to_vec()?, [10.0, 15.0, 20.0, 10.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn interpolate try_interpolate[](&self, places: &Array<T>, heights: &Array<T>) -> Array<T> {
        let count = vector("interpolate", places)?;
        if heights.shape() != places.shape() || count == 0 {
            let message = format!("{} heights for {} places", heights.shape(), places.shape());
            return Err(Error::new("interpolate", message));
        }
        let last = count as i64 - 1;
        let after = places.search_sorted(self, Side::After).clamp(last.min(1), last);
        let before = (&after - 1).maximum(0);
        let at = |vector: &Array<T>, place: &Array<i64>| vector.take(0, place, Outside::Clamp);
        let (x0, y0) = (at(places, &before), at(heights, &before));
        let slope = (at(heights, &after) - &y0) / (at(places, &after) - &x0);
        let inside = y0 + slope * (self - x0);
        let level = self.ge(places.at(0, -1)).select(heights.at(0, -1), inside);
        let level = self.le(places.at(0, 0)).select(heights.at(0, 0), level);
        Ok(self.is_nan().select(self, level))
    }
}}
