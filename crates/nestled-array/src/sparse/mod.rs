//! Sparse matrices: rows of pairs of a column and a value, and the number of columns.
//!
//! The columns of a row increase and lie in the matrix: constructors see to it, and all else relies on it. What is not stored counts as zero and is never computed
//! with. `make.rs` has the constructors, `entries.rs` puts entries in order, which most operations that compute at once come down to, `parts.rs` gives data out.

mod check;
mod dense;
mod entries;
mod make;
mod parts;
mod product;
mod sums;
mod traits;
mod values;

use crate::array::Array;
use crate::element::Number;
use crate::engine::Engine;
use crate::error::Result;
use crate::ragged::{Ragged, Segments};
use crate::shape::Shape;

/// A sparse matrix: a [`Ragged`] row of pairs of a column and a value for each row, with increasing columns, and the number of columns.
///
/// Entries that are not stored are zero. A stored entry may be zero too, and counts as any other: its product with an infinity is NaN, as IEEE has it. Arithmetic is
/// that of the elements' own type, so that integers wrap.
///
/// Operations are lazy where the number of entries of their result is known; `add`, `filter`, [`matmul_sparse`](Sparse::matmul_sparse) and others for which it is data
/// compute at once. Sums of floats have an order that depends on the matrix alone, never on the device: each operation says which.
///
/// ```
/// use nestled_array::{Array, Sparse};
/// // [[1, 0, 2], [0, 0, 0], [0, 3, 0]]
/// let (rows, columns) = (Array::from([2i64, 0, 0]), Array::from([1i64, 2, 0]));
/// let m = Sparse::from_coo([3, 3], &rows, &columns, &Array::from([3.0, 2.0, 1.0]))?;
/// assert_eq!(m.matmul(&Array::from([1.0, 10.0, 100.0])).to_vec()?, [201.0, 0.0, 30.0]);
/// assert_eq!(m.matmul_sparse(&m.transpose())?.to_dense().to_vec()?, [5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
#[derive(Clone)]
pub struct Sparse<T: Number> {
    rows: Ragged<(i64, T)>,
    columns: usize,
}

impl<T: Number> Sparse<T> {
    /// A matrix of parts that are known to be one.
    fn of(segments: Segments, columns: Array<i64>, values: Array<T>, n_columns: usize) -> Sparse<T> {
        Sparse { rows: Ragged { values: (columns, values), segments }, columns: n_columns }
    }

    /// The number of rows and that of columns.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Sparse::<f32>::identity(3).shape(), [3, 3]);
    /// ```
    pub fn shape(&self) -> [usize; 2] {
        [self.rows.count(), self.columns]
    }

    /// The number of stored entries, zeros among them.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Sparse::<f32>::identity(3).n_entries(), 3);
    /// ```
    pub fn n_entries(&self) -> usize {
        self.rows.segments.total()
    }

    /// The rows: pairs of a column and a value, with increasing columns.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0, 5, 6, 0]).reshape(&[2, 2]))?;
    /// let (columns, values) = m.rows().unzip();
    /// assert_eq!(columns.to_rows()?, [vec![1], vec![0]]);
    /// assert_eq!(values.max().to_vec()?, [5, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rows(&self) -> &Ragged<(i64, T)> {
        &self.rows
    }

    /// Computes all parts of the matrix, so that they are there when they are asked for. Returns the matrix. Worth it for a lazy one that is used several times.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_diagonal(&Array::<f64>::range(3)).transpose();
    /// assert_eq!(m.eval()?.row_sums().to_vec()?, [0.0, 1.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Array::eval`].
    #[track_caller]
    pub fn eval(&self) -> Result<&Sparse<T>> {
        match Engine::current().eval(&[self]) {
            Ok(()) => Ok(self),
            Err(error) => Err(error.by_caller()),
        }
    }

    /// The shape, for an error.
    fn extents(&self) -> Shape {
        Shape::of(&self.shape())
    }

    fn segments(&self) -> &Segments {
        &self.rows.segments
    }

    fn columns(&self) -> &Array<i64> {
        &self.rows.values.0
    }

    fn values(&self) -> &Array<T> {
        &self.rows.values.1
    }
}
