//! What each element of a list comes to with those before it, and its share of the list. What is missing stays so, and is left out.

use super::meant::{keeping, no_amount};
use super::reduce::{Part, filled};
use super::term::column;
use crate::column::{Column, Extremes, Typed, each_number};
use crate::fault::{Outcome, told};
use crate::nested::{Layout, Nested};
use crate::schema::{Kind, Meaning};
use nestled_array::{Array, Direction, Float, Inclusion, Number, Operator, Result};

fn scanned<T: Typed + Number>(part: &Part, x: &Array<T>, operator: Operator, unit: T) -> Array<T> {
    let rows = part.rows.ragged(&filled(x, part.valid, unit));
    rows.scan(operator, Inclusion::Inclusive, Direction::Forward).flatten().clone()
}

/// Sums or products, as wide as those of a whole list.
fn wide<T: Typed + Number>(part: &Part, x: &Array<T>, operator: Operator) -> Column
where
    T::Wide: Typed,
{
    let unit = if operator == Operator::Add { T::Wide::ZERO } else { T::Wide::ONE };
    T::Wide::column(scanned(part, &x.cast::<T::Wide>(), operator, unit))
}

fn extreme<T: Typed + Number + Extremes>(part: &Part, x: &Array<T>, operator: Operator) -> Column {
    let unit = if operator == Operator::Max { T::LEAST } else { T::MOST };
    T::column(scanned(part, x, operator, unit))
}

fn cumulated(part: &Part, operator: Operator) -> Outcome<Nested> {
    if let Layout::Meant(meaning, column) = &part.present.layout {
        return meant(part, meaning, column, operator);
    }
    Ok(Nested::leaf(scans(part, column(part.present)?, operator)).present_if(part.valid.cloned()))
}

/// As [`cumulated`], of integers that stand for something.
fn meant(part: &Part, meaning: &Meaning, column: &Column, operator: Operator) -> Outcome<Nested> {
    let made = match operator {
        Operator::Add => keeping(meaning, column, &mut |column| Ok(scans(part, column, operator)))?,
        Operator::Min | Operator::Max => Nested::meant(meaning, &scans(part, column, operator)),
        _ => return no_amount(meaning),
    };
    Ok(made.present_if(part.valid.cloned()))
}

fn scans(part: &Part, own: &Column, operator: Operator) -> Column {
    let made = match operator {
        Operator::Add | Operator::Mul => each_number!(own, x => wide(part, x, operator)),
        _ => each_number!(own, x => extreme(part, x, operator)),
    };
    let is_bool = own.kind() == Kind::Bool && matches!(operator, Operator::Min | Operator::Max);
    if is_bool { made.cast(Kind::Bool) } else { made }
}

macro_rules! cumulative {
    ($($(#[$doc:meta])* $name:ident $operator:ident;)*) => {
        impl Nested {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// There is no such axis, or elements are no numbers; and errors of evaluation, where the axis is not the innermost.
            #[track_caller]
            pub fn $name(&self, axis: isize) -> Result<Nested> {
                told(stringify!($name), self.within_rows(axis, &mut |part| cumulated(part, Operator::$operator)))
            }
        )*}
    };
}

cumulative! {
    /// The sum of each element of a list along an axis with all before it. That of integers is `int64` (`uint64` for those).
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![Some(1), None, Some(3)], vec![]]);
    /// assert_eq!(rows.cumsum(-1)?.to_list()?.to_string(), "[[1, None, 4], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    cumsum Add;
    /// The product of each element of a list along an axis with all before it.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![2, 3, 4], vec![]]).cumprod(-1)?.to_list()?.to_string(), "[[2, 6, 24], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    cumprod Mul;
    /// The least of each element of a list along an axis and all before it; NaN from the first on.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![3, 4, 1]]).cummin(-1)?.to_list()?.to_string(), "[[3, 3, 1]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    cummin Min;
    /// The greatest of each element of a list along an axis and all before it; NaN from the first on.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![3, 1, 4]]).cummax(-1)?.to_list()?.to_string(), "[[3, 3, 4]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    cummax Max;
}

impl Nested {
    /// The exponential of each element of a list along an axis, as a part of their sum: `ak.softmax`. That of integers is `float64`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![7, 7], vec![3]]).softmax(-1)?.to_list()?.to_string(), "[[0.5, 0.5], [1.0]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements are no numbers; and errors of evaluation, where the axis is not the innermost.
    #[track_caller]
    pub fn softmax(&self, axis: isize) -> Result<Nested> {
        let made = self.within_rows(axis, &mut |part| {
            let own = column(part.present)?;
            let kind = if own.kind() == Kind::Float32 { Kind::Float32 } else { Kind::Float64 };
            let made = match own.cast(kind) {
                Column::Float32(x) => Nested::of(shares(part, &x)),
                Column::Float64(x) => Nested::of(shares(part, &x)),
                _ => unreachable!("it was converted to a float"),
            };
            Ok(made.present_if(part.valid.cloned()))
        });
        told("softmax", made)
    }
}

/// The greatest is taken off before, so that no exponential is too large.
fn shares<T: Typed + Float>(part: &Part, x: &Array<T>) -> Array<T> {
    let x = filled(x, part.valid, <T as Float>::of(f64::NEG_INFINITY));
    let greatest = part.rows.ragged(&x).reduce(Operator::Max);
    let exp = (x - part.rows.spread(&greatest)).exp();
    &exp / part.rows.spread(&part.rows.ragged(&exp).reduce(Operator::Add))
}
