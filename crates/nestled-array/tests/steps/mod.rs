//! A random program: values that grow out of each other, are computed on any engine, and dropped at any time.

mod dense;
mod rows;
mod traced;

use crate::direct::{Dice, Direct, same};
use nestled_array::*;

/// A program under way: each array, and what it is.
pub struct Program<'a> {
    dice: Dice,
    engines: &'a [Engine],
    ints: Vec<(Array<i32>, Direct<i32>)>,
    longs: Vec<(Array<i64>, Direct<i64>)>,
    floats: Vec<(Array<f64>, Direct<f64>)>,
    masks: Vec<(Array<bool>, Direct<bool>)>,
    rows: Vec<(Ragged<i32>, Vec<Vec<i32>>)>,
}

/// Floats that show borders of arithmetic.
const FLOATS: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.25,
    7.0,
    -3.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    -f64::NAN,
    f64::MIN_POSITIVE / 4.0,
];

impl<'a> Program<'a> {
    pub fn new(seed: u64, engines: &'a [Engine]) -> Program<'a> {
        let dice = Dice::new(seed);
        let mut program = Program {
            engines,
            ints: Vec::new(),
            longs: Vec::new(),
            floats: Vec::new(),
            masks: Vec::new(),
            rows: Vec::new(),
            dice,
        };
        let rank = program.dice.below(4);
        let shape = program.dice.shape(rank);
        program.leaf(&shape);
        program.leaf(&shape);
        program.row_leaf();
        program
    }

    /// All of it. Each step runs on an engine of its own choice.
    pub fn run(mut self) {
        for _ in 0..6 + self.dice.below(12) {
            let engine = self.engines[self.dice.below(self.engines.len())].clone();
            engine.run(|| self.step());
        }
        let engine = self.engines[self.dice.below(self.engines.len())].clone();
        engine.run(|| {
            if self.dice.below(2) == 0 {
                self.together();
            }
            self.ints.iter().for_each(|(array, direct)| same("ints", array, direct));
            self.longs.iter().for_each(|(array, direct)| same("longs", array, direct));
            self.floats.iter().for_each(|(array, direct)| same("floats", array, direct));
            self.masks.iter().for_each(|(array, direct)| same("masks", array, direct));
            for (rows, expected) in &self.rows {
                assert_eq!(&rows.to_rows().unwrap(), expected, "rows");
            }
        });
    }

    fn step(&mut self) {
        match self.dice.below(20) {
            0 => self.forget(),
            1 => self.together(),
            2 => self.look(),
            3 | 4 => self.traced(),
            5..=9 => self.row_step(),
            _ => self.dense_step(),
        }
    }

    /// New data.
    fn leaf(&mut self, shape: &[usize]) {
        let ints = self.dice.any_ints(shape);
        self.ints.push((ints.array(), ints));
        let floats = Direct::from_fn(shape, |_| FLOATS[self.dice.below(FLOATS.len())]);
        self.floats.push((floats.array(), floats));
    }

    /// Drops something, computed or not.
    fn forget(&mut self) {
        fn one<T>(dice: &Dice, list: &mut Vec<T>) {
            if list.len() > 1 {
                drop(list.swap_remove(dice.below(list.len())));
            }
        }
        match self.dice.below(5) {
            0 => one(&self.dice, &mut self.ints),
            1 => one(&self.dice, &mut self.longs),
            2 => one(&self.dice, &mut self.floats),
            3 => one(&self.dice, &mut self.masks),
            _ => one(&self.dice, &mut self.rows),
        }
    }

    /// Computes some of what there is, in one evaluation.
    fn together(&self) {
        let mut wanted: Vec<&dyn Evaluate> = Vec::new();
        let half = |_: &&dyn Evaluate| self.dice.below(2) == 0;
        wanted.extend(self.ints.iter().map(|(array, _)| array as &dyn Evaluate).filter(half));
        wanted.extend(self.longs.iter().map(|(array, _)| array as &dyn Evaluate).filter(half));
        wanted.extend(self.floats.iter().map(|(array, _)| array as &dyn Evaluate).filter(half));
        wanted.extend(self.masks.iter().map(|(array, _)| array as &dyn Evaluate).filter(half));
        wanted.extend(self.rows.iter().map(|(rows, _)| rows as &dyn Evaluate).filter(half));
        Engine::current().eval(&wanted).unwrap();
    }

    /// Looks at one value while others are not computed.
    fn look(&self) {
        let (array, direct) = &self.ints[self.dice.below(self.ints.len())];
        same("ints, early", array, direct);
        let (rows, expected) = &self.rows[self.dice.below(self.rows.len())];
        assert_eq!(&rows.to_rows().unwrap(), expected, "rows, early");
    }
}
