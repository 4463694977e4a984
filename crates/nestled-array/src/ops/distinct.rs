//! The different elements of an array, by sorting. All NaNs are one element, and so are −0.0 and 0.0.

use super::classify::is_nan_of;
use super::gather::{Collision, Outside};
use crate::array::Array;
use crate::element::Ordered;
use crate::error::Result;
use crate::shape::Shape;
use nestled_ir::MonoidOp;

/// The different elements of an array, least first, and all that is known of them; see [`Array::distinct`].
#[derive(Clone, Debug)]
pub struct Distinct<T: Ordered> {
    /// The elements.
    pub values: Array<T>,
    /// The place of the first of each, among all elements in row-major order.
    pub first: Array<i64>,
    /// For each element of the array, which of the values it is.
    pub which: Array<i64>,
    /// The number of elements that each of them is.
    pub counts: Array<i64>,
}

impl<T: Ordered> Array<T> {
    /// The different elements, least first, NaN last. Computes how many there are at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from([3, 1, 3, 2, 1]).unique()?.to_vec()?, [1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of evaluation.
    #[track_caller]
    pub fn unique(&self) -> Result<Array<T>> {
        let sorted = self.ravel().sort(0);
        sorted.compress(&begins(&sorted))
    }

    /// The different elements, with where each is first, which of them each element is, and how often each appears. Computes how many there are at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let found = Array::from([3.5, 1.5, 3.5]).distinct()?;
    /// assert_eq!(found.values.to_vec()?, [1.5, 3.5]);
    /// assert_eq!(found.first.to_vec()?, [1, 0]);
    /// assert_eq!(found.which.to_vec()?, [1, 0, 1]);
    /// assert_eq!(found.counts.to_vec()?, [1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of evaluation.
    #[track_caller]
    pub fn distinct(&self) -> Result<Distinct<T>> {
        let flat = self.ravel();
        let size = flat.size() as i64;
        let order = flat.argsort(0);
        let begins = begins(&flat.take(0, &order, Outside::Clamp));
        let starts = Array::<i64>::range(flat.size()).compress(&begins)?;
        let counts = starts.shift(&[-1], crate::array::Border::Default(size)) - &starts;
        // The number of the value of each element, in sorted order.
        let own = begins.cast::<i64>().cumsum(0) - 1;
        let which = Array::zeros(flat.shape()).scatter(&[&order], &own, Collision::Last);
        // Of −0.0 and 0.0 the first need not be sorted first.
        let unknown = Array::fill(size, starts.shape());
        let first = unknown.scatter(&[&own], &order, Collision::Combine(MonoidOp::Min));
        let values = flat.take(0, &first, Outside::Clamp);
        Ok(Distinct { values, first, which: which.reshape(self.shape()), counts })
    }
}

/// True where a sorted vector has another element than before.
#[track_caller]
fn begins<T: Ordered>(sorted: &Array<T>) -> Array<bool> {
    let shape = Shape::of(&[sorted.size()]);
    let before = sorted.shift(&[1], crate::array::Border::Clamp);
    let differs = sorted.ne(&before) & !(is_nan_of(sorted) & is_nan_of(&before));
    differs | Array::<i64>::index(&shape, 0).eq(0)
}
