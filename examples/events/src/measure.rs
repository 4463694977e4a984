//! Measurement: the times of queries in memory, with decoding and streamed, and the most memory that each took.
//!
//! Each way runs in a process of its own, so that one has not the memory, the plans or the kernels of another. The first run compiles; it is not timed.

use crate::queries::{Query, named};
use crate::system;
use nestled::nested::Nested;
use nestled::tables::scan;
use nestled::{Array, Engine, EngineConfig, Result};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The way a query is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// All events are read, then the query is repeated.
    Memory,
    /// The file is read by row groups.
    Streamed,
}

/// Runs go on for so long, and there are at least so many.
const ENOUGH: Duration = Duration::from_secs(2);
const FEWEST: usize = 3;

/// A line of numbers: the least time in ms of a query, its processor time, the time in ms to read its columns, the most memory in MB, and of this what the query added.
///
/// # Errors
/// Those of the file and of the query.
pub fn one(file: &Path, query: &Query, how: How) -> Result<String> {
    let begun = system::held();
    let columns = scan(file)?.columns(query.columns.iter().copied());
    let (least, busy, read) = match how {
        How::Memory => {
            let start = Instant::now();
            let events = columns.read()?;
            let read = start.elapsed();
            let (least, busy) = least(|| query.counts(&events).map(drop))?;
            (least, busy, read)
        }
        How::Streamed => {
            let (least, busy) = least(|| query.streamed(scan(file)?).map(drop))?;
            (least, busy, Duration::ZERO)
        }
    };
    let mb = |bytes: Option<u64>| bytes.unwrap_or(0) as f64 / 1e6;
    let (peak, begun) = (mb(system::peak()), mb(begun));
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    Ok(format!("{:.2} {:.2} {:.2} {peak:.0} {:.0}", ms(least), busy * 1e3, ms(read), peak - begun))
}

/// The least time of several runs after the first, and the mean processor time.
fn least(mut run: impl FnMut() -> Result<()>) -> Result<(Duration, f64)> {
    run()?;
    let (mut least, mut runs, begin, busy) = (Duration::MAX, 0, Instant::now(), system::cpu());
    while runs < FEWEST || begin.elapsed() < ENOUGH {
        let start = Instant::now();
        run()?;
        least = least.min(start.elapsed());
        runs += 1;
    }
    let busy = busy.zip(system::cpu()).map_or(0.0, |(before, after)| after - before);
    Ok((least, busy / runs as f64))
}

/// Prints the table of all queries, or of one.
///
/// # Errors
/// A query fails.
pub fn table(file: &Path, name: Option<&str>) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let wide = "times in ms: the query without decoding, its processor time, with decoding, streamed; most memory in MB";
    println!(
        "{wide}\n{:8} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8}",
        "", "query", "cpu", "decoded", "streamed", "memory", "streamed"
    );
    for query in named(name) {
        let [memory, streamed] = [apart(file, query, "memory")?, apart(file, query, "streamed")?];
        let [least, busy, read, peak, ..] = memory[..] else { return Err("no numbers".into()) };
        let [through, _, _, low, ..] = streamed[..] else { return Err("no numbers".into()) };
        let decoded = least + read;
        println!(
            "{:8} {least:10.2} {busy:10.2} {decoded:10.2} {through:10.2} {peak:8.0} {low:8.0}  {}",
            query.name, query.title
        );
    }
    Ok(())
}

/// The numbers of a run in a process of its own.
fn apart(file: &Path, query: &Query, how: &str) -> std::result::Result<Vec<f64>, Box<dyn std::error::Error>> {
    let program = std::env::current_exe()?;
    let made = Command::new(program).arg("one").arg(file).args([query.name, how]).output()?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
    }
    Ok(String::from_utf8_lossy(&made.stdout)
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect())
}

/// The number of kernels of a query, with those of what is computed at once.
///
/// # Errors
/// Those of the query.
pub fn kernels(query: &Query, events: &Nested) -> Result<u64> {
    let engine = Engine::try_new(EngineConfig::default())?;
    engine.run(|| query.counts(events))?;
    Ok(engine.counts().kernels)
}

/// The kernels of a query, in memory. What is computed while the query is written is not among them.
///
/// # Errors
/// Those of the file and of the query.
pub fn explain(file: &Path, query: &Query) -> Result<String> {
    let events = scan(file)?.columns(query.columns.iter().copied()).read()?;
    let made = (query.histograms)(&events)?;
    let arrays = made.iter().map(Array::<i64>::try_from).collect::<Result<Vec<_>>>()?;
    let wanted: Vec<&dyn nestled::Evaluate> = arrays.iter().map(|array| array as _).collect();
    let explained = Engine::current().explain(&wanted)?;
    Ok(format!(
        "{} kernels, of which those before the last numbers are asked for are not shown\n{explained}",
        kernels(query, &events)?
    ))
}
