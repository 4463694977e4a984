//! The time model against the clock: predicted and measured times of all launches of benchmarks, plans, examples in NESL and random pipelines.

use crate::bench::Size;
use crate::catalog::BENCHES;
use crate::examples::EXAMPLES;
use crate::options::Options;
use crate::ours::Ours;
use crate::session::{compile, evaluate, halt, session_on};
use crate::timing::quartiles;
use crate::{pipelines, plans};
use nestled_devices::{Launched, Timed};
use nestled_ir::interp::World;
use nestled_ir::value::{AxisValue, Value};
use nestled_nesl::Dialect;
use nestled_nesl::engine::{Backend, Halt};
use nestled_pass::fuse::solve::Planner;
use nestled_pass::time::Rates;
use nestled_rt::device::Device;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::rc::Rc;

/// Runs that are measured, after one that is not. The fastest counts.
const RUNS: usize = 7;

/// Least number of launches of random pipelines.
const RANDOM: usize = 500;

/// Their numbers of elements, in turns.
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Launches of one kind of programs: predicted and measured times, in nanoseconds.
struct Group {
    name: &'static str,
    launches: Vec<Row>,
}

struct Row {
    predicted: f64,
    measured: f64,
}

/// Measures all launches, and prints how well they were predicted.
///
/// # Errors
/// If a program does not run.
pub fn run(options: &Options) -> Result<(), String> {
    let mut rates = Rates::default();
    if let Some(file) = &options.rates {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        rates.read(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let device = crate::device::open(options.device, options.threads)?;
    if options.rates.is_none() {
        rates = nestled_devices::calibrate::calibrate(&device, &mut |_, _| ())?;
        println!("{rates}");
    }
    let timed = Timed::new(device);
    let device: Rc<dyn Device> = Rc::clone(&timed) as _;
    let mut model = Model { timed, device, rates, dump: String::new() };
    let groups = [model.benches()?, model.plans()?, model.examples()?, model.random(options.seed)?];
    if let Some(file) = &options.json {
        let wrong = |error| format!("cannot write `{}`: {error}", file.display());
        std::fs::write(file, &model.dump).map_err(wrong)?;
    }
    groups.iter().for_each(|group| println!("{}", group.line()));
    let launches = groups.into_iter().flat_map(|group| group.launches).collect();
    println!("{}", Group { name: "all", launches }.line());
    Ok(())
}

/// A device, and the rates that are compared with it.
struct Model {
    timed: Rc<Timed>,
    device: Rc<dyn Device>,
    rates: Rates,
    /// All launches, as text.
    dump: String,
}

impl Model {
    fn benches(&mut self) -> Result<Group, String> {
        let mut group = Group { name: "benchmarks", launches: Vec::new() };
        for bench in BENCHES {
            for size in [Size::Tiny, Size::Small] {
                let case = (bench.case)(bench.sizes.of(size));
                let mut ours = Ours::new(bench, &case, &self.device, true)?;
                self.measure(&mut group, bench.name, &mut || ours.run().map(drop))?;
            }
        }
        Ok(group)
    }

    fn plans(&mut self) -> Result<Group, String> {
        let mut group = Group { name: "plans", launches: Vec::new() };
        for (name, source) in plans::PROGRAMS {
            for (planner, n) in
                [(Planner::Search, 1_000_000), (Planner::Off, 1_000_000), (Planner::Search, 20_000)]
            {
                let mut ours = plans::ours(name, source, planner, n, &self.device)?;
                self.measure(&mut group, name, &mut || ours.run().map(drop))?;
            }
        }
        Ok(group)
    }

    /// Kernels of NESL are launched once for each level of a recursion, so that those of a program count as one.
    fn examples(&mut self) -> Result<Group, String> {
        let wanted = Rc::new(Cell::new(None));
        let launched = Rc::new(RefCell::new(Vec::new()));
        let session = |dialect, is_whole| {
            let (timed, wanted, launched) =
                (Rc::clone(&self.timed), Rc::clone(&wanted), Rc::clone(&launched));
            session_on(dialect, Box::new(Repeated { timed, wanted, is_whole, launched }))
        };
        crate::nesl::examples(&|dialect| session(dialect, false), |name| wanted.set(Some(name)))?;
        for (name, source) in EXAMPLES {
            wanted.set(Some(name));
            evaluate(&mut session(Dialect::default(), true), source)?;
        }
        let mut group = Group { name: "examples", launches: Vec::new() };
        for (program, launches) in launched.take() {
            let mut kernels: BTreeMap<String, Vec<Launched>> = BTreeMap::new();
            for launch in launches {
                kernels.entry(launch.kernel.clone()).or_default().push(launch);
            }
            kernels.into_values().for_each(|launches| self.count(&mut group, program, &launches));
        }
        Ok(group)
    }

    fn random(&mut self, first: u64) -> Result<Group, String> {
        let mut group = Group { name: "random pipelines", launches: Vec::new() };
        for seed in first.. {
            if group.launches.len() >= RANDOM {
                break;
            }
            let name = format!("pipeline {seed}");
            let n = SIZES[seed as usize % SIZES.len()];
            let mut ours = plans::ours(&name, &pipelines::pipeline(seed), Planner::Search, n, &self.device)?;
            self.measure(&mut group, &name, &mut || ours.run().map(drop))?;
        }
        Ok(group)
    }

    /// Measures the launches of a program.
    fn measure(
        &mut self,
        group: &mut Group,
        program: &str,
        run: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(), String> {
        run()?;
        self.timed.take();
        for _ in 0..RUNS {
            self.timed.again();
            run()?;
        }
        for launched in self.timed.take() {
            self.count(group, program, &[launched]);
        }
        Ok(())
    }

    /// Adds launches of a kernel as one.
    fn count(&mut self, group: &mut Group, program: &str, launches: &[Launched]) {
        let measured =
            |launch: &Launched| launch.times.iter().min().map_or(0.0, |time| time.as_nanos() as f64);
        let measured = launches.iter().map(measured).sum();
        let predicted = launches.iter().map(|launch| self.rates.time(&launch.features)).sum();
        let Launched { kernel, features, .. } = &launches[0];
        writeln!(self.dump, "{program}\t{kernel}\t{measured}\t{predicted}\t{features:?}").expect("a text");
        group.launches.push(Row { predicted, measured });
    }
}

/// The launches of a statement of a program in NESL.
type Statement = (&'static str, Vec<Launched>);

/// A back end that runs a wanted statement several times, on the same data, and keeps its launches.
struct Repeated {
    timed: Rc<Timed>,
    /// The program of which the next statement is wanted, or all are.
    wanted: Rc<Cell<Option<&'static str>>>,
    is_whole: bool,
    launched: Rc<RefCell<Vec<Statement>>>,
}

impl fmt::Debug for Repeated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repeated").field("wanted", &self.wanted).finish_non_exhaustive()
    }
}

impl Backend for Repeated {
    fn run(
        &mut self,
        program: &nestled_ir::Program,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
    ) -> Result<Vec<Value>, Halt> {
        let device: Rc<dyn Device> = Rc::clone(&self.timed) as _;
        let executable = compile(program, &device, Planner::Search)?;
        let mut run = || executable.run(nestled_ir::Program::ENTRY, shapes, args, world).map_err(halt);
        let results = run()?;
        self.timed.take();
        let wanted = self.wanted.take();
        if self.is_whole {
            self.wanted.set(wanted);
        }
        if let Some(program) = wanted {
            for _ in 0..RUNS {
                self.timed.again();
                run()?;
            }
            self.launched.borrow_mut().push((program, self.timed.take()));
        }
        Ok(results)
    }
}

impl Group {
    fn line(&self) -> String {
        let errors = self.launches.iter().map(|row| (row.predicted / row.measured - 1.0).abs()).collect();
        let predicted: Vec<f64> = self.launches.iter().map(|row| row.predicted).collect();
        let measured: Vec<f64> = self.launches.iter().map(|row| row.measured).collect();
        format!(
            "{:20} {:6} launches   rank correlation {:.3}   median error {:.0} %",
            self.name,
            self.launches.len(),
            correlation(&ranks(&predicted), &ranks(&measured)),
            100.0 * quartiles(errors).median
        )
    }
}

/// The rank of each value; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let same = order[from..].iter().take_while(|&&at| values[at] == values[order[from]]).count();
        for &at in &order[from..from + same] {
            ranks[at] = from as f64 + (same - 1) as f64 / 2.0;
        }
        from += same;
    }
    ranks
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let products = a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).sum::<f64>();
    let square = |values: &[f64], mean: f64| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    products / (square(a, ma) * square(b, mb)).sqrt()
}
