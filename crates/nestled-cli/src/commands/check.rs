//! `nestled check`: is a program well-formed?

use crate::cli::Check;
use crate::exit_codes::Failure;
use crate::load::load;
use crate::output;

/// Checks each file; all messages are shown, also when an earlier file was refused.
pub fn run(options: &Check) -> Result<(), Failure> {
    let mut refused: Option<Failure> = None;
    for file in &options.files {
        match load(file) {
            Ok(program) => output::print(&format!(
                "{}: well-formed ({}, {}, {}, {})\n",
                file.display(),
                count(program.functions.len(), "function"),
                count(program.kernels.len(), "kernel"),
                count(program.thunks.len(), "thunk"),
                count(program.monoids.len(), "monoid"),
            ))?,
            Err(failure) => {
                refused = Some(match refused {
                    None => failure,
                    Some(earlier) => Failure {
                        message: format!("{}\n{}", earlier.message, failure.message),
                        code: earlier.code.max(failure.code),
                    },
                });
            }
        }
    }
    refused.map_or(Ok(()), Err)
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
