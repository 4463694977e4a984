//! From slots of the stack to named values.
//!
//! ```text
//! FUNC F  COPY 1 0  * INT  RET          fn F(a) { b = a * a; b }
//! ```
//!
//! `effect` finds how deep each function reaches and what it leaves, also for recursive ones; `build` runs the functions on a stack of
//! names, so that moves vanish; `trim` drops parameters and results that nobody uses or that only pass through; `inline` puts small functions
//! in the place of their calls.

mod build;
mod effect;
mod inline;
pub mod ir;
mod order;
mod trim;

use crate::syntax::{ast, listing::Listing};
use nestled_ir::Diagnostic;

/// The program with named values.
pub fn named(program: &ast::Program, listing: &Listing) -> Result<ir::Program, Vec<Diagnostic>> {
    let effects = effect::infer(program, listing)?;
    let mut program = build::build(program, listing, &effects);
    trim::trim(&mut program);
    inline::inline(&mut program);
    // What has become known by inlining: parameters that have only passed through.
    trim::trim(&mut program);
    Ok(program)
}

/// The most slots that a function may reach or leave.
pub(crate) const MAX_HEIGHT: usize = 1 << 12;
