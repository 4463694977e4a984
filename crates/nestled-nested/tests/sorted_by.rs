//! Sorts of records by several fields, and groups within lists, against naive ones.

use crate::naive::{along, elements};
use crate::operations::check;
use crate::order::{compare, different, listed};
use crate::random::{self, Random};
use nestled_nested::{Nested, Schema, Value};
use nestled_test::again;
use std::cmp::Ordering;

/// Number of random arrays.
const ARRAYS: u64 = 24;

const RECORD: &str = "{n: int8, x: ?float64, name: ?string, word: categorical[type=string], day: ?date, pair: ?{a: ?bool, b: int8}, list: var * ?int8}";

fn each(seed: u64, mut test: impl FnMut(&mut Random, usize, &Nested, &Value)) {
    for number in 0..crate::some_of(ARRAYS) {
        let mut random = Random::new(seed * 1000 + number);
        let levels = number as usize % 3;
        let record: Schema = RECORD.parse().unwrap();
        let record = if random.chance(40) { Schema::Option(Box::new(record)) } else { record };
        let schema = listed(&mut random, record, levels);
        let length = if random.chance(10) { 0 } else { 1 + random.below(9) };
        let (array, value) = random::array_of(&mut random, &schema, length);
        test(&mut random, levels, &array, &value);
    }
}

fn field(record: &Value, name: &str) -> Value {
    match record {
        Value::Record(fields) => fields.iter().find(|(own, _)| own == name).expect("a field").1.clone(),
        _ => Value::Missing,
    }
}

/// NaN and what is missing stay last, downward too; what is in records and lists is in order as it is.
fn by(one: &Value, other: &Value, ascending: bool) -> Ordering {
    let class = |value: &Value| match value {
        Value::Missing => 2,
        Value::Float(value) if value.is_nan() => 1,
        _ => 0,
    };
    class(one).cmp(&class(other)).then_with(|| {
        let order = compare(one, other);
        if ascending { order } else { order.reverse() }
    })
}

fn order(list: &[Value], fields: &[(&str, bool)]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..list.len()).collect();
    places.sort_by(|&one, &other| {
        let with = |&(name, ascending): &(&str, bool)| {
            by(&field(&list[one], name), &field(&list[other], name), ascending)
        };
        fields.iter().map(with).find(|found| found.is_ne()).unwrap_or(Ordering::Equal)
    });
    places
}

#[test]
fn records_by_several_fields() {
    each(86, |random, levels, array, value| {
        let names = ["n", "x", "name", "word", "day", "pair", "list"];
        let fields: Vec<(&str, bool)> =
            (0..1 + random.below(3)).map(|_| (names[random.below(names.len())], random.chance(50))).collect();
        let axis = levels as isize;
        let sorted = along(value, levels, &|list| {
            Value::list(order(list, &fields).into_iter().map(|place| list[place].clone()))
        });
        check(&format!("sort_by {fields:?}"), array, array.sort_by(&fields, axis), &sorted);
        let places = along(value, levels, &|list| {
            Value::list(order(list, &fields).into_iter().map(|place| Value::Int(place as i128)))
        });
        check(&format!("argsort_by {fields:?}"), array, array.argsort_by(&fields, axis), &places);
    });
}

#[test]
fn what_no_record_is_sorted_by() {
    let records = Nested::from_iter([Value::record([("x", 1.into()), ("y", vec![1].into())])]);
    let told = |made: nestled_nested::Result<Nested>| {
        made.map(|made| made.len()).unwrap_err().to_string().split_once(": ").unwrap().1.to_owned()
    };
    assert_eq!(told(records.sort_by(&[], 0)), "there is no field to sort by");
    assert_eq!(told(records.sort_by(&[("z", true)], 0)), "there is no field `z`; there are `x`, `y`");
    assert_eq!(told(records.argsort_by(&[("x", true)], 5)), told(records.sort_by(&[("x", true)], 5)));
    assert_eq!(
        told(records.sort(0, true)),
        "`{x: int64, y: var * int64}` is a record: choose a field, or `sort_by` fields"
    );
    let mixed = Nested::from_iter([1.into(), "a".into()].map(|value: Value| Value::record([("u", value)])));
    assert_eq!(told(mixed.sort_by(&[("u", true)], 0)), "field `u`: `union[int64, string]` has no order");
}

#[test]
fn groups_within_lists() {
    each(87, |random, levels, array, value| {
        let name = ["n", "x", "name", "word", "day", "pair"][random.below(6)];
        let keys = array.field(name).unwrap();
        let wanted = along(value, levels, &|list| {
            let key = |record: &Value| field(record, name);
            let all: Vec<Value> = list.iter().map(key).collect();
            let group = |own: Value| {
                let rows = list.iter().filter(|record| compare(&key(record), &own).is_eq()).cloned();
                Value::record([("rows", Value::list(rows)), ("key", own)])
            };
            Value::list(different(&all).into_iter().map(group))
        });
        let groups = array.group_by_along(&keys, levels as isize).unwrap();
        let groups = groups.select_fields(&["rows", "key"]);
        check(&format!("group_by_along {name}"), array, groups, &wanted);
    });
}

#[test]
fn keys_that_are_lists_or_do_not_fit() {
    let keys = Nested::from_iter([vec![1, 2], vec![], vec![1, 2], vec![1]]);
    let groups = Nested::from_iter(0..4).group_by(&keys).unwrap();
    assert_eq!(
        groups.to_list().unwrap().to_string(),
        "[{key: [], rows: [1]}, {key: [1], rows: [3]}, {key: [1, 2], rows: [0, 2]}]"
    );
    let rows = Nested::from_iter([Some(vec![1, 2]), None, Some(vec![3])]);
    let keys = Nested::from_iter([Some(vec!["b", "a"]), Some(vec!["c"]), None]);
    let groups = rows.group_by_along(&keys, 1).unwrap();
    assert_eq!(
        groups.to_list().unwrap().to_string(),
        r#"[[{key: "a", rows: [2]}, {key: "b", rows: [1]}], None, None]"#
    );
    let error = rows.group_by_along(&Nested::from_iter([vec![1], vec![], vec![2]]), 1).unwrap_err();
    assert!(error.to_string().ends_with("list 0 has 2 elements here and 1 there"), "{error}");
    assert!(elements(&rows.to_list().unwrap()).len() == 3);
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
