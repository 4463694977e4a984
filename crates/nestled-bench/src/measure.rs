//! Measurement of a benchmark: our side, C, and the limit of the machine, in turns.

use crate::bench::{Bench, Case, Work};
use crate::c::{Built, CSide};
use crate::compare::near;
use crate::limits::{Limit, Reached};
use crate::ours::Ours;
use crate::timing::{Quartiles, batch, quartiles, sample, sample_by};
use nestled_rt::device::Device;
use std::rc::Rc;

/// The setup of a measurement: device, C library, pairs of runs, threads.
#[derive(Clone)]
pub struct Setup {
    /// The device of our side.
    pub device: Rc<dyn Device>,
    /// C, if there is a compiler.
    pub c: Option<Rc<Built>>,
    /// Pairs of runs.
    pub pairs: u32,
    /// Threads.
    pub threads: u32,
    /// Whether all passes run, or only `expand-math`.
    pub all_passes: bool,
}

/// The results of a measurement.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The benchmark.
    pub bench: &'static Bench,
    /// The size.
    pub n: usize,
    /// The work.
    pub work: Work,
    /// Number of our kernels that were interpreted.
    pub interpreted: usize,
    /// Seconds of one run of ours.
    pub ours: Quartiles,
    /// Seconds of the kernels of one run, if the device can tell.
    pub kernels: Option<Quartiles>,
    /// C.
    pub c: Option<AgainstC>,
    /// The limit of the machine.
    pub limit: Option<Reached>,
}

/// The results of the C side.
#[derive(Clone, Copy, Debug)]
pub struct AgainstC {
    /// The author of the C.
    pub author: &'static str,
    /// Seconds of one run.
    pub seconds: Quartiles,
    /// Our time divided by that of C, pair by pair.
    pub ratio: Quartiles,
}

/// Our side and C of a benchmark, after their results were checked.
///
/// # Errors
/// If one of them did not.
pub fn checked(bench: &Bench, case: &Case, setup: &Setup) -> Result<(Ours, Option<CSide>), String> {
    let mut ours = Ours::new(bench, case, &setup.device, setup.all_passes)?;
    let results = ours.results()?;
    near(&results, &case.reference, bench.tolerance)
        .map_err(|message| format!("our result is wrong: {message}"))?;
    let mut c = setup.c.as_deref().and_then(|built| CSide::new(bench, &case.c, built));
    if let Some(c) = &mut c {
        let results = c.results(case.reference.len());
        near(&results, &case.reference, bench.tolerance)
            .map_err(|message| format!("the result of C is wrong: {message}"))?;
    }
    Ok((ours, c))
}

/// Checks a benchmark, and then measures it.
///
/// # Errors
/// If a result is wrong, or nothing runs.
pub fn measure(bench: &'static Bench, n: usize, setup: &Setup) -> Result<Measurement, String> {
    let case = (bench.case)(n);
    let (mut ours, mut c) = checked(bench, &case, setup)?;
    let (work, interpreted) = (case.work, ours.interpreted);
    drop(case);
    let mut limit = setup.c.as_ref().and_then(|built| Limit::new(&built.library, &work, setup.threads));
    let mut ours = || ours.run().map(drop);
    let mut c_run = || {
        c.as_mut().into_iter().for_each(CSide::run);
        Ok(())
    };
    let our_batch = batch(sample(1, &mut ours)?);
    let c_batch = batch(sample(1, &mut c_run)?);
    let (mut our_times, mut c_times) = (Vec::new(), Vec::new());
    for pair in 0..setup.pairs {
        // Whoever comes second may profit or suffer from the first; so they take turns in that as well.
        if pair % 2 == 0 {
            our_times.push(sample(our_batch, &mut ours)?);
            c_times.push(sample(c_batch, &mut c_run)?);
        } else {
            c_times.push(sample(c_batch, &mut c_run)?);
            our_times.push(sample(our_batch, &mut ours)?);
        }
        limit.iter_mut().for_each(Limit::turn);
    }
    let kernels = kernels(setup, our_batch, &mut ours)?;
    let against = c.as_ref().map(|c| AgainstC {
        author: c.author,
        seconds: quartiles(c_times.clone()),
        ratio: quartiles(our_times.iter().zip(&c_times).map(|(ours, c)| ours / c).collect()),
    });
    let limit = limit.as_ref().map(Limit::reached);
    let ours = quartiles(our_times);
    Ok(Measurement { bench, n, work, interpreted, ours, kernels, c: against, limit })
}

/// The number of samples of kernel times that is enough: they vary less than the whole.
const SAMPLES: u32 = 5;

/// Seconds of the kernels of one run, if the device can tell. They have runs of their own: while their time is taken, all takes longer.
fn kernels(
    setup: &Setup,
    batch: u32,
    run: &mut dyn FnMut() -> Result<(), String>,
) -> Result<Option<Quartiles>, String> {
    let seconds = || setup.device.kernel_time().map_or(0.0, |time| time.as_secs_f64());
    setup.device.time_kernels(true);
    let can_tell = setup.device.kernel_time().is_some();
    let samples = if can_tell { setup.pairs.min(SAMPLES) } else { 0 };
    let times = (0..samples).map(|_| sample_by(&seconds, batch, run)).collect::<Result<Vec<f64>, String>>();
    setup.device.time_kernels(false);
    times.map(|times| can_tell.then(|| quartiles(times)))
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup").field("pairs", &self.pairs).finish_non_exhaustive()
    }
}
