//! NESL programs on the command line: finding them, choosing the dialect, and the world in which they run.

pub mod arguments;
pub mod backend;
pub mod check;
mod drawing;
mod editor;
pub mod flat;
pub mod forms;
mod json;
mod numpy;
pub mod observed;
pub mod run;
pub mod show;
pub mod tables;
pub mod world;

use crate::cli::NeslOptions;
use nestled_ir::interp::Gate;
use nestled_nesl::{Dialect, Elements, Session, Width};

/// The dialect that was asked for.
pub fn dialect(options: &NeslOptions) -> Dialect {
    let width = |text: Option<&str>, otherwise| match text {
        Some("32") => Width::W32,
        Some(_) => Width::W64,
        None => otherwise,
    };
    let base = if options.compat { Dialect::COMPAT } else { Dialect::default() };
    Dialect {
        int: width(options.widths.int(), base.int),
        float: width(options.widths.float(), base.float),
        ..base
    }
}

/// Binds the names that tell which user runs the program.
pub fn tell_of_user(session: &mut Session, gate: Gate) {
    for (name, variable) in [("user", "USER"), ("display", "DISPLAY")] {
        let value = gate.environment().ok().and_then(|environment| environment.variable(variable));
        let text = value.unwrap_or_default().to_string_lossy().into_owned().into_bytes();
        session.bind(name, &[text.len()], Elements::Chars(text));
    }
}
