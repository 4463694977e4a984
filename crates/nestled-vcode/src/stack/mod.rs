//! From stack slots to named values, in single-assignment form.
//!
//! ```text
//! FUNC F  COPY 1 0  * INT  RET          fn F(a) { b = a * a; b }
//! ```
//!
//! `effect` infers the stack effect of each function, also of recursive ones. `build` runs the functions on a stack of names, so that stack moves vanish. `dead_results`
//! drops unused parameters and results, and those that only pass through. `inline` inlines small functions.

mod build;
mod dead_results;
mod effect;
mod inline;
pub mod ir;
mod order;

use crate::syntax::{ast, listing::Listing};
use nestled_ir::Diagnostic;

/// Converts a program to named values.
pub fn named(program: &ast::Program, listing: &Listing) -> Result<ir::Program, Vec<Diagnostic>> {
    let effects = effect::infer(program, listing)?;
    let mut program = build::build(program, listing, &effects);
    dead_results::trim(&mut program);
    inline::inline(&mut program);
    // What has become known by inlining: parameters that have only passed through.
    dead_results::trim(&mut program);
    Ok(program)
}

/// Largest number of slots that a function may reach or leave.
pub(crate) const MAX_HEIGHT: usize = 1 << 12;
