//! Times one workload in this process, by the protocol of the peers.
//!
//! The first call is timed by itself; a second warms up; then at least seven calls and half a second, or two seconds. Nothing else happens between
//! two calls but that the earlier result is dropped.

use crate::record::Record;
use crate::system;
use crate::workloads::{Call, Fallible, Folder, Outcome, Workload, lines_of_code};
use nestled::Result;
use std::path::Path;
use std::time::{Duration, Instant};

/// Calls that take longer need fewer repeats.
const LONG: Duration = Duration::from_secs(5);

/// Seconds within which short calls are repeated, and long ones.
const ENOUGH: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// Measures a workload on the files of a folder; with `first_only` nothing but the first call. The last result is written where it is wanted.
///
/// # Errors
/// Inputs cannot be read, or the program fails.
pub fn measure(
    workload: &Workload,
    folder: &Folder,
    first_only: bool,
    result: Option<&Path>,
) -> Fallible<Record> {
    let call = (workload.prepare)(folder)?;
    system::forget_peak();
    let held = system::held();
    let (outcome, first) = timed(&call)?;
    drop(outcome);
    let mut record = Record {
        workload: workload.id.into(),
        system: "nestled".into(),
        first: Some(first.as_secs_f64()),
        lines: Some(lines_of_code(workload.source) as f64),
        ..Record::default()
    };
    if !first_only {
        repeat(&call, &mut record)?;
    }
    record.peak = held.zip(system::peak()).map(|(held, peak)| peak.saturating_sub(held) as f64);
    if let Some(path) = result {
        timed(&call)?.0.save(path)?;
    }
    Ok(record)
}

fn timed(call: &Call) -> Result<(Box<dyn Outcome>, Duration)> {
    let start = Instant::now();
    let outcome = call.run()?;
    Ok((outcome, start.elapsed()))
}

/// Calls again and again, and writes down how long that took.
fn repeat(call: &Call, record: &mut Record) -> Result<()> {
    let warm = timed(call)?.1;
    let mut times = if warm > LONG { vec![warm] } else { Vec::new() };
    let fewest = if warm > LONG { 2 } else { 3 };
    let (busy, start) = (system::busy(), Instant::now());
    loop {
        times.push(timed(call)?.1);
        let took = start.elapsed();
        let enough = times.len() >= 7 && took >= ENOUGH[0] || times.len() >= fewest && took >= ENOUGH[1];
        if enough || times.len() >= 20_000 {
            break;
        }
    }
    let took = start.elapsed().as_secs_f64();
    let others = busy.zip(system::busy()).map(|(before, after)| {
        let [all, own] = [after[0] - before[0], after[1] - before[1]];
        ((all - own) / took).max(0.0)
    });
    times.sort();
    let middle = [times[(times.len() - 1) / 2], times[times.len() / 2]].map(|time| time.as_secs_f64());
    record.least = times.first().map(Duration::as_secs_f64);
    record.median = Some((middle[0] + middle[1]) / 2.0);
    record.repeats = Some(times.len() as f64);
    record.other_cpu = others.map(|others| (others * 100.0).round() / 100.0);
    Ok(())
}
