//! Measurement of one statement: the times of its runs, and what is said about them.

use nestled_ir::interp::QuietWorld;
use nestled_ir::value::{AxisValue, Value};
use nestled_rt::{Error, Executable};
use std::time::{Duration, Instant};

/// The least and the greatest number of runs that count.
const LEAST: usize = 5;
const MOST: usize = 100_000;

/// The times of one statement at one size, in seconds. A statement is told from others by its text and its number among those with this text.
#[derive(Clone, PartialEq, Debug)]
pub struct Measurement {
    /// The source text of what is computed, abridged.
    pub text: String,
    /// File, line and column.
    pub place: String,
    /// The value of `n`, if it was set.
    pub n: Option<u64>,
    /// The first run, with what had to be compiled.
    pub first: f64,
    /// The number of runs that count.
    pub runs: u64,
    pub least: f64,
    pub median: f64,
    /// The 95 % interval of the median.
    pub interval: (f64, f64),
}

impl Measurement {
    /// Sums up runs, of which there is at least one.
    pub fn new(
        (text, place): (String, String),
        n: Option<u64>,
        first: f64,
        mut times: Vec<f64>,
    ) -> Measurement {
        times.sort_by(f64::total_cmp);
        let (median, interval) = (median(&times), interval(&times));
        Measurement { text, place, n, first, runs: times.len() as u64, least: times[0], median, interval }
    }
}

fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

/// The ranks that a binomial distribution allows the median in 95 of 100 cases; all runs, if they are few.
fn interval(sorted: &[f64]) -> (f64, f64) {
    let (n, middle) = (sorted.len(), sorted.len() as f64 / 2.0);
    let reach = 0.98 * (n as f64).sqrt();
    let low = (middle - reach).floor().max(0.0) as usize;
    let high = (middle + reach).ceil() as usize;
    (sorted[low], sorted[high.min(n - 1)])
}

/// Runs a function for about so long, its arguments being on the device already, and returns the seconds of each run.
///
/// # Errors
/// As those of [`Executable::run`].
pub fn measure(
    executable: &Executable,
    function: &str,
    (shapes, values): (&[AxisValue], &[Value]),
    budget: Duration,
) -> Result<Vec<f64>, Error> {
    // At once, so that segmentations stay shared.
    let all: Vec<Value> = shapes.iter().cloned().map(Value::from).chain(values.iter().cloned()).collect();
    let handles = executable.put(&all)?;
    let (shapes, values) = handles.split_at(shapes.len());
    let run = || -> Result<f64, Error> {
        let start = Instant::now();
        let results = executable.run_handles(function, shapes, values, &mut QuietWorld::default())?;
        executable.device().wait()?;
        let time = start.elapsed();
        drop(results);
        Ok(time.as_secs_f64())
    };
    let start = Instant::now();
    while start.elapsed() < budget / 10 {
        run()?;
    }
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < LEAST || (start.elapsed() < budget && times.len() < MOST) {
        times.push(run()?);
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: impl IntoIterator<Item = f64>) -> Measurement {
        Measurement::new((String::new(), String::new()), None, 0.0, times.into_iter().collect())
    }

    #[test]
    fn medians_and_intervals() {
        assert_eq!(of([3.0, 1.0, 2.0]).median, 2.0);
        assert_eq!(of([4.0, 1.0, 2.0, 3.0]).median, 2.5);
        let many = of((0..101).map(f64::from));
        assert_eq!((many.least, many.median, many.interval), (0.0, 50.0, (40.0, 61.0)));
        assert_eq!(of([6.0, 5.0]).interval, (5.0, 6.0), "few runs say little");
    }
}
