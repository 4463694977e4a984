//! A table of what the pipeline takes by pass: `cargo run --release -p nestled-pass --example times [FILE.lcu or number of kernels]`.
//!
//! Without an argument the program is a chain of 500 kernels. Each time is the least of five.

#[path = "../tests/common/chain.rs"]
mod chain;

use nestled_ir::{Program, compact, text, verify};
use nestled_pass::{DEFAULT, PassContext, PassOptions, run};
use std::error::Error;
use std::time::{Duration, Instant};

const TRIES: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let argument = std::env::args().nth(1).unwrap_or_else(|| "500".to_owned());
    let source = match argument.parse() {
        Ok(n_kernels) => chain::source(n_kernels),
        Err(_) => std::fs::read_to_string(&argument)?,
    };
    let mut rows: Vec<(String, Duration)> = Vec::new();
    for _ in 0..TRIES {
        let found = measure(&source)?;
        if rows.is_empty() {
            rows = found;
        } else {
            rows.iter_mut().zip(found).for_each(|(row, (_, time))| row.1 = row.1.min(time));
        }
    }
    let total: Duration = rows.iter().map(|(_, time)| *time).sum();
    rows.push(("total".to_owned(), total));
    for (name, time) in rows {
        println!("{name:<16} {:>9.2} ms", time.as_secs_f64() * 1e3);
    }
    Ok(())
}

/// The steps of one run, in order.
fn measure(source: &str) -> Result<Vec<(String, Duration)>, Box<dyn Error>> {
    let start = Instant::now();
    let program = text::parse("program.lcu", source)?;
    let parsed = start.elapsed();
    let start = Instant::now();
    verify::verify(&program).map_err(|errors| format!("{errors:?}"))?;
    let verified = start.elapsed();
    let mut cx = PassContext::new(PassOptions { verify: false, ..PassOptions::default() });
    let passed = run(&program, DEFAULT, &mut cx)?;
    let mut rows = vec![("parse".to_owned(), parsed), ("verify".to_owned(), verified)];
    rows.extend(cx.timings.iter().map(|timing| (timing.pass.to_owned(), timing.time)));
    rows.push(("renumber, once".to_owned(), renumbering(&passed)));
    Ok(rows)
}

fn renumbering(program: &Program) -> Duration {
    let start = Instant::now();
    let _ = compact::compact(program);
    start.elapsed()
}
