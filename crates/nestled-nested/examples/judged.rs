//! Random arrays and what operations make of them, as lines of JSON, which `tests/awkward_judge.py` compares with what Awkward Array makes of them.

#[path = "../tests/random.rs"]
mod random;

use nestled_nested::{Nested, Result, Slice, Value, arg_cartesian, broadcast_arrays, cartesian, concatenate};
use random::Random;

/// Number of random arrays for each depth, unless an argument says another.
const ARRAYS: u64 = 40;

fn main() {
    let arrays = std::env::args().nth(1).and_then(|number| number.parse().ok()).unwrap_or(ARRAYS);
    for levels in 0..4 {
        for number in 0..arrays {
            let mut random = Random::new(900_000 + 1000 * levels as u64 + number);
            let (array, _) = random::array(&mut random, levels);
            judged(&array, levels);
        }
    }
}

type Along = fn(&Nested, isize) -> Result<Nested>;

const ALONG: [(&str, Along); 27] = [
    ("num", Nested::num),
    ("local_index", Nested::local_index),
    ("flatten", Nested::flatten),
    ("is_none", Nested::is_missing),
    ("drop_none", Nested::drop_missing),
    ("singletons", Nested::singletons),
    ("count", Nested::count),
    ("count_nonzero", Nested::count_nonzero),
    ("sum", Nested::sum),
    ("prod", Nested::prod),
    ("any", Nested::any),
    ("all", Nested::all),
    ("min", Nested::min),
    ("max", Nested::max),
    ("argmin", Nested::argmin),
    ("argmax", Nested::argmax),
    ("var", |array, axis| array.var(axis, 0)),
    ("std", |array, axis| array.std(axis, 0)),
    ("ptp", Nested::ptp),
    ("first_two", |array, axis| array.slice(..2, axis)),
    ("last_two", |array, axis| array.slice(-2.., axis)),
    ("every_other", |array, axis| array.slice(Slice::from(1..).step(2), axis)),
    ("backward", |array, axis| array.reversed(axis)),
    ("sort", |array, axis| array.sort(axis, true)),
    ("sort_descending", |array, axis| array.sort(axis, false)),
    ("argsort", |array, axis| array.argsort(axis, true)),
    ("combinations", |array, axis| array.combinations(2, axis)),
];

const WITHOUT_NAN: [(&str, Along); 9] = [
    ("nansum", Nested::sum),
    ("nanprod", Nested::prod),
    ("nanmin", Nested::min),
    ("nanmax", Nested::max),
    ("nanmean", Nested::mean),
    ("nanvar", |array, axis| array.var(axis, 0)),
    ("nanstd", |array, axis| array.std(axis, 0)),
    ("nanargmin", Nested::argmin),
    ("nanargmax", Nested::argmax),
];

fn judged(array: &Nested, levels: usize) {
    for axis in 0..=levels as isize {
        for (name, operation) in ALONG {
            told(name, axis, array, operation(array, axis));
        }
        told("pad_none", axis, array, array.pad(2, axis));
        told("pad_none_clip", axis, array, array.pad_clip(2, axis));
        if axis > 0 {
            told("firsts", axis, array, array.firsts(axis));
            told("combinations_of_3", axis, array, array.combinations(3, axis));
            told("argcombinations", axis, array, array.arg_combinations(2, axis));
            told("cartesian", axis, array, cartesian(&[array, array], axis));
            told("argcartesian", axis, array, arg_cartesian(&[array, array], axis));
            told("concatenate", axis, array, concatenate(&[array, array], axis));
        }
    }
    told("mean", -1, array, array.mean(-1));
    told("ravel", 0, array, array.ravel());
    told("fill_none", -1, array, array.fill_missing(7));
    told("twice", 0, array, array.try_add(array));
    told("positive", 0, array, array.gt(0));
    told("softmax", -1, array, array.softmax(-1));
    told("nan_to_num", 0, array, array.nan_to_num(0.5));
    told("nan_to_none", 0, array, array.nan_to_missing());
    for (name, operation) in WITHOUT_NAN {
        told(name, -1, array, array.nan_to_missing().and_then(|array| operation(&array, -1)));
    }
    told("run_lengths", -1, array, array.run_lengths(-1));
    told("mask", 0, array, array.gt(0).and_then(|mask| array.mask(&mask)));
    told("concatenate", 0, array, concatenate(&[array, array], 0));
    if levels > 0 {
        told("minus_num", 0, array, array.num(1).and_then(|counts| array.try_sub(&counts)));
        let places = array.local_index(-1).and_then(|places| places.reversed(-1));
        told("pick_backward", 0, array, places.and_then(|places| array.pick(&places)));
        let best = array.argmax(-1);
        told("get_greatest", 0, array, best.and_then(|best| array.get(best, -1)));
        let counts = array.num(1).and_then(|counts| Ok(broadcast_arrays(&[array, &counts])?.remove(1)));
        told("broadcast_counts", 0, array, counts);
        told("filter_lists", 0, array, array.num(1).and_then(|counts| array.filter(&counts.gt(1)?)));
    }
}

fn told(name: &str, axis: isize, array: &Nested, made: Result<Nested>) {
    let made = made.and_then(|made| made.to_list()).expect("the operation fits the array");
    let input = array.to_list().expect("it was made of values");
    println!(
        "{{\"operation\": \"{name}\", \"axis\": {axis}, \"type\": \"{}\", \"input\": {}, \"output\": {}}}",
        array.type_string(),
        json(&input),
        json(&made)
    );
}

fn json(value: &Value) -> String {
    match value {
        Value::Missing => "null".to_owned(),
        Value::Float(value) if value.is_nan() => "NaN".to_owned(),
        Value::Float(value) if value.is_infinite() => {
            if *value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
        }
        Value::List(values) | Value::Tuple(values) => {
            format!("[{}]", values.iter().map(json).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
