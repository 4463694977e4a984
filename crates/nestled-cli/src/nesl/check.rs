//! `nestled check` for NESL: types without running anything.

use super::dialect;
use crate::cli::NeslOptions;
use crate::commands::check::count;
use crate::exit_codes::Failure;
use nestled_ir::{Diagnostic, MOST_MESSAGES, not_shown};
use nestled_nesl::Session;
use nestled_nesl::ast::StatementKind;

/// Checks the statements of a program. A name that is assigned has a type from then on, and no value.
pub fn check((name, text): &(String, String), options: &NeslOptions) -> Result<String, Failure> {
    let mut session = Session::new(dialect(options));
    let mut said = Said::default();
    let (mut functions, mut others) = (0, 0);
    for item in session.read(name, text) {
        let statement = match item {
            Ok(statement) => statement,
            Err(error) => {
                said.errors(&[error], &session);
                continue;
            }
        };
        match statement.kind {
            StatementKind::Function(_) => functions += 1,
            _ => others += 1,
        }
        let result = session.check(&statement);
        said.errors(&result.errors, &session);
        said.warnings(&result.warnings, &session);
    }
    let Said { mut messages, errors, .. } = said;
    messages.extend(not_shown(errors));
    let text = messages.join("\n");
    if errors > 0 {
        return Err(Failure::refused(&text, errors));
    }
    let others = count(others, "other statement");
    let words = format!("{name}: well-typed ({}, {others})\n", count(functions, "function"));
    eprint!("{text}");
    Ok(words)
}

/// The messages so far: the first errors and the first warnings.
#[derive(Default)]
struct Said {
    messages: Vec<String>,
    errors: usize,
    warnings: usize,
}

impl Said {
    fn errors(&mut self, errors: &[Diagnostic], session: &Session) {
        let room = MOST_MESSAGES.saturating_sub(self.errors);
        self.messages.extend(errors.iter().take(room).map(|error| error.render(&session.sources)));
        self.errors += errors.len();
    }

    fn warnings(&mut self, warnings: &[Diagnostic], session: &Session) {
        let room = MOST_MESSAGES.saturating_sub(self.warnings);
        let shown = warnings.iter().take(room);
        self.messages.extend(shown.map(|warning| warning.render_warning(&session.sources)));
        self.warnings += warnings.len();
    }
}
