//! Reductions of lists along an axis. What is missing is left out.
//!
//! Along an axis that is not the innermost, elements at the same place of inner lists are brought together first: lists of lists change places with those around
//! them, level after level, until the axis is the innermost.

use super::count::rows_of;
use super::meant::{floats_of, keeping, no_amount};
use super::term;
use crate::column::{Column, Extremes, Typed, each_number};
use crate::fault::{Outcome, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use crate::schema::{Kind, Meaning};
use nestled_array::{Array, Number, Operator, Outside, Result};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reduction {
    Count,
    CountNonzero,
    Sum,
    Prod,
    Any,
    All,
    Mean,
    Min,
    Max,
    ArgMin,
    ArgMax,
}

impl Nested {
    #[track_caller]
    fn reduced(&self, name: &'static str, axis: isize, reduction: Reduction) -> Result<Nested> {
        told(name, self.reduced_along(axis, reduction))
    }

    fn reduced_along(&self, axis: isize, reduction: Reduction) -> Outcome<Nested> {
        self.reduced_by(axis, &mut |part| match &part.present.layout {
            Layout::Meant(meaning, column) => meant(part, meaning, column, reduction),
            _ if reduction == Reduction::Count => Ok(Nested::of(how_many(part.rows, part.valid))),
            _ => Ok(row_by_row(part.rows, term::column(part.present)?, part.valid, part.index, reduction)),
        })
    }

    /// A reduction of each row along an axis.
    pub(super) fn reduced_by(&self, axis: isize, row_by_row: RowByRow) -> Outcome<Nested> {
        if !self.is_outermost(axis) {
            return self.at_axis(axis, &mut |lists| {
                let (rows, content) = rows_of(lists)?;
                inward(&rows, content, rows.places(), row_by_row)
            });
        }
        let rows = Rows::single(self.length);
        let single = inward(&rows, self, rows.places(), row_by_row)?;
        // One list of results, whose list is the outermost now.
        match single.rows().filter(|_| single.is_lists()) {
            Some((_, content)) => Ok(content.clone()),
            None => Ok(single),
        }
    }
}

/// Rows of numbers or texts, without lists, that a function reduces to an element for each row, or changes in place.
pub(super) struct Part<'p> {
    pub rows: &'p Rows,
    pub present: &'p Nested,
    pub valid: Option<&'p Array<bool>>,
    /// The place of each element along the axis.
    pub index: &'p Array<i64>,
}

/// A function of rows.
pub(super) type RowByRow<'f> = &'f mut dyn FnMut(&Part) -> Outcome<Nested>;

/// Reduces the elements of each row; `index` has the place of each along the axis of the reduction.
fn inward(rows: &Rows, content: &Nested, index: &Array<i64>, row_by_row: RowByRow) -> Outcome<Nested> {
    if let Some((inner, deeper)) = content.as_rows()? {
        let turned = turn(rows, &inner)?;
        let index = inner.spread(index).take(0, &turned.order, Outside::Clamp);
        let reduced = inward(&turned.inner, &deeper.take(&turned.order)?, &index, row_by_row)?;
        return Ok(Nested::lists(&turned.outer, reduced));
    }
    let (valid, present) = content.parts();
    let fields = present.map_fields(&mut |field| {
        let field = match valid {
            Some(valid) => field.optional(valid)?,
            None => field.clone(),
        };
        inward(rows, &field, index, row_by_row)
    })?;
    fields.map_or_else(|| row_by_row(&Part { rows, present, valid, index }), Ok)
}

/// Lists of lists that changed places.
pub(super) struct Turned {
    pub outer: Rows,
    pub inner: Rows,
    /// Where each element was.
    pub order: Array<i64>,
}

/// Brings together the elements at one place of all inner lists of an outer one. Computes how many places there are.
pub(super) fn turn(outer: &Rows, inner: &Rows) -> Outcome<Turned> {
    let longest = outer.ragged(inner.lengths()).max().maximum(0);
    let turned = Rows::of(&longest)?;
    // The number of each new list, for the elements of the inner lists.
    let begins = outer.spread(turned.starts());
    let key = inner.spread(&begins) + inner.places();
    let order = Array::<i64>::range(inner.total()).sort_by_key(0, &key);
    let lengths = key.histogram(turned.total());
    Ok(Turned { outer: turned, inner: Rows::known(&lengths, inner.total()), order })
}

pub(super) fn how_many(rows: &Rows, valid: Option<&Array<bool>>) -> Array<i64> {
    match valid {
        Some(valid) => rows.counts(valid),
        None => rows.lengths().clone(),
    }
}

/// A reduction of integers that stand for something: it keeps what they mean where that makes sense.
fn meant(part: &Part, meaning: &Meaning, column: &Column, reduction: Reduction) -> Outcome<Nested> {
    let made = |column: &Column| row_by_row(part.rows, column, part.valid, part.index, reduction);
    match reduction {
        Reduction::Count | Reduction::ArgMin | Reduction::ArgMax => Ok(made(column)),
        Reduction::Min | Reduction::Max => with_meaning(&made(column), meaning),
        Reduction::Sum => keeping(meaning, column, &mut |column| Ok(term::column(&made(column))?.clone())),
        Reduction::Mean => match floats_of(part.present) {
            Some(floats) => Ok(made(&floats)),
            None => no_amount(meaning),
        },
        Reduction::CountNonzero | Reduction::Prod | Reduction::Any | Reduction::All => no_amount(meaning),
    }
}

/// Integers that may be missing, with a meaning.
fn with_meaning(nested: &Nested, meaning: &Meaning) -> Outcome<Nested> {
    let (valid, present) = nested.parts();
    Ok(Nested::meant(meaning, term::column(present)?).present_if(valid.cloned()))
}

fn row_by_row(
    rows: &Rows,
    column: &Column,
    valid: Option<&Array<bool>>,
    index: &Array<i64>,
    reduction: Reduction,
) -> Nested {
    let present = |mask: Array<bool>| match valid {
        Some(valid) => mask.and(valid),
        None => mask,
    };
    let count = || how_many(rows, valid);
    match reduction {
        Reduction::Count => Nested::of(count()),
        Reduction::CountNonzero => Nested::of(rows.counts(&present(truth(column)))),
        Reduction::Any => Nested::of(rows.ragged(&present(truth(column))).reduce(Operator::Or)),
        Reduction::All => Nested::of(!rows.ragged(&present(!truth(column))).reduce(Operator::Or)),
        Reduction::Sum => each_number!(column, x => sum(rows, x, valid)),
        Reduction::Prod => each_number!(column, x => product(rows, x, valid)),
        Reduction::Mean => {
            let kind = if column.kind() == Kind::Float32 { Kind::Float32 } else { Kind::Float64 };
            match (column.cast(kind), count()) {
                (Column::Float32(x), count) => Nested::of(mean(rows, &x, valid, &count.cast())),
                (Column::Float64(x), count) => Nested::of(mean(rows, &x, valid, &count.cast())),
                _ => unreachable!("it was converted to a float"),
            }
        }
        Reduction::Min | Reduction::Max => {
            let found = each_number!(column, x => Column::from(extremes(rows, x, valid, reduction == Reduction::Max)));
            let found = if column.kind() == Kind::Bool { found.cast(Kind::Bool) } else { found };
            Nested::present(count().gt(0), Nested::leaf(found))
        }
        Reduction::ArgMin | Reduction::ArgMax => {
            each_number!(column, x => place_of_extreme(rows, x, valid, index, reduction == Reduction::ArgMax))
        }
    }
}

/// The truth values of numbers: true where they are not 0, as NaN is not.
fn truth(column: &Column) -> Array<bool> {
    match column {
        Column::Bool(x) => x.clone(),
        _ => each_number!(column, x => not_zero(x)),
    }
}

fn not_zero<T: Number>(x: &Array<T>) -> Array<bool> {
    x.ne(T::ZERO)
}

/// Numbers with another in place of those that are missing.
pub(super) fn filled<T: Typed>(x: &Array<T>, valid: Option<&Array<bool>>, missing: T) -> Array<T> {
    match valid {
        Some(valid) => valid.select(x, missing),
        None => x.clone(),
    }
}

fn sum<T: Typed + Number>(rows: &Rows, x: &Array<T>, valid: Option<&Array<bool>>) -> Nested
where
    T::Wide: Typed,
{
    Nested::of(rows.sums(&filled(x, valid, T::ZERO)))
}

fn product<T: Typed + Number>(rows: &Rows, x: &Array<T>, valid: Option<&Array<bool>>) -> Nested
where
    T::Wide: Typed,
{
    Nested::of(rows.ragged(&filled(x, valid, T::ONE).cast::<T::Wide>()).reduce(Operator::Mul))
}

fn mean<T: Typed + nestled_array::Float>(
    rows: &Rows,
    x: &Array<T>,
    valid: Option<&Array<bool>>,
    count: &Array<T>,
) -> Array<T> {
    rows.ragged(&filled(x, valid, T::ZERO)).reduce(Operator::Add) / count
}

pub(super) fn extremes<T: Typed + Number + Extremes>(
    rows: &Rows,
    x: &Array<T>,
    valid: Option<&Array<bool>>,
    max: bool,
) -> Array<T> {
    let (missing, operator) = if max { (T::LEAST, Operator::Max) } else { (T::MOST, Operator::Min) };
    rows.ragged(&filled(x, valid, missing)).reduce(operator)
}

/// The first place of the extreme; the first NaN, if there is one.
fn place_of_extreme<T: Typed + Number + Extremes>(
    rows: &Rows,
    x: &Array<T>,
    valid: Option<&Array<bool>>,
    index: &Array<i64>,
    max: bool,
) -> Nested {
    let found = rows.spread(&extremes(rows, x, valid, max));
    let is_nan = x.ne(x).and(found.ne(&found));
    let here = x.eq(&found).or(is_nan);
    let here = match valid {
        Some(valid) => here.and(valid),
        None => here,
    };
    let place = rows.ragged(&here.select(index, i64::MAX)).reduce(Operator::Min);
    Nested::present(how_many(rows, valid).gt(0), Nested::of(place))
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $reduction:ident;)*) => {
        impl Nested {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// There is no such axis, or elements are no numbers; and errors of evaluation, where the axis is not the innermost.
            #[track_caller]
            pub fn $name(&self, axis: isize) -> Result<Nested> {
                self.reduced(stringify!($name), axis, Reduction::$reduction)
            }
        )*}
    };
}

reductions! {
    /// The number of elements of each list along an axis that are not missing: `ak.count`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![Some(1), None], vec![]]).count(-1)?.to_list()?.to_string(), "[1, 0]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    count Count;
    /// The number of numbers of each list along an axis that are not 0: `ak.count_nonzero`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![1, 0], vec![]]).count_nonzero(-1)?.to_list()?.to_string(), "[1, 0]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    count_nonzero CountNonzero;
    /// The sum of each list along an axis, 0 if it is empty. That of integers is `int64` (`uint64` for those).
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![], vec![3]]);
    /// assert_eq!(rows.sum(-1)?.to_list()?.to_string(), "[3, 0, 3]");
    /// assert_eq!(rows.sum(0)?.to_list()?.to_string(), "[4, 2]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    sum Sum;
    /// The product of each list along an axis, 1 if it is empty.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![3, 2], vec![]]).prod(-1)?.to_list()?.to_string(), "[6, 1]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    prod Prod;
    /// True for each list along an axis that has a number which is true, or not 0: `ak.any`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![false, true], vec![]]).any(-1)?.to_list()?.to_string(), "[true, false]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    any Any;
    /// True for each list along an axis whose numbers are all true, or not 0: `ak.all`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![false, true], vec![]]).all(-1)?.to_list()?.to_string(), "[false, true]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    all All;
    /// The mean of each list along an axis; NaN if it is empty. That of integers is `float64`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![1, 2], vec![]]).mean(-1)?.to_list()?.to_string(), "[1.5, nan]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    mean Mean;
    /// The least number of each list along an axis; missing if it is empty, NaN if there is one.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![2, 1], vec![]]).min(-1)?.to_list()?.to_string(), "[1, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    min Min;
    /// The greatest number of each list along an axis; missing if it is empty, NaN if there is one.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![2, 1], vec![]]).max(-1)?.to_list()?.to_string(), "[2, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    max Max;
    /// The place of the least number of each list along an axis, the first of equal ones; missing if it is empty. The first NaN, if there is one.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![2, 1], vec![]]).argmin(-1)?.to_list()?.to_string(), "[1, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    argmin ArgMin;
    /// The place of the greatest number of each list along an axis, the first of equal ones; missing if it is empty. The first NaN, if there is one.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![2, 1], vec![]]).argmax(-1)?.to_list()?.to_string(), "[0, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    argmax ArgMax;
}
