//! Sorts within lists, along any axis, and what keeps the lists: places in order, ranks.
//!
//! Along an axis that is not the innermost, elements at the same place of inner lists are brought together as for a reduction, and back to where they were.

use super::count::rows_of;
use super::order::{comparable, order_of};
use super::reduce::{Part, RowByRow, filled, turn};
use crate::column::{Column, Typed};
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Collision, Ordered, Outside, Result};

impl Nested {
    /// Sorts the numbers or texts of each list along an axis: `ak.sort`. NaN comes after numbers, and what is missing after those, downward too. Along an outer axis elements at
    /// the same place of inner lists are sorted, as far as lists reach. Computes nothing for numbers along the innermost axis; the number of places along another, and the
    /// greatest length of texts, are computed at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![Some(2), None, Some(1)], vec![]]);
    /// assert_eq!(rows.sort(-1, true)?.to_list()?.to_string(), "[[1, 2, None], []]");
    /// assert_eq!(rows.sort(-1, false)?.to_list()?.to_string(), "[[2, 1, None], []]");
    /// let columns = Nested::from_iter([vec![3, 1], vec![2]]);
    /// assert_eq!(columns.sort(0, true)?.to_list()?.to_string(), "[[2, 1], [3]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements are neither numbers nor texts; and errors of evaluation.
    #[track_caller]
    pub fn sort(&self, axis: isize, ascending: bool) -> Result<Nested> {
        told("sort", self.within_rows(axis, &mut |part| part.sorted_content(ascending)))
    }

    /// For each list along an axis the places of its elements in the order of [`sort`](Nested::sort): `ak.argsort`. Equal elements keep their order.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1, 2], vec![]]);
    /// assert_eq!(rows.argsort(-1, true)?.to_list()?.to_string(), "[[1, 2, 0], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements are neither numbers nor texts; and errors of evaluation.
    #[track_caller]
    pub fn argsort(&self, axis: isize, ascending: bool) -> Result<Nested> {
        let places = self.within_rows(axis, &mut |part| {
            let order = part.order(ascending)?;
            // Where lists within lists changed places, the place along the axis is another one than that in the row.
            let is_own = std::ptr::eq(part.index, part.rows.places());
            let index = if is_own {
                part.rows.places_within(&order)
            } else {
                part.index.take(0, &order, Outside::Clamp)
            };
            Ok(Nested::of(index))
        });
        told("argsort", places)
    }

    /// For each element its place in the order of [`sort`](Nested::sort), counted from 0; equal elements keep their order. What is missing has no rank.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![Some(3), None, Some(2)], vec![]]);
    /// assert_eq!(rows.rank(-1, true)?.to_list()?.to_string(), "[[1, None, 0], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements are neither numbers nor texts; and errors of evaluation.
    #[track_caller]
    pub fn rank(&self, axis: isize, ascending: bool) -> Result<Nested> {
        let ranks = self.within_rows(axis, &mut |part| {
            let rank = inverse(&part.order(ascending)?);
            let rank = Nested::of(part.rows.places_within(&rank));
            Ok(rank.present_if(part.valid.cloned()))
        });
        told("rank", ranks)
    }

    /// A function of the rows along an axis that keeps the number of their elements.
    pub(super) fn within_rows(&self, axis: isize, make: RowByRow) -> Outcome<Nested> {
        if self.is_outermost(axis) {
            let rows = Rows::single(self.length);
            return within(&rows, self, rows.places(), make);
        }
        self.at_axis(axis, &mut |lists| {
            let (rows, _) = rows_of(lists)?;
            lists.map_content(&mut |content| within(&rows, content, rows.places(), make))
        })
    }
}

fn within(rows: &Rows, content: &Nested, index: &Array<i64>, make: RowByRow) -> Outcome<Nested> {
    let (valid, present) = content.parts();
    let Some((inner, deeper)) = content.as_rows()? else {
        return make(&Part { rows, present, valid, index });
    };
    let turned = turn(rows, &inner)?;
    let index = inner.spread(index).take(0, &turned.order, Outside::Clamp);
    let made = within(&turned.inner, &deeper.take(&turned.order)?, &index, make)?;
    let back = made.take(&inverse(&turned.order))?;
    let lists = match (valid, &present.layout) {
        (None, Layout::Fixed(size, _)) => Nested::fixed(content.length, *size, back)?,
        _ => Nested::lists(&inner, back),
    };
    Ok(lists.present_if(valid.cloned()))
}

/// The places of a permutation: where each element went.
pub(super) fn inverse(order: &Array<i64>) -> Array<i64> {
    let count = order.size();
    Array::zeros(&[count]).scatter(&[order], &Array::range(count), Collision::Last)
}

impl Part<'_> {
    /// For each place in sorted rows where its element was.
    pub fn order(&self, ascending: bool) -> Outcome<Array<i64>> {
        Ok(self.order_by(&sortable(self.present)?, ascending))
    }

    /// The elements of sorted rows, what is missing last.
    pub fn sorted_content(&self, ascending: bool) -> Outcome<Nested> {
        let sorted = match self.sorted_numbers(ascending) {
            Some(sorted) => Nested::leaf(sorted),
            None => self.present.take(&self.order(ascending)?)?,
        };
        match self.valid {
            Some(valid) => Ok(Nested::present(self.sorted_validity(valid), sorted)),
            None => Ok(sorted),
        }
    }

    /// The numbers of sorted rows, if they are numbers: where each was is not needed. What is missing becomes something that comes last.
    pub fn sorted_numbers(&self, ascending: bool) -> Option<Column> {
        macro_rules! sorted {
            ($x:ident $type:ident) => {{
                let last = if ascending { $type::MAX } else { $type::MIN };
                self.sorted(&filled($x, self.valid, last), ascending).into()
            }};
        }
        let Layout::Leaf(column) = &self.present.layout else { return None };
        Some(match column {
            Column::Int8(x) => sorted!(x i8),
            Column::Uint8(x) => sorted!(x u8),
            Column::Int16(x) => sorted!(x i16),
            Column::Uint16(x) => sorted!(x u16),
            Column::Int32(x) => sorted!(x i32),
            Column::Uint32(x) => sorted!(x u32),
            Column::Int64(x) => sorted!(x i64),
            Column::Uint64(x) => sorted!(x u64),
            Column::Float32(x) => self.sorted(&filled(x, self.valid, f32::NAN), ascending).into(),
            Column::Float64(x) => self.sorted(&filled(x, self.valid, f64::NAN), ascending).into(),
            Column::Bool(_) | Column::Float16(_) => return None,
        })
    }

    /// Numbers in sorted rows.
    pub fn sorted<T: Typed + Ordered>(&self, x: &Array<T>, ascending: bool) -> Array<T> {
        let rows = self.rows.ragged(x);
        let sorted = if ascending { rows.sort() } else { rows.sort_descending() };
        sorted.flatten().clone()
    }

    /// As [`order`](Part::order), by numbers that stand for the elements.
    pub fn order_by(&self, column: &Column, ascending: bool) -> Array<i64> {
        let before = Array::<i64>::range(self.present.length);
        let sorted = order_of(self.rows, column, &before, ascending);
        let Some(valid) = self.valid else { return sorted };
        let missing = (!valid).take(0, &sorted, Outside::Clamp);
        self.rows.ragged(&sorted).sort_by_key(&missing).flatten().clone()
    }

    /// Where sorted rows have something: at their beginnings.
    pub fn sorted_validity(&self, valid: &Array<bool>) -> Array<bool> {
        self.rows.places().lt(self.rows.spread(&self.rows.counts(valid)))
    }
}

/// Numbers in the order of numbers or texts.
pub(super) fn sortable(present: &Nested) -> Outcome<Column> {
    match &present.layout {
        Layout::Record(_) | Layout::Tuple(_) => {
            fault(format!("`{}` is a record: choose a field, or `sort_by` fields", present.schema()))
        }
        _ => comparable(present),
    }
}
