//! The ten benchmarks of the Accelerator paper, as lazy arrays.
//!
//! ```text
//! cargo run --release -p nestled --example accelerator                   ten pictures, made by procedure
//! cargo run --release -p nestled --example accelerator -- DATA [A4 …]     inputs and references from files, with times
//! ```
//!
//! With `EXPLAIN=1` the kernels are shown instead. `DATA` holds folders `A4_small` and `A4_large` with `in_NAME.npy` and `ref_out.npy`. One line of JSON is written for each measurement.

mod blur;
mod corners;
mod demosaic;
mod life;
mod motion;
mod picture;
mod products;
mod stereo;
mod sum;
mod turn;

use nestled::{Array, Arrays, Element, Engine, Inputs, Jit, Result, Trace, jit};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// One benchmark on the files of a folder.
struct Bench {
    id: &'static str,
    run: fn(&Folder) -> Result<()>,
}

const BENCHES: [Bench; 10] = [
    Bench { id: "A1", run: |folder| folder.bench(jit(sum::sum), (&folder.input("x")?,), 1e-4) },
    Bench {
        id: "A2",
        run: |folder| {
            folder.bench(jit(products::matrix_vector), (&folder.input("a")?, &folder.input("x")?), 1e-5)
        },
    },
    Bench {
        id: "A3",
        run: |folder| {
            folder.bench(jit(products::matrix_matrix), (&folder.input("a")?, &folder.input("b")?), 1e-5)
        },
    },
    Bench { id: "A4", run: |folder| folder.bench(jit(life::life), (&folder.input("g")?,), 0.0) },
    Bench { id: "A5", run: |folder| folder.bench(jit(demosaic::demosaic), (&folder.input("raw")?,), 1e-5) },
    Bench { id: "A6", run: |folder| folder.bench(jit(blur::blur), (&folder.input("img")?,), 1e-5) },
    Bench { id: "A7", run: |folder| folder.bench(jit(turn::turn), (&folder.input("img")?,), 2e-3) },
    Bench { id: "A8", run: |folder| folder.bench(jit(corners::corners), (&folder.input("img")?,), 1e-4) },
    Bench {
        id: "A9",
        run: |folder| folder.bench(jit(motion::motion), (&folder.input("cur")?, &folder.input("ref")?), 0.0),
    },
    Bench {
        id: "A10",
        run: |folder| {
            let stereo = |left, right| stereo::stereo(left, right, 64);
            folder.bench(jit(stereo), (&folder.input("left")?, &folder.input("right")?), 0.0)
        },
    },
];

/// The files of one size of a benchmark.
struct Folder {
    path: PathBuf,
    id: &'static str,
    size: &'static str,
}

/// Results as one list of numbers, in the order of the reference.
trait Numbers: Arrays {
    fn numbers(&self) -> Result<Vec<f64>>;
}

fn numbers<T: Element>(array: &Array<T>) -> Result<Vec<f64>> {
    array.cast::<f64>().to_vec()
}

impl<T: Element> Numbers for Array<T> {
    fn numbers(&self) -> Result<Vec<f64>> {
        numbers(self)
    }
}

/// Planes one after another.
impl Numbers for (Array<f32>, Array<f32>, Array<f32>) {
    fn numbers(&self) -> Result<Vec<f64>> {
        Ok([numbers(&self.0)?, numbers(&self.1)?, numbers(&self.2)?].concat())
    }
}

/// Pairs.
impl Numbers for (Array<i64>, Array<i64>) {
    fn numbers(&self) -> Result<Vec<f64>> {
        numbers(&nestled::stack(&[&self.0, &self.1], 2))
    }
}

impl Folder {
    fn input(&self, name: &str) -> Result<Array<f32>> {
        Array::read_npy(self.path.join(format!("in_{name}.npy")))
    }

    fn reference(&self) -> Result<Vec<f64>> {
        let path = self.path.join("ref_out.npy");
        let floats = Array::<f32>::read_npy(&path).and_then(|array| numbers(&array));
        let doubles = floats.or_else(|_| Array::<f64>::read_npy(&path).and_then(|array| numbers(&array)));
        doubles.or_else(|_| Array::<i32>::read_npy(&path).and_then(|array| numbers(&array)))
    }

    /// Checks a program, then times it.
    fn bench<F, A, R, I>(&self, program: Jit<F, A, R>, inputs: I, tolerance: f64) -> Result<()>
    where
        F: Trace<A, R>,
        R: Numbers,
        I: Inputs<A> + Copy,
    {
        if std::env::var_os("EXPLAIN").is_some() {
            println!("{}", program.explain(inputs)?);
            return Ok(());
        }
        let call = || -> Result<(R, Duration)> {
            let start = Instant::now();
            let result = program.call(inputs)?;
            Engine::current().wait()?;
            Ok((result, start.elapsed()))
        };
        let (result, first) = call()?;
        let (found, expected) = (result.numbers()?, self.reference()?);
        drop(result);
        let scale = expected.iter().fold(0.0f64, |scale, value| scale.max(value.abs()));
        let pairs = found.iter().zip(&expected);
        let error = pairs.fold(0.0f64, |error, (found, expected)| error.max((found - expected).abs()));
        let ok = found.len() == expected.len() && error <= tolerance * scale;
        call()?;
        let mut times = Vec::new();
        let (begin, cpu) = (Instant::now(), cpu_seconds());
        while (times.len() < 7 || begin.elapsed() < Duration::from_millis(500))
            && begin.elapsed() < Duration::from_secs(4)
        {
            times.push(call()?.1.as_secs_f64());
        }
        let cpu = (cpu_seconds() - cpu) / times.len() as f64;
        times.sort_by(f64::total_cmp);
        println!(
            "{{\"workload\":\"{}\",\"size\":\"{}\",\"impl\":\"nestled\",\"seconds_min\":{:.7},\"seconds_median\":{:.7},\"first_call_s\":{:.4},\"cpu_s\":{cpu:.5},\"repeats\":{},\"check\":\"{}\",\"detail\":\"error/scale {:.1e}\"}}",
            self.id,
            self.size,
            times[0],
            times[times.len() / 2],
            first.as_secs_f64(),
            times.len(),
            if ok { "ok" } else { "FAIL" },
            error / scale.max(f64::MIN_POSITIVE),
        );
        Ok(())
    }
}

/// What this process has used of all cores together, where the system says so: on a busy machine it tells more than the clock.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.split_first() {
        Some((data, wanted)) => measure(Path::new(data), wanted),
        None => picture::pictures(),
    };
    if let Err(error) = outcome {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn measure(data: &Path, wanted: &[String]) -> Result<()> {
    for bench in BENCHES {
        if !wanted.is_empty() && !wanted.iter().any(|id| id == bench.id) {
            continue;
        }
        for size in ["small", "large"] {
            let path = data.join(format!("{}_{size}", bench.id));
            if path.is_dir() {
                (bench.run)(&Folder { path, id: bench.id, size })?;
            }
        }
    }
    Ok(())
}
