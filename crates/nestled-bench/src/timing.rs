//! Timing: samples of the time of a run, and their quartiles.

use std::time::{Duration, Instant};

/// Short runs are timed together, in batches of at least so many seconds.
const BATCH: f64 = 2e-4;

/// Number of batches in a sample.
const BATCHES: u32 = 5;

/// The shortest pause between two samples.
const PAUSE: Duration = Duration::from_millis(10);

/// Number of pauses after which any thread has fallen asleep.
const PAUSES: u32 = 100;

/// Waits until all other threads of the process sleep. Threads of OpenMP spin for a while after their work is done, on some machines for longer than
/// a sample takes, and would keep a processor from whoever comes next. Where nothing is known of threads, one pause has to do.
fn rest() {
    for _ in 0..PAUSES {
        std::thread::sleep(PAUSE);
        if !others_run() {
            return;
        }
    }
}

/// True if another thread of this process is running or runnable.
fn others_run() -> bool {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return false };
    let runs = |path: std::path::PathBuf| {
        // The state comes after the name, which is in parentheses and may hold anything.
        let stat = std::fs::read_to_string(path.join("stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('R'))
    };
    tasks.flatten().filter(|task| runs(task.path())).count() > 1
}

/// Number of runs in a batch, if one run takes so many seconds.
pub fn batch(seconds: f64) -> u32 {
    (BATCH / seconds.max(1e-9)).ceil().clamp(1.0, 10_000.0) as u32
}

/// The seconds that one run takes: in the fastest of a few batches, after a run that is not timed. So data are in the cache as far as
/// they fit, threads are awake, and a batch from which others took a processor does not count.
///
/// # Errors
/// Errors of the runs.
pub fn sample(batch: u32, run: &mut dyn FnMut() -> Result<(), String>) -> Result<f64, String> {
    let start = Instant::now();
    sample_by(&|| start.elapsed().as_secs_f64(), batch, run)
}

/// As [`sample`], by another clock, which tells seconds.
///
/// # Errors
/// Errors of the runs.
pub fn sample_by(
    clock: &dyn Fn() -> f64,
    batch: u32,
    run: &mut dyn FnMut() -> Result<(), String>,
) -> Result<f64, String> {
    rest();
    run()?;
    let mut fastest = f64::INFINITY;
    for _ in 0..BATCHES {
        let start = clock();
        for _ in 0..batch {
            run()?;
        }
        fastest = fastest.min(clock() - start);
    }
    Ok(fastest / f64::from(batch))
}

/// The quartiles of many numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quartiles {
    /// A quarter of the numbers is below.
    pub low: f64,
    /// Half of the numbers are below: the median.
    pub median: f64,
    /// A quarter of the numbers is above.
    pub high: f64,
}

/// The quartiles of at least one number.
pub fn quartiles(mut numbers: Vec<f64>) -> Quartiles {
    numbers.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let position = part * (numbers.len() - 1) as f64;
        let (below, above) = (numbers[position.floor() as usize], numbers[position.ceil() as usize]);
        below + (above - below) * position.fract()
    };
    Quartiles { low: at(0.25), median: at(0.5), high: at(0.75) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_where_they_should() {
        let found = quartiles(vec![5.0, 1.0, 2.0, 4.0, 3.0]);
        assert_eq!(found, Quartiles { low: 2.0, median: 3.0, high: 4.0 });
        assert_eq!(quartiles(vec![1.0, 2.0]).median, 1.5);
        assert_eq!(quartiles(vec![7.0]), Quartiles { low: 7.0, median: 7.0, high: 7.0 });
    }

    #[test]
    fn short_runs_are_timed_together() {
        assert_eq!(batch(1.0), 1);
        assert_eq!(batch(1e-4), 2);
        assert_eq!(batch(0.0), 10_000);
    }
}
