//! The command `nestled`.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod exit_codes;
mod input;
mod load;
mod npy;
mod output;
mod terminal;

use clap::Parser;
use cli::{Cli, Command};
use exit_codes::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::from(exit_codes::OK),
        Err(failure) => {
            output::print_failure(&failure);
            failure.exit_code()
        }
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        Command::Run(options) => commands::run::run(&options),
        Command::Check(options) => commands::check::run(&options),
        Command::Show(options) => commands::show::run(&options),
        Command::Pass(options) => commands::pass::run(&options),
    }
}
