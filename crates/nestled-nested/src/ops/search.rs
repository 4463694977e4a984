//! Elements looked up among others: whether they are there, where, and which is nearest.

use super::both::{Side, contents, of_both};
use super::flaw::Flaw;
use super::meant::{Meant, aligned, floats_of};
use super::order::{codes_of, key_codes, order_of};
use super::reduce::Part;
use super::term::column;
use crate::broadcast::broadcast;
use crate::column::{Column, Typed, each_number};
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use crate::schema::Kind;
use nestled_array::{Array, Collision, Number, Outside, Result};

/// For each number the first place, from `begin` on, of one that is not less, among `count` sorted ones, of which there are at most `most`.
pub(super) fn lower_bound<T: Typed + Number>(
    sorted: &Array<T>,
    x: &Array<T>,
    begin: &Array<i64>,
    count: &Array<i64>,
    most: usize,
) -> Array<i64> {
    let (mut begin, mut count) = (begin.clone(), count.clone());
    for _ in 0..usize::BITS - most.leading_zeros() {
        let half = count.shift_right(1);
        let middle = &begin + &half;
        let found = sorted.take(0, &middle, Outside::Default(T::ZERO));
        let is_less = count.gt(0).and(found.lt(x));
        begin = is_less.select(&middle + 1, &begin);
        count = is_less.select(&count - &half - 1, &half);
    }
    begin
}

fn among<T: Typed + Number>(x: &Array<T>, values: &Column) -> Array<bool> {
    x.is_in(T::of(values).expect("both have one type"))
}

/// The truth values of a column of numbers that are among others.
fn numbers_among(x: &Column, values: &Column) -> Column {
    let common = x.kind().common(values.kind());
    let (x, values) = (x.cast(common), values.cast(common));
    let number = match common {
        Kind::Bool => Kind::Int64,
        Kind::Float16 => Kind::Float32,
        _ => common,
    };
    Column::from(each_number!(&x, x => among(x, &values.cast(number))))
}

impl Nested {
    /// True for each number or text that is among the values of another array, of any depth: `np.isin`, `ak.str.is_in`. NaN is not among any.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![3]]);
    /// assert_eq!(rows.is_in(&Nested::from_iter([3, 1]))?.to_list()?.to_string(), "[[true, false], [true]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// One has numbers, the other texts; and errors of evaluation.
    #[track_caller]
    pub fn is_in(&self, values: &Nested) -> Result<Nested> {
        told("is_in", self.found_in(values))
    }

    fn found_in(&self, values: &Nested) -> Outcome<Nested> {
        let values = values.raveled()?;
        broadcast(std::slice::from_ref(self), &|_| false, &mut |sides| match &values.layout {
            Layout::Leaf(others) if others.len() > 0 || column(&sides[0]).is_ok() => {
                Ok(Nested::leaf(numbers_among(column(&sides[0])?, others)))
            }
            Layout::Meant(..) => {
                let (_, columns) = aligned(&[Meant::of(&sides[0])?, Meant::of(&values)?])?;
                Ok(Nested::leaf(numbers_among(&columns[0], &columns[1])))
            }
            _ => texts_among(&sides[0], &values),
        })
    }

    /// The first place of each text among the values of another array, of any depth, those that are missing counted; missing where it is none of them: `ak.str.index_in`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let names = Nested::from_iter(["mu", "e", "tau"]);
    /// assert_eq!(names.index_in(&Nested::from_iter(["e", "mu", "e"]))?.to_list()?.to_string(), "[1, 0, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// One has no texts; and errors of evaluation.
    #[track_caller]
    pub fn index_in(&self, values: &Nested) -> Result<Nested> {
        told("index_in", self.places_among(values))
    }

    fn places_among(&self, values: &Nested) -> Outcome<Nested> {
        let mut values = values.clone();
        while let Some((_, content)) = values.as_rows()? {
            values = content;
        }
        let places = Array::<i64>::range(values.length);
        let places = values.parts().0.map_or_else(|| Ok(places.clone()), |valid| places.compress(valid))?;
        let known = values.without_missing()?;
        broadcast(std::slice::from_ref(self), &|_| false, &mut |sides| {
            place_among(&sides[0], &known, &places)
        })
    }

    /// For each element of the lists along an axis the first place of an equal one in the list of another array at the same place; missing where there is none. As in
    /// [`is_in`](Nested::is_in), what is missing is nowhere, and NaN is equal to none; texts go with categories too, and records and lists are compared as a whole.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let (left, right) = (Nested::from_iter([vec![3, 5, 3], vec![1]]), Nested::from_iter([vec![4, 3], vec![]]));
    /// assert_eq!(left.places_in(&right, 1)?.to_list()?.to_string(), "[[1, None, 1], [None]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, elements cannot be compared, or lists around them differ in length; and errors of evaluation.
    #[track_caller]
    pub fn places_in(&self, other: &Nested, axis: isize) -> Result<Nested> {
        told("places_in", of_both(self, other, axis, &mut places_in_lists))
    }

    /// For each number of the lists along an axis the place of the number that is nearest to it in the list of another array at the same place; the lesser of two that are as near,
    /// and the first of equal ones. Missing where that list has no number. Dates, times, timestamps, durations and decimals go with their like, decimals with numbers too.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let times = Nested::from_iter([vec![1.0, 6.5], vec![2.0]]);
    /// let marks = Nested::from_iter([vec![7.0, 0.0, 3.0], vec![]]);
    /// assert_eq!(times.nearest(&marks, 1)?.to_list()?.to_string(), "[[1, 0], [None]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, elements are no numbers or do not go together, or lists around them differ in length; and errors of evaluation.
    #[track_caller]
    pub fn nearest(&self, other: &Nested, axis: isize) -> Result<Nested> {
        told("nearest", of_both(self, other, axis, &mut nearest_in_lists))
    }
}

fn texts_among(side: &Nested, values: &Nested) -> Outcome<Nested> {
    if column(side).is_ok() {
        return fault(format!("`{}` are no texts, as `{}` are", side.schema(), values.schema()));
    }
    if values.length == 0 {
        return Ok(Nested::of(Array::fill(false, &[side.length])));
    }
    let codes = codes_of(&[side.clone(), values.clone()])?;
    // Codes are less than the number of texts.
    let counts = codes[1].histogram(side.length + values.length);
    Ok(Nested::of(counts.take(0, &codes[0], Outside::Default(0)).gt(0)))
}

/// The first of these places, one for each value, at which a text is.
fn place_among(side: &Nested, values: &Nested, places: &Array<i64>) -> Outcome<Nested> {
    if values.length == 0 {
        let nowhere = Nested::of(Array::fill(0i64, &[side.length]));
        return Ok(nowhere.present_if(Some(Array::fill(false, &[side.length]))));
    }
    let codes = codes_of(&[side.clone(), values.clone()])?;
    // Codes are less than the number of texts.
    let nowhere = Array::fill(-1i64, &[side.length + values.length]);
    let first = nowhere.scatter(&[&codes[1]], places, Collision::First);
    let place = first.take(0, &codes[0], Outside::Default(-1));
    Ok(Nested::of(place.maximum(0)).present_if(Some(place.ge(0))))
}

/// For each element of a list the first place of an equal one in the other list.
fn places_in_lists(left: &Side, right: &Side) -> Outcome<(Rows, Nested)> {
    let contents = contents(left, right)?;
    let codes = key_codes(&contents)?;
    let (own, other) = (&codes[0], &codes[1]);
    let order = order_of(&right.rows, &Column::from(other.clone()), &Array::range(other.size()), true);
    let sorted = other.take(0, &order, Outside::Clamp);
    let (begin, count) = (left.rows.spread(right.rows.starts()), left.rows.spread(right.rows.lengths()));
    let place = lower_bound(&sorted, own, &begin, &count, right.rows.total());
    let is_equal = sorted.take(0, &place, Outside::Default(-1)).eq(own).and(place.lt(begin + count));
    let found = Flaw::Nan.left_out(&contents[0], Flaw::Missing.left_out(&contents[0], is_equal));
    let place = order.take(0, &place, Outside::Default(0));
    let place = right.rows.places().take(0, &place, Outside::Default(0));
    Ok((left.rows.clone(), Nested::present(found, Nested::of(place))))
}

fn nearest_in_lists(left: &Side, right: &Side) -> Outcome<(Rows, Nested)> {
    let (rows, others) = (&left.rows, &right.rows);
    let ((own_valid, own), (valid, other)) = (left.content.parts(), right.content.parts());
    let part = Part { rows: others, present: other, valid, index: others.places() };
    let sorted = part.order(true)?;
    let amounts = amounts(own, other)?;
    let is_number = amounts.is_number();
    let usable = others.counts(&valid.map_or_else(|| is_number[1].clone(), |valid| is_number[1].and(valid)));
    let (begin, count) = (rows.spread(others.starts()), rows.spread(&usable));
    let range = (&begin, &count);
    let nearest = match &amounts {
        Amounts::Floats([x, values]) => {
            nearest(&values.take(0, &sorted, Outside::Clamp), x, range, &|greater, less| greater - less)
        }
        Amounts::Integers([x, values]) => {
            // A distance of integers fits as one without a sign.
            let distance = |greater: Array<i64>, less: Array<i64>| (greater - less).cast::<u64>();
            nearest(&values.take(0, &sorted, Outside::Clamp), x, range, &distance)
        }
    };
    let place = sorted.take(0, &nearest, Outside::Default(0));
    let place = others.places().take(0, &place, Outside::Default(0));
    let there = count.gt(0).and(&is_number[0]);
    let there = own_valid.map_or_else(|| there.clone(), |valid| there.and(valid));
    Ok((rows.clone(), Nested::present(there, Nested::of(place))))
}

/// Numbers of two arrays whose distances can be compared.
enum Amounts {
    Floats([Array<f64>; 2]),
    /// Of dates, times, timestamps, durations or decimals in one unit.
    Integers([Array<i64>; 2]),
}

impl Amounts {
    /// Where the elements of both are numbers, and not NaN.
    fn is_number(&self) -> [Array<bool>; 2] {
        match self {
            Amounts::Floats(sides) => sides.each_ref().map(|x| x.eq(x)),
            Amounts::Integers(sides) => sides.each_ref().map(|x| Array::fill(true, &[x.size()])),
        }
    }
}

fn amounts(own: &Nested, other: &Nested) -> Outcome<Amounts> {
    let is_meant = |side: &Nested| matches!(side.layout, Layout::Meant(..));
    if !is_meant(own) && !is_meant(other) {
        return Ok(Amounts::Floats([floats(column(own)?), floats(column(other)?)]));
    }
    // Decimals beside floats are floats.
    let number = |side: &Nested| floats_of(side).or_else(|| column(side).ok().cloned());
    let is_float = |side: &Nested| column(side).is_ok_and(|column| column.kind().is_float());
    if let (true, Some(one), Some(two)) = (is_float(own) || is_float(other), number(own), number(other)) {
        return Ok(Amounts::Floats([floats(&one), floats(&two)]));
    }
    let (_, columns) = aligned(&[Meant::of(own)?, Meant::of(other)?])?;
    match [columns[0].cast(Kind::Int64), columns[1].cast(Kind::Int64)] {
        [Column::Int64(one), Column::Int64(two)] => Ok(Amounts::Integers([one, two])),
        _ => unreachable!("both were converted"),
    }
}

fn floats(column: &Column) -> Array<f64> {
    match column.cast(Kind::Float64) {
        Column::Float64(x) => x,
        _ => unreachable!("it was converted"),
    }
}

/// The places of the nearest of the sorted numbers from a beginning on, as many as a count says.
fn nearest<T: Typed + Number, D: Number>(
    sorted: &Array<T>,
    x: &Array<T>,
    (begin, count): (&Array<i64>, &Array<i64>),
    distance: &dyn Fn(Array<T>, Array<T>) -> Array<D>,
) -> Array<i64> {
    let most = sorted.size();
    let above = lower_bound(sorted, x, begin, count, most);
    let at = |place: &Array<i64>| sorted.take(0, place, Outside::Default(T::ZERO));
    let below = &above - 1;
    let has_above = above.lt(begin + count);
    let is_nearer = distance(at(&above), x.clone()).lt(distance(x.clone(), at(&below)));
    let takes_above = has_above.and(is_nearer.or(below.lt(begin)));
    // The first of equal ones.
    let found = takes_above.select(at(&above), at(&below));
    lower_bound(sorted, &found, begin, count, most)
}
