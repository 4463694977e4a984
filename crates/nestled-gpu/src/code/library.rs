//! Dead-code elimination of the language library: selects the items that a module needs.

use std::collections::{BTreeMap, BTreeSet};

/// Returns the items of a library that a text uses, transitively, in the order of the library.
pub fn used(library: &str, text: &str) -> String {
    let items = items(library);
    let names: BTreeMap<&str, usize> = items.iter().enumerate().map(|(at, item)| (item.0, at)).collect();
    let mut wanted: BTreeSet<usize> = BTreeSet::new();
    let mut open: Vec<usize> = words(text).filter_map(|word| names.get(word).copied()).collect();
    while let Some(at) = open.pop() {
        if wanted.insert(at) {
            open.extend(words(items[at].1).filter_map(|word| names.get(word).copied()));
        }
    }
    wanted.into_iter().map(|at| items[at].1).collect::<Vec<_>>().join("\n")
}

/// Splits a library into the names and texts of its items: each begins at the margin with `fn` or `struct`.
fn items(library: &str) -> Vec<(&str, &str)> {
    let starts: Vec<usize> = library
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .chain([0])
        .filter(|&at| library[at..].starts_with("fn ") || library[at..].starts_with("struct "))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let end = |at: usize| library[at..].find("\n\n").map_or(library.len(), |length| at + length + 1);
    let item = |&at: &usize| {
        let text = &library[at..end(at)];
        (words(text).nth(1).unwrap_or(""), text)
    };
    starts.iter().map(item).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_is_taken() {
        let library = "// says\nfn a() {\n  b();\n}\n\nfn b() {}\n\nfn c() {}\n\nstruct D { x: u32 }\n";
        assert_eq!(used(library, "a(1)"), "fn a() {\n  b();\n}\n\nfn b() {}\n");
        assert_eq!(used(library, "let d: D = 1;"), "struct D { x: u32 }\n");
    }
}
