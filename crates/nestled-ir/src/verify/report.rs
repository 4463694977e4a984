//! Collector of diagnostics.

use crate::diagnostic::Diagnostic;

/// The messages so far, in the order in which they were found.
#[derive(Default)]
pub(super) struct Report {
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// Adds a message.
    pub(super) fn add(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Number of messages; a check that leaves it unchanged found nothing.
    pub(super) fn len(&self) -> usize {
        self.diagnostics.len()
    }

    /// Ends a layer: gives up the messages if there are any.
    pub(super) fn finish_layer(&mut self) -> Result<(), Vec<Diagnostic>> {
        if self.diagnostics.is_empty() { Ok(()) } else { Err(std::mem::take(&mut self.diagnostics)) }
    }
}
