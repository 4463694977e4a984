//! Validation: offsets, masks and texts from outside are checked, and errors name the field and the place.

use nestled_nested::{Array, Nested, Schema, Segments, Slice, Value, cartesian, concatenate, zip};

/// The message of an error, without its place.
#[track_caller]
fn told<T>(result: nestled_nested::Result<T>) -> String {
    match result {
        Ok(_) => panic!("it is no error"),
        Err(error) => {
            assert!(error.place().is_none_or(|place| place.file().ends_with("outside.rs")), "{error}");
            error.to_string().split_once(": ").expect("a place, then a message").1.to_owned()
        }
    }
}

#[test]
fn parts_that_do_not_fit() {
    let three = Nested::from_iter([1, 2, 3]);
    assert!(Segments::from_offsets(&[0, 3, 2]).is_err());
    assert!(Segments::of(&Array::from_vec(vec![2, -1])).is_err());
    assert_eq!(
        told(three.in_lists(&Segments::from_lengths(&[2, 2]))),
        "the lists have 4 elements, but there are 3"
    );
    assert_eq!(told(three.in_fixed(2)), "3 elements cannot be cut into lists of 2");
    assert_eq!(told(three.in_fixed(0)), "3 elements cannot be cut into lists of 0");
    let mask = Array::from_vec(vec![true]);
    assert_eq!(told(three.with_validity(&mask)), "the mask has the shape [1], for 3 elements");
    assert_eq!(
        told(three.in_strings(&Segments::from_lengths(&[3]))),
        "texts and bytes are of `uint8`, not of `int64`"
    );
    let bytes = Nested::from(Array::from_vec(vec![b'a', 0xff]));
    assert_eq!(told(bytes.in_strings(&Segments::from_lengths(&[1, 1]))), "string 1 is not UTF-8");
    let codes = Array::from_vec(vec![0, 3]);
    assert_eq!(told(Nested::categories(&codes, &three)), "the code at 1 is none of the 3 places of words");
    assert_eq!(told(Nested::records(&[])), "there is no field");
    assert_eq!(told(Nested::records(&[("x", &three), ("x", &three)])), "there are two fields `x`");
    let one = Nested::from_iter([1]);
    assert_eq!(
        told(Nested::records(&[("x", &three), ("y", &one)])),
        "field `y`: it has 1 elements, the first has 3"
    );
    assert_eq!(
        told(three.unflatten(&Nested::from_iter([1, 1]))),
        "the lengths come to 2, but there are 3 elements"
    );
}

#[test]
fn values_that_do_not_fit() {
    let event = |jets: Value| Value::record([("jets", jets)]);
    let twice = [event(vec![1].into()), Value::record([("jets", 1.into()), ("jets", 2.into())])];
    assert_eq!(told(Nested::from_values(twice)), "field `[1]`: there are two fields `jets`");
    let schema = Schema::parse("{jets: var * int8}").unwrap();
    let large = [event(vec![1, 1000].into())];
    assert_eq!(told(Nested::from_values_as(&schema, large)), "field `jets`: 1000 is not of the type `int8`");
    let unknown = [Value::record([("muons", 1.into())])];
    assert!(Nested::from_values_as(&schema, unknown).is_err());
    assert_eq!(
        told(Nested::from_values([u64::MAX.into(), Value::Int(-1)])),
        "no type holds both -1 and 18446744073709551615"
    );
    let mut deep = Value::from(1);
    for _ in 0..150 {
        deep = Value::list([deep]);
    }
    assert!(told(Nested::from_values([deep])).ends_with("values nest deeper than 100 levels"));
}

#[test]
fn operands_that_do_not_go_together() {
    let (short, long) = (Nested::from_iter([vec![1, 2], vec![3]]), Nested::from_iter([vec![1], vec![2, 3]]));
    assert_eq!(told(short.try_add(&long)), "list 0 has 2 elements here and 1 there");
    assert_eq!(
        told(zip(&[("x", &short), ("y", &Nested::from_iter([1]))])),
        "2 elements do not go together with 1"
    );
    let events = Nested::from_iter([Value::record([("name", "a".into())])]);
    assert_eq!(told(events.field("name").unwrap().try_add(1)), "`string` is no number");
    assert_eq!(told(events.try_add(1)), "`{name: string}` is a record: choose a field");
    assert_eq!(told(events.sum(-1)), "field `name`: `string` is no number");
    assert_eq!(told(events.field("nam")), "there is no field `nam`; there are `name`");
    assert_eq!(told(short.sum(2)), "`var * int64` has no such axis: its lists are 1 levels deep here");
    assert_eq!(told(short.sum(-3)), "`var * int64` has no such axis: its lists are 1 levels deep here");
    assert_eq!(told(short.filter(&short)), "a mask is of `bool`, not `int64`");
    assert_eq!(
        told(concatenate(&[&short, &events], 0)),
        "`var * int64` and `{name: string}` do not go together"
    );
    assert_eq!(
        told(concatenate(&[&short, &short], 2)),
        "`var * int64` has no such axis: its lists are 1 levels deep"
    );
    assert_eq!(told(cartesian(&[&short, &Nested::from_iter([1, 2])], 1)), "`int64` has no lists");
    assert_eq!(told(cartesian(&[], 1)), "there is no array");
    assert_eq!(told(short.combinations(0, 1)), "there are no tuples of nothing");
}

#[test]
fn places_that_are_not_there() {
    let rows = Nested::from_iter([vec![1, 2], vec![3]]);
    assert_eq!(told(rows.at(1, 1)), "list 1 has 1 elements, none at 1");
    assert_eq!(told(rows.at(-2, 1)), "list 1 has 1 elements, none at -2");
    assert_eq!(told(rows.at(2, 0)), "there are 2 elements, none at 2");
    assert_eq!(told(rows.at(0.5, 1)), "a place is an integer, not 0.5");
    assert_eq!(told(rows.at(Nested::from_iter([0]), 1)), "1 places for 2 lists");
    assert_eq!(told(rows.at(Nested::from_iter([0, 1]), 1)), "list 1 has 1 elements, none at 1");
    assert_eq!(told(rows.pick(&Nested::from_iter([0, -3]))), "there are 2 elements, none at -3");
    assert_eq!(told(rows.pick(&Nested::from_iter([0.5]))), "places are integers, not `float64`");
    assert_eq!(told(rows.pick(&Nested::from_iter([vec![0]]))), "lists of places for 1 of 2 lists");
    assert_eq!(told(rows.pick(&Nested::from_iter([vec![1], vec![-2]]))), "list 1 has 1 elements, none at -2");
    assert_eq!(told(rows.slice(Slice::from(..).step(0), 1)), "a slice has no steps of 0");
    let some = Nested::from_iter([Some(vec![1]), None]);
    assert_eq!(some.at(0, 1).unwrap().to_list().unwrap().to_string(), "[1, None]");
    assert_eq!(told(some.at(1, 1)), "list 0 has 1 elements, none at 1");
    assert_eq!(told(some.at(1, 0)), "the list at 1 is missing");
}
