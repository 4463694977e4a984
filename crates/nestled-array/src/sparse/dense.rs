//! Products of sparse matrices with dense vectors and matrices: one kernel each.

use super::Sparse;
use super::entries::at;
use crate::array::Array;
use crate::element::Number;
use crate::error::{Error, Reason, Result};
use crate::ops::{Collision, Outside, fallible};
use crate::ragged::{Ragged, Segments};
use crate::shape::Shape;
use nestled_ir::MonoidOp;

fallible! { impl[T: Number] Sparse<T> {
    /// The product with a dense vector or matrix on the right. An element is the sum of products with the entries of one row, which has the order of [`Ragged::sum`]:
    /// up to 32 entries are added from left to right, more by lanes and in pairs.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0.0, 5.0, 6.0, 1.0]).reshape(&[2, 2]))?;
    /// assert_eq!(m.matmul(&Array::from([1.0, 10.0])).to_vec()?, [50.0, 16.0]);
    /// let both = Array::from([1.0, 2.0, 10.0, 20.0]).reshape(&[2, 2]);
    /// assert_eq!(m.matmul(&both).to_vec()?, [50.0, 100.0, 16.0, 32.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn matmul try_matmul[](&self, right: &Array<T>) -> Array<T> {
        match **right.shape() {
            [n] if n == self.columns => {
                let products = self.values() * at(right, self.columns());
                Ok(Ragged::<T>::new(&products, self.segments())?.reduce(MonoidOp::Add))
            }
            [n, width] if n == self.columns => times_matrix(self, right, width),
            _ => Err(Error::of("matmul", Reason::Shapes(self.extents(), *right.shape()))),
        }
    }

    /// The product with a dense vector or matrix on the left. An element is the sum of products with the entries of one column, from 0 on, from the first row to the last.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0.0, 5.0, 6.0, 1.0]).reshape(&[2, 2]))?;
    /// assert_eq!(m.matmul_left(&Array::from([1.0, 10.0])).to_vec()?, [60.0, 15.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn matmul_left try_matmul_left[](&self, left: &Array<T>) -> Array<T> {
        let [n_rows, n_columns] = self.shape();
        let rows = self.segments().owners();
        let add = Collision::Combine(MonoidOp::Add);
        match **left.shape() {
            [n] if n == n_rows => {
                let products = at(left, &rows) * self.values();
                Array::zeros(&[n_columns]).try_scatter(&[self.columns()], &products, add)
            }
            [height, n] if n == n_rows => {
                Shape::checked("matmul_left", &[height, n_columns])?;
                Shape::checked("matmul_left", &[height, self.n_entries()])?;
                let products = left.try_take(1, &rows, Outside::Clamp)? * self.values();
                let own = Array::<i64>::index(&[height, 1], 0);
                Array::zeros(&[height, n_columns]).try_scatter(&[&own, self.columns()], &products, add)
            }
            _ => Err(Error::of("matmul_left", Reason::Shapes(*left.shape(), self.extents()))),
        }
    }
}}

/// The product with a dense matrix on the right: a segment for each of its elements, each with as many products as its row has entries.
#[track_caller]
fn times_matrix<T: Number>(left: &Sparse<T>, right: &Array<T>, width: usize) -> Result<Array<T>> {
    let shape = Shape::checked("matmul", &[left.shape()[0], width])?;
    let total = Shape::checked("matmul", &[left.n_entries(), width])?.size();
    let lengths = left.segments().lengths().try_add_dim(1)?;
    let starts = left.segments().starts().try_add_dim(1)?;
    let segments = Segments::with_total(&lengths.try_broadcast_to(&shape)?.ravel(), total);
    let owners = segments.owners();
    // Before a segment there are those of earlier rows and of earlier columns; of the entries there are those of earlier rows only.
    let more = starts * (width as i64 - 1) + lengths * Array::<i64>::index(&[1, width], 1);
    let entry = Array::<i64>::range(total) - at(&more.ravel(), &owners);
    let column = owners % width as i64;
    let factor = right.try_gather(&[&at(left.columns(), &entry), &column], Outside::Clamp)?;
    let products = at(left.values(), &entry) * factor;
    Ragged::<T>::new(&products, &segments)?.reduce(MonoidOp::Add).try_reshape(&shape)
}
