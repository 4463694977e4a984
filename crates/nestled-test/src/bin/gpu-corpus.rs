//! Runs the data files of a folder on a GPU: `NESTLED_TEST_GPU=cuda gpu-corpus tests/programs`. It is for machines that have no Rust.
#![forbid(unsafe_code)]

use nestled_test::corpus::{Engine, check_programs};
use nestled_test::gpu;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: gpu-corpus FOLDER");
        return ExitCode::from(2);
    };
    if !gpu::has_adapter() {
        return ExitCode::FAILURE;
    }
    let report = check_programs(Path::new(&folder), &[Engine { name: "the GPU", run: gpu::engine }], &[]);
    println!("{:#?}", gpu::counts());
    gpu::left().iter().for_each(|(file, why)| println!("{file}: {why:?}"));
    report.failures().iter().for_each(|failure| println!("{failure}\n"));
    println!("{} files, {} cases, {} failures", report.files, report.cases, report.failures().len());
    if report.failures().is_empty() && report.cases > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
