//! Measured plans (`explain --run`): a program runs with the plan of each fusion planner; results are compared, launches are timed.
//!
//! Only the first run sees the world. The others, which are measured, find no files, the clock stands still for them, and nobody sees what they print.

use super::names::Names;
use super::words::count;
use super::{bytes, time};
use nestled_devices::Timed;
use nestled_ir::expressions::{joined, places};
use nestled_ir::interp::QuietWorld;
use nestled_ir::value::{AxisValue, Value, same_bits};
use nestled_ir::{Program, SourceMap, Span};
use nestled_pass::fuse::report::RegionReport;
use nestled_pass::fuse::solve::Planner;
use nestled_pass::fuse::traffic::Traffic;
use nestled_pass::time::Rates;
use nestled_rt::{Event, Executable, Trace, When};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The kernels and places of the launches of a run, in order.
#[derive(Default)]
struct Sequence(Vec<(u32, u32, String)>);

impl Trace for Sequence {
    fn event(&mut self, event: Event<'_>, _: When) {
        if let Event::Launch { kernel, span, .. } = event {
            self.0.push((span.source, span.start, kernel.to_owned()));
        }
    }
}

/// The times that rates predict for the launches of a run, by kernel and place.
type Predicted = HashMap<(u32, u32, String), f64>;

/// Runs that are measured of each program with each plan.
const RUNS: usize = 9;

/// The function that is run, with its arguments.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub function: &'a str,
    pub shapes: &'a [AxisValue],
    pub values: &'a [Value],
}

/// The measurements of one planner, over all programs.
pub struct Measured {
    planner: Planner,
    /// Estimated time, in nanoseconds.
    cost: f64,
    /// The median times of whole runs, added up.
    time: Duration,
    rows: Vec<Row>,
    /// True as long as all results are those of the first planner.
    agrees: bool,
}

/// One kernel at one place.
struct Row {
    kernel: String,
    place: String,
    launches: u64,
    /// Bytes that the cost model expects to go through memory; `None` for a kernel that was alone in its stretch of host code.
    estimated: Option<f64>,
    /// Bytes of what the launches of a run were given and made.
    bytes: u64,
    /// The median of the time of a run's launches.
    time: Duration,
    /// The time that the device's rates predict for them, in nanoseconds.
    predicted: f64,
}

/// The launches of one run, by kernel and place.
#[derive(Default)]
struct Launches {
    seen: Vec<Launched>,
    at: HashMap<(u32, u32, String), usize>,
}

struct Launched {
    kernel: String,
    places: Vec<Span>,
    span: Span,
    launches: u64,
    bytes: u64,
    time: Duration,
}

impl Trace for Launches {
    fn event(&mut self, event: Event<'_>, when: When) {
        let (kernel, places, span, work) = match event {
            Event::Launch { kernel, places, span, work } => (kernel, places, span, work),
            Event::Native { name, span, work } => (name, &[][..], span, work),
            _ => return,
        };
        let at = *self.at.entry((span.source, span.start, kernel.to_owned())).or_insert_with(|| {
            let (kernel, places) = (kernel.to_owned(), places.to_vec());
            self.seen.push(Launched { kernel, places, span, launches: 0, bytes: 0, time: Duration::ZERO });
            self.seen.len() - 1
        });
        let launched = &mut self.seen[at];
        launched.launches += 1;
        launched.bytes = launched.bytes.saturating_add(work.read).saturating_add(work.written);
        launched.time += when.time();
    }
}

impl Measured {
    pub fn new(planner: Planner) -> Measured {
        Measured { planner, cost: 0.0, time: Duration::ZERO, rows: Vec::new(), agrees: true }
    }

    pub fn planner(&self) -> Planner {
        self.planner
    }

    /// Measures a program after the passes of this planner, whose reports are `regions`; returns its results. `expected` are those of another planner.
    pub fn add(
        &mut self,
        (program, regions, names): (&Program, &[RegionReport], Names<'_>),
        executable: Executable,
        call: Call<'_>,
        (rates, expected): (&Rates, Option<&[Value]>),
    ) -> Result<Vec<Value>, nestled_rt::Error> {
        let run = |executable: &Executable| {
            let start = Instant::now();
            let results = executable.run(call.function, call.shapes, call.values, &mut QuietWorld::default());
            results.map(|results| (results, start.elapsed()))
        };
        let (results, _) = run(&executable)?;
        let mut times = Vec::new();
        for _ in 0..RUNS {
            times.push(run(&executable)?.1);
        }
        let mut runs = Vec::new();
        let mut executable = executable;
        for _ in 0..RUNS {
            let launches = Rc::new(RefCell::new(Launches::default()));
            executable = executable.with_trace(Rc::clone(&launches) as _);
            run(&executable)?;
            runs.push(launches.take().seen);
        }
        let predicted = predicted(program, &executable, call, rates)?;
        self.cost += regions.iter().map(|region| region.time_of(region.solution.cost)).sum::<f64>();
        self.time += median(times);
        self.rows.extend(rows(&program.sources, regions, names, (&runs, &predicted)));
        self.agrees &= expected.is_none_or(|expected| are_equal(expected, &results));
        Ok(results)
    }
}

/// Runs a program once more, on a device that counts what each launch does.
fn predicted(
    program: &Program,
    executable: &Executable,
    call: Call<'_>,
    rates: &Rates,
) -> Result<Predicted, nestled_rt::Error> {
    let timed = Timed::new(Rc::clone(executable.device()));
    let sequence = Rc::new(RefCell::new(Sequence::default()));
    let counting = Executable::new(program, Rc::clone(&timed) as _)?.with_trace(Rc::clone(&sequence) as _);
    counting.run(call.function, call.shapes, call.values, &mut QuietWorld::default())?;
    let mut predicted = Predicted::new();
    for (at, launched) in sequence.take().0.into_iter().zip(timed.take()) {
        *predicted.entry(at).or_default() += rates.time(&launched.features);
    }
    Ok(predicted)
}

/// The rows of one program; all runs launch the same.
fn rows(
    sources: &SourceMap,
    regions: &[RegionReport],
    names: Names<'_>,
    (runs, predicted): (&[Vec<Launched>], &Predicted),
) -> Vec<Row> {
    let row = |(at, launched): (usize, &Launched)| {
        let times = runs.iter().filter_map(|run| run.get(at)).map(|launched| launched.time).collect();
        let expression = joined(sources, &places(&launched.places, launched.span));
        Row {
            kernel: expression.filter(|_| names.by_expression).unwrap_or_else(|| launched.kernel.clone()),
            place: names.at(launched.span),
            launches: launched.launches,
            estimated: estimated(regions, launched.span),
            bytes: launched.bytes,
            time: median(times),
            predicted: predicted
                .get(&(launched.span.source, launched.span.start, launched.kernel.clone()))
                .copied()
                .unwrap_or_default(),
        }
    };
    runs[0].iter().enumerate().map(row).collect()
}

/// The estimated bytes of the cluster whose first run is at this place.
fn estimated(regions: &[RegionReport], span: Span) -> Option<f64> {
    regions.iter().find_map(|region| {
        let place = |run: usize| (region.runs[run].span.source, region.runs[run].span.start);
        let mut clusters = region.plan().clusters.iter();
        let at = clusters.position(|cluster| place(cluster[0].index()) == (span.source, span.start))?;
        Some(Traffic::by_cluster(&region.problem, region.plan())[at].bytes())
    })
}

/// The plans, each with its kernels, and whether all results agree.
pub fn text(plans: &[Measured]) -> String {
    let mut out = String::new();
    for plan in plans {
        let launches: u64 = plan.rows.iter().map(|row| row.launches).sum();
        let _ = writeln!(
            out,
            "{}: estimated time {}, {} given and made in {}, {:.3} ms",
            plan.planner.name(),
            time(plan.cost),
            bytes(plan.rows.iter().map(|row| row.bytes as f64).sum()),
            count(launches as usize, "launch"),
            plan.time.as_secs_f64() * 1e3
        );
        for row in &plan.rows {
            let estimated = row.estimated.map_or_else(|| "–".to_owned(), bytes);
            let _ = writeln!(
                out,
                "  {:>9.1} µs  predicted {:>9.1} µs, estimated {estimated:>8}, given and made {:>8}, launched {}×  {}{}",
                row.time.as_secs_f64() * 1e6,
                row.predicted / 1e3,
                bytes(row.bytes as f64),
                row.launches,
                row.kernel,
                row.place
            );
        }
    }
    out.push_str(match differing(plans).is_empty() {
        true => "All plans give the same results.\n",
        false => "The plans give different results.\n",
    });
    out.push_str(
        "Times are medians; that of a plan is of runs that nobody watches. Predictions are by the rates of the device (`nestled calibrate`) and the real sizes. Estimates are for the sizes that the cost model guesses, of the stretches of host code with several runs; what is given and made has its real size.\n",
    );
    out
}

/// The planners whose results differ from the first's.
pub fn differing(plans: &[Measured]) -> Vec<&'static str> {
    plans.iter().filter(|plan| !plan.agrees).map(|plan| plan.planner.name()).collect()
}

fn are_equal(left: &[Value], right: &[Value]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same_bits(left, right))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
