//! Unions: against the values that went in.

use crate::random::Random;
use nestled_nested::{Array, Nested, Schema, Value, concatenate};
use nestled_test::again;

/// A value of one of several kinds.
fn mixed(random: &mut Random) -> Value {
    match random.below(6) {
        0 => Value::Missing,
        1 => Value::Int(random.below(9) as i128),
        2 => "ab"[..random.below(3)].into(),
        3 => Value::list((0..random.below(3)).map(|n| Value::Int(n as i128))),
        4 => Value::record([("x", Value::Int(random.below(4) as i128)), ("y", "z".into())]),
        _ => Value::Bool(random.chance(50)),
    }
}

/// The variants in the order in which they come, as in the schema.
fn kind(value: &Value) -> usize {
    match value {
        Value::Missing => 0,
        Value::Int(_) => 1,
        Value::String(_) => 2,
        Value::List(_) => 3,
        Value::Record(_) => 4,
        _ => 5,
    }
}

#[test]
fn mixed_values() {
    for seed in 0..crate::some_of(60) {
        let mut random = Random::new(seed + 90_000);
        let values: Vec<Value> = (0..1 + random.below(20)).map(|_| mixed(&mut random)).collect();
        let array = Nested::from_values(values.clone()).unwrap();
        assert_eq!(array.to_values().unwrap(), values, "{array}");
        let again = Nested::from_values_as(&array.schema(), values.clone()).unwrap();
        assert!(again.is_equal(&array).unwrap(), "{array}");
        assert_eq!(Schema::parse(&array.schema().to_string()), Ok(array.schema()));
        let places: Vec<i64> = (0..8).map(|_| random.below(values.len()) as i64).collect();
        let picked = array.pick(&Nested::from(Array::from_vec(places.clone()))).unwrap();
        let wanted: Vec<Value> = places.iter().map(|&place| values[place as usize].clone()).collect();
        assert_eq!(picked.to_values().unwrap(), wanted);
        let mask: Vec<bool> = values.iter().map(|_| random.chance(50)).collect();
        let kept = array.filter(&Nested::from(Array::from_vec(mask.clone()))).unwrap();
        let wanted: Vec<Value> =
            values.iter().zip(&mask).filter(|(_, kept)| **kept).map(|(value, _)| value.clone()).collect();
        assert_eq!(kept.to_values().unwrap(), wanted);
        let twice = concatenate(&[&array, &kept], 0).unwrap();
        assert_eq!(twice.len(), values.len() + kept.len());
        assert_eq!(twice.to_values().unwrap()[values.len()..], wanted);
        let missing = array.is_missing(0).unwrap().to_values().unwrap();
        assert!(
            missing.iter().zip(&values).all(|(missing, value)| *missing == Value::Bool(kind(value) == 0))
        );
        let rows = array.unflatten(&Nested::from_iter([values.len() as i64 - 1, 1])).unwrap();
        assert_eq!(rows.get(-1, 1).unwrap().to_values().unwrap()[1], values[values.len() - 1]);
        check_variants(&array, &values);
        crate::check_compiled();
    }
}

fn check_variants(array: &Nested, values: &[Value]) {
    let schema = match array.schema() {
        Schema::Option(inner) => *inner,
        other => other,
    };
    let Schema::Union(variants) = schema else { return };
    let mut order: Vec<usize> = Vec::new();
    for value in values.iter().filter(|value| kind(value) > 0) {
        if !order.contains(&kind(value)) {
            order.push(kind(value));
        }
    }
    assert_eq!(variants.len(), order.len());
    for (place, &wanted) in order.iter().enumerate() {
        let projected = array.project(place).unwrap().to_values().unwrap();
        let is = array.is_variant(place).unwrap().to_values().unwrap();
        for ((value, found), is) in values.iter().zip(projected).zip(is) {
            let own = kind(value) == wanted;
            assert_eq!(found, if own { value.clone() } else { Value::Missing });
            assert_eq!(is, if kind(value) == 0 { Value::Missing } else { Value::Bool(own) });
        }
    }
    assert!(array.project(order.len()).unwrap_err().to_string().contains("has no variant"));
}

#[test]
fn what_unions_have_not() {
    let either = Nested::from_values([Value::from(1), "a".into()]).unwrap();
    let told = |result: nestled_nested::Result<Nested>| result.unwrap_err().to_string();
    for result in [
        either.sum(0),
        either.sqrt(),
        either.try_add(1),
        either.cumsum(0),
        either.cast(nestled_nested::Kind::Int8),
    ] {
        assert!(
            told(result).contains("`union[int64, string]` is a union: `project` takes one of its variants")
        );
    }
    for result in [either.sort(0, true), either.unique(0), either.group_by(&either), either.to_lower()] {
        assert!(told(result).contains("`union[int64, string]`"));
    }
    // In NESL it is a datatype that the function names.
    assert!(
        told(either.map_elements("function same(x) = x;", "same"))
            .contains("nothing tells which datatype `union[int, [char]]` is")
    );
    assert!(told(either.field("x")).contains("x"));
    assert!(told(Nested::from_iter([1]).project(0)).contains("`int64` is no union"));
    let tags = Array::from_vec(vec![0, 2]);
    let numbers = Nested::from_iter([1, 2]);
    assert!(
        told(Nested::union(&tags, &[&numbers, &numbers])).contains("the tag at 1 is none of the 2 variants")
    );
    assert!(
        told(Nested::union(&tags, &[&Nested::from_iter([1])]))
            .contains("field `0`: it has 1 elements, for 2 tags")
    );
    assert!(told(concatenate(&[&either, &numbers], 0)).contains("do not go together"));
    assert_eq!(either.count(0).unwrap().to_list().unwrap().to_string(), "[2]");
    assert_eq!(either.show(9, 60).unwrap(), "[1,\n \"a\"]\ntype: 2 * union[int64, string]");
    assert_eq!(
        Schema::parse("?union[int64, union[bool], var * string]").unwrap().to_string(),
        "?union[int64, union[bool], var * string]"
    );
    assert!(Schema::parse("union[]").is_err());
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
