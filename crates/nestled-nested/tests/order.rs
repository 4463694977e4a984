//! The order of values of any kind, and what follows from it: runs and different elements, along any axis, against naive ones.

use crate::naive::{along, elements, number};
use crate::operations::check;
use crate::random::{self, Random};
use nestled_nested::{Nested, Schema, Value};
use std::cmp::Ordering;

/// What is in the innermost lists.
const LEAVES: [&str; 9] = [
    "int64",
    "?float64",
    "?bool",
    "float32",
    "?string",
    "?categorical[type=string]",
    "?date",
    "{x: ?int8, y: float64}",
    "?{name: string, charge: bool}",
];

/// Number of random arrays.
const ARRAYS: u64 = 36;

/// Random arrays of all kinds of elements in up to three levels of lists.
pub fn each(seed: u64, mut test: impl FnMut(&mut Random, usize, &Nested, &Value)) {
    for number in 0..crate::some_of(ARRAYS) {
        let mut random = Random::new(seed * 1000 + number);
        let levels = number as usize % 4;
        let leaf = LEAVES[number as usize % LEAVES.len()].parse().expect("a schema");
        let schema = listed(&mut random, leaf, levels);
        let length = if random.chance(10) { 0 } else { 1 + random.below(7) };
        let (array, value) = random::array_of(&mut random, &schema, length);
        test(&mut random, levels, &array, &value);
    }
}

/// Levels of lists around a schema, some of one length, some of which may be missing.
pub fn listed(random: &mut Random, leaf: Schema, levels: usize) -> Schema {
    (0..levels).fold(leaf, |inner, _| {
        let fixed = random.chance(20);
        let size = 1 + random.below(3);
        let lists = if fixed { Schema::Fixed(size, Box::new(inner)) } else { Schema::List(Box::new(inner)) };
        if random.chance(30) { Schema::Option(Box::new(lists)) } else { lists }
    })
}

/// The order of values: NaN comes after numbers, what is missing last; records go by their fields in turn, lists by their elements.
pub fn compare(one: &Value, other: &Value) -> Ordering {
    let in_turn = |one: &[Value], other: &[Value]| {
        let differ =
            one.iter().zip(other).map(|(one, other)| compare(one, other)).find(|found| found.is_ne());
        differ.unwrap_or_else(|| one.len().cmp(&other.len()))
    };
    let fields =
        |record: &[(String, Value)]| record.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
    match (one, other) {
        (Value::Missing, _) | (_, Value::Missing) => {
            (*one == Value::Missing).cmp(&(*other == Value::Missing))
        }
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (Value::Meant(_, one), Value::Meant(_, other)) => one.cmp(other),
        (Value::List(one), Value::List(other)) => in_turn(one, other),
        (Value::Record(one), Value::Record(other)) => in_turn(&fields(one), &fields(other)),
        _ => {
            let (one, other) = (number(one), number(other));
            one.partial_cmp(&other).unwrap_or_else(|| one.is_nan().cmp(&other.is_nan()))
        }
    }
}

/// True if a part of a value is such.
pub fn has(value: &Value, is_such: &dyn Fn(&Value) -> bool) -> bool {
    is_such(value)
        || match value {
            Value::List(elements) => elements.iter().any(|inner| has(inner, is_such)),
            Value::Record(fields) => fields.iter().any(|(_, inner)| has(inner, is_such)),
            _ => false,
        }
}

pub fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Float(value) if value.is_nan())
}

pub fn sorted(list: &[Value]) -> Vec<Value> {
    let mut sorted = list.to_vec();
    sorted.sort_by(compare);
    sorted
}

/// Equal elements that follow one another.
fn runs(list: &[Value], equal_nan: bool) -> Vec<Vec<Value>> {
    let is_equal =
        |one: &Value, other: &Value| compare(one, other).is_eq() && (equal_nan || !has(one, &is_nan));
    list.chunk_by(is_equal).map(<[Value]>::to_vec).collect()
}

pub fn different(list: &[Value]) -> Vec<Value> {
    runs(&sorted(list), true).into_iter().map(|run| run[0].clone()).collect()
}

/// The different elements, and how often each is there.
pub fn counted(list: &[Value]) -> Value {
    let counted = |run: &Vec<Value>| Value::record([("value", run[0].clone()), ("count", count(run))]);
    Value::list(runs(&sorted(list), true).iter().map(counted))
}

fn count(run: &[Value]) -> Value {
    Value::Int(run.len() as i128)
}

#[test]
fn runs_and_different_elements() {
    each(80, |_, levels, array, value| {
        for axis in 0..=levels {
            let own = axis as isize;
            let lengths =
                along(value, axis, &|list| Value::list(runs(list, false).iter().map(|run| count(run))));
            check(&format!("run_lengths along {axis}"), array, array.run_lengths(own), &lengths);
            let unique = along(value, axis, &|list| Value::List(different(list)));
            check(&format!("unique along {axis}"), array, array.unique(own), &unique);
            let counts = along(value, axis, &counted);
            check(&format!("value_counts along {axis}"), array, array.value_counts(own), &counts);
        }
    });
}

#[test]
fn long_lists_are_ordered() {
    let mut random = Random::new(81);
    let schema: Schema = "var * ?int8".parse().unwrap();
    let mut value = random::array_of(&mut random, &schema, 40).1;
    if let Value::List(lists) = &mut value {
        // Lists that differ late or not at all, and lists that another begins with.
        let long = Value::list((0..300).map(|place| Value::Int(place % 3)));
        for cut in [300, 299, 256, 255, 17] {
            lists.push(Value::List(elements(&long)[..cut].to_vec()));
        }
        let mut other = elements(&long).to_vec();
        other[298] = Value::Missing;
        lists.extend([Value::List(other), long]);
    }
    let array = Nested::from_values_as(&schema, elements(&value).to_vec()).unwrap();
    check("unique", &array, array.unique(0), &Value::List(different(elements(&value))));
}

#[test]
fn unions_have_no_order() {
    let mixed = Nested::from_iter([vec![Value::from(1), "a".into()]]);
    for made in [mixed.unique(1), mixed.unique(0), mixed.run_lengths(1), mixed.set_union(&mixed, 1)] {
        assert!(made.unwrap_err().to_string().ends_with("`union[int64, string]` has no order"));
    }
}
