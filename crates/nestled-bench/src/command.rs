//! Command dispatch: does what the command line asks for.

use crate::bench::{Bench, Size, Sizes};
use crate::c::build;
use crate::catalog::{self, BENCHES};
use crate::check::{Checked, check};
use crate::measure::{Setup, measure};
use crate::options::Options;
use crate::{by_hand, json, losers, model, nesl, plans, report, sweep};
use std::rc::Rc;

/// Runs the command that the options ask for.
///
/// # Errors
/// A message; also if the result of any benchmark was wrong.
pub fn run(options: &Options) -> Result<(), String> {
    if options.plans {
        plans::run(options)?;
        return losers::run(options);
    }
    if options.nesl {
        return nesl::run(options);
    }
    if options.model {
        return model::run(options);
    }
    let benches = chosen(
        &options.names,
        if options.unfused || options.by_hand { catalog::unfused() } else { BENCHES },
    )?;
    if options.list {
        benches.into_iter().for_each(list);
        return Ok(());
    }
    let setup = set_up(options)?;
    if options.check {
        return each(&benches, |bench| {
            let Checked { has_c, interpreted } = check(bench, bench.sizes.of(size(options)), &setup)?;
            let found = if has_c { "ours and C agree" } else { "no C; ours agrees" };
            let note = if interpreted == 0 { "" } else { "; interpreted" };
            println!("{:14} {found} with the reference{note}", bench.name);
            Ok(())
        });
    }
    if options.by_hand {
        println!("{}", by_hand::header());
        return each(&benches, |bench| {
            println!("{}", by_hand::compare(bench, bench.sizes.of(size(options)), &setup)?);
            Ok(())
        });
    }
    if options.sweep {
        let swept = |bench: &&'static Bench| !options.names.is_empty() || is_swept(bench);
        let benches: Vec<_> = benches.into_iter().filter(swept).collect();
        let mut lines = Vec::new();
        let outcome = each(&benches, |bench| sweep::sweep(bench, options.sweep_to, &setup, &mut lines));
        if let Some(file) = &options.svg {
            std::fs::write(file, nestled_chart::svg(&lines))
                .map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
        }
        return outcome;
    }
    println!("{}", report::header());
    let mut measurements = Vec::new();
    let outcome = each(&benches, |bench| {
        let measurement = measure(bench, bench.sizes.of(size(options)), &setup)?;
        println!("{}", report::line(&measurement));
        measurements.push(measurement);
        Ok(())
    });
    if let Some(file) = &options.json {
        std::fs::write(file, json::print(&measurements))
            .map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
    }
    outcome
}

fn chosen(names: &[String], benches: &'static [Bench]) -> Result<Vec<&'static Bench>, String> {
    if names.is_empty() {
        return Ok(benches.iter().collect());
    }
    let find = |name: &String| {
        benches.iter().find(|bench| bench.name == name || bench.file() == *name).ok_or_else(|| {
            let known: Vec<&str> = benches.iter().map(|bench| bench.name).collect();
            format!("no benchmark is called `{name}`; there are: {}", known.join(", "))
        })
    };
    names.iter().map(find).collect()
}

fn list(bench: &Bench) {
    let [tiny, small, large] = [Size::Tiny, Size::Small, Size::Large].map(|size| {
        let n = bench.sizes.of(size);
        bench.sizes.show(n)
    });
    println!("{:14} {:44} {tiny:>6} {small:>7} {large:>7}", bench.name, bench.title);
}

fn size(options: &Options) -> Size {
    options.size.unwrap_or(if options.check { Size::Tiny } else { Size::Small })
}

/// True if the time should grow with the number of elements and depend on nothing else.
fn is_swept(bench: &Bench) -> bool {
    matches!(bench.sizes, Sizes::Elements(_)) && !["sort", "spmv"].contains(&bench.name)
}

fn set_up(options: &Options) -> Result<Setup, String> {
    let c = match build(Some(&options.peers), options.blas.as_deref()) {
        Ok(built) => Some(Rc::new(built)),
        Err(message) => {
            println!("note: no C to compare with: {message}");
            None
        }
    };
    // Those of a BLAS; then those of our device.
    let others = other_threads();
    let device = crate::device::open(options.device, options.threads)?;
    let ours: Vec<i64> = other_threads().into_iter().filter(|thread| !others.contains(thread)).collect();
    if let Some(built) = &c {
        if !built.has_peers {
            println!("note: no experts' C in `{}`; see `--peers`", options.peers.display());
        }
        built.library.set_threads(options.threads);
        if !options.no_pin {
            built.library.pin(&others);
            built.library.pin(&ours);
            built.library.pin_own();
        }
    }
    let Options { pairs, threads, .. } = *options;
    Ok(Setup { device, c, pairs, threads, all_passes: options.all_passes || options.unfused })
}

/// The threads of this process except the first, if the system lists them.
fn other_threads() -> Vec<i64> {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    let threads = threads.flatten().filter_map(|thread| thread.file_name().to_str()?.parse().ok());
    let mut others: Vec<i64> = threads.filter(|&thread| thread != i64::from(std::process::id())).collect();
    others.sort_unstable();
    others
}

/// Runs an action for each benchmark, also after one that failed.
fn each(
    benches: &[&'static Bench],
    mut job: impl FnMut(&'static Bench) -> Result<(), String>,
) -> Result<(), String> {
    let mut failed = Vec::new();
    for bench in benches {
        if let Err(message) = job(bench) {
            println!("{:14} FAILED: {message}", bench.name);
            failed.push(bench.name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}
