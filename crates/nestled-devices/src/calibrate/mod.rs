//! Calibration: measures the rates of a device by running small programs on it.
//!
//! Each program tells one rate: what its time is more than the rates that are known already predict, divided by the amount of work that the time model counts in it.
//!
//! A device that tells the time of its kernels is a graphics card. There that time counts instead of the host's, and probes are larger, so that they take all of it.

mod probes;

use nestled_ir::interp::StdWorld;
use nestled_ir::splitmix::SplitMix64;
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_ir::{Axis, Function, Kernel, Program, ScalarType, Type, ValueId};
use nestled_pass::time::features::{Scattered, Sizes};
use nestled_pass::time::rates::Curve;
use nestled_pass::time::{Features, Rates};
use nestled_pass::{PassContext, PassOptions};
use nestled_rt::device::Device;
use nestled_rt::{Executable, Handle};
use probes::{LAUNCHES, Probe, TEXT, Tells, probes};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A probe runs for so long, and so many times at least. Its fastest run counts: what else the machine does makes others slower.
const TIME: Duration = Duration::from_millis(60);
const RUNS: usize = 7;
const MOST_RUNS: usize = 2000;
/// A launch that goes over arrays in order finds them no nearer than so many others like them leave them, within so many bytes: a program has more arrays than one launch uses.
const OTHERS: usize = 4;
const MEMORY: f64 = 268_435_456.0;
/// No rate is less, so that every time is positive.
const SMALLEST: f64 = 1e-4;

/// Measures the rates of a device. `progress` hears how many of how many programs are done.
///
/// # Errors
/// If a program does not run.
pub fn calibrate(device: &Rc<dyn Device>, progress: &mut dyn FnMut(usize, usize)) -> Result<Rates, String> {
    device.time_kernels(true);
    let tells_time = device.kernel_time().is_some();
    device.time_kernels(false);
    let probes = probes(if tells_time { scale(device) } else { 1 });
    let probing = Probing::new(device)?;
    let mut rates = Rates::NONE;
    let mut host = 0.0;
    // A processor that was idle reaches its clock only after some time, and the first probe is that of a launch.
    for probe in probes.iter().filter(|probe| matches!(probe.tells, Tells::Stream)) {
        probing.measure(probe, false)?;
    }
    for (at, probe) in probes.iter().enumerate() {
        progress(at, probes.len());
        let of_kernels = tells_time && probe.is_of_kernels();
        let (time, features) = probing.measure(probe, of_kernels)?;
        match probe.tells {
            Tells::Launch => rates.launch = time / LAUNCHES,
            tells if probe.is_of_launches() => {
                let host = if tells_time { 0.0 } else { host };
                learn(&mut rates, tells, (time - host).max(1.0) / LAUNCHES, &features);
            }
            // The least time that a card tells of a kernel is that between two of its events.
            Tells::Host if of_kernels => host = time,
            // One launch beside several: what is more of them is theirs, and the rest is that of a run.
            Tells::Host => {
                rates.launch = ((rates.launch * LAUNCHES - time) / (LAUNCHES - 1.0)).max(SMALLEST);
                host = (time - rates.launch).max(0.0);
            }
            // A launch costs the host of a card that time, beside the kernel before.
            tells if of_kernels => {
                let launch = rates.launch;
                learn(&mut rates, tells, (time - host).max(1.0) + launch, &features);
            }
            tells => learn(&mut rates, tells, (time - host).max(1.0), &features),
        }
    }
    progress(probes.len(), probes.len());
    Ok(rates)
}

/// Returns how many times as large as on a processor the probes of a card are: as large as fits into its memory easily.
fn scale(device: &Rc<dyn Device>) -> u64 {
    match device.describe().memory {
        Some(bytes) if bytes < 1 << 30 => 1,
        Some(bytes) if bytes < 8 << 30 => 4,
        Some(_) | None => 16,
    }
}

/// Sets the rate that a probe tells.
fn learn(rates: &mut Rates, tells: Tells, time: f64, features: &Features) {
    let rest = |rates: &Rates| (time - rates.time(features)).max(0.0);
    let sample = |curve: &mut Curve, accesses: &[Scattered], rest: f64| {
        let count: f64 = accesses.iter().map(|one| one.count).sum();
        next(curve, (accesses[0].bytes, (rest / count).max(SMALLEST)));
    };
    match tells {
        Tells::Launch | Tells::Host => {}
        Tells::Stream => {
            let rate = (time - rates.launch).max(0.0) / features.streamed;
            next(&mut rates.stream, (features.streamed, rate.max(SMALLEST)));
        }
        Tells::Work(class) => {
            rates.work[class as usize] = 0.0;
            let amount = features.work[class as usize];
            // The greater of memory and work counts, so that work takes all of the time beside a launch.
            let rest = (time - rates.launch - rates.work(features)).max(0.0);
            rates.work[class as usize] = (rest / amount).max(SMALLEST);
        }
        Tells::Overlap => {
            let memory = features.streamed * rates.stream.at(features.streamed);
            rates.overlap = (rest(rates) / memory.min(rates.work(features))).clamp(0.0, 1.0);
        }
        Tells::Gather => {
            let rest = rest(rates);
            sample(&mut rates.gather, &features.gathers, rest);
        }
        Tells::Scatter => {
            let rest = rest(rates);
            sample(&mut rates.scatter, &features.scatters, rest);
        }
        Tells::Combine => {
            let rest = rest(rates);
            sample(&mut rates.combine, &features.combines, rest);
        }
        Tells::WideCombine => {
            let narrow = |one: &Scattered| one.count * rates.combine.at(one.bytes);
            rates.wide_combine = rest(rates) / features.wide_combines.iter().map(narrow).sum::<f64>();
        }
    }
}

/// Sets the next sample of a curve, and all after it until they are measured.
fn next(curve: &mut Curve, sample: (f64, f64)) {
    let at =
        curve.0.iter().position(|&(size, _)| size == 0.0 || size == f64::MAX).unwrap_or(curve.0.len() - 1);
    curve.0[at] = sample;
    curve.0[at + 1..].fill((f64::MAX, sample.1));
}

/// The programs of all probes on a device.
struct Probing<'a> {
    program: Program,
    executable: Executable,
    device: &'a Rc<dyn Device>,
}

impl<'a> Probing<'a> {
    fn new(device: &'a Rc<dyn Device>) -> Result<Probing<'a>, String> {
        let program = nestled_ir::text::parse("probes.lcu", TEXT).map_err(|failure| failure.to_string())?;
        let passes: &[&nestled_pass::Pass] = &[&nestled_pass::expand_math::PASS];
        let mut cx = PassContext::new(PassOptions { keep_all: true, ..PassOptions::default() });
        let program = nestled_pass::run(&program, passes, &mut cx).map_err(|bug| bug.to_string())?;
        let executable = Executable::new(&program, Rc::clone(device));
        let executable = executable.map_err(|error| error.diagnostic().render(&program.sources))?;
        Ok(Probing { program, executable, device })
    }

    /// Runs a probe; its time in nanoseconds, or that of its kernels, and what it does.
    fn measure(&self, probe: &Probe, of_kernels: bool) -> Result<(f64, Features), String> {
        let Probing { program, executable, device } = self;
        let function = program.find_function(probe.function).ok_or("there is no such probe")?;
        let function = program.function(function);
        let name = format!("{}_kernel", probe.function);
        let kernel =
            program.kernels.iter().find(|kernel| *kernel.name == *name).ok_or("a probe has no kernel")?;
        let features = Features::of(program, kernel, &ProbeSizes { kernel, probe });
        let text = |error: nestled_rt::Error| error.diagnostic().render(&program.sources);
        let sets = match probe.tells {
            Tells::Stream => {
                let sets = ((MEMORY / features.streamed) as usize).clamp(3, OTHERS);
                let memory = device.describe().memory.map_or(f64::MAX, |bytes| bytes as f64);
                sets.min((memory / (2.0 * features.streamed)) as usize).max(1)
            }
            _ => 1,
        };
        let (mut shapes, mut args) = (Vec::new(), Vec::new());
        for _ in 0..sets {
            let (extents, values) = arguments(function, probe)?;
            shapes = extents.into_iter().map(Value::from).collect();
            args.push(values);
        }
        let shapes = executable.put(&shapes).map_err(text)?;
        let args =
            args.iter().map(|args| executable.put(args)).collect::<Result<Vec<_>, _>>().map_err(text)?;
        let mut world = StdWorld::default();
        // Results stay as long as their arguments wait for the next turn.
        let mut results: Vec<Vec<Handle>> = vec![Vec::new(); sets];
        device.time_kernels(of_kernels);
        let mut before = device.kernel_time().unwrap_or_default();
        let mut run = |turn: usize| -> Result<Duration, String> {
            results[turn % sets].clear();
            let start = Instant::now();
            let made = executable
                .run_handles(probe.function, &shapes, &args[turn % sets], &mut world)
                .map_err(|error| format!("{error:?}"))?;
            device.wait().map_err(|error| error.to_string())?;
            let time = start.elapsed();
            results[turn % sets] = made;
            let kernels = device.kernel_time().unwrap_or_default();
            let last = std::mem::replace(&mut before, kernels);
            Ok(if of_kernels { kernels.saturating_sub(last) } else { time })
        };
        // Everything is compiled, and all memory is there.
        for turn in 0..2 * sets {
            run(turn)?;
        }
        let (mut fastest, mut total, mut turn) = (Duration::MAX, Duration::ZERO, 0);
        while total < TIME && turn < MOST_RUNS || turn < RUNS {
            let time = run(turn)?;
            fastest = fastest.min(time);
            total += time;
            turn += 1;
        }
        device.time_kernels(false);
        Ok((fastest.as_nanos() as f64, features))
    }
}

/// The sizes of a probe: an extent is `n` or `m`, by its name.
struct ProbeSizes<'a> {
    kernel: &'a Kernel,
    probe: &'a Probe,
}

impl Sizes for ProbeSizes<'_> {
    fn extent(&self, symbol: ValueId) -> f64 {
        let name = self.kernel.values[symbol.index()].name.to_string();
        match name.as_str() {
            "n" => self.probe.n as f64,
            "m" => self.probe.m as f64,
            // What a filter keeps, or random lengths below `m` add up to.
            _ => (self.probe.n * self.probe.m) as f64 / 2.0,
        }
    }

    fn scalar(&self, param: ValueId) -> Option<f64> {
        self.kernel.values[param.index()].ty.is_shape().then(|| self.extent(param))
    }
}

/// Random arguments of a probe: floats from a half to one and a half, integers below `m`.
fn arguments(function: &Function, probe: &Probe) -> Result<(Vec<AxisValue>, Vec<Value>), String> {
    let extent = |symbol: ValueId| {
        if function.values[symbol.index()].name.to_string() == "m" { probe.m } else { probe.n }
    };
    let mut random = SplitMix64(probe.n ^ probe.m);
    let mut argument = |ty: &Type| {
        let array = ty.as_array().ok_or("an argument is no array")?;
        let extents: Vec<u64> = array
            .shape
            .axes
            .iter()
            .map(|axis| match axis {
                Axis::Const(extent) => *extent,
                Axis::Sym(symbol) => extent(*symbol),
            })
            .collect();
        let len = extents.iter().product::<u64>();
        let data = match array.elem {
            ScalarType::F32 => {
                Buffer::F32((0..len).map(|_| 0.5 + (random.bits() >> 40) as f32 / (1 << 24) as f32).collect())
            }
            ScalarType::I32 => {
                Buffer::I32((0..len).map(|_| (random.bits() % probe.m.max(1)) as i32).collect())
            }
            ScalarType::I64 => {
                Buffer::I64((0..len).map(|_| (random.bits() % probe.m.max(1)) as i64).collect())
            }
            other => return Err(format!("no probe has an array of {other}")),
        };
        let shape = extents.into_iter().map(AxisValue::Extent).collect();
        Ok(Value::Array(Array::dense(shape, Arc::new(data))))
    };
    let args: Result<Vec<Value>, String> =
        function.params.iter().map(|param| argument(&function.values[param.index()].ty)).collect();
    Ok((function.shapes.iter().map(|&shape| AxisValue::Extent(extent(shape))).collect(), args?))
}
