//! Order statistics along an axis (medians, quantiles and the greatest few, by sorting), and differences of neighbours.

use super::fallible;
use super::reduce::checked_axes;
use crate::array::Array;
use crate::element::{Float, Number, Ordered};
use crate::error::{Error, Result};

fallible! { impl[T: Number] Array<T> {
    /// The quantile along an axis, for a share from 0 (the least element) to 1 (the greatest): between two elements it is in proportion. Removes the axis. It is NaN where there is
    /// one, and of no elements.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::from([4i32, 1, 3, 2]);
    /// assert_eq!(x.quantile_axis(0, 0.25).item()?, 1.75);
    /// assert_eq!(x.quantile_axis(0, 1.0).item()?, 4.0);
    /// assert!(x.try_quantile_axis(0, 1.5).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    fn quantile_axis try_quantile_axis[](&self, axis: usize, share: f64) -> Array<T::Mean> {
        quantile("quantile_axis", self, axis, share)
    }

    /// The median along an axis: the middle element, or the mean of the two in the middle. Removes the axis. It is NaN where there is one, and of no elements.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::from([5.0, 1.0, 3.0, 8.0, 2.0, 4.0]).reshape(&[2, 3]);
    /// assert_eq!(m.median_axis(1).to_vec()?, [3.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn median_axis try_median_axis[](&self, axis: usize) -> Array<T::Mean> {
        quantile("median_axis", self, axis, 0.5)
    }
}}

fallible! { impl[T: Number] Array<T> {
    /// The differences of neighbours along an axis, what comes after less what comes before: one less than elements. Those of integers are modulo their width.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from([1, 4, 9, 16]).differences(0).to_vec()?, [3, 5, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    fn differences try_differences[](&self, axis: usize) -> Array<T> {
        let axis = checked_axes("differences", &self.node, &[axis])?[0];
        let count = self.shape()[axis];
        Ok(self.try_slice(axis, 1.min(count)..)? - self.try_slice(axis, ..count.saturating_sub(1))?)
    }
}}

fallible! { impl[T: Ordered] Array<T> {
    /// The greatest elements along an axis, the greatest first; all of them where there are fewer. NaN comes last.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::from([5, 1, 3, 8, 2, 4]).reshape(&[2, 3]);
    /// assert_eq!(m.top_axis(1, 2).to_vec()?, [5, 3, 8, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    fn top_axis try_top_axis[](&self, axis: usize, count: usize) -> Array<T> {
        let axis = checked_axes("top_axis", &self.node, &[axis])?[0];
        let count = count.min(self.shape()[axis]);
        self.try_sort_descending(axis)?.try_slice(axis, ..count)
    }
}}

/// The share must lie between 0 and 1.
#[track_caller]
fn quantile<T: Number>(
    name: &'static str,
    array: &Array<T>,
    axis: usize,
    share: f64,
) -> Result<Array<T::Mean>> {
    let axis = checked_axes(name, &array.node, &[axis])?[0];
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::new(name, format!("a share of {share} is not between 0 and 1")));
    }
    let count = array.shape()[axis];
    let sorted = array.sort(axis).cast::<T::Mean>();
    if count == 0 {
        return Ok(sorted.sum_axis(axis) * T::Mean::of(f64::NAN));
    }
    let place = share * (count - 1) as f64;
    let at = |place: f64| sorted.at(axis, place as i64);
    let (low, high, part) = (at(place.floor()), at(place.ceil()), place.fract());
    let made = if part == 0.0 { low } else { &low + (high - &low) * T::Mean::of(part) };
    // NaN is sorted last.
    let last = sorted.at(axis, -1);
    Ok(last.is_nan().select(last, made))
}
