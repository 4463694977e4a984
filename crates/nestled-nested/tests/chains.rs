//! Chains of three to ten operations at random, against the same naive ones.

use crate::naive;
use crate::operations::check;
use crate::random::{self, Random};
use nestled_nested::{Nested, Result, Value, concatenate};

/// Number of chains.
const CHAINS: u64 = 30;

/// The most elements that a chain goes on with.
const LARGEST: usize = 4000;

/// An array and what it should be, with the operations so far.
struct Chain {
    array: Nested,
    value: Value,
    done: Vec<String>,
}

/// One operation at random, as a name, its array and its value.
fn step(random: &mut Random, array: &Nested, value: &Value) -> (String, Result<Nested>, Value) {
    let levels = naive::levels(&array.schema());
    let axis = random.below(levels + 1);
    let own = axis as isize;
    let add = |x: &Value| Value::Float(naive::number(x) + 1.5);
    match random.below(20) {
        0 => ("+ 1.5".to_owned(), array.try_add(1.5), naive::map(value, &add)),
        1 if levels > 0 && axis > 0 => {
            let (counts, naive_counts) = (array.num(own), naive::num(value, axis));
            let less = |x: &Value, n: &Value| Value::Float(naive::number(x) - naive::number(n));
            let made = counts.and_then(|counts| array.try_sub(&counts));
            (
                format!("- num {axis}"),
                made,
                naive::zip_with((value, levels), (&naive_counts, axis - 1), &less),
            )
        }
        2 => {
            let mask = naive::map(value, &|x| Value::Bool(naive::number(x) > 0.0));
            (
                "filter".to_owned(),
                array.gt(0).and_then(|mask| array.filter(&mask)),
                naive::filter(value, &mask, levels),
            )
        }
        3 if axis > 0 => {
            let mask = naive::map(&naive::num(value, axis), &|n| Value::Bool(naive::number(n) > 1.0));
            let own_mask = array.num(own).and_then(|counts| counts.gt(1));
            (
                format!("mask {axis}"),
                own_mask.and_then(|mask| array.mask(&mask)),
                naive::mask(value, &mask, axis - 1),
            )
        }
        4 if axis > 0 => (format!("sum {axis}"), array.sum(own), naive::reduce("sum", value, axis, levels)),
        5 if axis > 0 => (format!("max {axis}"), array.max(own), naive::reduce("max", value, axis, levels)),
        6 if axis > 0 => (format!("flatten {axis}"), array.flatten(own), naive::flatten(value, axis)),
        7 => ("sort".to_owned(), array.sort(-1, true), naive::sort(value, levels, levels, true)),
        8 if axis > 0 => (format!("firsts {axis}"), array.firsts(own), naive::firsts(value, axis)),
        9 => (format!("pad {axis}"), array.pad(2, own), naive::pad(value, 2, axis, false)),
        10 => (format!("pad_clip {axis}"), array.pad_clip(2, own), naive::pad(value, 2, axis, true)),
        11 => {
            ("concatenate".to_owned(), concatenate(&[array, array], 0), naive::concatenate(value, value, 0))
        }
        12 => ("fill".to_owned(), array.fill_missing(3), naive::fill_missing(value, levels, &Value::Int(3))),
        13 => (format!("drop {axis}"), array.drop_missing(own), naive::drop_missing(value, axis)),
        14 if levels < 5 => {
            (format!("singletons {axis}"), array.singletons(own), naive::singletons(value, axis))
        }
        15 => (
            "slice".to_owned(),
            array.slice(..2, own),
            naive::along(value, axis, &|list| Value::List(list[..list.len().min(2)].to_vec())),
        ),
        16 => (
            "reversed".to_owned(),
            array.reversed(own),
            naive::along(value, axis, &|list| Value::list(list.iter().rev().cloned())),
        ),
        17 if axis > 0 => (
            "get".to_owned(),
            array.get(-1, own),
            naive::along(value, axis, &|list| list.last().cloned().unwrap_or(Value::Missing)),
        ),
        18 => (
            "cumsum".to_owned(),
            array.cumsum(-1),
            naive::cumulated(value, levels, levels, &|one, other| one + other),
        ),
        19 => (
            "pick".to_owned(),
            array.argsort(-1, false).and_then(|places| array.pick(&places)),
            naive::sort(value, levels, levels, false),
        ),
        _ => (
            "- 1.0".to_owned(),
            array.try_sub(1.0),
            naive::map(value, &|x| Value::Float(naive::number(x) - 1.0)),
        ),
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::List(values) => 1 + values.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}

#[test]
fn chains_of_operations() {
    for seed in 0..crate::some_of(CHAINS) {
        let mut random = Random::new(seed + 77_000);
        let levels = random.below(6);
        let (array, value) = random::array(&mut random, levels);
        let mut chain = Chain { array: array.clone(), value, done: Vec::new() };
        for _ in 0..3 + random.below(8) {
            let (name, made, value) = step(&mut random, &chain.array, &chain.value);
            chain.done.push(name);
            match made {
                Ok(made) => (chain.array, chain.value) = (made, value),
                Err(error) => panic!("{:?} of {array}: {error}", chain.done),
            }
            if size(&chain.value) > LARGEST {
                break;
            }
        }
        check(&format!("{:?}", chain.done), &array, Ok(chain.array), &chain.value);
    }
}
