//! The command `nestled`.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod device;
mod exit_codes;
mod explain;
mod input;
mod load;
mod nesl;
mod npz;
mod output;
mod signals;
mod terminal;
mod vcode;
mod watch;

use clap::Parser;
use cli::{Cli, Command};
use exit_codes::Failure;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse_from(std::env::args_os().map(number));
    // A panic is our bug: its message and place have been printed, and the status says so.
    match std::panic::catch_unwind(|| run(cli)) {
        Ok(Ok(())) => ExitCode::from(exit_codes::OK),
        Ok(Err(failure)) => {
            output::print_failure(&failure);
            failure.exit_code()
        }
        Err(_) => {
            eprintln!("bug in nestled: please report it with the program and the message above");
            ExitCode::from(exit_codes::BUG)
        }
    }
}

/// `-inf` is a number; the space before it hides it from those who look for options, and numbers may have some.
fn number(word: OsString) -> OsString {
    let bytes = word.as_encoded_bytes();
    if matches!(bytes, b"-inf" | b"-inf.f32" | b"-inf.f64") {
        let mut hidden = OsString::from(" ");
        hidden.push(word);
        return hidden;
    }
    word
}

fn run(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        Command::Run(options) => commands::run::run(&options),
        Command::Repl(options) => commands::repl::run(&options),
        Command::Check(options) => commands::check::run(&options),
        Command::Show(options) => commands::show::run(&options),
        Command::Explain(options) => commands::explain::run(&options),
        Command::Compare(options) => commands::compare::run(&options),
        Command::Devices => commands::devices::run(),
        Command::Pass(options) => commands::pass::run(&options),
    }
}
