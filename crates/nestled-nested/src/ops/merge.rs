//! Sorted lists of two arrays merged.

use super::both::{Side, contents, of_both};
use super::join::{beside, joined};
use super::meant::{Meant, aligned};
use super::order::key_codes;
use super::search::lower_bound;
use crate::column::{Column, Typed, each_number};
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Collision, Direction, Inclusion, Number, Operator, Outside, Result};

impl Nested {
    /// Each sorted list along an axis and the sorted list of another array at the same place as one sorted list; of equal elements those of this array come first. The order is that
    /// of [`sort`](Nested::sort), upward: NaN comes after numbers, and what is missing last. Records are in the order of their first fields, lists in that of a dictionary. Numbers take
    /// their common type. A list that is missing on one side is missing. Computes at once that the lists are sorted.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let (left, right) = (Nested::from_iter([vec![1, 4], vec![]]), Nested::from_iter([vec![2, 4, 5], vec![3]]));
    /// assert_eq!(left.merge_sorted(&right, 1)?.to_list()?.to_string(), "[[1, 2, 4, 4, 5], [3]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, a list is not sorted, elements cannot be compared, or lists around them differ in length; and errors of evaluation.
    #[track_caller]
    pub fn merge_sorted(&self, other: &Nested, axis: isize) -> Result<Nested> {
        told("merge_sorted", of_both(self, other, axis, &mut merged))
    }
}

fn merged(left: &Side, right: &Side) -> Outcome<(Rows, Nested)> {
    let contents = contents(left, right)?;
    let [own, other] = in_order(&contents)?;
    for (side, column, whose) in [(left, &own, "this"), (right, &other, "the other")] {
        each_number!(column, x => check_sorted(&side.rows, x, whose))?;
    }
    let fewer = each_number!(&own, x => less_before(left, right, x, &other));
    let (rows, _) = beside(&left.rows, &right.rows);
    // Elements of each side stay in their order: where those of the left side go says where those of the right go.
    let place = left.rows.spread(rows.starts()) + left.rows.places() + fewer;
    let is_left = Array::fill(false, &[rows.total()]).scatter(
        &[&place],
        &Array::fill(true, &[left.rows.total()]),
        Collision::Last,
    );
    let before = is_left.cast::<i64>().scan(0, Operator::Add, Inclusion::Exclusive, Direction::Forward);
    let in_right = Array::range(rows.total()) - &before + left.rows.total() as i64;
    let made = joined(&contents)?.take(&is_left.select(before, in_right))?;
    Ok((rows, made))
}

/// Numbers of one type in the order of the elements: these themselves where all of them can be compared.
fn in_order(contents: &[Nested; 2]) -> Outcome<[Column; 2]> {
    match (&contents[0].layout, &contents[1].layout) {
        (Layout::Leaf(own), Layout::Leaf(other)) => {
            let common = own.kind().common(other.kind());
            if common.is_integer() {
                return Ok([own.cast(common), other.cast(common)]);
            }
        }
        (Layout::Meant(..), Layout::Meant(..)) => {
            let (_, columns) = aligned(&[Meant::of(&contents[0])?, Meant::of(&contents[1])?])?;
            return Ok([columns[0].clone(), columns[1].clone()]);
        }
        _ => {}
    }
    let codes = key_codes(contents)?;
    Ok([Column::from(codes[0].clone()), Column::from(codes[1].clone())])
}

/// Faults if a list is not sorted.
fn check_sorted<T: Typed + Number>(rows: &Rows, x: &Array<T>, whose: &str) -> Outcome<()> {
    let before = x.take(0, &(Array::<i64>::range(x.size()) - 1), Outside::Clamp);
    let falls = rows.places().gt(0).and(x.lt(before));
    if !falls.any().item()? {
        return Ok(());
    }
    let place = falls.to_vec()?.iter().position(|&falls| falls).unwrap_or(0);
    let list = rows.owners().to_vec()?[place];
    fault(format!("list {list} of {whose} array is not sorted"))
}

/// For each element of the left lists how many of the right list at its place are less.
fn less_before<T: Typed + Number>(left: &Side, right: &Side, x: &Array<T>, other: &Column) -> Array<i64> {
    let other = T::of(other).expect("both have one type");
    let begin = left.rows.spread(right.rows.starts());
    let count = left.rows.spread(right.rows.lengths());
    lower_bound(other, x, &begin, &count, right.rows.total()) - begin
}
