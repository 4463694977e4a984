//! A table of what the solvers of fusion problems achieve on random regions of several kinds and sizes:
//!
//! ```text
//! cargo run --release -p nestled-pass --example solvers
//! ```
//!
//! Costs are compared with the best that any solver found, the search with forty times its effort among them.

#[path = "../tests/problems/mod.rs"]
mod problems;

use nestled_pass::fuse::solve::{BestFirst, BottomUp, Effort, Search, Solution, Solver, TopDown};
use problems::{Case, KINDS, random};
use std::time::Instant;

/// Regions of each kind and size.
const SEEDS: u64 = 5;

fn main() {
    println!("over the best known, mean and worst, and the fastest of three runs, mean and worst");
    println!(
        "kind     runs |   greedy down |     greedy up |    best first |        search |       ms | bound | optimal"
    );
    for len in [20, 60, 200] {
        for kind in KINDS {
            let cases: Vec<Case> = (0..SEEDS).map(|seed| random(kind, len, seed)).collect();
            row(&format!("{kind:?}"), len, &cases);
        }
    }
}

fn row(kind: &str, len: usize, cases: &[Case]) {
    let solvers: [&dyn Solver; 4] = [&TopDown, &BottomUp, &BestFirst, &Search];
    let long = Effort { steps: 40 * Effort::default().steps };
    let mut over = [const { Vec::new() }; 4];
    let (mut times, mut bounds, mut optimal) = (Vec::new(), Vec::new(), 0);
    for case in cases {
        let solutions = solvers.map(|solver| solver.solve(&case.problem, &case.limits, Effort::default()));
        let best = Search.solve(&case.problem, &case.limits, long).cost;
        let best = solutions.iter().map(|solution| solution.cost).fold(best, f64::min);
        for (over, solution) in over.iter_mut().zip(&solutions) {
            over.push(100.0 * (solution.cost / best - 1.0));
        }
        times.push((0..3).map(|_| time(case)).fold(f64::INFINITY, f64::min));
        let Solution { bound, optimal: is_optimal, .. } = solutions[3];
        bounds.push(bound / best);
        optimal += usize::from(is_optimal);
    }
    let columns = over.map(|over| format!("{:5.1} {:5.1} %", mean(&over), most(&over)));
    let (bound, all) = (mean(&bounds), cases.len());
    println!(
        "{kind:8} {len:4} | {} | {:3.0} {:4.0} | {bound:5.2} | {optimal} of {all}",
        columns.join(" | "),
        mean(&times),
        most(&times)
    );
}

/// Milliseconds.
fn time(case: &Case) -> f64 {
    let start = Instant::now();
    let _ = Search.solve(&case.problem, &case.limits, Effort::default());
    start.elapsed().as_secs_f64() * 1e3
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

fn most(of: &[f64]) -> f64 {
    of.iter().copied().fold(0.0, f64::max)
}
