//! Names of the library that the original protects from redefinition, and records of constants, which it computes at once.

use super::Infer;
use crate::environment::Meaning;
use crate::typed::{Expr, Kind};
use nestled_ir::{Diagnostic, Span};

/// Names of the library that the original lets programs redefine: functions that check their arguments, and some variables.
const UNPROTECTED: [&str; 24] = [
    "display",
    "drop",
    "elt",
    "exp_string",
    "hash",
    "interleave",
    "iseq",
    "it",
    "ln",
    "max_int",
    "min_int",
    "mod",
    "partition",
    "permute",
    "rand",
    "rem",
    "sqrt",
    "subseq",
    "take",
    "trace_string_depth",
    "trace_string_length",
    "transpose",
    "user",
    "zip",
];

impl Infer<'_> {
    /// True if the original protects a name from redefinition; reports that.
    pub(super) fn is_protected(&mut self, name: &str, span: Span) -> bool {
        let protected = self.dialect.compat
            && !self.library
            && !UNPROTECTED.contains(&name)
            && self.env.is_of_library(name);
        if protected {
            let diagnostic = Diagnostic::new("N0115", format!("`{name}` cannot be redefined"), span)
                .help("the original protects it; without `--compat` it may mean something else");
            self.error(diagnostic);
        }
        protected
    }

    /// True if a value is a constructor applied to constants.
    pub(super) fn is_constant_record(&self, value: &Expr) -> bool {
        let Kind::Apply(function, argument) = &value.kind else { return false };
        let Kind::Global(id, _) = function.kind else { return false };
        matches!(self.env.global(id).meaning, Meaning::Constructor(_) | Meaning::Variant(..))
            && is_constant(argument)
    }
}

fn is_constant(value: &Expr) -> bool {
    match &value.kind {
        Kind::Int(_) | Kind::Float(_) | Kind::Bool(_) | Kind::Char(_) => true,
        Kind::Pair(left, right) => is_constant(left) && is_constant(right),
        _ => false,
    }
}
