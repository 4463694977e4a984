//! Statistics of lists along an axis: variance, quantiles, ranges, histograms. What is missing is left out.

use super::reduce::{Part, extremes, filled, how_many};
use super::term::column;
use crate::column::{Column, Extremes, Typed, each_number};
use crate::fault::{Outcome, fault, told};
use crate::nested::Nested;
use crate::schema::Kind;
use nestled_array::{Array, Float, Number, Operator, Outside, Result};

/// A function of rows of floats.
trait OfRows {
    fn apply<T: Typed + Float>(&self, part: &Part, x: &Array<T>) -> Outcome<Array<T>>;
}

/// Numbers as the floats that statistics have: `float32`, or else `float64`.
fn of_floats(part: &Part, function: &impl OfRows) -> Outcome<Nested> {
    let column = column(part.present)?;
    let kind = if column.kind() == Kind::Float32 { Kind::Float32 } else { Kind::Float64 };
    match column.cast(kind) {
        Column::Float32(x) => Ok(Nested::of(function.apply(part, &x)?)),
        Column::Float64(x) => Ok(Nested::of(function.apply(part, &x)?)),
        _ => unreachable!("it was converted to a float"),
    }
}

/// The variance, with so many degrees of freedom less.
struct Variance(usize);

impl OfRows for Variance {
    fn apply<T: Typed + Float>(&self, part: &Part, x: &Array<T>) -> Outcome<Array<T>> {
        let count = how_many(part.rows, part.valid);
        let sum = |x: &Array<T>| part.rows.ragged(&filled(x, part.valid, T::ZERO)).reduce(Operator::Add);
        let from_mean = x - part.rows.spread(&(sum(x) / count.cast::<T>()));
        let freedom = (count - self.0 as i64).maximum(0).cast::<T>();
        Ok(sum(&from_mean.square()) / freedom)
    }
}

/// The standard deviation, with so many degrees of freedom less.
struct Deviation(usize);

impl OfRows for Deviation {
    fn apply<T: Typed + Float>(&self, part: &Part, x: &Array<T>) -> Outcome<Array<T>> {
        Ok(Variance(self.0).apply(part, x)?.sqrt())
    }
}

/// The number that a part of all numbers lies below.
struct Quantile(f64);

impl OfRows for Quantile {
    fn apply<T: Typed + Float>(&self, part: &Part, x: &Array<T>) -> Outcome<Array<T>> {
        let count = how_many(part.rows, part.valid);
        let nan = <T as Float>::of(f64::NAN);
        // What is missing comes last, among NaN.
        let sorted = part.sorted(&filled(x, part.valid, nan), true);
        let at = |place: &Array<i64>| {
            let found = sorted.take(0, &(part.rows.starts() + place), Outside::Default(nan));
            count.gt(0).select(found, nan)
        };
        let last = (&count - 1).maximum(0);
        let exact = last.cast::<f64>() * self.0;
        let before = exact.floor_to::<i64>();
        let rest = (exact - before.cast::<f64>()).cast::<T>();
        let low = at(&before);
        let between = &low + (at(&(&before + 1).minimum(&last)) - &low) * &rest;
        // NaN is last in the order.
        let greatest = at(&last);
        Ok(greatest.ne(&greatest).select(nan, rest.gt(T::ZERO).select(between, low)))
    }
}

impl Nested {
    /// The variance of each list along an axis: the mean of the squares of deviations from the mean, with `ddof` less than their number for a divisor: `ak.var`. NaN where that
    /// is 0 or less, as for an empty list. That of integers is `float64`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 3], vec![]]);
    /// assert_eq!(rows.var(-1, 0)?.to_list()?.to_string(), "[1.0, nan]");
    /// assert_eq!(rows.var(-1, 1)?.to_list()?.to_string(), "[2.0, nan]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements are no numbers; and errors of evaluation, where the axis is not the innermost.
    #[track_caller]
    pub fn var(&self, axis: isize, ddof: usize) -> Result<Nested> {
        told("var", self.reduced_by(axis, &mut |part| of_floats(part, &Variance(ddof))))
    }

    /// The standard deviation of each list along an axis, the root of the [variance](Nested::var): `ak.std`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![1, 5], vec![]]).std(-1, 0)?.to_list()?.to_string(), "[2.0, nan]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements are no numbers; and errors of evaluation, where the axis is not the innermost.
    #[track_caller]
    pub fn std(&self, axis: isize, ddof: usize) -> Result<Nested> {
        told("std", self.reduced_by(axis, &mut |part| of_floats(part, &Deviation(ddof))))
    }

    /// The number of each list along an axis that a part `q` of its numbers lies below, in between two of them where it does; NaN if it is empty or has one. That of integers is
    /// `float64`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 4, 2], vec![]]);
    /// assert_eq!(rows.quantile(0.75, -1)?.to_list()?.to_string(), "[3.0, nan]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The part is not between 0 and 1, there is no such axis, or elements are no numbers; and errors of evaluation, where the axis is not the innermost.
    #[track_caller]
    pub fn quantile(&self, q: f64, axis: isize) -> Result<Nested> {
        if !(0.0..=1.0).contains(&q) {
            return told("quantile", fault(format!("{q} is not between 0 and 1")));
        }
        told("quantile", self.reduced_by(axis, &mut |part| of_floats(part, &Quantile(q))))
    }

    /// The number in the middle of each list along an axis, or the mean of the two there: the [quantile](Nested::quantile) of a half.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![1, 9, 2], vec![1, 2]]).median(-1)?.to_list()?.to_string(), "[2.0, 1.5]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements are no numbers; and errors of evaluation, where the axis is not the innermost.
    #[track_caller]
    pub fn median(&self, axis: isize) -> Result<Nested> {
        told("median", self.reduced_by(axis, &mut |part| of_floats(part, &Quantile(0.5))))
    }

    /// The difference between the greatest and the least number of each list along an axis: `ak.ptp`. Missing if it is empty. That of integers is `int64` (`uint64` for those).
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![7, 2, 3], vec![]]).ptp(-1)?.to_list()?.to_string(), "[5, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements are no numbers; and errors of evaluation, where the axis is not the innermost.
    #[track_caller]
    pub fn ptp(&self, axis: isize) -> Result<Nested> {
        fn reach<T: Typed + Number + Extremes>(part: &Part, x: &Array<T>) -> Nested
        where
            T::Wide: Typed,
        {
            let end = |max| extremes(part.rows, x, part.valid, max).cast::<T::Wide>();
            Nested::of(end(true) - end(false))
        }
        let reaches = self.reduced_by(axis, &mut |part| {
            let reach = each_number!(column(part.present)?, x => reach(part, x));
            Ok(Nested::present(how_many(part.rows, part.valid).gt(0), reach))
        });
        told("ptp", reaches)
    }

    /// How many numbers of each list along an axis lie in each of `bins` equal parts between two numbers, as lists of one length. A number at `high` lies in the last; numbers
    /// outside, and NaN, in none.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![0.5, 1.5, 1.0, 9.0], vec![]]);
    /// assert_eq!(rows.histogram(2, 0.0, 2.0, -1)?.to_list()?.to_string(), "[[1, 2], [0, 0]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There are no bins, the numbers are not in order, there is no such axis, or elements are no numbers; and errors of evaluation, where the axis is not the innermost.
    #[track_caller]
    pub fn histogram(&self, bins: usize, low: f64, high: f64, axis: isize) -> Result<Nested> {
        if bins == 0 || !(low < high && (high - low).is_finite()) {
            return told("histogram", fault(format!("{bins} bins between {low} and {high}")));
        }
        told("histogram", self.reduced_by(axis, &mut |part| counted(part, bins, low, high)))
    }
}

fn counted(part: &Part, bins: usize, low: f64, high: f64) -> Outcome<Nested> {
    let Column::Float64(x) = column(part.present)?.cast(Kind::Float64) else {
        return fault("it is no number");
    };
    let (rows, last) = (part.rows.count(), bins as i64 - 1);
    let Some(total) = rows.checked_mul(bins) else { return fault("there are too many bins") };
    let bin = ((&x - low) / (high - low) * bins as f64).floor_to::<i64>().minimum(last);
    let inside = x.ge(low).and(x.le(high));
    let inside = match part.valid {
        Some(valid) => inside.and(valid),
        None => inside,
    };
    // Of one row all bins are its own.
    let bin = if rows == 1 { bin } else { part.rows.owners() * bins as i64 + bin };
    let counts = inside.select(bin, -1).histogram(total);
    Nested::fixed(rows, bins, Nested::of(counts))
}
