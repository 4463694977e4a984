//! `nestled check`: is a program well-formed?

use crate::cli::Check;
use crate::exit_codes::Failure;
use crate::load::load;
use crate::{nesl, output};

/// Checks each file; all messages are shown, also when an earlier file was refused.
pub fn run(options: &Check) -> Result<(), Failure> {
    let mut refused: Option<Failure> = None;
    for file in &options.files {
        if nesl::is_nesl(file) {
            match nesl::check::check(file, &options.nesl) {
                Ok(words) => output::print(&words)?,
                Err(failure) => refused = Some(joined(refused, failure)),
            }
            continue;
        }
        match load(file, &options.vcode, &options.nesl.widths) {
            Ok(program) => output::print(&format!(
                "{}: well-formed ({}, {}, {}, {})\n",
                file.display(),
                count(program.functions.len(), "function"),
                count(program.kernels.len(), "kernel"),
                count(program.thunks.len(), "thunk"),
                count(program.monoids.len(), "monoid"),
            ))?,
            Err(failure) => {
                refused = Some(joined(refused, failure));
            }
        }
    }
    refused.map_or(Ok(()), Err)
}

/// Both messages, and the worse status.
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
