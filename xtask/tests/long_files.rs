//! A file of source has 500 lines at most, tests and generated text left out.

use std::path::{Path, PathBuf};

const MOST: usize = 500;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of source") {
        let path = entry.expect("readable").path();
        let is_test = path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"));
        if path.is_dir() && !is_test {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
            found.push(path);
        }
    }
}

#[test]
fn files_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root.join("crates")).expect("crates/") {
        let folder = entry.expect("readable").path();
        // What is for tests only.
        if !folder.ends_with("nestled-test") {
            sources(&folder.join("src"), &mut found);
        }
    }
    let lines = |path: &PathBuf| std::fs::read_to_string(path).expect("UTF-8").lines().count();
    let mut long: Vec<String> = found
        .iter()
        .filter(|path| lines(path) > MOST)
        .map(|path| path.strip_prefix(root).expect("below it").display().to_string())
        .collect();
    long.sort();
    assert!(long.is_empty(), "files with more than {MOST} lines: {long:?}");
}
