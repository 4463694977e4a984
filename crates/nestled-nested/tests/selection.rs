//! Elements by their places, and slices, against naive ones.

use crate::naive;
use crate::operations::{check, each};
use crate::random::Random;
use nestled_nested::{Kind, Nested, Schema, Slice, Value};
use nestled_test::again;
use std::cell::RefCell;

/// A slice at random, with its places.
fn slice(random: &mut Random) -> (Slice, Option<i64>, Option<i64>, i64) {
    let place = |random: &mut Random| random.below(11) as isize - 5;
    let (start, stop) = (place(random), place(random));
    let step = [1, 1, 2, 3, -1, -2, -5][random.below(7)];
    let (slice, start, stop) = match random.below(4) {
        0 => (Slice::from(..), None, None),
        1 => (Slice::from(start..), Some(start as i64), None),
        2 => (Slice::from(..stop), None, Some(stop as i64)),
        _ => (Slice::from(start..stop), Some(start as i64), Some(stop as i64)),
    };
    (slice.step(step), start, stop, step as i64)
}

#[test]
fn slices() {
    each(20, |random, levels, array, value| {
        for axis in 0..=levels {
            for _ in 0..2 {
                let (slice, start, stop, step) = slice(random);
                let wanted = naive::along(value, axis, &|list| naive::slice(list, start, stop, step));
                check(&format!("{slice:?} along {axis}"), array, array.slice(slice, axis as isize), &wanted);
            }
        }
        let whole = naive::along(value, levels, &|list| naive::slice(list, None, None, -1));
        check("reversed", array, array.reversed(-1), &whole);
    });
}

#[test]
fn inclusive_slices() {
    let numbers: Nested = (0..5).collect();
    let text = |slice: Slice| numbers.slice(slice, 0).unwrap().to_list().unwrap().to_string();
    assert_eq!(text((1..=2).into()), "[1, 2]");
    assert_eq!(text((..=-1).into()), "[0, 1, 2, 3, 4]");
    assert_eq!(text((-2..=-1).into()), "[3, 4]");
    assert_eq!(text((..=-2).into()), "[0, 1, 2, 3]");
    assert_eq!(text(Slice::from(isize::MIN..isize::MAX).step(isize::MAX)), "[0]");
    assert_eq!(text(Slice::from(isize::MAX..).step(isize::MIN)), "[4]");
    let rows = Nested::from_iter([vec![1, 2], vec![]]);
    let last = rows.slice(Slice::from(..).step(isize::MIN), 1).unwrap();
    assert_eq!(last.to_list().unwrap().to_string(), "[[2], []]");
    assert_eq!(text(Slice::from(isize::MIN..isize::MAX).step(-1)), "[]");
}

/// All lists along an axis that are not missing.
fn lists(value: &Value, axis: usize) -> Vec<Vec<Value>> {
    let found = RefCell::new(Vec::new());
    naive::along(value, axis, &|list| {
        found.borrow_mut().push(list.to_vec());
        Value::Missing
    });
    found.into_inner()
}

#[test]
fn one_element_of_each_list() {
    each(21, |random, levels, array, value| {
        for axis in 1..=levels {
            let (place, own) = (random.below(5) as i64 - 2, axis as isize);
            let wanted =
                naive::along(value, axis, &|list| naive::at(list, place.into()).unwrap_or(Value::Missing));
            check("get", array, array.get(place, own), &wanted);
            if lists(value, axis).iter().all(|list| naive::at(list, place.into()).is_some()) {
                check("at", array, array.at(place, own), &wanted);
            } else {
                assert!(array.at(place, own).is_err(), "{place} along {axis} of {value}");
            }
        }
    });
}

#[test]
fn an_element_of_its_own_of_each_list() {
    each(22, |_, levels, array, value| {
        for axis in 1..=levels {
            let own = axis as isize;
            let (counts, naive_counts) = (array.num(own).unwrap(), naive::num(value, axis));
            let get = |list: &[Value], place| naive::at(list, place).unwrap_or(Value::Missing);
            let wanted = naive::get_each(value, &naive_counts, axis, &|list, count| get(list, 2 - count));
            check("get of each", array, array.get(2 - &counts, own), &wanted);
            let somewhere = lists(value, axis).iter().all(|list| !list.is_empty());
            if somewhere {
                let last = naive::get_each(value, &naive_counts, axis, &|list, count| get(list, count - 1));
                check("last of each", array, array.at(&counts - 1, own), &last);
            } else {
                assert!(array.at(&counts - 1, own).is_err());
            }
        }
        let best = array.argmax(-1).unwrap();
        if levels > 0 {
            check("greatest", array, array.get(&best, -1), &naive::reduce("max", value, levels, levels));
        }
    });
}

#[test]
fn rows_by_number() {
    each(23, |random, _, array, value| {
        let rows = naive::elements(value);
        for place in 0..rows.len() {
            let from_end = place as i64 - rows.len() as i64;
            let wanted = match &rows[place] {
                Value::List(_) => rows[place].clone(),
                Value::Missing if array.num(1).is_ok() => {
                    assert!(array.at(from_end, 0).is_err());
                    continue;
                }
                other => Value::list([other.clone()]),
            };
            check("at", array, array.at(place as i64, 0), &wanted);
            check("at", array, array.at(from_end, 0), &wanted);
        }
        assert!(array.at(rows.len() as i64, 0).is_err());
        if !rows.is_empty() {
            let places: Vec<usize> = (0..4).map(|_| random.below(rows.len())).collect();
            let wanted = Value::list(places.iter().map(|&place| rows[place].clone()));
            let places: Nested = places.iter().map(|&place| place as i64 - rows.len() as i64).collect();
            check("pick", array, array.pick(&places), &wanted);
        }
    });
}

/// Lists of places that may be missing, in so many levels of lists.
fn places_schema(levels: usize) -> Schema {
    let inner = if levels == 0 {
        Schema::Number(Kind::Int32)
    } else {
        Schema::List(Box::new(places_schema(levels - 1)))
    };
    Schema::Option(Box::new(inner))
}

#[test]
fn lists_of_places() {
    each(24, |random, levels, array, value| {
        let places = array.argsort(-1, false).unwrap();
        check("in order", array, array.pick(&places), &naive::sort(value, levels, levels, false));
        let random = RefCell::new(random);
        for axis in 1..=levels {
            // Each place with what is there.
            let both = naive::along(value, axis, &|list| {
                let mut random = random.borrow_mut();
                let count = if list.is_empty() { 0 } else { random.below(4) };
                Value::list((0..count).map(|_| {
                    if random.chance(20) {
                        return Value::Tuple(vec![Value::Missing, Value::Missing]);
                    }
                    let place = random.below(list.len());
                    let own = place as i128 - if random.chance(50) { list.len() as i128 } else { 0 };
                    Value::Tuple(vec![Value::Int(own), list[place].clone()])
                }))
            });
            let part = |which: usize| {
                naive::along(&both, axis, &|list| {
                    Value::list(list.iter().map(|both| match both {
                        Value::Tuple(both) => both[which].clone(),
                        _ => Value::Missing,
                    }))
                })
            };
            let places = naive::elements(&part(0)).to_vec();
            let places = Nested::from_values_as(&places_schema(axis), places).unwrap();
            check(&format!("pick along {axis}"), array, array.pick(&places), &part(1));
        }
    });
}

/// A choice by values: lists of the mask go with lists, in which all is missing where one is.
/// The choice by a mask of so many levels of lists.
fn naive_choice(levels: usize, mask: &Value, yes: &Value, no: &Value) -> Value {
    match mask {
        // A list that is missing stands for missing elements, as many as there are beside it.
        Value::Missing if levels > 0 => match (yes, no) {
            (Value::List(beside), _) | (_, Value::List(beside)) => {
                let missing = Value::List(vec![Value::Missing; beside.len()]);
                naive_choice(levels, &missing, yes, no)
            }
            _ => Value::Missing,
        },
        Value::Missing => Value::Missing,
        Value::Bool(mask) => if *mask { yes } else { no }.clone(),
        Value::List(masks) => {
            let of = |side: &Value, place: usize| match side {
                Value::List(elements) => elements[place].clone(),
                other => other.clone(),
            };
            let one = |(place, mask): (usize, &Value)| {
                naive_choice(levels - 1, mask, &of(yes, place), &of(no, place))
            };
            Value::List(masks.iter().enumerate().map(one).collect())
        }
        other => panic!("{other}"),
    }
}

#[test]
fn choices_pass_over_what_is_missing_on_the_other_side() {
    let mut random = Random::new(3098);
    for round in 0..150 {
        let length = random.below(6);
        let mut lists =
            |lengths: &[usize], missing: usize, leaf: &mut dyn FnMut(&mut Random) -> Value| -> Vec<Value> {
                let one = |&length: &usize| {
                    if random.chance(missing) {
                        return Value::Missing;
                    }
                    let mut element = || if random.chance(25) { Value::Missing } else { leaf(&mut random) };
                    Value::List((0..length).map(|_| element()).collect())
                };
                lengths.iter().map(one).collect()
            };
        let lengths: Vec<usize> = (0..length).map(|place| (place * 7 + round) % 4).collect();
        let others: Vec<usize> = lengths.iter().map(|length| (length * 3 + round) % 5).collect();
        let mut number = |random: &mut Random| Value::from(random.below(9) as i64);
        let mut text = |random: &mut Random| Value::from(["", "a", "bc"][random.below(3)]);
        let mut truth = |random: &mut Random| Value::Bool(random.chance(50));
        let masks = lists(&lengths, 20, &mut truth);
        let (ones, twos) = (lists(&lengths, 30, &mut number), lists(&lengths, 30, &mut number));
        let wide = lists(&others, 30, &mut number);
        let (words, more) = (lists(&lengths, 30, &mut text), lists(&lengths, 0, &mut text));
        let flat: Vec<Value> = lists(&vec![1; length], 20, &mut truth)
            .into_iter()
            .map(|list| match list {
                Value::List(elements) => elements[0].clone(),
                _ => Value::Missing,
            })
            .collect();
        let of = |values: &[Value], schema: &str| {
            Nested::from_values_as(&Schema::parse(schema).unwrap(), values.to_vec()).unwrap()
        };
        let numbers = |values| of(values, "option[var * ?int64]");
        let texts = |values| of(values, "option[var * ?string]");
        let (deep, shallow) = (of(&masks, "option[var * ?bool]"), of(&flat, "?bool"));
        let cases = [
            (1, &masks, &ones, &twos, deep.choose(numbers(&ones), numbers(&twos))),
            (1, &masks, &words, &more, deep.choose(texts(&words), texts(&more))),
            (0, &flat, &ones, &twos, shallow.choose(numbers(&ones), numbers(&twos))),
            (0, &flat, &ones, &wide, shallow.choose(numbers(&ones), numbers(&wide))),
            (0, &flat, &words, &more, shallow.choose(texts(&words), texts(&more))),
        ];
        for (place, (levels, mask, yes, no, found)) in cases.into_iter().enumerate() {
            let wanted: Vec<Value> = (0..length)
                .map(|place| naive_choice(levels, &mask[place], &yes[place], &no[place]))
                .collect();
            let found = found.unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(found.to_list().unwrap(), Value::List(wanted), "round {round}, case {place}");
        }
    }
}

#[test]
fn a_list_that_is_missing_in_a_mask_stands_for_missing_elements() {
    let of = |values: &[Option<Vec<i64>>]| Nested::from_iter(values.iter().cloned());
    let mask = of(&[Some(vec![1, 0]), None, None, Some(vec![]), None]).gt(0).unwrap();
    let yes = of(&[Some(vec![1, 2]), Some(vec![3]), None, None, None]);
    let no = of(&[None, Some(vec![4]), Some(vec![5, 6]), Some(vec![]), None]);
    let shown = |made: nestled_nested::Result<Nested>| made.unwrap().to_list().unwrap().to_string();
    assert_eq!(shown(mask.choose(&yes, &no)), "[[1, None], [None], [None, None], [], None]");
    assert_eq!(shown(mask.choose(&yes, 7)), "[[1, 7], [None], None, [], None]");
    assert_eq!(shown(mask.choose(7, 8)), "[[7, 8], None, None, [], None]");
    // Lists of one length, and a mask whose lists are those of the array itself.
    let values =
        vec![Value::List(vec![1.into(), 2.into()]), Value::Missing, Value::List(vec![3.into(), 4.into()])];
    let pairs = Nested::from_values_as(&Schema::parse("option[2 * int64]").unwrap(), values).unwrap();
    let whole = Nested::from_iter([vec![5, 6], vec![7, 8], vec![9, 10]]);
    assert_eq!(shown(pairs.gt(1).unwrap().choose(&whole, 0)), "[[0, 6], [None, None], [9, 10]]");
    assert_eq!(shown(yes.gt(1).unwrap().choose(&yes, 0)), "[[0, 2], [3], None, None, None]");
    // Deeper lists, and lengths that differ where both are present.
    let deep = Nested::from_iter([Some(vec![Some(vec![1]), None]), None]).gt(0).unwrap();
    let other = Nested::from_iter([vec![vec![1], vec![2, 3]], vec![vec![4]]]);
    assert_eq!(shown(deep.choose(&other, 0)), "[[[1], [None, None]], [[None]]]");
    assert!(mask.choose(&yes, of(&[Some(vec![1]), None, None, None, None])).is_err());
}

#[test]
fn choices_of_records_and_of_values_for_lists() {
    let mask = Nested::from_iter([true, false, true]);
    let records = |from: i64| {
        let numbers = Nested::from_iter([from, from + 1, from + 2]);
        Nested::records(&[("x", &numbers), ("y", &Nested::from_iter(["p", "q", "r"]))]).unwrap()
    };
    let made = mask.choose(records(0), records(10)).unwrap();
    assert_eq!(made.to_list().unwrap().to_string(), r#"[{x: 0, y: "p"}, {x: 11, y: "q"}, {x: 2, y: "r"}]"#);
    let rows = Nested::from_iter([vec![1, 2], vec![3], vec![]]);
    assert_eq!(mask.choose(&rows, 7).unwrap().to_list().unwrap().to_string(), "[[1, 2], [7], []]");
    let one_each = Nested::from_iter([Some(5), None, Some(6)]);
    let made = mask.choose(&rows, &one_each).unwrap();
    assert_eq!(made.to_list().unwrap().to_string(), "[[1, 2], None, []]");
    assert_eq!(mask.choose("yes", "no").unwrap().to_list().unwrap().to_string(), r#"["yes", "no", "yes"]"#);
    let empty = mask.slice(..0, 0).unwrap();
    assert_eq!(empty.choose("yes", "no").unwrap().len(), 0);
    assert!(mask.choose(&rows, "text").is_err());
    assert!(rows.choose(1, 2).is_err());
    assert!(mask.choose(rows.slice(..2, 0).unwrap(), 0).is_err());
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}
