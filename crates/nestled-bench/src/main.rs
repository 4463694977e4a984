//! `cargo xtask bench`: the command line.
#![forbid(unsafe_code)]

use clap::Parser;
use nestled_bench::options::Options;
use std::process::ExitCode;

fn main() -> ExitCode {
    match nestled_bench::command::run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
