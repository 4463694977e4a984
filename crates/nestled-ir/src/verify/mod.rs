//! The verifier: decides whether a program is well-formed. It is independent of the passes, so that it can check their results.
//!
//! It works in layers. A layer runs only if those before it found nothing, so that each may rely on earlier checks:
//!
//! 1. **ids** (`L02xx`): every id is in range, assigned once, and used where it is in scope; blocks are not too deep; thunks do not
//!    recur. From here on code may index tables and recur over blocks freely.
//! 2. **types** (`L03xx`): first the declared types by themselves, then the operands and results of every construct.
//! 3. **stages** (`L04xx`): the rules that make a kernel one sweep over its levels, and the restrictions on nesting and effects.
//!
//! Any value of type [`Program`] may be given, also one made by hand with absurd ids: the verifier never panics.
//! `docs/errors.md` has an entry for each code.

mod ids;
mod kernel_shape;
mod names;
mod nesting;
mod report;
mod stages;
mod types;

pub use kernel_shape::{Counting, KernelShape, kernel_shape};

use crate::diagnostic::Diagnostic;
use crate::program::Program;
use report::Report;

/// The most blocks that may lie inside one another in a function or thunk: its own block counts as one.
///
/// Everything that walks blocks may recur on the machine's stack because of this bound.
pub const MAX_NESTING: usize = 256;

/// Checks a program. The messages are in the order of the text: thunks, monoids, kernels, functions.
pub fn verify(program: &Program) -> Result<(), Vec<Diagnostic>> {
    let layers = [nesting::check, ids::check, types::check_declared, types::check, stages::check];
    let mut report = Report::default();
    for layer in layers {
        layer(program, &mut report);
        report.finish_layer()?;
    }
    Ok(())
}
