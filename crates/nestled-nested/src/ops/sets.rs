//! Lists as sets: what is in one list or the other, in both, or in the first only.

use super::both::{Side, contents, of_both};
use super::differ::differ_from_before;
use super::join::{beside, joined};
use super::order::{key_codes, order_of};
use super::runs::Runs;
use crate::column::Column;
use crate::fault::{Outcome, told};
use crate::nested::Nested;
use crate::rows::Rows;
use nestled_array::{Outside, Result};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    Either,
    Both,
    FirstOnly,
}

impl Nested {
    /// The different elements of each list along an axis and of the list of another array at the same place, as [`unique`](Nested::unique) has them: least first, NaN, then what is
    /// missing, once each. What is equal is that of this array; numbers take their common type. A list that is missing on one side is missing. Computes the number of elements at
    /// once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let (left, right) = (Nested::from_iter([vec![3, 1, 3], vec![]]), Nested::from_iter([vec![2, 1], vec![5]]));
    /// assert_eq!(left.set_union(&right, 1)?.to_list()?.to_string(), "[[1, 2, 3], [5]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, elements cannot be compared, or lists around them differ in length; and errors of evaluation.
    #[track_caller]
    pub fn set_union(&self, other: &Nested, axis: isize) -> Result<Nested> {
        told("set_union", sets(self, other, axis, Among::Either))
    }

    /// As [`set_union`](Nested::set_union), the elements that are in both lists.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let (left, right) = (Nested::from_iter([vec!["mu", "e", "mu"]]), Nested::from_iter([vec!["tau", "mu"]]));
    /// assert_eq!(left.set_intersection(&right, 1)?.to_list()?.to_string(), r#"[["mu"]]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As those of [`set_union`](Nested::set_union).
    #[track_caller]
    pub fn set_intersection(&self, other: &Nested, axis: isize) -> Result<Nested> {
        told("set_intersection", sets(self, other, axis, Among::Both))
    }

    /// As [`set_union`](Nested::set_union), the elements that are in this list only.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let (left, right) = (Nested::from_iter([vec![3, 1, 3], vec![4]]), Nested::from_iter([vec![2, 1], vec![]]));
    /// assert_eq!(left.set_difference(&right, 1)?.to_list()?.to_string(), "[[3], [4]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As those of [`set_union`](Nested::set_union).
    #[track_caller]
    pub fn set_difference(&self, other: &Nested, axis: isize) -> Result<Nested> {
        told("set_difference", sets(self, other, axis, Among::FirstOnly))
    }
}

fn sets(left: &Nested, right: &Nested, axis: isize, among: Among) -> Outcome<Nested> {
    of_both(left, right, axis, &mut |left, right| chosen(left, right, among))
}

fn chosen(left: &Side, right: &Side, among: Among) -> Outcome<(Rows, Nested)> {
    let contents = contents(left, right)?;
    let all = joined(&contents)?;
    let codes = &key_codes(std::slice::from_ref(&all))?[0];
    let (rows, from) = beside(&left.rows, &right.rows);
    let in_rows = Column::from(codes.take(0, &from, Outside::Clamp));
    // Of equal elements those of the left side come first.
    let order = order_of(&rows, &in_rows, &from, true);
    let sorted = Column::from(codes.take(0, &order, Outside::Clamp));
    let runs = Runs::of(&rows, &differ_from_before(&sorted, None, false))?;
    let firsts = order.take(0, &runs.starts, Outside::Clamp);
    if among == Among::Either {
        return Ok((runs.rows, all.take(&firsts)?));
    }
    let lasts = order.take(0, &(&runs.starts + &runs.lengths - 1), Outside::Clamp);
    let count = left.rows.total() as i64;
    let in_right = lasts.ge(count);
    let kept = firsts.lt(count).and(if among == Among::Both { in_right } else { !in_right });
    let made = left.content.take(&firsts.compress(&kept)?)?;
    Ok((runs.rows.kept(&kept, made.length), made))
}
