//! The corpus on a GPU: runs the data files of a folder: `NESTLED_TEST_GPU=cuda gpu-corpus tests/programs`; or with `--many` the checks with many points. It is for
//! machines that have no Rust.
#![forbid(unsafe_code)]

use nestled_cuda::{CudaConfig, cublas, open};
use nestled_test::corpus::{Engine, check_programs};
use nestled_test::gpu;
use nestled_test::many::{CHECKS, FREE_CHECKS};
use std::panic::catch_unwind;
use std::path::Path;
use std::process::ExitCode;

const ENGINE: Engine = Engine { name: "the GPU", run: gpu::engine };

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: gpu-corpus FOLDER | --many");
        return ExitCode::from(2);
    };
    if !gpu::has_adapter() {
        return ExitCode::FAILURE;
    }
    if folder == "--many" {
        return many();
    }
    let report = check_programs(Path::new(&folder), &[ENGINE], &[]);
    println!("{:#?}", gpu::counts());
    gpu::left().iter().for_each(|(file, why)| println!("{file}: {why:?}"));
    report.failures().iter().for_each(|failure| println!("{failure}\n"));
    println!("{} files, {} cases, {} failures", report.files, report.cases, report.failures().len());
    if report.failures().is_empty() && report.cases > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs all checks, also after one that failed.
fn many() -> ExitCode {
    let mut good = true;
    let mut ended = |name: &str, outcome: std::thread::Result<()>| {
        println!("{name}: {}", if outcome.is_ok() { "right" } else { "WRONG" });
        good &= outcome.is_ok();
    };
    for (name, check) in CHECKS {
        ended(name, catch_unwind(|| check(&ENGINE)));
    }
    if gpu::is_cuda() {
        let opened = |math| open(CudaConfig { math, ..CudaConfig::default() }).expect("the card opens");
        // The first is about the library.
        let without = usize::from(cublas().is_none());
        FREE_CHECKS[..without].iter().for_each(|(name, _)| println!("{name}: left out, there is no cuBLAS"));
        for (name, check) in &FREE_CHECKS[without..] {
            ended(name, catch_unwind(|| check(&opened)));
        }
    }
    gpu::close();
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
