//! `ARCHITECTURE.md` draws an arrow for each dependency between our crates; cargo knows which there are.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

type Arrow = (String, String);

/// Lines such as `nestled-pass -> nestled-ir, nestled-rt` inside the block after the heading `## Arrows`.
fn drawn(page: &str) -> BTreeSet<Arrow> {
    let section = page.split("## Arrows").nth(1).expect("a section `## Arrows`");
    let block = section.split("```").nth(1).expect("a fenced block under `## Arrows`");
    let mut arrows = BTreeSet::new();
    for line in block.lines().filter(|line| line.contains("->")) {
        let (from, to) = line.split_once("->").expect("the filter found an arrow");
        for to in to.split(',').map(str::trim).filter(|to| !to.is_empty()) {
            arrows.insert((from.trim().to_owned(), to.to_owned()));
        }
    }
    arrows
}

/// What `cargo tree` says: depth 0 is one of our crates, depth 1 what it depends on.
fn actual(root: &Path) -> BTreeSet<Arrow> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--workspace",
            "--depth",
            "1",
            "--edges",
            "normal,build",
            "--no-dedupe",
            "--prefix",
            "depth",
        ])
        .current_dir(root)
        .output()
        .expect("cargo tree runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    let mut arrows = BTreeSet::new();
    let mut from = String::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let name = line[1..].split_whitespace().next().expect("a crate name").to_owned();
        if line.starts_with('0') {
            from = name;
        } else if name.starts_with("nestled") || name == "xtask" {
            arrows.insert((from.clone(), name));
        }
    }
    arrows
}

#[test]
fn arrows_are_those_of_cargo() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    assert_eq!(drawn(&page), actual(root), "left: ARCHITECTURE.md, right: cargo");
}

#[test]
fn every_crate_has_a_paragraph_and_an_invariant() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let crates = std::fs::read_dir(root.join("crates")).expect("crates/");
    for entry in crates {
        let name = entry.expect("readable").file_name().into_string().expect("UTF-8");
        let heading = format!("### `{name}`");
        let section = page.split(&heading).nth(1).unwrap_or_else(|| panic!("no section {heading}"));
        let section = section.split("\n##").next().expect("split gives one piece at least");
        assert!(section.contains("**Invariant.**"), "{heading} states no invariant");
    }
}
