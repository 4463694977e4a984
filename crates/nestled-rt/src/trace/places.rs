//! Source places as `file:line:column`, cached.

use nestled_ir::{SourceMap, Span, expressions};
use std::collections::HashMap;

/// Looks places up, each of them once: programs of generated text are long, and loops come back to the same lines.
pub(super) struct Places {
    sources: SourceMap,
    known: HashMap<(u32, u32), String>,
}

impl Places {
    pub fn new(sources: SourceMap) -> Places {
        Places { sources, known: HashMap::new() }
    }

    /// The expressions that a run at this place computes, with a kernel whose combinators have these places.
    pub fn expressions(&self, combinators: &[Span], run: Span) -> Option<String> {
        expressions::joined(&self.sources, &expressions::places(combinators, run))
    }

    /// `file:line:column`; empty where nothing is known.
    pub fn get(&mut self, span: Span) -> &str {
        let Places { sources, known } = self;
        let describe = || sources.describe(span).unwrap_or_default();
        known.entry((span.source, span.start)).or_insert_with(describe)
    }
}
