//! Entry point of the command `nestled`.
//!
//! One file for each concern: the command line, inputs, output, exit codes. `files.rs` has the files that the command line names; files that programs ask for go through
//! the gate ([`nestled_ir::interp::Gate`]). `kinds.rs` lists the options that each kind of program honours.
#![forbid(unsafe_code)]

mod bench;
mod cli;
mod commands;
mod data;
mod device;
mod exit_codes;
mod explain;
mod files;
mod input;
mod kept;
mod kinds;
mod load;
mod mip;
mod nesl;
mod output;
mod progress;
mod runner;
mod signals;
mod terminal;
mod vcode;
mod watch;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use cli::{Cli, Command};
use exit_codes::Failure;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().map(number).collect();
    let matches = Cli::command().try_get_matches_from(&words).unwrap_or_else(|error| {
        if error.kind() == ErrorKind::InvalidSubcommand
            && let Some(program) = words.get(1).filter(|word| Path::new(word).is_file())
        {
            let program = program.display();
            output::print_failure(&Failure::usage(format!(
                "`{program}` is no command; `nestled run {program}` runs the program"
            )));
            std::process::exit(exit_codes::USAGE.into());
        }
        error.exit()
    });
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    // A panic is our bug: its message and place have been printed, and the status says so.
    let code = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(cli, &matches))) {
        Ok(Ok(())) => exit_codes::OK,
        Ok(Err(failure)) => {
            let failure = signals::time_is_over().filter(|_| failure.is_interruption()).unwrap_or(failure);
            output::print_failure(&failure);
            failure.code
        }
        Err(_) => {
            eprintln!("bug in nestled: please report it with the program and the message above");
            exit_codes::BUG
        }
    };
    if nestled_cpu::device::compiles_in_background() {
        signals::end_at_once(code);
    }
    ExitCode::from(code)
}

/// Hides `-inf` from the parser of options by a space before it; literals of numbers may begin with a space.
fn number(word: OsString) -> OsString {
    let bytes = word.as_encoded_bytes();
    if matches!(bytes, b"-inf" | b"-inf.f32" | b"-inf.f64") {
        let mut hidden = OsString::from(" ");
        hidden.push(word);
        return hidden;
    }
    word
}

fn run(cli: Cli, matches: &ArgMatches) -> Result<(), Failure> {
    refuse_what_says_nothing(&cli, matches)?;
    if let Some(limit) = cli.command.time_limit() {
        signals::limit_time(limit);
    }
    match cli.command {
        Command::Run(options) => commands::run::run(&options),
        Command::Repl(options) => commands::repl::run(&options),
        Command::Check(options) => commands::check::run(&options),
        Command::Show(options) => commands::show::run(&options),
        Command::Explain(options) => commands::explain::run(&options),
        Command::Bench(options) => commands::bench::run(&options),
        Command::Compare(options) => commands::compare::run(&options),
        Command::Devices => commands::devices::run(),
        Command::Calibrate(options) => commands::calibrate::run(&options),
        Command::Pass(options) => commands::pass::run(&options),
    }
}

/// Refuses options that the named programs do not honour.
fn refuse_what_says_nothing(cli: &Cli, matches: &ArgMatches) -> Result<(), Failure> {
    let command = Cli::command();
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    let Some(command) = command.find_subcommand(name) else { return Ok(()) };
    let kinds = cli.command.kinds();
    kinds::check(command, matches, &kinds)
}
