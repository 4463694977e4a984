//! Times the way of a kernel from text to its first call, and Black-Scholes as a real one.
//!
//! `cargo run --release -p nestled-llvm --example compile_kernels`; with `NESTLED_LLVM` for a particular LLVM. Each time is the best
//! of several, but for loading LLVM, which happens once.
#![allow(unsafe_code)]

use nestled_cache::{DiskCache, Kind, Source};
use nestled_llvm::object::{Code, Symbols};
use nestled_llvm::{CompileOptions, Llvm};
use std::time::{Duration, Instant};

const AXPY: &str = include_str!("../tests/kernels/axpy.ll");
const BLACK_SCHOLES: &str = include_str!("../tests/kernels/black_scholes.ll");

type Axpy = extern "C" fn(f32, *const f32, *mut f32, i64);
type BlackScholes = extern "C" fn(*const f32, *const f32, *const f32, *mut f32, *mut f32, i64);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let llvm = Llvm::load()?;
    println!("{llvm:?}\n{}: {}\n", llvm.cpu_name(), llvm.features());
    line("find and load LLVM", start.elapsed());
    for (name, text, passes) in [
        ("tiny kernel, no pass", AXPY, ""),
        ("tiny kernel, vectorised", AXPY, "early-cse,function(loop-vectorize,instcombine,simplifycfg)"),
        ("tiny kernel, default<O2>", AXPY, "default<O2>"),
        ("Black-Scholes, explicit vectors", BLACK_SCHOLES, "always-inline"),
        ("Black-Scholes, default<O2>", BLACK_SCHOLES, "default<O2>"),
    ] {
        let options = CompileOptions { passes: passes.to_string(), ..CompileOptions::default() };
        let first = once(|| llvm.compile(text, &options).map(drop))?;
        let best = best_of(20, || llvm.compile(text, &options).map(drop))?;
        line(&format!("compile: {name} (first {:.2})", millis(first)), best);
    }
    from_the_cache(&llvm)?;
    price_options(&llvm)
}

/// From a key to the return of the first call, the object being on disk.
fn from_the_cache(llvm: &Llvm) -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::temp_dir().join(format!("nestled-example-{}", std::process::id()));
    let cache = DiskCache::at(&directory, 1 << 20);
    let version = llvm.version().to_string();
    let parts = [AXPY.as_bytes(), llvm.features().as_bytes(), version.as_bytes()];
    cache.put(&Source::new(Kind::Kernel, &parts), &llvm.compile(AXPY, &CompileOptions::default())?);
    let (x, mut y) = ([1.0f32; 8], [2.0f32; 8]);
    line(
        "put an object into the cache",
        best_of(20, || {
            cache.put(&Source::new(Kind::Kernel, &parts), b"an object");
            Ok::<(), String>(())
        })?,
    );
    let object = llvm.compile(AXPY, &CompileOptions::default())?;
    cache.put(&Source::new(Kind::Kernel, &parts), &object);
    line("load an object", best_of(100, || Code::load(&object, &Symbols::none()).map(drop))?);
    let time = best_of(100, || {
        let object = cache.get(&Source::new(Kind::Kernel, &parts)).ok_or("not in the cache")?;
        let code = Code::load(&object, &Symbols::none()).map_err(|_| "not loaded")?;
        let function = code.function("axpy").ok_or("not defined")?;
        // SAFETY: `axpy.ll` gives it this type; `code` outlives the call; both arrays have eight elements.
        let axpy = unsafe { std::mem::transmute::<*const (), Axpy>(function) };
        axpy(3.0, x.as_ptr(), y.as_mut_ptr(), 8);
        Ok::<(), &str>(())
    })?;
    line("from the key to the return of the first call", time);
    std::fs::remove_dir_all(directory)?;
    Ok(())
}

fn price_options(llvm: &Llvm) -> Result<(), Box<dyn std::error::Error>> {
    const N: usize = 10_000_000;
    let options = CompileOptions { passes: "always-inline".to_string(), ..CompileOptions::default() };
    let code = Code::load(&llvm.compile(BLACK_SCHOLES, &options)?, &Symbols::none())?;
    let function = code.function("black_scholes").ok_or("not defined")?;
    // SAFETY: `black_scholes.ll` gives it this type; `code` outlives the calls.
    let price = unsafe { std::mem::transmute::<*const (), BlackScholes>(function) };
    let ramp = |low: f32, high: f32| -> Vec<f32> {
        (0..N).map(|i| low + (high - low) * (i * 7919 % N) as f32 / N as f32).collect()
    };
    let (spots, strikes, times) = (ramp(5.0, 30.0), ramp(1.0, 100.0), ramp(0.25, 10.0));
    let (mut calls, mut puts) = (vec![0f32; N], vec![0f32; N]);
    let time = best_of(10, || {
        let n = N as i64;
        price(spots.as_ptr(), strikes.as_ptr(), times.as_ptr(), calls.as_mut_ptr(), puts.as_mut_ptr(), n);
        Ok::<(), String>(())
    })?;
    line("Black-Scholes, ten million options, one thread", time);
    println!("calls and puts of the first: {} {}", calls[0], puts[0]);
    Ok(())
}

fn once<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let start = Instant::now();
    work().map(|()| start.elapsed())
}

fn best_of<E>(n: usize, mut work: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    (0..n).try_fold(Duration::MAX, |best, _| once(&mut work).map(|time| time.min(best)))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn line(what: &str, time: Duration) {
    println!("{what:60} {:9.3} ms", millis(time));
}
