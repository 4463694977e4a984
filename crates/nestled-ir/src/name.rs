//! Names, and the values that functions and kernels give them to.

use crate::span::Span;
use crate::types::Type;
use std::sync::Arc;

/// A name from the source; empty for the nameless. Names need not be unique: ids are.
pub type Name = Arc<str>;

/// A value that a function or kernel names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// The name in the source; empty for an intermediate result.
    pub name: Name,
    /// Its type; shape symbols in it are values of the same function or kernel.
    pub ty: Type,
    /// The source place of its binding.
    pub span: Span,
}
