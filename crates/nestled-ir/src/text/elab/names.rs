//! Scoped symbol table: resolves names, block by block.

use crate::span::Span;
use crate::text::ast::{Ident, Key};
use std::collections::HashMap;

/// Names in scope. Blocks are opened and closed; a name may be bound again in an inner block, but not in the same one.
pub(super) struct Names<T> {
    map: HashMap<Key, Entry<T>>,
    /// Undo log: the entries to restore when the block is closed.
    log: Vec<(Key, Option<Entry<T>>)>,
    /// Start of each open block in the log.
    blocks: Vec<usize>,
}

struct Entry<T> {
    binding: T,
    span: Span,
    depth: usize,
}

impl<T> Names<T> {
    pub fn new() -> Names<T> {
        Names { map: HashMap::new(), log: Vec::new(), blocks: Vec::new() }
    }

    pub fn open(&mut self) {
        self.blocks.push(self.log.len());
    }

    pub fn close(&mut self) {
        let start = self.blocks.pop().unwrap_or(0);
        for (key, old) in self.log.drain(start..).rev() {
            match old {
                Some(entry) => self.map.insert(key, entry),
                None => self.map.remove(&key),
            };
        }
    }

    /// Binds a name; returns the place of an earlier binding in the same block.
    pub fn bind(&mut self, name: &Ident, binding: T) -> Option<Span> {
        let depth = self.blocks.len();
        let entry = Entry { binding, span: name.span, depth };
        let old = self.map.insert(name.key(), entry);
        let twice = old.as_ref().filter(|old| old.depth == depth).map(|old| old.span);
        self.log.push((name.key(), old));
        twice
    }

    pub fn get(&self, name: &Ident) -> Option<&T> {
        self.map.get(&name.key()).map(|entry| &entry.binding)
    }

    /// All names, in their written form.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.map.keys().map(|(name, tag)| match tag {
            None => name.to_string(),
            Some(tag) => format!("{name}.{tag}"),
        })
    }
}
