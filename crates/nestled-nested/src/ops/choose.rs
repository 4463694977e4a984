//! Tuples of elements of each row, different ones or not, in their order. Those of two and three different ones are found from their number alone, so that nothing but their count is computed before.
//!
//! Of a row's tuples the last is number 0. Counted from the end, the places of a tuple are A > B > C, and its number is C(A, 3) + C(B, 2) + C (the combinatorial number system):
//! A is the greatest with C(A, 3) not above the number, and so on with what is left. All of it is exact in `f64`.

use crate::fault::Outcome;
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Outside};

/// With fewer tuples, of rows that are no longer, the arithmetic is exact.
const MOST: usize = 1 << 50;
const LONGEST: [i64; 2] = [1 << 26, 200_000];

/// If an element goes with itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    Yes,
    No,
}

/// The tuples of `n` elements of each row.
pub(super) fn chosen_of(rows: &Rows, content: &Nested, n: usize, again: Again) -> Outcome<(Rows, Nested)> {
    let found = if again == Again::No && (n == 2 || n == 3) { by_number(rows, n)? } else { None };
    let (made, places) = match found {
        Some(found) => found,
        None => one_by_one(rows, n, again)?,
    };
    let fields = places.iter().map(|place| content.take(place)).collect::<Outcome<_>>()?;
    Ok((made, tuple(fields)))
}

/// Elements at the same places as tuples.
pub(super) fn tuple(fields: Vec<Nested>) -> Nested {
    Nested { length: fields.first().map_or(0, Nested::len), layout: Layout::Tuple(fields) }
}

/// The places of two or three elements of each row, unless there are too many.
fn by_number(rows: &Rows, n: usize) -> Outcome<Option<(Rows, Vec<Array<i64>>)>> {
    let lengths = rows.lengths();
    let ways = falling(&lengths.cast(), n).cast::<i64>() / if n == 2 { 2 } else { 6 };
    let counts = lengths.gt(LONGEST[n - 2]).select(Array::scalar(MOST as i64), ways);
    let made = Rows::of(&counts)?;
    if made.total() >= MOST {
        return Ok(None);
    }
    let last = made.spread(&(rows.starts() + lengths)) - 1;
    // What comes after each tuple in its row.
    let ends = counts + made.starts() - 1;
    let mut number = (made.spread(&ends) - Array::<i64>::range(made.total())).cast::<f64>();
    let mut places = Vec::with_capacity(n);
    for left in (2..=n).rev() {
        let from_end = greatest(&number, left);
        number -= falling(&from_end, left) / factorial(left);
        places.push(&last - from_end.cast::<i64>());
    }
    places.push(last - number.cast::<i64>());
    Ok(Some((made, places)))
}

/// x · (x − 1), or three such factors.
fn falling(x: &Array<f64>, n: usize) -> Array<f64> {
    let two = x * (x - 1.0);
    if n == 2 { two } else { two * (x - 2.0) }
}

fn factorial(n: usize) -> f64 {
    if n == 2 { 2.0 } else { 6.0 }
}

/// The greatest number of elements of which two, or three, can be chosen in no more than so many ways.
fn greatest(ways: &Array<f64>, n: usize) -> Array<f64> {
    let ordered = ways * factorial(n);
    let mut found = if n == 2 {
        // A · (A − 1) and what is below (A + 1) · A have roots from A − 1 up to less than A + 1/2, and rounded roots keep their order.
        ordered.sqrt().floor()
    } else {
        // It was not above, and at most two below, so that three steps reach it from one less.
        (ordered.ln() / 3.0).exp().floor() - 1.0
    };
    found = found.maximum(n as f64 - 1.0);
    for _ in 0..if n == 2 { 1 } else { 3 } {
        let next = &found + 1.0;
        found += falling(&next, n).le(&ordered).cast::<f64>();
    }
    found
}

/// The places of `n` elements of each row, made one element longer at a time.
fn one_by_one(rows: &Rows, n: usize, again: Again) -> Outcome<(Rows, Vec<Array<i64>>)> {
    let mut made = rows.clone();
    let mut places = vec![Array::<i64>::range(rows.total())];
    let step = i64::from(again == Again::No);
    // How many elements may come after the last of each tuple.
    let mut after = rows.spread(rows.lengths()) - rows.places() - step;
    for _ in 1..n {
        let next = Rows::of(&after)?;
        for place in &mut places {
            *place = place.take(0, next.owners(), Outside::Clamp);
        }
        places.push(&places[places.len() - 1] + next.places() + step);
        after = next.spread(&after) - next.places() - step;
        made = made.joined(&next);
    }
    Ok((made, places))
}

#[cfg(test)]
mod tests {
    use super::{factorial, greatest};
    use nestled_array::Array;

    fn ways(of: i128, n: usize) -> i128 {
        if n == 2 { of * (of - 1) / 2 } else { of * (of - 1) * (of - 2) / 6 }
    }

    #[test]
    fn the_greatest_is_exact_at_every_edge() {
        for (n, longest) in [(2, 67_000_000i128), (3, 180_000)] {
            let edges = (n as i128..200).chain((1..400).map(|step| longest / 400 * step));
            let numbers = edges.flat_map(|of| {
                let at = ways(of, n);
                [(at - 1, of - 1), (at, of), (at + 1, if ways(of + 1, n) == at + 1 { of + 1 } else { of })]
            });
            let (numbers, expected): (Vec<f64>, Vec<f64>) =
                numbers.map(|(number, of)| (number as f64, of as f64)).unzip();
            assert!(numbers.iter().all(|number| number * factorial(n) < (1u64 << 53) as f64));
            assert_eq!(greatest(&Array::from_vec(numbers), n).to_vec().unwrap(), expected, "{n}");
        }
    }
}
