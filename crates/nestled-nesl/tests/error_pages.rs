//! Every code has a page under `docs/errors`, and the program on the page is rejected with that code, or warned of.

use nestled_nesl::interp::TestWorld;
use nestled_nesl::{Dialect, FaultCode, Session};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> BTreeSet<String> {
    let entries = fs::read_dir(root().join("docs/errors")).expect("the folder of pages");
    let names = entries.map(|entry| entry.expect("a page").file_name().to_string_lossy().into_owned());
    names
        .filter_map(|name| name.strip_suffix(".md").map(str::to_owned))
        .filter(|name| name.starts_with('N'))
        .collect()
}

/// Codes in quotation marks in the sources of a folder.
fn codes(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a source").path();
        if path.is_dir() {
            codes(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a readable source");
        for part in text.split('"') {
            if part.len() == 5 && part.starts_with('N') && part[1..].bytes().all(|b| b.is_ascii_digit()) {
                found.insert(part.to_owned());
            }
        }
    }
}

#[test]
fn every_code_has_a_page() {
    let mut used = BTreeSet::new();
    codes(&root().join("crates/nestled-nesl/src"), &mut used);
    assert_eq!(used, pages(), "left: codes in the sources, right: pages");
}

#[test]
fn examples_of_pages_give_their_code() {
    for code in pages() {
        let page = fs::read_to_string(root().join(format!("docs/errors/{code}.md"))).expect("a page");
        let blocks: Vec<&str> = page.split("```nesl").skip(1).collect();
        assert!(!blocks.is_empty(), "{code} has no example");
        for block in blocks {
            let block = block.split("\n```").next().expect("there is always a first part");
            let (marks, example) = block.split_once('\n').expect("an example");
            if marks.trim() == "too large to be shown" {
                continue;
            }
            let compat = marks.trim() == "compat";
            let mut session = Session::new(if compat { Dialect::COMPAT } else { Dialect::default() });
            let results = session.run("example", example, &mut TestWorld::default());
            let all = results.iter().flat_map(|result| result.errors.iter().chain(&result.warnings));
            let found: BTreeSet<&str> = all.map(|diagnostic| diagnostic.code).collect();
            assert_eq!(found, BTreeSet::from([&*code]), "{example}");
        }
    }
}

#[test]
fn every_fault_is_on_the_page_of_faults() {
    let page = fs::read_to_string(root().join("docs/errors/faults.md")).expect("the page of faults");
    for (code, _, message) in FaultCode::ALL {
        assert!(page.contains(&format!("| `{code}` | {message} |")), "{code}");
    }
}

#[test]
fn the_list_of_messages_has_every_page() {
    let list = fs::read_to_string(root().join("docs/errors.md")).expect("the list");
    for code in pages() {
        let page = fs::read_to_string(root().join(format!("docs/errors/{code}.md"))).expect("a page");
        let title = page.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a title");
        let title = title.strip_prefix(&format!("{code}: ")).expect("a title that begins with its code");
        assert!(list.contains(&format!("- [{code}](errors/{code}.md): {title}\n")), "{code}");
    }
    assert!(list.contains("(errors/faults.md)"));
}
