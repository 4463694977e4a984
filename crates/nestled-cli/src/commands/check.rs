//! `nestled check`: reads and verifies programs without running them.

use crate::cli::Check;
use crate::exit_codes::Failure;
use crate::kinds::Kind;
use crate::load::{load, read};
use crate::{nesl, output};
use std::path::Path;

/// Checks each program. All messages are shown, also after an earlier program was refused.
pub fn run(options: &Check) -> Result<(), Failure> {
    let mut refused: Option<Failure> = None;
    let mut tell = |outcome: Result<String, Failure>| match outcome {
        Ok(words) => output::print(&words),
        Err(failure) => {
            refused = Some(joined(refused.take(), failure));
            Ok(())
        }
    };
    if let Some(text) = &options.expression {
        tell(nesl::check::check(&("-e".to_owned(), text.clone()), &options.nesl))?;
    }
    options.files.iter().try_for_each(|file| tell(one(file, options)))?;
    refused.map_or(Ok(()), Err)
}

/// Checks one program; returns the line that reports it as well-formed.
fn one(file: &Path, options: &Check) -> Result<String, Failure> {
    let kind = Kind::of(file, options.lang);
    if kind == Kind::Nesl {
        return nesl::check::check(&read(file)?, &options.nesl);
    }
    let program = load(file, kind, &options.vcode, &options.nesl.widths)?;
    Ok(format!(
        "{}: well-formed ({}, {}, {}, {})\n",
        file.display(),
        count(program.functions.len(), "function"),
        count(program.kernels.len(), "kernel"),
        count(program.thunks.len(), "thunk"),
        count(program.monoids.len(), "monoid"),
    ))
}

/// Joins both messages, and takes the worse status.
fn joined(earlier: Option<Failure>, failure: Failure) -> Failure {
    match earlier {
        None => failure,
        Some(earlier) => Failure {
            message: format!("{}\n{}", earlier.message, failure.message),
            code: earlier.code.max(failure.code),
        },
    }
}

/// `2 kernels`
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
