//! Constructors of sparse matrices. All but that of a diagonal compute at once, for they check what they are given or count what is stored.

use super::entries::Entries;
use super::{Sparse, check};
use crate::array::Array;
use crate::element::{Integer, Number};
use crate::error::{Error, Result};
use crate::ragged::{Ragged, Segments};

impl<T: Number> Sparse<T> {
    /// A matrix of rows of pairs of a column and a value, in any order. Values at one place are added up, in the order of the row: their sum has the order of
    /// [`Ragged::sum`].
    ///
    /// ```
    /// # use nestled_array::*;
    /// let columns = Ragged::from_rows(&[vec![2i64, 0, 2], vec![], vec![1]]);
    /// let values = Ragged::from_rows(&[vec![1.0, 5.0, 2.0], vec![], vec![7.0]]);
    /// let m = Sparse::from_rows(&columns.zip(&values)?, 3)?;
    /// assert_eq!(m.to_dense().to_vec()?, [5.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 7.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// A column is not one of the matrix; and errors of evaluation.
    #[track_caller]
    pub fn from_rows(rows: &Ragged<(i64, T)>, n_columns: usize) -> Result<Sparse<T>> {
        made("from_rows", &rows.segments, &rows.values.0, &rows.values.1, n_columns)
    }

    /// A matrix of its CSR parts: row `i` has the columns and the values from `offsets[i]` to before `offsets[i + 1]`. Columns of a row may have any order; values at
    /// one place are added up as by [`from_rows`](Sparse::from_rows).
    ///
    /// ```
    /// # use nestled_array::*;
    /// let (offsets, columns) = (Array::from([0i32, 2, 2, 3]), Array::from([0i32, 2, 1]));
    /// let m = Sparse::from_csr(&offsets, &columns, &Array::from([5.0, 3.0, 7.0]), 3)?;
    /// assert_eq!(m.row_sums().to_vec()?, [8.0, 0.0, 7.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Offsets that do not begin with 0, that fall, or do not end with the number of entries; not as many columns as values; a column that is not one of the matrix;
    /// and errors of evaluation.
    #[track_caller]
    pub fn from_csr<I: Integer>(
        offsets: &Array<I>,
        columns: &Array<I>,
        values: &Array<T>,
        n_columns: usize,
    ) -> Result<Sparse<T>> {
        check::same_length("from_csr", columns, values)?;
        let segments = check::segments("from_csr", &offsets.cast(), columns.size())?;
        made("from_csr", &segments, columns, values, n_columns)
    }

    /// A matrix of entries in any order, each with its row and its column. Values at one place are added up, in the order in which they are given: their sum has
    /// the order of [`Ragged::sum`].
    ///
    /// ```
    /// # use nestled_array::*;
    /// let (rows, columns) = (Array::from([1i64, 0, 1]), Array::from([0i64, 1, 0]));
    /// let m = Sparse::from_coo([2, 2], &rows, &columns, &Array::from([1.0, 2.0, 4.0]))?;
    /// assert_eq!(m.to_dense().to_vec()?, [0.0, 2.0, 5.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Not as many rows as columns and as values; a row or a column that is not one of the matrix; and errors of evaluation.
    #[track_caller]
    pub fn from_coo<I: Integer>(
        shape: [usize; 2],
        rows: &Array<I>,
        columns: &Array<I>,
        values: &Array<T>,
    ) -> Result<Sparse<T>> {
        check::countable("from_coo", shape)?;
        check::same_length("from_coo", rows, columns)?;
        check::same_length("from_coo", columns, values)?;
        let rows = check::inside("from_coo", "row", rows, shape[0])?;
        let columns = check::inside("from_coo", "column", columns, shape[1])?;
        Entries { rows, columns, values: values.clone() }.summed(shape)
    }

    /// A matrix of a dense one. Zeros of either sign are not stored, NaN is.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0, 5, 6, 0]).reshape(&[2, 2]))?;
    /// assert_eq!(m.n_entries(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The array has not two axes; and errors of evaluation.
    #[track_caller]
    pub fn from_dense(dense: &Array<T>) -> Result<Sparse<T>> {
        let [n_rows, n_columns] = **dense.shape() else {
            return Err(Error::new(
                "from_dense",
                format!("an array of shape {} is no matrix", dense.shape()),
            ));
        };
        let dense = dense.eval()?;
        let stored = dense.ne(T::ZERO);
        let columns = Array::<i64>::index(&[n_rows, n_columns], 1).compress(&stored)?;
        let segments = Segments::with_total(&stored.cast::<i64>().sum_axis(1), columns.size());
        let made = Sparse::of(segments, columns, dense.compress(&stored)?, n_columns);
        made.eval()?;
        Ok(made)
    }

    /// A square matrix with these values on its diagonal, zeros among them.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_diagonal(&Array::from([2, 3]));
    /// assert_eq!(m.to_dense().to_vec()?, [2, 0, 0, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// The values are no vector.
    #[track_caller]
    pub fn from_diagonal(values: &Array<T>) -> Sparse<T> {
        assert_eq!(values.rank(), 1, "from_diagonal: values of shape {} are no vector", values.shape());
        let n = values.size();
        let segments = Segments::with_total(&Array::ones(&[n]), n);
        Sparse::of(segments, Array::range(n), values.clone(), n)
    }

    /// The identity: a square matrix with ones on its diagonal.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::from([1.5, 2.5]);
    /// assert_eq!(Sparse::identity(2).matmul(&x).to_vec()?, [1.5, 2.5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn identity(n: usize) -> Sparse<T> {
        Sparse::from_diagonal(&Array::ones(&[n]))
    }
}

/// The matrix of rows of columns, which are checked, and values.
#[track_caller]
fn made<T: Number, I: Integer>(
    operation: &'static str,
    segments: &Segments,
    columns: &Array<I>,
    values: &Array<T>,
    n_columns: usize,
) -> Result<Sparse<T>> {
    let shape = [segments.count(), n_columns];
    check::countable(operation, shape)?;
    let columns = check::inside(operation, "column", columns, n_columns)?;
    Entries { rows: segments.owners(), columns, values: values.clone() }.summed(shape)
}
