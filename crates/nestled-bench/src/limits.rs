//! Roofline: the highest bandwidth and arithmetic rate that the machine reaches on so much memory.

use crate::bench::{Bound, Work};
use crate::c::{Function, Library, Memory};
use crate::timing::{batch, quartiles, sample};
use nestled_ir::ScalarType::F32;
use std::rc::Rc;

/// The ways in which one kind of limit can be reached; the fastest is the limit.
#[derive(Debug)]
pub struct Limit {
    library: Rc<Library>,
    inputs: Vec<Memory>,
    outputs: Vec<Memory>,
    size: i64,
    /// Bytes or floating-point operations of one run.
    amount: f64,
    ways: Vec<Way>,
}

#[derive(Debug)]
struct Way {
    name: &'static str,
    function: Function,
    batch: u32,
    times: Vec<f64>,
}

/// A limit that was measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reached {
    /// The name of the fastest way.
    pub name: &'static str,
    /// Bytes or floating-point operations per second.
    pub rate: f64,
}

/// Rounds of multiply-adds in one run.
const ROUNDS: u64 = 500_000;
/// Operations of one round: twelve multiply-adds of sixteen numbers.
const ROUND: u64 = 12 * 16 * 2;

impl Limit {
    /// The limit of some work, where the library has a way to find it.
    pub fn new(library: &Rc<Library>, work: &Work, threads: u32) -> Option<Limit> {
        let (names, n_inputs, n_arrays): (&[&'static str], usize, usize) = match work.bound {
            Bound::Read => (&["read"], 1, 1),
            Bound::Copy => (&["copy", "copy_nt"], 1, 2),
            Bound::Triad => (&["triad", "triad_nt"], 2, 3),
            Bound::Compute => (&["fma"], 0, 0),
        };
        let way = |&name: &&'static str| {
            let function = library.find(&format!("limit_{name}"))?;
            Some(Way { name, function, batch: 1, times: Vec::new() })
        };
        let ways: Vec<Way> = names.iter().filter_map(way).collect();
        if ways.is_empty() {
            return None;
        }
        // At least a kilobyte, in whole rows of vectors.
        let len = match n_arrays {
            0 => 0,
            arrays => (work.bytes as usize / (4 * arrays)).next_multiple_of(256),
        };
        let array = |len: usize| Memory::zeroed(library, F32, len.max(1));
        let (size, amount) = match work.bound {
            Bound::Compute => (ROUNDS as i64, (ROUNDS * ROUND * u64::from(threads)) as f64),
            Bound::Read | Bound::Copy | Bound::Triad => (len as i64, (4 * len * n_arrays) as f64),
        };
        let output = if n_arrays > n_inputs { len } else { 1 };
        let mut limit = Limit {
            library: Rc::clone(library),
            inputs: (0..n_inputs).map(|_| array(len)).collect(),
            outputs: vec![array(output)],
            size,
            amount,
            ways,
        };
        for at in 0..limit.ways.len() {
            let seconds = limit.time(at);
            limit.ways[at].batch = batch(seconds);
        }
        Some(limit)
    }

    /// Measures every way once more.
    pub fn turn(&mut self) {
        for at in 0..self.ways.len() {
            let seconds = self.time(at);
            self.ways[at].times.push(seconds);
        }
    }

    fn time(&mut self, at: usize) -> f64 {
        let Limit { library, inputs, outputs, size, amount: _, ways } = self;
        let mut run = || {
            library.call(ways[at].function, inputs, outputs, &[*size]);
            Ok(())
        };
        sample(ways[at].batch, &mut run).expect("it cannot fail")
    }

    /// The limit, after one turn or more.
    pub fn reached(&self) -> Reached {
        let reached = |way: &Way| {
            let seconds = quartiles(way.times.clone()).median;
            Reached { name: way.name, rate: self.amount / seconds }
        };
        let faster = |a: Reached, b: Reached| if b.rate > a.rate { b } else { a };
        self.ways.iter().map(reached).reduce(faster).expect("there is a way")
    }
}
