//! Sorts of records by some of their fields, each upward or downward.

use super::count::rows_of;
use super::order::comparable;
use super::reduce::Part;
use crate::fault::{InField, Outcome, fault, told};
use crate::nested::Nested;
use crate::rows::Rows;
use nestled_array::{Array, Outside, Result};

impl Nested {
    /// Sorts the records of each list along an axis by fields: by the first, then by the next where that is equal. Each goes upward where `true` stands beside it, downward where
    /// `false` does. As in [`sort`](Nested::sort), NaN comes after numbers and what is missing last, downward too; records that are missing are the last of all. Records with equal
    /// fields keep their order. Fields that are records or lists are in the order of [`unique`](Nested::unique).
    ///
    /// ```
    /// use nestled_nested::{Nested, zip};
    /// let (charge, pt) = (Nested::from_iter([vec![1, -1, 1], vec![-1]]), Nested::from_iter([vec![20, 30, 40], vec![50]]));
    /// let muons = zip(&[("charge", &charge), ("pt", &pt)])?;
    /// let sorted = muons.sort_by(&[("charge", true), ("pt", false)], 1)?;
    /// assert_eq!(sorted.field("pt")?.to_list()?.to_string(), "[[30, 40, 20], [50]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, no field, or none of that name, or one that cannot be compared; and errors of evaluation.
    #[track_caller]
    pub fn sort_by(&self, fields: &[(&str, bool)], axis: isize) -> Result<Nested> {
        let sorted = self.in_order_of(fields, axis, &mut |_, content, order| content.take(order));
        told("sort_by", sorted)
    }

    /// For each list along an axis the places of its records in the order of [`sort_by`](Nested::sort_by).
    ///
    /// ```
    /// use nestled_nested::{Nested, zip};
    /// let muons = zip(&[("pt", &Nested::from_iter([vec![20, 40, 30], vec![]]))])?;
    /// assert_eq!(muons.argsort_by(&[("pt", false)], 1)?.to_list()?.to_string(), "[[1, 2, 0], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As those of [`sort_by`](Nested::sort_by).
    #[track_caller]
    pub fn argsort_by(&self, fields: &[(&str, bool)], axis: isize) -> Result<Nested> {
        let places =
            self.in_order_of(fields, axis, &mut |rows, _, order| Ok(Nested::of(rows.places_within(order))));
        told("argsort_by", places)
    }

    fn in_order_of(&self, fields: &[(&str, bool)], axis: isize, make: Ordered) -> Outcome<Nested> {
        let mut on = |rows: &Rows, content: &Nested| make(rows, content, &order_by(rows, content, fields)?);
        if self.is_outermost(axis) {
            return on(&Rows::single(self.length), self);
        }
        self.at_axis(axis, &mut |lists| {
            let (rows, _) = rows_of(lists)?;
            lists.map_content(&mut |content| on(&rows, content))
        })
    }
}

/// A function of rows, their elements, and for each place in sorted rows where its element was.
type Ordered<'f> = &'f mut dyn FnMut(&Rows, &Nested, &Array<i64>) -> Outcome<Nested>;

fn order_by(rows: &Rows, content: &Nested, fields: &[(&str, bool)]) -> Outcome<Array<i64>> {
    if fields.is_empty() {
        return fault("there is no field to sort by");
    }
    let mut order = Array::<i64>::range(content.length);
    // A sort keeps the order of what is equal, so that the first field comes last.
    for (name, ascending) in fields.iter().rev() {
        let key = content.field_of(name)?.take(&order)?;
        let (valid, present) = key.parts();
        let column = comparable(present).in_field(name)?;
        let part = Part { rows, present, valid, index: rows.places() };
        order = order.take(0, &part.order_by(&column, *ascending), Outside::Clamp);
    }
    Ok(order)
}
