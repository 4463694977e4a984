//! The list of bugs to seed fits the code that it is about: an edit that has gone stale would find nothing.

use nestled_test::seeded::parse;
use std::path::Path;

#[test]
fn every_edit_has_its_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let list = std::fs::read_to_string(root.join("tests/seeded-bugs.txt")).expect("tests/seeded-bugs.txt");
    let bugs = parse(&list).expect("the list is well-formed");
    assert!(bugs.len() >= 50, "only {} bugs are listed", bugs.len());
    if is_seeded(&root) {
        // There some edits do not fit any more by intention, and finding that out is not finding the bug.
        return;
    }
    let stale = bugs.iter().filter(|bug| {
        let text = std::fs::read_to_string(root.join(&bug.file)).unwrap_or_default();
        text.matches(&bug.old).count() != 1
    });
    let stale: Vec<&str> = stale.map(|bug| bug.words.as_str()).collect();
    assert!(stale.is_empty(), "these edits have gone stale: {stale:#?}");
}

/// Whether this is a copy that bugs are seeded in.
fn is_seeded(root: &Path) -> bool {
    root.canonicalize().is_ok_and(|root| root.ends_with("target/seeded-bugs/tree"))
}
