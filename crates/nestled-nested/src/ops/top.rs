//! The greatest few elements of lists, along any axis.

use super::count::rows_of;
use super::reduce::{Part, turn};
use crate::fault::{Outcome, told};
use crate::nested::Nested;
use crate::rows::Rows;
use nestled_array::Result;

impl Nested {
    /// The `k` greatest numbers or texts of each list along an axis, the greatest first; fewer of shorter lists. NaN and what is missing count as the least. Along an outer axis
    /// the elements at each place of inner lists are such a list, as they are for a reduction: the first list has the greatest at each place. Computes the number of elements at
    /// once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1, 2], vec![4]]);
    /// assert_eq!(rows.top(2, -1)?.to_list()?.to_string(), "[[3, 2], [4]]");
    /// assert_eq!(rows.top(1, 0)?.to_list()?.to_string(), "[[4, 1, 2]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements are neither numbers nor texts; and errors of evaluation.
    #[track_caller]
    pub fn top(&self, k: usize, axis: isize) -> Result<Nested> {
        let k = i64::try_from(k).unwrap_or(i64::MAX);
        if self.is_outermost(axis) {
            return told("top", greatest(&Rows::single(self.length), self, k).map(|(_, made)| made));
        }
        let made = self.at_axis(axis, &mut |lists| {
            let (rows, content) = rows_of(lists)?;
            let (rows, made) = greatest(&rows, content, k)?;
            Ok(Nested::lists(&rows, made))
        });
        told("top", made)
    }
}

/// The greatest elements of each row. Those at one place of inner lists are brought together, and the first of each are a list again, then the second, and so on: as a place that
/// a list reaches has all lists that reach the next, no list has gaps.
fn greatest(rows: &Rows, content: &Nested, k: i64) -> Outcome<(Rows, Nested)> {
    let Some((inner, deeper)) = content.as_rows()? else {
        let (valid, present) = content.parts();
        let sorted = Part { rows, present, valid, index: rows.places() }.sorted_content(false)?;
        let kept = Rows::of(&rows.lengths().minimum(k))?;
        let first = sorted.take(&kept.places_from(rows.starts()))?;
        return Ok((kept, first));
    };
    let turned = turn(rows, &inner)?;
    let (ranks, made) = greatest(&turned.inner, &deeper.take(&turned.order)?, k)?;
    let back = turn(&turned.outer, &ranks)?;
    Ok((back.outer, Nested::lists(&back.inner, made.take(&back.order)?)))
}
