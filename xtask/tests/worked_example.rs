//! `docs/adding-an-operation.md` follows one operation through every file: what it quotes stands there, and no file is left out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The operation, as code and texts write it.
const NAMES: [&str; 5] = [
    "Op::Clz",
    "Clz \"clz\"",
    "leading_zeros Clz",
    "fn clz_i32(a: i32) -> i32 { return",
    "OPERATION i32 clz_i32(",
];

/// Headings such as ``### `path` ``, each with the lines of its block.
fn quoted(page: &str) -> Vec<(String, Vec<String>)> {
    let sections = page.split("\n### `").skip(1);
    sections
        .map(|section| {
            let (path, rest) = section.split_once('`').expect("a path in backticks");
            let block = rest.split("```").nth(1).expect("a block");
            let lines = block.lines().skip(1).map(|line| line.trim().to_owned());
            (path.to_owned(), lines.filter(|line| !line.is_empty()).collect())
        })
        .collect()
}

#[test]
fn the_page_quotes_what_is_there_and_all_of_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
    let page = std::fs::read_to_string(root.join("docs/adding-an-operation.md")).expect("the page");
    let sections = quoted(&page);
    assert!(sections.len() > 8, "only {} files", sections.len());
    for (path, lines) in &sections {
        let text = std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let found: BTreeSet<&str> = text.lines().map(str::trim).collect();
        for line in lines {
            assert!(found.contains(line.as_str()), "{path} no longer has the line\n{line}");
        }
    }
    let named: BTreeSet<String> = sections.into_iter().map(|(path, _)| path).collect();
    let mut missing = Vec::new();
    for folder in ["crates", "rts"] {
        look(root, &root.join(folder), &named, &mut missing);
    }
    assert!(missing.is_empty(), "the page leaves these out: {missing:?}");
}

fn look(root: &Path, folder: &Path, named: &BTreeSet<String>, missing: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = path.strip_prefix(root).expect("it is below").display().to_string();
        if path.is_dir() {
            if !name.ends_with("/tests") && !name.ends_with("target") {
                look(root, &path, named, missing);
            }
        } else if let Ok(text) = std::fs::read_to_string(&path)
            && NAMES.iter().any(|word| text.contains(word))
            && !named.contains(&name)
        {
            missing.push(path);
        }
    }
}
