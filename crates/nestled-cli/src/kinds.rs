//! Kinds of programs, and the options that each honours: an option without effect on a program is refused.

use crate::exit_codes::Failure;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, ValueEnum};
use std::path::Path;

/// A kind of program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Kind {
    /// Functions over nested sequences
    Nesl,
    /// Kernels, and host code that runs them
    Lcu,
    /// The stack machine, FCODE included
    Vcode,
}

use Kind::{Lcu, Nesl, Vcode};

impl Kind {
    /// The kind of a file: the one asked for, or else that of its extension.
    pub fn of(path: &Path, said: Option<Kind>) -> Kind {
        let by_name = || match path.extension().and_then(|extension| extension.to_str()) {
            Some("nesl") => Nesl,
            Some("vcode" | "ucode" | "fcode") => Vcode,
            _ => Lcu,
        };
        said.unwrap_or_else(by_name)
    }

    fn name(self) -> &'static str {
        match self {
            Nesl => "NESL",
            Lcu => "λcu",
            Vcode => "VCODE",
        }
    }
}

const ALL: &[Kind] = &[Nesl, Lcu, Vcode];

/// The kinds of programs that honour an option of a command; `None` if the option is not listed.
fn honoured_by(command: &str, option: &str) -> Option<&'static [Kind]> {
    Some(match (command, option) {
        (_, "file" | "files" | "lang" | "args" | "passes" | "list" | "limits" | "runs" | "dot" | "draw") => {
            ALL
        }
        (_, "no_passes" | "fuse" | "stats" | "profile" | "trace" | "device" | "threads" | "memory") => ALL,
        (_, "after" | "kernels" | "stage" | "kernel" | "device_width") => ALL,
        (_, "no_files" | "no_spawn" | "sandbox" | "time_limit") => ALL,
        ("explain", "function" | "json" | "expect" | "lp") => ALL,
        ("calibrate", "print") | ("show", "data" | "rows") => ALL,
        ("explain", "run") => &[Nesl, Lcu],
        ("bench", "function") => &[Lcu],
        ("bench", "seconds" | "record" | "old" | "worse" | "chart") => ALL,
        ("bench", "sizes") => &[Nesl],
        (_, "function") => &[Lcu, Vcode],
        // VCODE is always strict.
        (_, "math" | "output" | "full") => &[Nesl, Lcu],
        (_, "shape") => &[Lcu],
        (_, "time") => &[Lcu, Vcode],
        (_, "int" | "float" | "precision") => &[Nesl, Vcode],
        (_, "compat" | "drawings" | "expression" | "named" | "json") => &[Nesl],
        (_, "fused" | "unchecked" | "check" | "vectors") => &[Vcode],
        _ => return None,
    })
}

/// Refuses an option that was given and that no program here honours.
pub fn check(command: &Command, matches: &ArgMatches, kinds: &[Kind]) -> Result<(), Failure> {
    let given = |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    for arg in command.get_arguments().filter(given) {
        let honouring = honoured_by(command.get_name(), arg.get_id().as_str()).unwrap_or(ALL);
        if kinds.is_empty() || kinds.iter().any(|kind| honouring.contains(kind)) {
            continue;
        }
        let names = |kinds: &[Kind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" and ");
        return Err(Failure::usage(format!(
            "`{}` says nothing to a program in {}; it is for {}",
            word(arg),
            names(&kinds[..1]),
            names(honouring)
        )));
    }
    Ok(())
}

/// An option as it is written on a command line.
fn word(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => arg.get_id().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn somebody_said_who_honours_each_option() {
        for command in Cli::command().get_subcommands() {
            for arg in command.get_arguments().filter(|arg| !arg.is_global_set()) {
                let (command, arg) = (command.get_name(), arg.get_id().as_str());
                let known = ["help", "version"].contains(&arg) || honoured_by(command, arg).is_some();
                assert!(known, "`nestled {command}`: which kinds of programs honour `{arg}`?");
            }
        }
    }
}
