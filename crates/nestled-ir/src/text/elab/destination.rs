//! Destinations: where the results of a construct go, in host code and in thunks.

use crate::text::ast::Binder;

/// The destination of the results of a construct.
#[derive(Clone, Copy)]
pub(super) enum Destination<'b> {
    /// Values or locals without names.
    Anonymous,
    /// Those that the statement names.
    Binders(&'b [Binder]),
}
