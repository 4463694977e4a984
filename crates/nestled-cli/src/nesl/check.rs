//! `nestled check` for NESL: types without running anything.

use super::dialect;
use crate::cli::NeslOptions;
use crate::commands::check::count;
use crate::exit_codes::Failure;
use crate::load::{read, refused};
use nestled_nesl::Session;
use nestled_nesl::ast::StatementKind;
use std::path::Path;

/// Checks the statements of a program; what is assigned has its type from then on, and no value.
pub fn check(path: &Path, options: &NeslOptions) -> Result<String, Failure> {
    let (name, text) = read(path)?;
    let mut session = Session::new(dialect(options));
    let mut messages = Vec::new();
    let (mut errors, mut functions, mut others) = (0, 0, 0);
    for item in session.read(&name, &text) {
        let statement = match item {
            Ok(statement) => statement,
            Err(error) => {
                errors += 1;
                messages.push(error.render(&session.sources));
                continue;
            }
        };
        match statement.kind {
            StatementKind::Function(_) => functions += 1,
            _ => others += 1,
        }
        let result = session.check(&statement);
        errors += result.errors.len();
        messages.extend(result.errors.iter().map(|error| error.render(&session.sources)));
        messages.extend(result.warnings.iter().map(|warning| warning.render_warning(&session.sources)));
    }
    let text = messages.join("\n");
    if errors > 0 {
        return Err(refused(&text, errors));
    }
    let others = count(others, "other statement");
    let words = format!("{}: well-typed ({}, {others})\n", path.display(), count(functions, "function"));
    eprint!("{text}");
    Ok(words)
}
