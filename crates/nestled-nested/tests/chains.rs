//! Chains of three to ten operations at random, against the same naive ones.

use crate::operations::check;
use crate::random::{self, Random};
use crate::{layouts, naive};
use nestled_nested::{Nested, Result, Value};
use nestled_test::again;

/// Number of chains.
const CHAINS: u64 = 30;

/// The most elements that a chain goes on with.
const LARGEST: usize = 4000;

/// An array and what it should be, with the operations so far.
pub struct Chain {
    pub array: Nested,
    pub value: Value,
    done: Vec<String>,
}

impl Chain {
    pub fn new(array: &Nested, value: &Value) -> Chain {
        Chain { array: array.clone(), value: value.clone(), done: Vec::new() }
    }

    /// One operation more: its name, its array and its value.
    pub fn goes_on(&mut self, (name, made, value): (String, Result<Nested>, Value)) {
        self.done.push(name);
        match made {
            Ok(made) => (self.array, self.value) = (made, value),
            Err(error) => panic!("{:?} of {}: {error}", self.done, self.array),
        }
    }

    pub fn is_large(&self) -> bool {
        size(&self.value) > LARGEST
    }

    pub fn name(&self) -> String {
        format!("{:?}", self.done)
    }
}

/// One operation on numbers at random, as a name, its array and its value.
fn step(random: &mut Random, array: &Nested, value: &Value) -> (String, Result<Nested>, Value) {
    let levels = naive::levels(&array.schema());
    let axis = random.below(levels + 1);
    let own = axis as isize;
    if random.chance(50) {
        let number = random.below(layouts::STEPS);
        if let Some(step) = layouts::step(random, number, (array, value), (axis, levels)) {
            return step;
        }
    }
    let add = |x: &Value| Value::Float(naive::number(x) + 1.5);
    match random.below(10) {
        0 => ("+ 1.5".to_owned(), array.try_add(1.5), naive::map(value, &add)),
        1 if axis > 0 => {
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
        3 if axis > 0 => (format!("sum {axis}"), array.sum(own), naive::reduce("sum", value, axis, levels)),
        4 if axis > 0 => (format!("max {axis}"), array.max(own), naive::reduce("max", value, axis, levels)),
        5 => ("sort".to_owned(), array.sort(-1, true), naive::sort(value, levels, levels, true)),
        6 => ("fill".to_owned(), array.fill_missing(3), naive::fill_missing(value, levels, &Value::Int(3))),
        7 => (
            "cumsum".to_owned(),
            array.cumsum(-1),
            naive::cumulated(value, levels, levels, &|one, other| one + other),
        ),
        8 => (
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
        let mut chain = Chain::new(&array, &value);
        for _ in 0..3 + random.below(8) {
            chain.goes_on(step(&mut random, &chain.array, &chain.value));
            if chain.is_large() {
                break;
            }
        }
        check(&chain.name(), &array, Ok(chain.array), &chain.value);
    }
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cpu_compiled() {
    again::compiled(module_path!());
}
