//! The files of `tests/nesl/values` on the interpreter of the core, and flattened on that of λcu.

use crate::common::expectations::all;
use nestled_nesl::engine::{Engine, Interpreter};

#[test]
fn expressions_have_their_values() {
    all(&|| Engine::Core);
}

/// The same, flattened.
#[test]
fn flattened_expressions_have_their_values() {
    all(&|| Engine::Flat(Box::<Interpreter>::default()));
}
