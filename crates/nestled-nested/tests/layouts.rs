//! Operations that take elements of any schema, texts and records among them, against the naive ones: each along each axis, and chains of them.

use crate::chains::Chain;
use crate::naive;
use crate::operations::{alone, check};
use crate::random::{self, Random};
use nestled_nested::{Nested, Result, Schema, Value, concatenate, zip};
use nestled_test::again;

/// Number of random arrays for each depth, and of chains.
const ARRAYS: u64 = 12;

/// A schema with so many levels of lists around elements of any kind.
fn schema(random: &mut Random, levels: usize) -> Schema {
    let inner = match levels {
        0 => element(random, 2),
        _ if random.chance(20) => Schema::Fixed(random.below(4), Box::new(schema(random, levels - 1))),
        _ => Schema::List(Box::new(schema(random, levels - 1))),
    };
    if random.chance(40) { Schema::Option(Box::new(inner)) } else { inner }
}

/// A number, a text, or a record of those, whose fields may have lists of their own; records lie within one another so often at most.
fn element(random: &mut Random, deepest: usize) -> Schema {
    let kind = random.below(5);
    let mut field = || {
        let inner = element(random, deepest - 1);
        let inner = if random.chance(20) { Schema::List(Box::new(inner)) } else { inner };
        if random.chance(30) { Schema::Option(Box::new(inner)) } else { inner }
    };
    match (deepest, kind) {
        (1.., 0) => Schema::Tuple(vec![field(), field()]),
        (1.., 1 | 2) => Schema::Record(["x", "y", "z"].map(|name| (name.to_owned(), field())).into()),
        (_, 3) => Schema::Category(Box::new(Schema::String)),
        (_, 0 | 4) => Schema::String,
        _ => match random::schema(random, 0) {
            Schema::Option(number) => *number,
            number => number,
        },
    }
}

/// Number of the operations of [`step`].
pub const STEPS: usize = 17;

/// One operation along an axis, as a name, its array and its value; nothing where it needs another axis. `levels` is that of the lists around elements.
pub fn step(
    random: &mut Random,
    number: usize,
    (array, value): (&Nested, &Value),
    (axis, levels): (usize, usize),
) -> Option<(String, Result<Nested>, Value)> {
    let own = axis as isize;
    let inner = (axis > 0).then_some(());
    let is_other = |x: &Value| Value::Bool(naive::number(x) != 1.0);
    let is_many = |n: &Value| Value::Bool(naive::number(n) > 1.0);
    let many = || array.num(own).and_then(|counts| counts.gt(1));
    let but_second = || array.local_index(own).and_then(|places| places.ne(1));
    let others = naive::map(&naive::local_index(value, axis), &is_other);
    let of_lists = || naive::map(&naive::num(value, axis), &is_many);
    let (name, made, wanted) = match number {
        0 => {
            ("filter", but_second().and_then(|mask| array.filter(&mask)), naive::filter(value, &others, axis))
        }
        1 => ("mask", but_second().and_then(|mask| array.mask(&mask)), naive::mask(value, &others, axis)),
        2 => {
            inner?;
            let made = many().and_then(|mask| array.filter(&mask));
            ("filter lists", made, naive::filter(value, &of_lists(), axis - 1))
        }
        3 => {
            inner?;
            let made = many().and_then(|mask| array.mask(&mask));
            ("mask lists", made, naive::mask(value, &of_lists(), axis - 1))
        }
        4 => ("flatten", array.flatten(own), naive::flatten(value, axis)),
        5 => {
            inner?;
            ("firsts", array.firsts(own), naive::firsts(value, axis))
        }
        6 => ("pad", array.pad(2, own), naive::pad(value, 2, axis, false)),
        7 => ("pad_clip", array.pad_clip(2, own), naive::pad(value, 2, axis, true)),
        8 => ("concatenate", concatenate(&[array, array], own), naive::concatenate(value, value, axis)),
        9 => ("drop_missing", array.drop_missing(own), naive::drop_missing(value, axis)),
        10 if levels < 5 => ("singletons", array.singletons(own), naive::singletons(value, axis)),
        11 => {
            let (start, stop) = (random.below(5) as i64 - 2, random.below(5) as i64 - 2);
            let wanted = naive::along(value, axis, &|list| naive::slice(list, Some(start), Some(stop), 1));
            return Some((
                format!("slice {start}..{stop} along {axis}"),
                array.slice(start as isize..stop as isize, own),
                wanted,
            ));
        }
        12 => {
            let wanted = naive::along(value, axis, &|list| Value::list(list.iter().rev().cloned()));
            ("reversed", array.reversed(own), wanted)
        }
        13 => {
            inner?;
            let last = |list: &[Value]| list.last().cloned().unwrap_or(Value::Missing);
            ("get", array.get(-1, own), naive::along(value, axis, &last))
        }
        14 => {
            let places = array.local_index(own).and_then(|places| array.pick(&(-places - 1)));
            ("pick", places, naive::along(value, axis, &|list| Value::list(list.iter().rev().cloned())))
        }
        15 => {
            let both = array.local_index(own).and_then(|n| zip(&[("all", array), ("n", &n)]));
            ("zip and unzip", both.and_then(|both| Ok(both.unzip()?.remove(0))), value.clone())
        }
        16 => {
            let again = array.unflatten(&Nested::from_iter([1, array.len() as i64 - 1]));
            if array.is_empty() {
                return None;
            }
            ("unflatten and flatten", again.and_then(|rows| rows.flatten(1)), value.clone())
        }
        _ => return None,
    };
    Some((format!("{name} {axis}"), made, wanted))
}

/// Runs a test on random arrays: `levels` is the number of levels of lists.
fn each(seed: u64, mut test: impl FnMut(&mut Random, usize, &Nested, &Value)) {
    for number in 0..crate::some_of(ARRAYS) {
        let mut random = Random::new(seed * 1000 + number);
        let levels = number as usize % 4;
        let schema = schema(&mut random, levels);
        let length = if random.chance(10) { 0 } else { 1 + random.below(6) };
        let (array, value) = random::array_of(&mut random, &schema, length);
        test(&mut random, levels, &array, &value);
    }
}

#[test]
fn each_operation() {
    each(70, |random, levels, array, value| {
        check("to_list", array, Ok(array.clone()), value);
        for axis in 0..=levels {
            for number in 0..STEPS {
                if let Some((name, made, wanted)) = step(random, number, (array, value), (axis, levels)) {
                    check(&name, array, made, &wanted);
                }
            }
        }
    });
}

#[test]
fn counts_and_places() {
    each(71, |_, levels, array, value| {
        for axis in 0..=levels {
            let own = axis as isize;
            check("num", array, array.num(own), &alone(naive::num(value, axis)));
            check("local_index", array, array.local_index(own), &naive::local_index(value, axis));
            check("is_missing", array, array.is_missing(own), &naive::missing(value, axis));
        }
    });
}

#[test]
fn chains_of_operations() {
    each(72, |random, _, array, value| {
        let mut chain = Chain::new(array, value);
        for _ in 0..3 + random.below(6) {
            let levels = naive::levels(&chain.array.schema());
            let (axis, number) = (random.below(levels + 1), random.below(STEPS));
            if let Some(step) = step(random, number, (&chain.array, &chain.value), (axis, levels)) {
                chain.goes_on(step);
            }
            if chain.is_large() {
                break;
            }
        }
        check(&chain.name(), array, Ok(chain.array), &chain.value);
    });
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cpu_compiled() {
    again::compiled(module_path!());
}
