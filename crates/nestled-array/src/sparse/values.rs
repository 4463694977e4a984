//! Operations on the values of stored entries, and on two matrices entry by entry.

use super::Sparse;
use super::entries::{Entries, at};
use crate::array::Array;
use crate::element::{Number, Signed};
use crate::error::{Error, Reason, Result, expect};
use crate::ops::fallible;
use crate::ragged::{Ragged, Segments};

impl<T: Number> Sparse<T> {
    /// Applies an elementwise function to the values that are stored, and to them only: it may change their type.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::<f64>::identity(2).map(|values| values * 2.5);
    /// assert_eq!(m.to_dense().to_vec()?, [2.5, 0.0, 0.0, 2.5]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// The function returns another number of values.
    #[track_caller]
    pub fn map<U: Number>(&self, function: impl FnOnce(&Array<T>) -> Array<U>) -> Sparse<U> {
        let values: Ragged<U> = expect(Ragged::new(&function(self.values()), self.segments()));
        Sparse::of(self.segments().clone(), self.columns().clone(), values.values, self.columns)
    }

    /// Applies an elementwise function to the row, the column and the value of each entry that is stored; the result is its new value.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::<i64>::ones(&[2, 2]))?;
    /// assert_eq!(m.map_entries(|rows, columns, _| rows * 10 + columns).to_dense().to_vec()?, [0, 1, 10, 11]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// The function returns another number of values.
    #[track_caller]
    pub fn map_entries<U: Number>(
        &self,
        function: impl FnOnce(&Array<i64>, &Array<i64>, &Array<T>) -> Array<U>,
    ) -> Sparse<U> {
        self.map(|values| function(&self.segments().owners(), self.columns(), values))
    }

    /// Keeps the entries for which a mask of their rows, columns and values holds. Their number is data, so this computes at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([1, 2, 3, 4]).reshape(&[2, 2]))?;
    /// let lower = m.filter(|rows, columns, _| rows.ge(columns))?;
    /// assert_eq!(lower.to_dense().to_vec()?, [1, 0, 3, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// There is not a mask for each entry; and errors of evaluation.
    #[track_caller]
    pub fn filter(
        &self,
        keep: impl FnOnce(&Array<i64>, &Array<i64>, &Array<T>) -> Array<bool>,
    ) -> Result<Sparse<T>> {
        let mask = keep(&self.segments().owners(), self.columns(), self.values());
        if mask.shape() != self.values().shape() {
            return Err(Error::of("filter", Reason::Shapes(*self.values().shape(), *mask.shape())));
        }
        mask.eval()?;
        let lengths = Ragged::<i64>::new(&mask.cast(), self.segments())?.sum();
        let (columns, values) = (self.columns().compress(&mask)?, self.values().compress(&mask)?);
        let made = Sparse::of(Segments::with_total(&lengths, columns.size()), columns, values, self.columns);
        made.eval()?;
        Ok(made)
    }

    /// Keeps the entries that are not zero. Computes at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_diagonal(&Array::from([1, 0, 2]));
    /// assert_eq!(m.without_zeros()?.n_entries(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluation.
    #[track_caller]
    pub fn without_zeros(&self) -> Result<Sparse<T>> {
        self.filter(|_, _, values| values.ne(T::ZERO))
    }

    /// The sum of two matrices. It stores what one of them stores, zeros among it. Computes at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0, 5, 0, 0]).reshape(&[2, 2]))?;
    /// assert_eq!(m.add(&Sparse::identity(2))?.to_dense().to_vec()?, [1, 5, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The shapes differ; and errors of evaluation.
    #[track_caller]
    pub fn add(&self, other: &Sparse<T>) -> Result<Sparse<T>> {
        both("add", self, other)?.summed(self.shape())
    }

    /// The product of two matrices entry by entry. It stores what both of them store. Computes at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([3, 5, 0, 7]).reshape(&[2, 2]))?;
    /// let other = Sparse::from_dense(&Array::from([2, 0, 2, 2]).reshape(&[2, 2]))?;
    /// assert_eq!(m.multiply(&other)?.to_dense().to_vec()?, [6, 0, 0, 14]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The shapes differ; and errors of evaluation.
    #[track_caller]
    pub fn multiply(&self, other: &Sparse<T>) -> Result<Sparse<T>> {
        both("multiply", self, other)?.paired(self.shape())
    }
}

impl<T: Signed> Sparse<T> {
    /// The difference of two matrices. It stores what one of them stores, zeros among it: −x where only the other stores an x. Computes at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0, 5, 0, 1]).reshape(&[2, 2]))?;
    /// assert_eq!(m.subtract(&Sparse::identity(2))?.to_dense().to_vec()?, [-1, 5, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The shapes differ; and errors of evaluation.
    #[track_caller]
    pub fn subtract(&self, other: &Sparse<T>) -> Result<Sparse<T>> {
        both("subtract", self, &other.map(|values| -values))?.summed(self.shape())
    }
}

fallible! { impl[T: Number] Sparse<T> {
    /// Multiplies each row with a number of its own.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::<i32>::ones(&[2, 2]))?;
    /// assert_eq!(m.scale_rows(&Array::from([2, 3])).to_dense().to_vec()?, [2, 2, 3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn scale_rows try_scale_rows[](&self, factors: &Array<T>) -> Sparse<T> {
        if **factors.shape() != [self.shape()[0]] {
            return Err(Error::of("scale_rows", Reason::Shapes(self.extents(), *factors.shape())));
        }
        Ok(self.map_entries(|rows, _, values| values * at(factors, rows)))
    }

    /// Multiplies each column with a number of its own.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::<i32>::ones(&[2, 2]))?;
    /// assert_eq!(m.scale_columns(&Array::from([2, 3])).to_dense().to_vec()?, [2, 3, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn scale_columns try_scale_columns[](&self, factors: &Array<T>) -> Sparse<T> {
        if **factors.shape() != [self.columns] {
            return Err(Error::of("scale_columns", Reason::Shapes(self.extents(), *factors.shape())));
        }
        Ok(self.map_entries(|_, columns, values| values * at(factors, columns)))
    }
}}

/// The entries of two matrices of one shape, those of the first before those of the second.
#[track_caller]
fn both<T: Number>(operation: &'static str, one: &Sparse<T>, other: &Sparse<T>) -> Result<Entries<T>> {
    if one.shape() != other.shape() {
        return Err(Error::of(operation, Reason::Shapes(one.extents(), other.extents())));
    }
    one.entries().followed_by(&other.entries())
}
