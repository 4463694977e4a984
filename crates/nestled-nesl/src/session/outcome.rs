//! Results of statements, as values and as text.

use crate::infer::{Checked, Redefinition};
use crate::interp::{Fault, Picture};
use crate::layout::Layout;
use nestled_ir::{Diagnostic, Span};

/// The result of a statement.
#[derive(Debug)]
pub struct StatementResult {
    /// The place in the source.
    pub span: Span,
    /// The shown result, unless there was an error.
    pub shown: Option<Shown>,
    /// Errors found before it ran.
    pub errors: Vec<Diagnostic>,
    /// Warnings: code that is legal but probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// The fault that stopped it.
    pub fault: Option<Fault>,
}

/// The result of checking a statement without running it.
#[derive(Debug)]
pub struct CheckedStatement {
    /// The name that it defines or the pattern of its value, and the type.
    pub shown: Option<(String, String)>,
    /// The errors found.
    pub errors: Vec<Diagnostic>,
    /// Warnings: code that is legal but probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// The typed statement.
    pub checked: Option<Checked>,
}

/// The parts of a result line.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The name, or the whole pattern.
    pub name: String,
    /// The value; strings may hold any bytes. A value that is kept in a file is not shown.
    pub value: Option<Picture>,
    /// The type.
    pub ty: Layout,
    /// The effect on an older meaning of a function's name.
    pub redefinition: Redefinition,
}

impl StatementResult {
    /// Returns the result line: `it = 3 : int`.
    pub fn line(&self) -> Option<String> {
        let Shown { name, value, ty, .. } = self.shown.as_ref()?;
        Some(match value {
            Some(value) => format!("{name} = {} : {ty}", String::from_utf8_lossy(&value.text())),
            None => format!("{name} : {ty}"),
        })
    }
}
