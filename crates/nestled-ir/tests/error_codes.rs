//! Each code of a message about a program stands on the page of messages, and in a test that gets it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn codes_are_documented() {
    let codes = codes("crates/nestled-ir/src", "\"");
    let page = codes_in(&read(&root().join("docs/errors.md")), "**");
    let undocumented: Vec<&String> = codes.difference(&page).collect();
    let unused: Vec<&String> = page.difference(&codes).filter(|code| code.starts_with('L')).collect();
    assert!(codes.len() > 80, "{codes:?}");
    assert!(
        undocumented.is_empty() && unused.is_empty(),
        "no entry: {undocumented:?}; no message: {unused:?}"
    );
}

#[test]
fn codes_of_the_verifier_are_tested() {
    let mut tested = codes("tests/errors", "; error: ");
    tested.extend(codes("crates/nestled-ir/tests/verify_hand_broken", "\""));
    let codes = codes("crates/nestled-ir/src/verify", "\"");
    let untested: Vec<&String> = codes.difference(&tested).collect();
    assert!(codes.len() > 60, "{codes:?}");
    assert!(untested.is_empty(), "{untested:?}");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The codes in all files of a folder that follow a text.
fn codes(folder: &str, before: &str) -> BTreeSet<String> {
    let mut open = vec![root().join(folder)];
    let mut found = BTreeSet::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            found.extend(codes_in(&read(&path), before));
        }
    }
    found
}

fn codes_in(text: &str, before: &str) -> BTreeSet<String> {
    let starts = text.split(before).skip(1).filter_map(|piece| piece.get(..5));
    starts.filter(|start| is_code(start)).map(str::to_owned).collect()
}

/// `L` and four digits.
fn is_code(word: &str) -> bool {
    word.starts_with('L') && word[1..].bytes().all(|byte| byte.is_ascii_digit())
}
