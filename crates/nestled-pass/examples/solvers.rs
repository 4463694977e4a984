//! A table of what the solvers of fusion problems achieve: `cargo run --release -p nestled-pass --example solvers`.

#[path = "../tests/problems/mod.rs"]
mod problems;

use nestled_pass::fuse::solve::{BestFirst, BottomUp, Effort, Search, Solver, TopDown};
use problems::{KINDS, random};
use std::time::Instant;

fn main() {
    let args: Vec<usize> = std::env::args().skip(1).map(|arg| arg.parse().unwrap()).collect();
    let (len, seeds) = (args[0], args[1]);
    let steps = args.get(2).map_or(Effort::default().steps, |&steps| steps as u64);
    for kind in KINDS {
        for seed in 0..seeds as u64 {
            let case = random(kind, len, seed);
            print!("{kind:?} {len} {seed}:");
            for solver in [&TopDown as &dyn Solver, &BottomUp, &BestFirst, &Search] {
                let start = Instant::now();
                let solution = solver.solve(&case.problem, &case.limits, Effort { steps });
                let time = start.elapsed().as_secs_f64() * 1e3;
                print!(" | {:.0} {time:.2} ms", solution.cost);
                if solver.name() == "search" {
                    print!(" bound {:.0} {} {:?}", solution.bound, solution.optimal, solution.work);
                }
            }
            println!();
        }
    }
}
