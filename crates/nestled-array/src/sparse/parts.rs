//! The parts of a sparse matrix, and its entries at places.

use super::Sparse;
use super::entries::at;
use crate::array::Array;
use crate::element::Number;
use crate::error::{Error, Result, expect};
use crate::ops::{Collision, fallible, try_concat};
use crate::ragged::Segments;
use crate::shape::Shape;

impl<T: Number> Sparse<T> {
    /// The CSR parts: offsets, of which there is one more than rows, columns and values.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0, 5, 0, 0, 7, 6]).reshape(&[3, 2]))?;
    /// let (offsets, columns, values) = m.to_csr();
    /// assert_eq!(offsets.to_vec()?, [0, 1, 1, 3]);
    /// assert_eq!((columns.to_vec()?, values.to_vec()?), (vec![1, 0, 1], vec![5, 7, 6]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn to_csr(&self) -> (Array<i64>, Array<i64>, Array<T>) {
        let (lengths, zero) = (self.segments().lengths(), Array::zeros(&[1]));
        let offsets = expect(try_concat(&[&zero, &lengths.cumsum(0)], 0));
        (offsets, self.columns().clone(), self.values().clone())
    }

    /// The row, the column and the value of each entry, row after row.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0, 5, 0, 0, 7, 6]).reshape(&[3, 2]))?;
    /// let (rows, columns, values) = m.to_coo();
    /// assert_eq!(rows.to_vec()?, [0, 2, 2]);
    /// assert_eq!((columns.to_vec()?, values.to_vec()?), (vec![1, 0, 1], vec![5, 7, 6]));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn to_coo(&self) -> (Array<i64>, Array<i64>, Array<T>) {
        (self.segments().owners(), self.columns().clone(), self.values().clone())
    }

    /// The diagonal, zero where nothing is stored.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([4, 5, 6, 0, 0, 7]).reshape(&[2, 3]))?;
    /// assert_eq!(m.diagonal().to_vec()?, [4, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn diagonal(&self) -> Array<T> {
        let [n_rows, n_columns] = self.shape();
        let rows = self.segments().owners();
        // Other places are outside, where nothing is written.
        let places = self.columns().eq(&rows).select(&rows, -1);
        Array::zeros(&[n_rows.min(n_columns)]).scatter(&[&places], self.values(), Collision::Last)
    }

    /// The transposed matrix. Its entries are in order again, by a stable sort by columns, which runs anew in each evaluation that needs it: [`eval`](Sparse::eval) keeps it.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0, 5, 0, 0, 7, 6]).reshape(&[3, 2]))?;
    /// assert_eq!(m.transpose().to_dense().to_vec()?, [0, 0, 7, 5, 0, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn transpose(&self) -> Sparse<T> {
        let [n_rows, n_columns] = self.shape();
        let order = self.columns().argsort(0);
        let lengths = self.columns().histogram(n_columns);
        let segments = Segments::with_total(&lengths, self.n_entries());
        Sparse::of(segments, at(&self.segments().owners(), &order), at(self.values(), &order), n_rows)
    }
}

fallible! { impl[T: Number] Sparse<T> {
    /// The dense matrix.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Sparse::<i32>::identity(2).to_dense().to_vec()?, [1, 0, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn to_dense try_to_dense[](&self) -> Array<T> {
        Shape::checked("to_dense", &self.shape())?;
        let rows = self.segments().owners();
        Array::zeros(&self.shape()).try_scatter(&[&rows, self.columns()], self.values(), Collision::Last)
    }

    /// The value at a place, zero if nothing is stored there: a number of rank 0. It looks at the entries of the whole matrix.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0, 5, 6, 0]).reshape(&[2, 2]))?;
    /// assert_eq!((m.get(0, 1).item()?, m.get(1, 1).item()?), (5, 0));
    /// # Ok::<(), Error>(())
    /// ```
    fn get try_get[](&self, row: usize, column: usize) -> Array<T> {
        let [n_rows, n_columns] = self.shape();
        if row >= n_rows || column >= n_columns {
            let message = format!("there is no entry [{row}, {column}] in a matrix of shape {}", self.extents());
            return Err(Error::new("get", message));
        }
        let is_there = self.segments().owners().eq(row as i64).and(self.columns().eq(column as i64));
        let places = is_there.select(0, -1);
        Array::zeros(&[1]).try_scatter(&[&places], self.values(), Collision::Last)?.try_at(0, 0)
    }
}}
