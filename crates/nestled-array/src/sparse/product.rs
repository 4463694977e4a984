//! The product of two sparse matrices: all products of entries, sorted by their place, and added up.

use super::Sparse;
use super::entries::{Entries, at};
use crate::array::Array;
use crate::element::Number;
use crate::engine::Engine;
use crate::error::{Error, Reason, Result};
use crate::ops::{total_of, try_concat};
use crate::ragged::{Ragged, Segments};
use nestled_ir::{Direction, Inclusion, MonoidOp};

/// The products that are in memory at once, unless a row alone has more.
const PRODUCTS: usize = 1 << 22;

impl<T: Number> Sparse<T> {
    /// The product with another sparse matrix. It stores an entry, be it zero, where there is a product of stored ones; its value is the sum of these products by
    /// increasing columns of this matrix, which has the order of [`Ragged::sum`]. Computes at once.
    ///
    /// It takes memory for each product, of which about four million are in memory at once: see [`matmul_sparse_within`](Sparse::matmul_sparse_within).
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0, 1, 2, 3]).reshape(&[2, 2]))?;
    /// assert_eq!(m.matmul_sparse(&m)?.to_dense().to_vec()?, [2, 3, 6, 11]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The shapes do not go together; more products than can be counted; and errors of evaluation.
    #[track_caller]
    pub fn matmul_sparse(&self, other: &Sparse<T>) -> Result<Sparse<T>> {
        product("matmul_sparse", self, other, PRODUCTS)
    }

    /// As [`matmul_sparse`](Sparse::matmul_sparse), with about so many products of entries in memory at once: rows are computed in batches, each of fewer than `products`
    /// products besides those of its last row. The result does not depend on their number.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Sparse::from_dense(&Array::from([0, 1, 2, 3]).reshape(&[2, 2]))?;
    /// assert_eq!(m.matmul_sparse_within(&m, 2)?.to_dense().to_vec()?, [2, 3, 6, 11]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`matmul_sparse`](Sparse::matmul_sparse).
    #[track_caller]
    pub fn matmul_sparse_within(&self, other: &Sparse<T>, products: usize) -> Result<Sparse<T>> {
        product("matmul_sparse_within", self, other, products)
    }
}

#[track_caller]
fn product<T: Number>(
    operation: &'static str,
    left: &Sparse<T>,
    right: &Sparse<T>,
    most: usize,
) -> Result<Sparse<T>> {
    let shape = [left.shape()[0], right.shape()[1]];
    if left.shape()[1] != right.shape()[0] {
        return Err(Error::of(operation, Reason::Shapes(left.extents(), right.extents())));
    }
    Engine::current().eval(&[left, right])?;
    let entries = left.entries();
    let starts = right.segments().starts();
    let counts = at(right.segments().lengths(), left.columns());
    Engine::current().eval(&[&entries.rows, &starts, &counts])?;
    let total = total_of(operation, &counts)?;
    let whole = Expanded { entries, counts, total, right, starts };
    if total <= most {
        return whole.products().summed(shape);
    }
    let mut parts = Vec::new();
    for batch in batches(left, &whole.counts, total, most.max(1))? {
        parts.push(whole.part(&batch)?.products().summed([batch.rows, shape[1]])?);
    }
    joined(&parts, shape[1])
}

/// Entries of the left matrix, each of which is multiplied with the entries of a row of the right one.
struct Expanded<'a, T: Number> {
    entries: Entries<T>,
    /// For each entry the number of its products.
    counts: Array<i64>,
    total: usize,
    right: &'a Sparse<T>,
    /// The first entry of each row of the right matrix.
    starts: Array<i64>,
}

impl<'a, T: Number> Expanded<'a, T> {
    /// All products, by rows, those of a row by the columns of the left matrix.
    #[track_caller]
    fn products(&self) -> Entries<T> {
        let segments = Segments::with_total(&self.counts, self.total);
        let entry = segments.owners();
        let other = at(&self.starts, &at(&self.entries.columns, &entry)) + segments.places();
        Entries {
            rows: at(&self.entries.rows, &entry),
            columns: at(self.right.columns(), &other),
            values: at(&self.entries.values, &entry) * at(self.right.values(), &other),
        }
    }

    /// Those of a batch of rows, whose rows count from its first.
    #[track_caller]
    fn part(&self, batch: &Batch) -> Result<Expanded<'a, T>> {
        let range = batch.first_entry..batch.first_entry + batch.entries;
        let Entries { rows, columns, values } = &self.entries;
        let entries = Entries {
            rows: rows.try_slice(0, range.clone())? - batch.first_row as i64,
            columns: columns.try_slice(0, range.clone())?,
            values: values.try_slice(0, range.clone())?,
        };
        let (counts, starts) = (self.counts.try_slice(0, range)?, self.starts.clone());
        Ok(Expanded { entries, counts, total: batch.products, right: self.right, starts })
    }
}

/// Rows that are computed together.
struct Batch {
    first_row: usize,
    rows: usize,
    first_entry: usize,
    entries: usize,
    products: usize,
}

/// Cuts rows into batches, each of which begins where the products so far reach a multiple of `most`.
#[track_caller]
fn batches<T: Number>(
    left: &Sparse<T>,
    counts: &Array<i64>,
    total: usize,
    most: usize,
) -> Result<Vec<Batch>> {
    let in_row = Ragged::<i64>::new(counts, left.segments())?.reduce(MonoidOp::Add);
    let before = in_row.scan(0, MonoidOp::Add, Inclusion::Exclusive, Direction::Forward);
    let batch = before / most as i64;
    let count = total / most + 1;
    let (rows, entries) = (batch.histogram(count), batch.histogram_of(count, left.segments().lengths()));
    let products = batch.histogram_of(count, &in_row);
    Engine::current().eval(&[&rows, &entries, &products])?;
    let (mut first_row, mut first_entry) = (0, 0);
    let sizes = rows.to_vec()?.into_iter().zip(entries.to_vec()?).zip(products.to_vec()?);
    let of = |((rows, entries), products): ((i64, i64), i64)| {
        let (rows, entries) = (rows as usize, entries as usize);
        let made = Batch { first_row, rows, first_entry, entries, products: products as usize };
        (first_row, first_entry) = (first_row + rows, first_entry + entries);
        made
    };
    Ok(sizes.map(of).filter(|batch| batch.rows > 0).collect())
}

/// The matrix of the rows of matrices, of which there is one at least.
#[track_caller]
fn joined<T: Number>(parts: &[Sparse<T>], n_columns: usize) -> Result<Sparse<T>> {
    let lengths: Vec<_> = parts.iter().map(|part| part.segments().lengths()).collect();
    let columns: Vec<_> = parts.iter().map(Sparse::columns).collect();
    let values: Vec<_> = parts.iter().map(Sparse::values).collect();
    let columns = try_concat(&columns, 0)?;
    let segments = Segments::with_total(&try_concat(&lengths, 0)?, columns.size());
    let made = Sparse::of(segments, columns, try_concat(&values, 0)?, n_columns);
    made.eval()?;
    Ok(made)
}
