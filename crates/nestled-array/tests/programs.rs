//! Random programs of `jit`: several results, some of them the same, or arguments, or data that the closure holds; called on several
//! engines, with arrays, ragged ones among them, that are dropped in any order. What is left always has its own numbers.
//!
//! `NESTLED_TEST_COUNT` says how many programs are made, `NESTLED_TEST_SEED` which is the first.

use crate::direct;
use crate::direct::{Dice, Direct};
use nestled_array::*;

/// How many programs are made where nobody says.
const SAMPLE: u64 = 60;

/// How many results a program has.
const RESULTS: usize = 4;

type Pair = (Array<i32>, Direct<i32>);

/// One value more, of values before it.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add(usize, usize),
    Scale(usize, i32),
    Turn(usize, i64),
    Prefixes(usize),
    /// A closure at each element.
    Closure(usize),
    /// The very same array.
    Ravel(usize),
    /// What does not depend on arguments.
    Constant(i32),
}

/// The values that a program makes of its arguments and of what it holds, and which of them it gives.
#[derive(Debug)]
struct Recipe {
    steps: Vec<Step>,
    given: [usize; RESULTS],
}

impl Recipe {
    fn new(dice: &Dice, inputs: usize) -> Recipe {
        let count = dice.below(6);
        let one = |known: usize| {
            let (a, b) = (dice.below(known), dice.below(known));
            match dice.below(8) {
                0 | 1 => Step::Add(a, b),
                2 => Step::Scale(a, dice.between(-3, 3) as i32),
                3 => Step::Turn(a, dice.between(-2, 2)),
                4 => Step::Prefixes(a),
                5 => Step::Closure(a),
                6 => Step::Ravel(a),
                _ => Step::Constant(dice.between(-9, 9) as i32),
            }
        };
        let steps = (inputs..inputs + count).map(one).collect();
        let given = std::array::from_fn(|_| dice.below(inputs + count));
        Recipe { steps, given }
    }

    /// With arrays.
    fn lazily(&self, inputs: &[&Array<i32>]) -> [Array<i32>; RESULTS] {
        let mut values: Vec<Array<i32>> = inputs.iter().map(|&input| input.clone()).collect();
        for step in &self.steps {
            values.push(match *step {
                Step::Add(a, b) => &values[a] + &values[b],
                Step::Scale(a, by) => &values[a] * by,
                Step::Turn(a, by) => values[a].shift(&[by], Border::Wrap),
                Step::Prefixes(a) => values[a].wrapping_cumsum(0),
                Step::Closure(a) => values[a].map_with(|x| &x * &x - 1),
                Step::Ravel(a) => values[a].ravel(),
                Step::Constant(value) => Array::fill(value, values[0].shape()),
            });
        }
        self.given.map(|at| values[at].clone())
    }

    /// At once.
    fn directly(&self, inputs: &[&Direct<i32>]) -> [Direct<i32>; RESULTS] {
        let mut values: Vec<Direct<i32>> = inputs.iter().map(|&input| input.clone()).collect();
        for step in &self.steps {
            values.push(match *step {
                Step::Add(a, b) => values[a].zip(&values[b], i32::wrapping_add),
                Step::Scale(a, by) => values[a].map(|x| x.wrapping_mul(by)),
                Step::Turn(a, by) => values[a].shift(&[by], Border::Wrap),
                Step::Prefixes(a) => values[a].scan_axis(0, 0, true, true, i32::wrapping_add),
                Step::Closure(a) => values[a].map(|x| x.wrapping_mul(x).wrapping_sub(1)),
                Step::Ravel(a) => values[a].clone(),
                Step::Constant(value) => values[0].map(|_| value),
            });
        }
        self.given.map(|at| values[at].clone())
    }
}

fn fresh(dice: &Dice, n: usize) -> Pair {
    let x = dice.any_ints(&[n]);
    (x.array(), x)
}

/// Sums of rows that a vector is cut into.
fn rows(dice: &Dice, (array, x): &Pair) -> Pair {
    let n = x.data.len();
    let cut = dice.below(n + 1);
    let segments = Segments::from_lengths(&[cut, 0, n - cut]);
    let sums = Ragged::<i32>::new(array, &segments).unwrap().reduce(Operator::Add);
    let sum = |part: &[i32]| part.iter().fold(0, |sum: i32, &x| sum.wrapping_add(x));
    let data = vec![sum(&x.data[..cut]), 0, sum(&x.data[cut..])];
    (sums, Direct { shape: vec![3], data })
}

/// One program, called some times among arrays that come and go.
fn program(engines: &[Engine], seed: u64) {
    let dice = Dice::new(seed);
    let n = dice.below(7);
    let mut live: Vec<Pair> = (0..3).map(|_| fresh(&dice, n)).collect();
    let mut other: Vec<Pair> = Vec::new();
    let (held, is_held) = fresh(&dice, n);
    let recipe = Recipe::new(&dice, 3);
    let compiled = jit(|x: Array<i32>, y: Array<i32>| recipe.lazily(&[&x, &y, &held]));
    for call in 0..2 + dice.below(4) {
        let engine = &engines[dice.below(engines.len())];
        let what = format!("call {call} of seed {seed}, {recipe:?}");
        engine.run(|| {
            let (x, y) = (live[dice.below(live.len())].clone(), live[dice.below(live.len())].clone());
            let found = compiled.call((&x.0, &y.0)).unwrap_or_else(|error| panic!("{what}: {error}"));
            let expected = recipe.directly(&[&x.1, &y.1, &is_held]);
            live.extend(found.into_iter().zip(expected));
            live.push(fresh(&dice, n));
            let last = live.len() - 1;
            live[last].0.eval().unwrap();
            other.push(rows(&dice, &live[dice.below(live.len())]));
            if dice.below(2) == 0 {
                other[dice.below(other.len())].0.eval().unwrap();
            }
        });
        while live.len() > 3 && dice.below(4) > 0 {
            live.swap_remove(dice.below(live.len()));
        }
        for (at, (array, x)) in live.iter().chain(&other).enumerate() {
            direct::same(&format!("{at} after {what}"), array, x);
        }
        if dice.below(3) == 0 {
            other.clear();
        }
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}: {text}")))
}

#[test]
fn random_programs() {
    let engines = [
        Engine::new(EngineConfig { compile_first: Some(true), ..EngineConfig::on(DeviceChoice::Cpu) }),
        Engine::new(EngineConfig { fuse: false, ..EngineConfig::on(DeviceChoice::Cpu) }),
        Engine::new(EngineConfig { compile_first: Some(false), ..EngineConfig::on(DeviceChoice::Cpu) }),
        Engine::new(EngineConfig { part: 2, ..EngineConfig::on(DeviceChoice::Reference) }),
        Engine::new(EngineConfig::on(DeviceChoice::Reference)),
    ];
    let first = number("NESTLED_TEST_SEED", 0);
    for seed in first..first + number("NESTLED_TEST_COUNT", SAMPLE) {
        // Mostly without the cost of compiling.
        let from = if seed % 4 == 0 { 0 } else { 1 };
        program(&engines[from..], seed);
    }
}

/// What one result gives back is no other result's, nor that of arrays made later.
#[test]
fn a_result_that_is_given_twice() {
    for device in [DeviceChoice::Cpu, DeviceChoice::Reference] {
        let engine = Engine::new(EngineConfig::on(device));
        engine.run(|| {
            let twice = jit(|x: Array<i64>| {
                let y = x + 1;
                (y.clone(), y.ravel())
            });
            let x = Array::from_vec(vec![1i64, 2, 3]);
            drop(twice.call((&x,)).unwrap());
            let arrays: Vec<Array<i64>> = (0..4).map(|k| Array::from_vec(vec![k; 3]) * 10).collect();
            for array in &arrays {
                array.eval().unwrap();
            }
            for (k, array) in arrays.iter().enumerate() {
                assert_eq!(array.to_vec().unwrap(), [10 * k as i64; 3], "{k} on {device}");
            }
            let (kept, dropped) = twice.call((&x,)).unwrap();
            drop(dropped);
            let later = (&x * 7).eval().unwrap().clone();
            assert_eq!(kept.to_vec().unwrap(), [2, 3, 4]);
            assert_eq!(later.to_vec().unwrap(), [7, 14, 21]);
        });
    }
}
