//! Automatic fusion against fusion by hand: each program of `benches/unfused`, after all passes, in turns with its counterpart in `benches`.

use crate::bench::Bench;
use crate::catalog;
use crate::measure::{Setup, checked};
use crate::ours::Ours;
use crate::report::time;
use crate::timing::{Quartiles, batch, quartiles, sample};

/// The heading of the lines of [`compare`].
#[must_use]
pub fn header() -> String {
    format!("{:14} {:>8} {:>10} {:>10}  {}", "benchmark", "size", "fused", "by hand", "ratio")
}

/// Measures an unfused program against its counterpart fused by hand, after checking the results of both; returns a line.
///
/// # Errors
/// If one of them did not.
pub fn compare(unfused: &'static Bench, n: usize, setup: &Setup) -> Result<String, String> {
    let by_hand = catalog::BENCHES.iter().find(|bench| bench.name == unfused.name);
    let by_hand = by_hand.ok_or("nobody has fused it by hand")?;
    let case = (unfused.case)(n);
    let side = |bench: &'static Bench, all_passes: bool| -> Result<Ours, String> {
        let setup = Setup { all_passes, c: None, ..setup.clone() };
        Ok(checked(bench, &case, &setup)?.0)
    };
    let (mut fused, mut by_hand) = (side(unfused, true)?, side(by_hand, false)?);
    drop(case);
    let batches = [
        batch(sample(1, &mut || fused.run().map(drop))?),
        batch(sample(1, &mut || by_hand.run().map(drop))?),
    ];
    let mut times = [Vec::new(), Vec::new()];
    for pair in 0..setup.pairs {
        for turn in 0..2 {
            let at = (pair as usize + turn) % 2;
            let run = if at == 0 { &mut fused } else { &mut by_hand };
            times[at].push(sample(batches[at], &mut || run.run().map(drop))?);
        }
    }
    let Quartiles { low, median, high } =
        quartiles(times[0].iter().zip(&times[1]).map(|(a, b)| a / b).collect());
    let [fused, by_hand] = times.map(|times| time(quartiles(times).median));
    let size = unfused.sizes.show(n);
    Ok(format!("{:14} {size:>8} {fused:>10} {by_hand:>10}  {median:.2} [{low:.2} {high:.2}]", unfused.name))
}
