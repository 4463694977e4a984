//! Sums of the rows and of the columns of sparse matrices.

use super::Sparse;
use crate::array::Array;
use crate::element::Number;
use crate::ragged::Ragged;

impl<T: Number> Sparse<T> {
    /// The sum of each row, in the order of [`Ragged::sum`]. That of integers is `i64`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([1, 2, 0, 4]).reshape(&[2, 2]))?;
    /// assert_eq!(m.row_sums().to_vec()?, [3i64, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn row_sums(&self) -> Array<T::Wide> {
        Ragged::<T> { values: self.values().clone(), segments: self.segments().clone() }.sum()
    }

    /// The sum of each column, from 0 on, from the first row to the last. That of integers is `i64`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([1, 2, 0, 4]).reshape(&[2, 2]))?;
    /// assert_eq!(m.column_sums().to_vec()?, [1i64, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn column_sums(&self) -> Array<T::Wide> {
        self.columns().histogram_of(self.columns, &self.values().cast::<T::Wide>())
    }
}
