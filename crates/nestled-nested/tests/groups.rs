//! Groups and joins against naive ones.

use crate::naive::same;
use crate::random::{self, Random};
use nestled_nested::{Join, Nested, Schema, Value, zip};
use nestled_test::again;

/// Number of random tables.
const TABLES: u64 = 12;

/// Random keys, some of which are missing: numbers, texts, or a few different words.
fn keys(random: &mut Random, kind: usize, length: usize) -> (Nested, Vec<Value>) {
    let schemas = ["int64", "?int8", "string", "?categorical[type=string]", "?float32"];
    let schema: Schema = schemas[kind % schemas.len()].parse().unwrap();
    let values: Vec<Value> = (0..length)
        .map(|_| match random::value(random, &schema) {
            // Few letters, so that keys are equal now and then.
            Value::String(text) => text.chars().take(1).collect::<String>().into(),
            value => value,
        })
        .collect();
    (Nested::from_values_as(&schema, values.clone()).unwrap(), values)
}

fn count(length: usize) -> Vec<Value> {
    (0..length).map(|n| Value::Int(n as i128)).collect()
}

#[test]
fn groups() {
    for seed in 0..crate::some_of(TABLES) {
        let mut random = Random::new(seed + 50_000);
        let length = random.below(20);
        let (array, values) = keys(&mut random, seed as usize, length);
        let groups = Nested::from_iter(count(length)).group_by(&array).unwrap();
        let sorted = array.sort(0, true).unwrap().to_values().unwrap();
        let mut wanted: Vec<(Value, Vec<Value>)> = Vec::new();
        for key in sorted {
            if !wanted.iter().any(|(own, _)| same(own, &key)) {
                let with = (0..length).filter(|&place| same(&values[place], &key));
                wanted.push((key.clone(), with.map(|place| Value::Int(place as i128)).collect()));
            }
        }
        let record = |(key, rows): (Value, Vec<Value>)| Value::record([("key", key), ("rows", rows.into())]);
        let wanted: Vec<Value> = wanted.into_iter().map(record).collect();
        assert_eq!(groups.to_values().unwrap(), wanted, "{array}");
        crate::check_compiled();
    }
}

#[test]
fn groups_by_several_keys() {
    let (name, charge) = (Nested::from_iter(["b", "a", "b", "a"]), Nested::from_iter([1, 2, -1, 2]));
    let keys = zip(&[("name", &name), ("charge", &charge)]).unwrap();
    let groups = Nested::from_iter([10, 20, 30, 40]).group_by(&keys).unwrap();
    assert_eq!(
        groups.to_list().unwrap().to_string(),
        "[{key: {name: \"a\", charge: 2}, rows: [20, 40]}, {key: {name: \"b\", charge: -1}, rows: [30]}, \
         {key: {name: \"b\", charge: 1}, rows: [10]}]"
    );
    assert!(name.group_by(&Nested::from_iter([1])).is_err());
    let mixed = Nested::from_iter([Value::from(1), "a".into(), 2.into(), "b".into()]);
    assert!(name.group_by(&mixed).unwrap_err().to_string().ends_with("`union[int64, string]` has no order"));
}

fn is_known(key: &[Value]) -> bool {
    !key.contains(&Value::Missing)
}

/// The rows of a join as numbers of the two tables.
fn joined(keys: &[Vec<Value>], others: &[Vec<Value>], how: Join) -> Vec<(usize, Option<usize>)> {
    let equal = |one: &[Value], other: &[Value]| {
        is_known(one) && is_known(other) && one.iter().zip(other).all(|(one, other)| same(one, other))
    };
    let mut rows = Vec::new();
    for (place, key) in keys.iter().enumerate() {
        let found: Vec<usize> = (0..others.len()).filter(|&other| equal(key, &others[other])).collect();
        match how {
            Join::Inner => rows.extend(found.iter().map(|&other| (place, Some(other)))),
            Join::Left if found.is_empty() => rows.push((place, None)),
            Join::Left => rows.extend(found.iter().map(|&other| (place, Some(other)))),
            Join::Semi if !found.is_empty() => rows.push((place, None)),
            Join::Anti if found.is_empty() => rows.push((place, None)),
            Join::Semi | Join::Anti => {}
        }
    }
    rows
}

#[test]
fn joins() {
    for seed in 0..crate::some_of(TABLES) {
        let mut random = Random::new(seed + 60_000);
        let lengths = [random.below(12), random.below(12)];
        let n_keys = 1 + seed as usize % 2;
        let mut tables = Vec::new();
        let mut values = Vec::new();
        for length in lengths {
            let columns: Vec<_> =
                (0..n_keys).map(|key| keys(&mut random, seed as usize + key, length)).collect();
            let number = Nested::from_values_as(&"int64".parse().unwrap(), count(length)).unwrap();
            let names: Vec<String> = (0..n_keys).map(|key| format!("key{key}")).collect();
            let mut fields: Vec<(&str, &Nested)> =
                names.iter().map(String::as_str).zip(columns.iter().map(|(array, _)| array)).collect();
            fields.push(("n", &number));
            tables.push(Nested::records(&fields).unwrap());
            let row = |place: usize| columns.iter().map(|(_, values)| values[place].clone()).collect();
            values.push((0..length).map(row).collect::<Vec<Vec<Value>>>());
        }
        let on = &["key0", "key1"][..n_keys];
        for how in [Join::Inner, Join::Left, Join::Semi, Join::Anti] {
            let made = tables[0].join(&tables[1], on, how).unwrap();
            let wanted = joined(&values[0], &values[1], how);
            let left: Vec<Value> = wanted.iter().map(|(own, _)| Value::Int(*own as i128)).collect();
            assert_eq!(made.field("n").unwrap().to_values().unwrap(), left, "{how:?} {values:?}");
            if matches!(how, Join::Inner | Join::Left) {
                let right = made.field("n_right").unwrap().to_values().unwrap();
                let number = |other: Option<usize>| other.map_or(Value::Missing, |n| Value::Int(n as i128));
                let wanted: Vec<Value> = wanted.iter().map(|(_, other)| number(*other)).collect();
                assert_eq!(right, wanted, "{how:?} {values:?}");
            }
            crate::check_compiled();
        }
    }
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
