//! Fuzzing of λcu: checks random programs on every engine: `cargo run --release -p nestled-test --bin fuzz -- --seed 1 --count 100000`.
//!
//! A program that fails is reduced and written to a file.
#![forbid(unsafe_code)]

use nestled_ir::text::print;
use nestled_test::check::{End, Engine, Failure, check_case, engines, gpu_engines};
use nestled_test::coverage::Coverage;
use nestled_test::cpu::Kernels;
use nestled_test::generate::{Case, Size, generate};
use nestled_test::gpu;
use nestled_test::reduce::{as_test, reduce};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const USAGE: &str = "usage: cargo xtask fuzz [OPTIONS]

Random programs are printed, parsed, verified, run on the reference interpreter, and then on other engines.
A program that fails is reduced and written to the file fuzz-SEED.lcu.

  --seed S       the first seed (0); a seed always gives the same program
  --count N      how many programs (10000)
  --threads T    how many at once (1)
  --size SIZE    tiny, quick, normal or large (quick)
  --engines E,E  the engines beside the interpreter: their names or how they begin (`cpu*`), `all` (the default) or `none`;
                 `WebGPU`, `all passes on WebGPU`, `CUDA` and `all passes on CUDA` (on the stand-in) have to be asked for
  --level L      how hard the compiler of the CPU tries, 0 to 3 (2); with 0 much more programs are checked in the same time
  --coverage     only print tables of what the programs contain
  --print        only print the programs, with their arguments";

/// The most smaller programs tried while one that fails is reduced.
const EFFORT: usize = 3000;

/// Command-line options.
struct Options {
    seed: u64,
    count: u64,
    threads: u64,
    size: Size,
    /// `all`, `none`, or names.
    engines: String,
    level: u8,
    coverage: bool,
    print: bool,
}

/// Numbers of programs by outcome.
#[derive(Default)]
struct Tally {
    done: AtomicU64,
    faults: AtomicU64,
    limits: AtomicU64,
    failures: AtomicU64,
}

fn main() -> ExitCode {
    let words = || std::env::args().skip(1);
    if words().any(|word| word == "--help" || word == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match options(words()).and_then(|options| chosen(&options).map(|_| options)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if options.coverage {
        let mut coverage = Coverage::default();
        for seed in options.seed..options.seed + options.count {
            coverage.visit(&generate(seed, options.size).program);
        }
        println!("{coverage}");
        return ExitCode::SUCCESS;
    }
    if options.print {
        for seed in options.seed..options.seed + options.count {
            println!("{}", as_call(&generate(seed, options.size), seed));
        }
        return ExitCode::SUCCESS;
    }
    // Panics are failures that are reported with their seed.
    std::panic::set_hook(Box::new(|_| {}));
    let tally = Tally::default();
    std::thread::scope(|scope| {
        for thread in 0..options.threads {
            let (options, tally) = (&options, &tally);
            let work = move || run(options, thread, tally);
            // Deeply nested programs need room.
            std::thread::Builder::new()
                .stack_size(64 << 20)
                .spawn_scoped(scope, work)
                .expect("threads can be made");
        }
    });
    eprintln!("{}", summary(&tally));
    if tally.failures.load(Ordering::Relaxed) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The program of a seed below the call of `main`. Nothing is run: the program may be one that does not end.
fn as_call(case: &Case, seed: u64) -> String {
    // Shapes may be of any size, so they are not spelled out.
    format!(
        "; | seed {seed}\n; shapes: {:?}\n; arguments: {:?}\n{}",
        case.shapes,
        case.args,
        print(&case.program)
    )
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        seed: 0,
        count: 10_000,
        threads: 1,
        size: Size::QUICK,
        engines: "all".to_owned(),
        level: 2,
        coverage: false,
        print: false,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
        match word.as_str() {
            "--seed" => options.seed = number(value()?)?,
            "--count" => options.count = number(value()?)?,
            "--threads" => options.threads = number(value()?)?.max(1),
            "--size" => {
                let name = value()?;
                options.size = Size::from_name(&name).ok_or(format!("unknown size `{name}`"))?;
            }
            "--level" => options.level = number(value()?)?.min(3) as u8,
            "--engines" => options.engines = value()?,
            "--coverage" => options.coverage = true,
            "--print" => options.print = true,
            other => return Err(format!("unknown option `{other}`")),
        }
    }
    Ok(options)
}

/// The engines with these names.
fn chosen(options: &Options) -> Result<Vec<Engine>, String> {
    let mut all = engines(Kernels::InMemory { level: options.level });
    let is = |engine: &Engine, name: &str| match name.strip_suffix('*') {
        Some(start) => engine.name.starts_with(start),
        None => engine.name == name,
    };
    match options.engines.as_str() {
        "all" => Ok(all),
        "none" => Ok(Vec::new()),
        names => {
            all.extend(gpu_engines());
            let names: Vec<&str> = names.split(',').collect();
            if let Some(name) = names.iter().find(|&&name| !all.iter().any(|engine| is(engine, name))) {
                let there: Vec<&str> = all.iter().map(|engine| engine.name.as_str()).collect();
                return Err(format!("no engine is called `{name}`; there are: {}", there.join(", ")));
            }
            all.retain(|engine| names.iter().any(|name| is(engine, name)));
            Ok(all)
        }
    }
}

/// Checks every seed that falls to one thread.
fn run(options: &Options, thread: u64, tally: &Tally) {
    let engines = chosen(options).expect("the names were checked");
    let mut last = Instant::now();
    let mut seed = options.seed + thread;
    while seed < options.seed + options.count {
        let checked = std::panic::catch_unwind(|| generate(seed, options.size))
            .map_err(|_| Failure { stage: "generate".into(), message: "panic".into() })
            .and_then(|case| check_case(&case, &engines));
        match checked {
            Ok(outcome) => match outcome.end {
                Err(End::Fault(_)) => add(&tally.faults),
                Err(End::Limit) => add(&tally.limits),
                Ok(_) | Err(End::Bug(_)) => {}
            },
            Err(failure) => {
                add(&tally.failures);
                eprintln!("seed {seed}: {}: {}", failure.stage, failure.message);
                save_reduced(seed, options.size, &engines, &failure);
            }
        }
        add(&tally.done);
        if thread == 0 && last.elapsed() > Duration::from_secs(5) {
            last = Instant::now();
            eprintln!("{}", summary(tally));
        }
        seed += options.threads;
    }
    gpu::close();
}

/// Writes a small program that fails at the same stage to a file.
fn save_reduced(seed: u64, size: Size, engines: &[Engine], failure: &Failure) {
    let Ok(case) = std::panic::catch_unwind(|| generate(seed, size)) else { return };
    let same =
        |other: &Failure| other.stage == failure.stage && kind(&other.message) == kind(&failure.message);
    let fails = |case: &Case| check_case(case, engines).is_err_and(|other| same(&other));
    let small = reduce(&case, &fails, EFFORT);
    let why = check_case(&small, engines).err().map_or(String::new(), |failure| failure.message);
    let text = as_test(&small, &format!("{} of seed {seed}: {why}", failure.stage));
    let path = format!("fuzz-{seed}.lcu");
    match std::fs::write(&path, text) {
        Ok(()) => eprintln!("seed {seed}: reduced in {path}"),
        Err(error) => eprintln!("seed {seed}: {path}: {error}"),
    }
}

/// A failure's kind: the words of its message's first line without names and numbers. A smaller program must fail with the same kind.
fn kind(message: &str) -> String {
    let line = message.lines().next().unwrap_or("");
    let words = line.split('`').step_by(2).flat_map(str::chars);
    words.filter(|c| c.is_alphabetic()).collect()
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn summary(tally: &Tally) -> String {
    let [done, faults, limits, failures] = [&tally.done, &tally.faults, &tally.limits, &tally.failures]
        .map(|counter| counter.load(Ordering::Relaxed));
    format!("{done} programs, {faults} with faults, {limits} over a limit, {failures} failures")
}
