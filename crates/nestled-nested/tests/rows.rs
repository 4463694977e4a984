//! Lists of two arrays at one place: sets, places of equal elements, and sorted ones merged, against naive ones.

use crate::naive::{along, elements};
use crate::operations::check;
use crate::order::{compare, different, each, has, is_nan, sorted};
use crate::random::{self, Random};
use nestled_nested::{Nested, Result, Schema, Value};

/// Values that go beside others: the same lists down to an axis, other lists along it, which have some of the same elements.
fn beside(random: &mut Random, schema: &Schema, value: &Value, axis: usize) -> Value {
    match (schema, value) {
        (_, Value::Missing) => random::value(random, schema),
        (Schema::Option(_), _) if random.chance(20) => Value::Missing,
        (Schema::Option(inner), _) => beside(random, inner, value, axis),
        (Schema::List(inner) | Schema::Fixed(_, inner), Value::List(own)) if axis == 1 => {
            let length = if matches!(schema, Schema::List(_)) { random.below(5) } else { own.len() };
            some_of(random, own, inner, length)
        }
        (Schema::List(inner) | Schema::Fixed(_, inner), _) => {
            Value::list(elements(value).iter().map(|element| beside(random, inner, element, axis - 1)))
        }
        (schema, _) => panic!("{schema} has no lists"),
    }
}

/// So many elements, some of those that are known.
fn some_of(random: &mut Random, known: &[Value], schema: &Schema, length: usize) -> Value {
    let one = |random: &mut Random| {
        let again = !known.is_empty() && random.chance(60);
        if again { known[random.below(known.len())].clone() } else { random::value(random, schema) }
    };
    Value::list((0..length).map(|_| one(random)))
}

/// What is made of the lists of two arrays along an axis; missing where one of the two is.
fn both(left: &Value, right: &Value, axis: usize, make: &dyn Fn(&[Value], &[Value]) -> Value) -> Value {
    match (left, right) {
        (Value::Missing, _) | (_, Value::Missing) => Value::Missing,
        _ if axis == 0 => make(elements(left), elements(right)),
        _ => {
            let pairs = elements(left).iter().zip(elements(right));
            Value::list(pairs.map(|(left, right)| both(left, right, axis - 1, make)))
        }
    }
}

/// Runs a test on pairs of arrays along each of their axes.
fn each_pair(seed: u64, mut test: impl FnMut(usize, [&Nested; 2], [&Value; 2])) {
    each(seed, |random, levels, array, value| {
        for axis in 0..=levels {
            let schema = array.schema();
            let whole = Schema::List(Box::new(schema.clone()));
            let other = match axis {
                0 => {
                    let length = random.below(6);
                    some_of(random, elements(value), &schema, length)
                }
                _ => beside(random, &whole, value, axis + 1),
            };
            let others = Nested::from_values_as(&schema, elements(&other).to_vec()).unwrap();
            test(axis, [array, &others], [value, &other]);
        }
    });
}

fn is_in(list: &[Value], element: &Value) -> bool {
    list.iter().any(|own| compare(own, element).is_eq())
}

type Sets =
    (&'static str, fn(&Nested, &Nested, isize) -> Result<Nested>, fn(&[Value], &[Value]) -> Vec<Value>);

const SETS: [Sets; 3] = [
    ("set_union", Nested::set_union, |left, right| different(&[left, right].concat())),
    ("set_intersection", Nested::set_intersection, |left, right| {
        different(left).into_iter().filter(|element| is_in(right, element)).collect()
    }),
    ("set_difference", Nested::set_difference, |left, right| {
        different(left).into_iter().filter(|element| !is_in(right, element)).collect()
    }),
];

#[test]
fn lists_as_sets() {
    each_pair(82, |axis, [left, right], [value, other]| {
        for (name, made, naive) in SETS {
            let wanted = both(value, other, axis, &|left, right| Value::List(naive(left, right)));
            check(
                &format!("{name} along {axis} with {right}"),
                left,
                made(left, right, axis as isize),
                &wanted,
            );
        }
    });
}

#[test]
fn places_of_equal_elements() {
    each_pair(83, |axis, [left, right], [value, other]| {
        let wanted = both(value, other, axis, &|left, right| {
            Value::list(left.iter().map(|element| {
                let unequal = has(element, &is_nan) || has(element, &|part| *part == Value::Missing);
                let place = right.iter().position(|other| !unequal && compare(element, other).is_eq());
                place.map_or(Value::Missing, |place| Value::Int(place as i128))
            }))
        });
        check(
            &format!("places_in along {axis} with {right}"),
            left,
            left.places_in(right, axis as isize),
            &wanted,
        );
    });
}

/// The lists along an axis sorted.
fn in_order(value: &Value, axis: usize) -> Value {
    along(value, axis, &|list| Value::List(sorted(list)))
}

#[test]
fn sorted_lists_merged() {
    each_pair(84, |axis, [left, right], [value, other]| {
        let (value, other) = (in_order(value, axis), in_order(other, axis));
        let of = |array: &Nested, value: &Value| {
            Nested::from_values_as(&array.schema(), elements(value).to_vec()).unwrap()
        };
        let (left, right) = (of(left, &value), of(right, &other));
        let wanted = both(&value, &other, axis, &|left, right| Value::List(sorted(&[left, right].concat())));
        let merged = left.merge_sorted(&right, axis as isize);
        check(&format!("merge_sorted along {axis} with {right}"), &left, merged, &wanted);
    });
}

#[test]
fn equal_elements_of_the_left_come_first() {
    // Signed zeros are equal, and tell where they come from.
    let (left, right) =
        (Nested::from_iter([vec![-0.0, -0.0, 1.0]]), Nested::from_iter([vec![-1.0, 0.0, 1.5]]));
    let merged = left.merge_sorted(&right, 1).unwrap();
    assert_eq!(merged.to_list().unwrap().to_string(), "[[-1.0, -0.0, -0.0, 0.0, 1.0, 1.5]]");
    let merged = right.merge_sorted(&left, 1).unwrap();
    assert_eq!(merged.to_list().unwrap().to_string(), "[[-1.0, 0.0, -0.0, -0.0, 1.0, 1.5]]");
    assert_eq!(left.set_union(&right, 1).unwrap().to_list().unwrap().to_string(), "[[-1.0, -0.0, 1.0, 1.5]]");
}

#[test]
fn numbers_of_two_types_and_words_of_categories() {
    let (left, right) = (Nested::from_iter([vec![1i8, 3]]), Nested::from_iter([vec![1.0, 2.5, 3.0]]));
    assert_eq!(left.places_in(&right, 1).unwrap().to_list().unwrap().to_string(), "[[0, 2]]");
    let both = left.set_intersection(&right, 1).unwrap();
    assert_eq!((both.type_string().as_str(), both.len()), ("1 * var * int64", 1));
    assert_eq!(
        left.merge_sorted(&right, 1).unwrap().to_list().unwrap().to_string(),
        "[[1.0, 1.0, 2.5, 3.0, 3.0]]"
    );
    let wide = Nested::from_iter([vec![u64::MAX - 1, u64::MAX]]);
    assert_eq!(wide.merge_sorted(&wide, 1).unwrap().type_string(), "1 * var * uint64");
    assert_eq!(wide.places_in(&wide, 1).unwrap().to_list().unwrap().to_string(), "[[0, 1]]");
    let words = Nested::from_iter([vec![Some("b"), None, Some("a")], vec![Some("c")]]);
    let categories = words.to_categorical().unwrap();
    for (one, other) in [(&words, &categories), (&categories, &words), (&categories, &categories)] {
        let places = one.places_in(other, 1).unwrap();
        assert_eq!(places.to_list().unwrap().to_string(), "[[0, None, 2], [0]]");
        let union = one.set_union(other, 1).unwrap();
        assert_eq!(union.to_list().unwrap().to_string(), r#"[["a", "b", None], ["c"]]"#);
        assert!(one.set_difference(other, 1).unwrap().flatten(1).unwrap().is_empty());
    }
}

#[test]
fn lists_that_do_not_go_together() {
    let told = |made: Result<Nested>| match made {
        Ok(made) => panic!("it gave {made}"),
        Err(error) => error.to_string().split_once(": ").unwrap().1.to_owned(),
    };
    let (left, right) =
        (Nested::from_iter([vec![1, 2], vec![2, 1, 3]]), Nested::from_iter([vec![3], vec![0]]));
    assert_eq!(told(left.merge_sorted(&right, 1)), "list 1 of this array is not sorted");
    assert_eq!(told(right.merge_sorted(&left, 1)), "list 1 of the other array is not sorted");
    assert_eq!(
        told(left.set_union(&right, 2)),
        "`var * int64` has no such axis: its lists are 1 levels deep"
    );
    assert_eq!(told(left.set_union(&Nested::from_iter([1, 2]), 1)), "`int64` has no lists");
    let texts = Nested::from_iter([vec!["a"], vec!["b"]]);
    assert_eq!(told(left.places_in(&texts, 1)), "`int64` and `string` do not go together");
    assert_eq!(
        told(left.places_in(&Nested::from_iter([vec![1]]), 1)),
        "2 elements do not go together with 1"
    );
}
