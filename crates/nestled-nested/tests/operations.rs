//! Each operation on random arrays of all depths and along each axis, against the naive one.

use crate::naive::{self, same};
use crate::random::{self, Random};
use nestled_nested::{Nested, Result, Value, arg_cartesian, cartesian, concatenate, nested_cartesian, zip};
use nestled_test::again;

/// Number of random arrays for each depth.
const ARRAYS: u64 = 4;

/// The deepest arrays: lists around the numbers.
const DEEPEST: usize = 4;

/// The deepest arrays on another device, where each depth has kernels of its own to be compiled.
const DEEPEST_OF_SAMPLE: usize = 2;

#[track_caller]
pub fn check(what: &str, array: &Nested, made: Result<Nested>, wanted: &Value) {
    let made = match made.and_then(|made| Ok((made.to_list()?, made.type_string()))) {
        Ok(made) => made,
        Err(error) => panic!("{what} of {}\n{array}\n{error}", array.type_string()),
    };
    crate::check_compiled();
    let whole = array.to_list().expect("it was computed");
    assert!(
        same(&made.0, wanted),
        "{what} of {}\n{whole}\ngives  {}\n{}\nwanted {wanted}",
        array.type_string(),
        made.1,
        made.0
    );
}

/// The result of a reduction along the outermost axis: an array of one, if it is a number.
pub fn alone(wanted: Value) -> Value {
    match wanted {
        Value::List(_) => wanted,
        number => Value::List(vec![number]),
    }
}

/// Runs a test on random arrays: `levels` is the number of levels of lists.
pub fn each(seed: u64, mut test: impl FnMut(&mut Random, usize, &Nested, &Value)) {
    for levels in 0..=if again::is_sample() { DEEPEST_OF_SAMPLE } else { DEEPEST } {
        for number in 0..crate::some_of(ARRAYS) {
            let mut random = Random::new(seed * 1000 + levels as u64 * 100 + number);
            let (array, value) = random::array(&mut random, levels);
            test(&mut random, levels, &array, &value);
        }
    }
}

#[test]
fn values_come_back() {
    each(1, |_, _, array, value| {
        check("to_list", array, Ok(array.clone()), value);
        let again = Nested::from_values_as(&array.schema(), naive::elements(value).to_vec()).unwrap();
        assert!(array.is_equal(&again).unwrap(), "{value}");
    });
}

#[test]
fn counts_and_places() {
    each(2, |_, levels, array, value| {
        for axis in 0..=levels {
            check("num", array, array.num(axis as isize), &alone(naive::num(value, axis)));
            let negative = axis as isize - levels as isize - 1;
            check("local_index", array, array.local_index(negative), &naive::local_index(value, axis));
        }
    });
}

#[test]
fn flattened() {
    each(3, |_, levels, array, value| {
        for axis in 0..=levels {
            check("flatten", array, array.flatten(axis as isize), &naive::flatten(value, axis));
        }
        check("ravel", array, array.ravel(), &naive::ravel(value, levels));
    });
}

#[test]
fn unflattened() {
    each(4, |random, _, array, value| {
        let mut left = array.len();
        let mut lengths = Vec::new();
        while left > 0 {
            let length = random.below(left + 1);
            lengths.push(length as i64);
            left -= length;
        }
        let made = array.unflatten(&Nested::from(nestled_nested::Array::from_vec(lengths))).unwrap();
        check("flatten of unflatten", array, made.flatten(1), value);
    });
}

type Reduction = fn(&Nested, isize) -> Result<Nested>;

const REDUCTIONS: [(&str, Reduction); 18] = [
    ("count", Nested::count),
    ("count_nonzero", Nested::count_nonzero),
    ("sum", Nested::sum),
    ("prod", Nested::prod),
    ("any", Nested::any),
    ("all", Nested::all),
    ("mean", Nested::mean),
    ("min", Nested::min),
    ("max", Nested::max),
    ("argmin", Nested::argmin),
    ("argmax", Nested::argmax),
    ("var", |array, axis| array.var(axis, 0)),
    ("var1", |array, axis| array.var(axis, 1)),
    ("std", |array, axis| array.std(axis, 0)),
    ("ptp", Nested::ptp),
    ("median", Nested::median),
    ("quantile", |array, axis| array.quantile(0.3, axis)),
    ("histogram", |array, axis| array.histogram(3, -2.0, 2.5, axis)),
];

#[test]
fn reductions_of_the_innermost_axis() {
    each(5, |_, levels, array, value| {
        for (name, reduction) in REDUCTIONS {
            check(name, array, reduction(array, -1), &alone(naive::reduce(name, value, levels, levels)));
        }
    });
}

#[test]
fn reductions_of_outer_axes() {
    each(6, |random, levels, array, value| {
        for axis in 0..levels {
            for _ in 0..3 {
                let (name, reduction) = REDUCTIONS[random.below(REDUCTIONS.len())];
                check(
                    &format!("{name} along {axis}"),
                    array,
                    reduction(array, axis as isize),
                    &naive::reduce(name, value, axis, levels),
                );
            }
        }
    });
}

fn numbers(function: impl Fn(f64, f64) -> f64) -> impl Fn(&Value, &Value) -> Value {
    move |one, other| Value::Float(function(naive::number(one), naive::number(other)))
}

#[test]
fn arithmetic_between_levels() {
    each(7, |_, levels, array, value| {
        check(
            "+",
            array,
            array.try_add(array),
            &naive::zip_with((value, levels), (value, levels), &numbers(|x, y| x + y)),
        );
        check(
            "* 2.5",
            array,
            array.try_mul(2.5),
            &naive::map(value, &|x| Value::Float(naive::number(x) * 2.5)),
        );
        for axis in 1..=levels {
            let (counts, naive_counts) = (array.num(axis as isize).unwrap(), naive::num(value, axis));
            let wanted = naive::zip_with((value, levels), (&naive_counts, axis - 1), &numbers(|x, y| x - y));
            check("- num", array, array.try_sub(&counts), &wanted);
            let wanted = naive::zip_with((&naive_counts, axis - 1), (value, levels), &|x, y| {
                Value::Bool(naive::number(x) < naive::number(y))
            });
            check("num <", array, counts.lt(array), &wanted);
        }
    });
}

/// Where numbers are more than 0, or counts of lists more than 1.
fn masks(levels: usize, array: &Nested, value: &Value) -> Vec<(Nested, Value, usize)> {
    let more = |than: f64| move |x: &Value| Value::Bool(naive::number(x) > than);
    let mut masks = vec![(array.gt(0).unwrap(), naive::map(value, &more(0.0)), levels)];
    for axis in 1..=levels {
        let counts = array.num(axis as isize).unwrap().gt(1).unwrap();
        masks.push((counts, naive::map(&naive::num(value, axis), &more(1.0)), axis - 1));
    }
    masks
}

#[test]
fn filters_and_masks() {
    each(8, |_, levels, array, value| {
        for (mask, naive_mask, depth) in masks(levels, array, value) {
            check("filter", array, array.filter(&mask), &naive::filter(value, &naive_mask, depth));
            check("mask", array, array.mask(&mask), &naive::mask(value, &naive_mask, depth));
        }
    });
}

#[test]
fn missing_values() {
    each(9, |_, levels, array, value| {
        for axis in 0..=levels {
            let own = axis as isize;
            check("is_missing", array, array.is_missing(own), &naive::missing(value, axis));
            check("drop_missing", array, array.drop_missing(own), &naive::drop_missing(value, axis));
            check("singletons", array, array.singletons(own), &naive::singletons(value, axis));
            if axis > 0 {
                check("firsts", array, array.firsts(own), &naive::firsts(value, axis));
            }
        }
        check(
            "fill_missing",
            array,
            array.fill_missing(7),
            &naive::fill_missing(value, levels, &Value::Int(7)),
        );
    });
}

#[test]
fn lengths_are_brought_up() {
    each(10, |random, levels, array, value| {
        for axis in 0..=levels {
            let (own, length) = (axis as isize, random.below(4));
            check("pad", array, array.pad(length, own), &naive::pad(value, length, axis, false));
            check("pad_clip", array, array.pad_clip(length, own), &naive::pad(value, length, axis, true));
        }
    });
}

#[test]
fn sorts() {
    each(11, |random, levels, array, value| {
        for axis in 0..=levels {
            let (own, ascending) = (axis as isize, random.chance(50));
            let (sorted, places) = (array.sort(own, ascending), array.argsort(own, ascending));
            check("sort", array, sorted, &naive::sort(value, axis, levels, ascending));
            check("argsort", array, places, &naive::argsort(value, axis, levels, ascending));
            check("rank", array, array.rank(own, true), &naive::rank(value, axis, levels));
        }
    });
}

#[test]
fn joins() {
    each(12, |random, levels, array, value| {
        let (other, others) = random::array(random, levels);
        let wanted = naive::concatenate(value, &others, 0);
        check("concatenate", array, concatenate(&[array, &other], 0), &wanted);
        if levels > 0 {
            let schema = random::schema(random, levels);
            let (other, others) = random::array_of(random, &schema, array.len());
            let wanted = naive::concatenate(value, &others, 1);
            check("concatenate", array, concatenate(&[array, &other], 1), &wanted);
        }
        for axis in 2..=levels {
            let both = concatenate(&[array, array], axis as isize);
            check("concatenate", array, both, &naive::concatenate(value, value, axis));
        }
    });
}

#[test]
fn pairs() {
    each(13, |random, levels, array, value| {
        if levels > 0 {
            let deep = 1 + random.below(2);
            let schema = random::schema(random, deep);
            let (other, others) = random::array_of(random, &schema, array.len());
            check(
                "cartesian",
                array,
                cartesian(&[array, &other], 1),
                &naive::cartesian(&[value, &others], 1),
            );
            let wanted = naive::nested_cartesian(&[value, &others], 1);
            check("nested_cartesian", array, nested_cartesian(&[array, &other], 1), &wanted);
        }
        for axis in 0..=levels {
            let own = axis as isize;
            let wanted = naive::cartesian(&[value, value], axis);
            check("cartesian", array, cartesian(&[array, array], own), &wanted);
            let (places, naive_places) = (array.local_index(own).unwrap(), naive::local_index(value, axis));
            let wanted = naive::cartesian(&[&naive_places, &naive_places], axis);
            check("arg_cartesian", array, arg_cartesian(&[array, array], own), &wanted);
            let wanted = naive::nested_cartesian(&[value, value], axis);
            check("nested_cartesian", array, nested_cartesian(&[array, array], own), &wanted);
            let most = match (levels, axis) {
                _ if again::is_sample() => 2,
                (1, 1) => 4,
                _ => 3,
            };
            for n in 1..=most {
                let wanted = naive::combinations(value, n, axis);
                check("combinations", array, array.combinations(n, own), &wanted);
            }
            let wanted = naive::combinations(&naive_places, 2, axis);
            check("arg_combinations", &places, array.arg_combinations(2, own), &wanted);
        }
        if levels == 1 {
            let three = cartesian(&[array, array, array], 1);
            check("three", array, three, &naive::cartesian(&[value, value, value], 1));
            let three = nested_cartesian(&[array, array, array], 1);
            check("nested three", array, three, &naive::nested_cartesian(&[value, value, value], 1));
        }
    });
}

#[test]
fn choices() {
    each(14, |_, levels, array, value| {
        let (mask, naive_mask) = (
            array.fill_missing(0).unwrap().gt(0).unwrap(),
            naive::fill_missing(value, levels, &Value::Int(0)),
        );
        let naive_mask = naive::map(&naive_mask, &|x| Value::Bool(naive::number(x) > 0.0));
        let wanted = naive::choose(&naive_mask, value, &Value::Int(5));
        check("choose", array, mask.choose(array, 5), &wanted);
    });
}

#[test]
fn records_of_levels() {
    each(15, |_, levels, array, value| {
        if levels == 0 {
            return;
        }
        let (counts, naive_counts) = (array.num(1).unwrap(), naive::num(value, 1));
        let both = zip(&[("x", array), ("n", &counts)]).unwrap();
        check("x of zip", array, both.field("x"), value);
        let spread = naive::zip_with((&naive_counts, 0), (&hollow(value, levels), levels), &|n, _| n.clone());
        check("n of zip", array, both.field("n"), &spread);
        let more = both.with_field("n", &(counts * 2)).unwrap();
        assert_eq!(more.fields(), ["x", "n"]);
    });
}

/// The same lists around zeros, none of which is missing.
fn hollow(value: &Value, levels: usize) -> Value {
    naive::fill_missing(value, levels, &Value::Int(0))
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cpu_compiled() {
    again::compiled(module_path!());
}
