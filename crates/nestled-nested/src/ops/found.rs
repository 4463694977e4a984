//! Elements that have the keys of others, for joins: by tables, searches or sorts, as the numbers of keys and their range say.
//!
//! Each way numbers the keys, so that equal ones have one number. What is found of numbers depends on which are equal only, so that results are the same in all ways.

use super::bytes::text;
use super::flaw::Flaw;
use super::meant::{Meant, aligned};
use super::order::{CHUNK, chunk, key_codes};
use crate::column::Column;
use crate::fault::Outcome;
use crate::nested::{Layout, Nested};
use crate::schema::Kind;
use nestled_array::{Array, Direction, Engine, Inclusion, Operator, Outside, Side};

/// The elements of an array that have the keys of another.
pub(super) struct Found {
    /// How many there are for each key.
    pub counts: Array<i64>,
    /// For each key where they begin in the order.
    pub starts: Array<i64>,
    pub order: Array<i64>,
}

/// How keys are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// All keys are sorted.
    Sort,
    /// Integers in a small range are numbers already.
    Table,
    /// The keys of the smaller array are sorted, and those of the other are searched for among them.
    Search,
}

/// A table has at most so many times as many places as there are keys.
const SPARSEST: i128 = 4;

/// A search is quicker than a sort of all keys if the larger array has so many times as many.
const LOPSIDED: usize = 32;

impl Found {
    pub fn of(keys: &Nested, others: &Nested) -> Outcome<Found> {
        let Some(integers) = Integers::of(keys, others)? else { return Found::by_sort(keys, others) };
        Found::by(integers.way(), keys, others, &integers)
    }

    fn by(way: Way, keys: &Nested, others: &Nested, integers: &Integers) -> Outcome<Found> {
        match way {
            Way::Sort => Found::by_sort(keys, others),
            Way::Table => {
                let [codes, other_codes] = &integers.sides;
                Ok(Found::numbered((keys, codes), (others, other_codes), integers.range as usize))
            }
            Way::Search => {
                let [codes, other_codes] = integers.searched();
                let bins = keys.length.min(others.length);
                Ok(Found::numbered((keys, &codes), (others, &other_codes), bins))
            }
        }
    }

    fn by_sort(keys: &Nested, others: &Nested) -> Outcome<Found> {
        let codes = key_codes(&[keys.clone(), others.clone()])?;
        // No code is greater than the number of keys.
        let bins = keys.length + others.length + 1;
        Ok(Found::numbered((keys, &codes[0]), (others, &codes[1]), bins))
    }

    /// Of keys that are numbered below `bins`; those that are missing, and other numbers, are equal to none.
    fn numbered(
        (keys, codes): (&Nested, &Array<i64>),
        (others, other_codes): (&Nested, &Array<i64>),
        bins: usize,
    ) -> Found {
        let within = |keys: &Nested, codes: &Array<i64>, outside: i64| match Flaw::Missing.of(keys) {
            Some(missing) => missing.select(outside, codes),
            None => codes.clone(),
        };
        let (codes, others) = (within(keys, codes, -1), within(others, other_codes, bins as i64));
        let counts = others.histogram(bins);
        let starts = counts.scan(0, Operator::Add, Inclusion::Exclusive, Direction::Forward);
        let order = Array::<i64>::range(others.size()).sort_by_key(0, &others);
        let of_key = |values: &Array<i64>| values.take(0, &codes, Outside::Default(0));
        Found { counts: of_key(&counts), starts: of_key(&starts), order }
    }
}

/// Keys of both arrays as integers from 0 on, which are equal where the keys are. Those that are missing may be anything.
struct Integers {
    sides: [Array<i64>; 2],
    /// How many there may be.
    range: i128,
}

impl Integers {
    /// Of keys whose parts are integers, booleans, dates and their kin, or short texts, as long as all combinations of parts have a number.
    fn of(keys: &Nested, others: &Nested) -> Outcome<Option<Integers>> {
        let (Layout::Tuple(own), Layout::Tuple(other)) = (&keys.layout, &others.layout) else {
            return Ok(None);
        };
        if keys.length == 0 || others.length == 0 {
            return Ok(None);
        }
        let mut all: Option<Integers> = None;
        for (own, other) in own.iter().zip(other) {
            let Some(part) = Integers::of_part(own, other)? else { return Ok(None) };
            all = match all {
                None => Some(part),
                Some(before) => match before.range.checked_mul(part.range) {
                    Some(range) if range < 1 << 62 => {
                        let [one, two] = &before.sides;
                        let [then_one, then_two] = &part.sides;
                        let by = part.range as i64;
                        Some(Integers { sides: [one * by + then_one, two * by + then_two], range })
                    }
                    _ => return Ok(None),
                },
            };
        }
        Ok(all)
    }

    fn of_part(own: &Nested, other: &Nested) -> Outcome<Option<Integers>> {
        let ((valid, present), (other_valid, other_present)) = (own.parts(), other.parts());
        let Some([one, two]) = numbers(present, other_present)? else { return Ok(None) };
        let least = |x: &Array<i64>, valid: Option<&Array<bool>>| match valid {
            Some(valid) => valid.select(x, i64::MAX).min(),
            None => x.min(),
        };
        let most = |x: &Array<i64>, valid: Option<&Array<bool>>| match valid {
            Some(valid) => valid.select(x, i64::MIN).max(),
            None => x.max(),
        };
        let least = least(&one, valid).minimum(least(&two, other_valid));
        let most = most(&one, valid).maximum(most(&two, other_valid));
        Engine::current().eval(&[&least, &most])?;
        let (least, most) = (least.item()?, most.item()?);
        // Where all are missing there is one key, which nobody has.
        let range = (i128::from(most) - i128::from(least) + 1).max(1);
        let from_least = |x: &Array<i64>| x - least;
        Ok((range < 1 << 62).then(|| Integers { sides: [from_least(&one), from_least(&two)], range }))
    }

    fn way(&self) -> Way {
        let [own, others] = self.sides.each_ref().map(Array::size);
        if self.range <= SPARSEST * (own + others) as i128 {
            Way::Table
        } else if own.min(others) * LOPSIDED <= own.max(others) {
            Way::Search
        } else {
            Way::Sort
        }
    }

    /// The places of both among the keys of the smaller array, sorted; those that it does not have are at −1 in the first array, and beyond all in the second.
    fn searched(&self) -> [Array<i64>; 2] {
        let [own, others] = &self.sides;
        let smaller = if own.size() <= others.size() { own } else { others };
        let (sorted, count) = (smaller.sort(0), smaller.size());
        let place = |x: &Array<i64>, outside: i64| {
            let place = sorted.search_sorted(x, Side::Before);
            let is_there = sorted.take(0, &place, Outside::Default(-1)).eq(x).and(place.lt(count as i64));
            is_there.select(place, outside)
        };
        [place(own, -1), place(others, count as i64)]
    }
}

/// Elements of two arrays that are none of them missing as numbers that are equal where the elements are, if there are such.
fn numbers(own: &Nested, other: &Nested) -> Outcome<Option<[Array<i64>; 2]>> {
    let integers = |column: &Column| match column.cast(Kind::Int64) {
        Column::Int64(x) => Some(x),
        _ => None,
    };
    let both = |one: &Column, two: &Column| Some([integers(one)?, integers(two)?]);
    match (&own.layout, &other.layout) {
        (Layout::Leaf(one), Layout::Leaf(two)) => {
            let common = one.kind().common(two.kind());
            if common.is_float() {
                return Ok(None);
            }
            Ok(both(&one.cast(common), &two.cast(common)))
        }
        (Layout::Meant(..), Layout::Meant(..)) => {
            let (_, columns) = aligned(&[Meant::of(own)?, Meant::of(other)?])?;
            Ok(both(&columns[0], &columns[1]))
        }
        _ => {
            let (Some((rows, bytes)), Some((others, other_bytes))) = (text(own), text(other)) else {
                return Ok(None);
            };
            let longest = rows.lengths().max().maximum(others.lengths().max());
            if longest.item()? > CHUNK {
                return Ok(None);
            }
            let all = |count: usize| Array::<i64>::range(count);
            Ok(Some([
                chunk(rows, bytes, &all(rows.count()), 0),
                chunk(others, other_bytes, &all(others.count()), 0),
            ]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, Integers, Way};
    use crate::{Nested, Value, zip};

    /// Numbers that look random.
    fn noise(seed: &mut u64, below: u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) % below
    }

    /// A key of some kind.
    fn key(seed: &mut u64, kind: u64, spread: u64) -> Value {
        let number = noise(seed, spread) as i64 - 3;
        match kind {
            0 => number.into(),
            1 => (number * 1_000_000_007).into(),
            2 => format!("k{}", number.unsigned_abs() % 100_000).into(),
            3 => (number % 2 == 0).into(),
            _ if noise(seed, 4) == 0 => Value::Missing,
            _ => number.into(),
        }
    }

    fn records(seed: &mut u64, kinds: &[u64], count: u64, spread: u64) -> Nested {
        let names = ["a", "b"];
        let fields: Vec<Nested> = kinds
            .iter()
            .map(|&kind| {
                let mut values: Vec<Value> = (0..count).map(|_| key(seed, kind, spread)).collect();
                // A value of its type is among them, and one that may be missing too.
                values.insert(0, key(seed, kind.min(3), spread));
                if kind > 3 {
                    values[0] = 0.into();
                    values.push(Value::Missing);
                } else {
                    values.push(values[0].clone());
                }
                Nested::from_values(values).unwrap()
            })
            .collect();
        let fields: Vec<(&str, &Nested)> = names.into_iter().zip(&fields).collect();
        zip(&fields).unwrap()
    }

    #[test]
    fn all_ways_find_the_same() {
        let mut seed = 5;
        for round in 0..30 {
            let kinds: Vec<u64> = (0..1 + noise(&mut seed, 2)).map(|_| noise(&mut seed, 5)).collect();
            let spread = [3, 20, 1000][round % 3];
            let counts = [noise(&mut seed, 60), noise(&mut seed, 60)];
            let [left, right] = counts.map(|count| records(&mut seed, &kinds, count, spread));
            let on: Vec<&str> = ["a", "b"][..kinds.len()].to_vec();
            let (keys, others) = (left.keys(&on).ok().unwrap(), right.keys(&on).ok().unwrap());
            let integers = Integers::of(&keys, &others).ok().unwrap();
            let Some(integers) = integers else { continue };
            let found = |way| {
                let found = Found::by(way, &keys, &others, &integers).ok().unwrap();
                let (counts, starts) = (found.counts.to_vec().unwrap(), found.starts.to_vec().unwrap());
                let order = found.order.to_vec().unwrap();
                let of_key =
                    |(&start, &count): (&i64, &i64)| order[start as usize..(start + count) as usize].to_vec();
                let found: Vec<Vec<i64>> = starts
                    .iter()
                    .zip(&counts)
                    .map(|key| if *key.1 == 0 { vec![] } else { of_key(key) })
                    .collect();
                found
            };
            let sorted = found(Way::Sort);
            assert_eq!(found(Way::Search), sorted, "{kinds:?} {left} {right}");
            if integers.range < 1 << 20 {
                assert_eq!(found(Way::Table), sorted, "{kinds:?} {left} {right}");
            }
        }
    }

    #[test]
    fn sizes_and_ranges_choose() {
        let way = |left: Vec<i64>, right: Vec<i64>| {
            let tuple = |keys: Vec<i64>| Nested::tuples(&[&Nested::from_values(keys).unwrap()]).unwrap();
            Integers::of(&tuple(left), &tuple(right)).ok().unwrap().map(|integers| integers.way())
        };
        assert_eq!(way((0..100).collect(), (50..150).collect()), Some(Way::Table));
        assert_eq!(way((0..100).map(|x| x * 1000).collect(), vec![1, 5000]), Some(Way::Search));
        assert_eq!(way(vec![1, 5000], (0..100).map(|x| x * 1000).collect()), Some(Way::Search));
        assert_eq!(
            way((0..100).map(|x| x * 1000).collect(), (0..100).map(|x| x * 999).collect()),
            Some(Way::Sort)
        );
        assert_eq!(way(vec![i64::MIN / 2, 0], vec![i64::MAX / 4]), None);
    }
}
