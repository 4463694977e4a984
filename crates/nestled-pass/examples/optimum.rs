//! How far the default search is from the optimum, which a solver of integer programs finds:
//!
//! ```text
//! cargo run --release -p nestled-pass --example optimum
//! ```
//!
//! Regions are random ones (not with `--programs`), and those of the λcu programs of the benches, examples and tests. An error if the search is more than 1 % worse somewhere. The solver is looked for as
//! by `nestled run --fuse ilp`: `NESTLED_MIP` names one.

#[path = "../../nestled-cli/src/mip.rs"]
mod mip;
#[path = "../tests/problems/mod.rs"]
mod problems;

use mip::Outside;
use nestled_pass::fuse::check::check;
use nestled_pass::fuse::solve::ilp::Ilp;
use nestled_pass::fuse::solve::{Effort, Planner, Search, Solution, Solver};
use nestled_pass::{DEFAULT, PassContext, PassOptions};
use problems::{KINDS, random};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Regions of each kind and size.
const SEEDS: u64 = 5;
/// The most that the search may cost, over the optimum.
const ALLOWED: f64 = 1.01;

fn main() -> ExitCode {
    let outside = match Outside::find() {
        Ok(outside) => Rc::new(outside),
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::FAILURE;
        }
    };
    println!(
        "regions              number | search ÷ optimum, mean, worst | not closed, nor by search | rounds, most | s, mean"
    );
    let mut worst = 1.0f64;
    let only_programs = std::env::args().any(|word| word == "--programs");
    let lens: &[usize] = if only_programs { &[] } else { &[8, 12, 20, 30] };
    for &len in lens {
        for kind in KINDS {
            let rows: Vec<Row> = (0..SEEDS).map(|seed| random_row(kind, len, seed, &outside)).collect();
            worst = worst.max(show(&format!("{kind:?} of {len}"), &rows));
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in ["benches/plans", "examples", "tests/programs/examples", "tests/passes/fuse"] {
        let rows: Vec<Row> =
            programs(&root.join(folder)).iter().flat_map(|path| of_file(path, &outside)).collect();
        worst = worst.max(show(folder, &rows));
    }
    println!("worst: {worst:.4}");
    if worst <= ALLOWED { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A region, solved both ways.
struct Row {
    search: f64,
    /// Whether the search has proved its plan optimal by itself.
    is_proved: bool,
    exact: Solution,
    time: Duration,
}

fn random_row(kind: problems::Kind, len: usize, seed: u64, outside: &Outside) -> Row {
    let case = random(kind, len, seed);
    let search = Search.solve(&case.problem, &case.limits, Effort::default());
    let start = Instant::now();
    let exact = Ilp::new(outside).solve(&case.problem, &case.limits, Effort::default());
    assert_eq!(check(&case.problem, &case.limits, &exact.plan), Ok(exact.cost), "{kind:?} {len} {seed}");
    Row { search: search.cost, is_proved: search.optimal, exact, time: start.elapsed() }
}

/// The regions of a program with two runs or more.
fn of_file(path: &Path, outside: &Rc<Outside>) -> Vec<Row> {
    let text = std::fs::read_to_string(path).expect("readable");
    let Ok(program) = nestled_ir::text::parse(&path.display().to_string(), &text) else { return Vec::new() };
    let options = PassOptions { planner: Planner::Ilp, keep_all: true, ..PassOptions::default() };
    let mut cx = PassContext { explain: true, mip: Some(outside.clone()), ..PassContext::new(options) };
    nestled_pass::run(&program, DEFAULT, &mut cx).unwrap_or_else(|bug| panic!("{}: {bug}", path.display()));
    let regions = cx.fusion.into_iter();
    let rows = regions.map(|region| {
        let search = region.others.iter().find(|(name, ..)| *name == Search.name());
        let search = search.map_or(region.solution.cost, |(_, _, cost)| *cost);
        Row { search, is_proved: false, exact: region.solution, time: region.time }
    });
    rows.collect()
}

/// The λcu programs of a folder, in order.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "lcu"));
    paths.sort();
    paths
}

/// Prints the line of some regions; returns the worst ratio.
fn show(name: &str, rows: &[Row]) -> f64 {
    let ratios = rows.iter().map(|row| if row.exact.cost > 0.0 { row.search / row.exact.cost } else { 1.0 });
    let (mut sum, mut worst) = (0.0, 1.0f64);
    for ratio in ratios {
        (sum, worst) = (sum + ratio, worst.max(ratio));
    }
    let count = rows.len().max(1) as f64;
    let open = rows.iter().filter(|row| !row.exact.optimal).count();
    let neither = rows.iter().filter(|row| !row.exact.optimal && !row.is_proved).count();
    let gap = rows.iter().map(|row| row.exact.cost / row.exact.bound.max(1e-9)).fold(1.0, f64::max);
    let note = if open > 0 { format!(" (gap up to {:.1} %)", 100.0 * (gap - 1.0)) } else { String::new() };
    let rounds = rows.iter().map(|row| row.exact.work.rounds).max().unwrap_or(0);
    let seconds = rows.iter().map(|row| row.time.as_secs_f64()).sum::<f64>() / count;
    println!(
        "{name:20} {:6} | {:.4} {worst:.4} | {open} {neither}{note} | {rounds} | {seconds:.2}",
        rows.len(),
        sum / count
    );
    worst
}
