//! Entries in any order: put in order, and those of one place made one.

use super::Sparse;
use crate::array::{Array, Border};
use crate::element::{Element, Number};
use crate::engine::Engine;
use crate::error::Result;
use crate::ops::{Outside, try_concat};
use crate::ragged::{Ragged, Segments};
use nestled_ir::MonoidOp;

/// Rows, columns and values of entries, all of them inside of the matrix.
pub(super) struct Entries<T: Number> {
    pub rows: Array<i64>,
    pub columns: Array<i64>,
    pub values: Array<T>,
}

impl<T: Number> Entries<T> {
    fn count(&self) -> usize {
        self.rows.size()
    }

    /// These entries and then others.
    #[track_caller]
    pub fn followed_by(&self, others: &Entries<T>) -> Result<Entries<T>> {
        Ok(Entries {
            rows: try_concat(&[&self.rows, &others.rows], 0)?,
            columns: try_concat(&[&self.columns, &others.columns], 0)?,
            values: try_concat(&[&self.values, &others.values], 0)?,
        })
    }

    /// Those at some places.
    fn take(&self, places: &Array<i64>) -> Entries<T> {
        Entries {
            rows: at(&self.rows, places),
            columns: at(&self.columns, places),
            values: at(&self.values, places),
        }
    }

    /// Sorted by rows, then by columns; those of one place keep their order. Computed at once.
    #[track_caller]
    fn sorted(&self) -> Result<Entries<T>> {
        let by_column = self.columns.try_argsort(0)?;
        let by_row = at(&self.rows, &by_column).try_argsort(0)?;
        let sorted = self.take(&at(&by_column, &by_row));
        Engine::current().eval(&[&sorted.rows, &sorted.columns, &sorted.values])?;
        Ok(sorted)
    }

    /// Marks of sorted entries that have the same place as the one before.
    fn same_as_before(&self) -> Array<bool> {
        self.rows.eq(before(&self.rows)).and(self.columns.eq(before(&self.columns)))
    }

    /// True if they are sorted, no two of one place.
    #[track_caller]
    fn is_increasing(&self) -> Result<bool> {
        let further = self.columns.gt(before(&self.columns));
        self.rows.gt(before(&self.rows)).or(self.rows.eq(before(&self.rows)).and(further)).all().item()
    }

    /// The matrix of these entries, those of one place added up in their order.
    #[track_caller]
    pub fn summed(&self, shape: [usize; 2]) -> Result<Sparse<T>> {
        if self.is_increasing()? {
            return self.alone(shape);
        }
        let sorted = self.sorted()?;
        let total = sorted.count();
        let starts = Array::<i64>::range(total).compress(&!sorted.same_as_before())?;
        if starts.size() == total {
            return sorted.alone(shape);
        }
        let lengths = starts.shift(&[-1], Border::Default(total as i64)) - &starts;
        let runs = Ragged::<T>::new(&sorted.values, &Segments::with_total(&lengths, total))?;
        let mut one = sorted.take(&starts);
        one.values = runs.reduce(MonoidOp::Add);
        one.alone(shape)
    }

    /// The matrix of the products of entries at one place, of which there are two at most: the first times the second. Other entries go.
    #[track_caller]
    pub fn paired(&self, shape: [usize; 2]) -> Result<Sparse<T>> {
        let sorted = self.sorted()?;
        let seconds = Array::<i64>::range(sorted.count()).compress(&sorted.same_as_before())?;
        let mut one = sorted.take(&seconds);
        one.values = at(&sorted.values, &(&seconds - 1)) * &one.values;
        one.alone(shape)
    }

    /// The matrix of sorted entries, of which no two have one place.
    #[track_caller]
    fn alone(&self, [n_rows, n_columns]: [usize; 2]) -> Result<Sparse<T>> {
        let segments = Segments::with_total(&self.rows.histogram(n_rows), self.count());
        let made = Sparse::of(segments, self.columns.clone(), self.values.clone(), n_columns);
        made.eval()?;
        Ok(made)
    }
}

impl<T: Number> Sparse<T> {
    /// The entries, row after row.
    pub(super) fn entries(&self) -> Entries<T> {
        Entries {
            rows: self.segments().owners(),
            columns: self.columns().clone(),
            values: self.values().clone(),
        }
    }
}

/// For each entry the row or column of the one before; of the first there is none.
fn before(places: &Array<i64>) -> Array<i64> {
    places.shift(&[1], Border::Default(-1))
}

/// Elements of a vector at places that are known to be inside. (`take` reads its places through a view, and so has computed ones in memory.)
#[track_caller]
pub(super) fn at<U: Element>(values: &Array<U>, places: &Array<i64>) -> Array<U> {
    values.gather(&[places], Outside::Clamp)
}
