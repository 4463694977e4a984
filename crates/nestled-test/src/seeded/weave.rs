//! Mutant schemata: all bugs of a file in one text, so that one build serves them all. A function with bugs becomes
//!
//! ```text
//! fn f(…) -> T {if crate::seeded_bug::on(17) { the body with bug 17 } else { the body }}
//! ```
//!
//! and the variable [`VARIABLE`] selects the bug that is on. Edits outside of functions or in a `const fn`, and those of a file that is not Rust, cannot be woven in:
//! each of these bugs is built by itself.

use super::Bug;
use super::functions::functions;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

/// The variable with the number of the active bug: see [`Bug::number`].
pub const VARIABLE: &str = "NESTLED_SEEDED_BUG";

/// The module appended to every crate with woven bugs. It reads the variable without the words that a test of the sandbox looks for.
pub const HELPER: &str = "
/// Which seeded bug is on.
#[doc(hidden)]
pub mod seeded_bug {
    use std::env as outside;
    static ON: std::sync::LazyLock<u64> =
        std::sync::LazyLock::new(|| outside::var(\"NESTLED_SEEDED_BUG\").ok().and_then(|text| text.parse().ok()).unwrap_or(0));
    /// Whether this one is.
    #[inline]
    pub fn on(bug: u64) -> bool {
        *ON == bug
    }
}
";

/// A file with bugs in it.
pub struct Woven {
    /// Its text.
    pub text: String,
    /// The functions that have bugs.
    functions: Vec<Chosen>,
}

/// A function with bugs, in the new text.
struct Chosen {
    all: Range<usize>,
    /// The bodies with bugs.
    bugs: Vec<(u64, Range<usize>)>,
}

impl Woven {
    /// The bugs that a compiler error at these places belongs to: those with bodies there, else all bugs of a function.
    pub fn blamed(&self, places: &[Range<usize>]) -> Vec<u64> {
        let has = |range: &Range<usize>| {
            places.iter().any(|place| range.start <= place.start && place.end <= range.end)
        };
        let touched = || self.functions.iter().filter(|function| has(&function.all));
        let exact = touched().flat_map(|function| &function.bugs).filter(|(_, body)| has(body));
        let exact: Vec<u64> = exact.map(|(bug, _)| *bug).collect();
        if !exact.is_empty() {
            return exact;
        }
        touched().flat_map(|function| function.bugs.iter().map(|(bug, _)| *bug)).collect()
    }
}

/// The place of a bug's edit in the text of its file; `None` unless its text occurs exactly once.
pub fn place(text: &str, bug: &Bug) -> Option<Range<usize>> {
    let mut found = text.match_indices(&bug.old);
    let (start, _) = found.next()?;
    found.next().is_none().then_some(start..start + bug.old.len())
}

/// Weaves all of these bugs into the text that can be woven in.
pub fn weave(text: &str, bugs: &[&Bug]) -> Woven {
    let functions = functions(text);
    let mut by_function: BTreeMap<usize, (Range<usize>, Vec<_>)> = BTreeMap::new();
    for bug in bugs {
        let Some(edit) = place(text, bug) else { continue };
        let around = |body: &Range<usize>| body.start <= edit.start && edit.end <= body.end;
        // Where functions lie in one another it is the outermost: its copies have all of the inner ones.
        let Some(function) = functions.iter().find(|function| around(&function.body)) else { continue };
        if function.can_choose {
            let entry = by_function.entry(function.body.start);
            entry.or_insert_with(|| (function.body.clone(), Vec::new())).1.push((bug, edit));
        }
    }
    let mut woven = Woven { text: String::new(), functions: Vec::new() };
    let mut done = 0;
    for (body, edits) in by_function.into_values() {
        woven.text.push_str(&text[done..body.start]);
        let start = woven.text.len();
        let bugs = edits.iter().map(|(bug, edit)| {
            let _ = write!(woven.text, "if crate::seeded_bug::on({}) {{", bug.number());
            let start = woven.text.len();
            woven.text.extend([&text[body.start..edit.start], &bug.new, &text[edit.end..body.end]]);
            let range = start..woven.text.len();
            woven.text.push_str("\n} else ");
            (bug.number(), range)
        });
        let bugs = bugs.collect();
        woven.text.extend(["{", &text[body.clone()], "\n}"]);
        woven.functions.push(Chosen { all: start..woven.text.len(), bugs });
        done = body.end;
    }
    woven.text.push_str(&text[done..]);
    woven
}

impl Woven {
    /// The bugs that are in it.
    pub fn bugs(&self) -> impl Iterator<Item = u64> {
        self.functions.iter().flat_map(|function| function.bugs.iter().map(|(bug, _)| *bug))
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::weave;

    const TEXT: &str = "const N: u8 = 7;\nfn f() -> u8 { 1 + 2 }\nfn g() { 3 }\n";
    const BUGS: &str = "bug: a\nfile: x\nold: 1 +\nnew: 1 -\n\nbug: b\nfile: x\nold: + 2\nnew: * 2\n\nbug: c\nfile: x\nold: 7\nnew: 8\n";

    #[test]
    fn bugs_of_a_function_make_a_chain() {
        let bugs = parse(BUGS).unwrap();
        let woven = weave(TEXT, &bugs.iter().collect::<Vec<_>>());
        let (a, b) = (bugs[0].number(), bugs[1].number());
        let body = format!(
            "if crate::seeded_bug::on({a}) {{ 1 - 2 \n}} else if crate::seeded_bug::on({b}) {{ 1 * 2 \n}} else {{ 1 + 2 \n}}"
        );
        assert_eq!(woven.text, format!("const N: u8 = 7;\nfn f() -> u8 {{{body}}}\nfn g() {{ 3 }}\n"));
        assert_eq!(woven.bugs().collect::<Vec<_>>(), [a, b]);
        let place = |at: usize| Vec::from_iter(std::iter::once(at..at + 1));
        let at = woven.text.find('*').unwrap();
        assert_eq!(woven.blamed(&place(at)), [b]);
        let at = woven.text.rfind("{ 1").unwrap();
        assert_eq!(woven.blamed(&place(at)), [a, b]);
    }
}
