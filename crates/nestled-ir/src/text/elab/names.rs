//! Which name means what, block by block.

use crate::span::Span;
use crate::text::ast::{Ident, Key};
use std::collections::HashMap;

/// Names in scope. Blocks are opened and closed; a name may be bound again in an inner block, but not in the same one.
pub(super) struct Names<T> {
    map: HashMap<Key, Entry<T>>,
    /// What to put back when the block is closed.
    log: Vec<(Key, Option<Entry<T>>)>,
    /// Where in the log each open block begins.
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

    /// Binds a name; answers where it was bound before in the same block.
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

    /// Every name, as it is written.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.map.keys().map(|(name, tag)| match tag {
            None => name.to_string(),
            Some(tag) => format!("{name}.{tag}"),
        })
    }
}

/// The candidate that differs least from `wanted`, if it differs little; of equally close ones the first in the alphabet.
pub(super) fn closest(wanted: &str, candidates: impl Iterator<Item = String>) -> Option<String> {
    let limit = match wanted.chars().count() {
        0 => return None,
        1..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    let scored = candidates
        .filter(|name| name.len().abs_diff(wanted.len()) <= 3 * limit)
        .map(|name| (distance(wanted, &name), name));
    // One letter is as far from any other as can be.
    let short = wanted.chars().count() == 1;
    scored
        .filter(|(distance, name)| *distance <= limit && !(short && name.chars().count() == 1))
        .min()
        .map(|(_, name)| name)
}

/// How many letters must be added, removed, changed or swapped with a neighbour.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn the_closest_name_is_found() {
        let names = || ["total", "count", "xs"].into_iter().map(str::to_owned);
        assert_eq!(closest("totla", names()).as_deref(), Some("total"));
        assert_eq!(closest("cuont", names()).as_deref(), Some("count"));
        assert_eq!(closest("ys", names()).as_deref(), Some("xs"));
        assert_eq!(closest("velocity", names()), None);
    }
}
