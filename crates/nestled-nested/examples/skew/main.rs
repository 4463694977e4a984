//! The cost of one list that holds half of all elements, beside as many elements in even lists, for each operation that works on lists:
//!
//! ```text
//! cargo xtask skew [WORDS]
//! ```
//!
//! With words it measures the operations whose names contain one of them. An error if an operation takes more than 1.3 times as long as on even lists. Both run warm and in turns (even, skewed, skewed, even), and what is compared is the median of the quotients, so that whatever else the machine does concerns both. Results of both have
//! about as many elements.

mod inputs;
mod operations;

use inputs::Columns;
use nestled_nested::{Nested, Result};
use operations::{OPERATIONS, Operation};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The most that skew may cost.
const ALLOWED: f64 = 1.3;

/// The fewest and the most turns, and the time after which no more than the fewest are made.
const TURNS: (usize, usize, Duration) = (5, 15, Duration::from_millis(400));

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    match measured(&is_wanted) {
        Ok(slow) if slow.is_empty() => ExitCode::SUCCESS,
        Ok(slow) => {
            eprintln!("error: one long list costs too much: {}", slow.join(", "));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures the operations, and returns the names of those that skew slows down.
fn measured(is_wanted: &dyn Fn(&str) -> bool) -> Result<Vec<&'static str>> {
    let (even, skewed) = (Columns::even()?, Columns::skewed()?);
    println!("{:28}{:>10}{:>10}{:>8}", "operation", "even ms", "skewed ms", "ratio");
    let mut slow = Vec::new();
    for &(name, operation) in OPERATIONS.iter().filter(|(name, _)| is_wanted(name)) {
        let mut found = compared(operation, &even, &skewed)?;
        if found.ratio > ALLOWED {
            // Once more, before it is blamed.
            let again = compared(operation, &even, &skewed)?;
            found = if again.ratio < found.ratio { again } else { found };
        }
        let is_slow = found.ratio > ALLOWED;
        let mark = if is_slow { "  TOO SLOW" } else { "" };
        println!("{name:28}{:10.2}{:10.2}{:8.2}{mark}", found.even, found.skewed, found.ratio);
        if is_slow {
            slow.push(name);
        }
    }
    Ok(slow)
}

/// Medians: milliseconds on both inputs, and the quotient.
struct Compared {
    even: f64,
    skewed: f64,
    ratio: f64,
}

fn compared(operation: Operation, even: &Columns, skewed: &Columns) -> Result<Compared> {
    // The second run makes a plan in which sizes are parameters.
    for _ in 0..2 {
        timed(operation, even)?;
        timed(operation, skewed)?;
    }
    let (fewest, most, long) = TURNS;
    let begin = Instant::now();
    let mut turns = Vec::new();
    while turns.len() < fewest || (turns.len() < most && begin.elapsed() < long) {
        // Whoever comes first may find less memory at hand, so each comes first once.
        let (first, second) = (timed(operation, even)?, timed(operation, skewed)?);
        let (third, fourth) = (timed(operation, skewed)?, timed(operation, even)?);
        turns.push(((first + fourth) / 2.0, (second + third) / 2.0));
    }
    Ok(Compared {
        even: median(turns.iter().map(|turn| turn.0)),
        skewed: median(turns.iter().map(|turn| turn.1)),
        ratio: median(turns.iter().map(|turn| turn.1 / turn.0)),
    })
}

/// Milliseconds of an operation until all columns of its result are computed.
fn timed(operation: Operation, columns: &Columns) -> Result<f64> {
    let inputs = columns.inputs()?;
    let begin = Instant::now();
    let made: Nested = operation(&inputs)?;
    nestled_array::Engine::current().eval(&[&made])?;
    Ok(begin.elapsed().as_secs_f64() * 1e3)
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
