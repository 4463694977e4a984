//! Flattening of a NESL program to λcu programs: one for each expression and assignment.

use super::dialect;
use crate::cli::NeslOptions;
use crate::exit_codes::Failure;
use nestled_ir::{Program, render_all};
use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Checked, Session, ast};

/// Statements as text, each with its program. Values that later statements may need are computed on the way.
pub fn programs(
    texts: &[(String, String)],
    options: &NeslOptions,
) -> Result<Vec<(String, Program)>, Failure> {
    let mut session = Session::new(dialect(options));
    let mut programs = Vec::new();
    for item in texts.iter().flat_map(|(name, text)| session.read(name, text)).collect::<Vec<_>>() {
        let statement = item.map_err(|error| Failure::failed(error.render(&session.sources)))?;
        let result = session.check(&statement);
        if !result.errors.is_empty() {
            return Err(Failure::failed(render_all(&result.errors, &session.sources)));
        }
        if let Some(Checked::Expr(expr) | Checked::Assign { value: expr, .. }) = result.checked {
            let flat = session.flatten(&expr);
            let flat = flat.map_err(|error| Failure::failed(error.render(&session.sources)))?;
            programs.push((ast::print::statement(&statement), flat.program));
            session.execute(&statement, &mut TestWorld::default());
        }
    }
    Ok(programs)
}
