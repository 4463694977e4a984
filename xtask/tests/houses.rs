//! Crates whose tests are one program name every file of tests in `tests/main.rs`: what is not named there would never run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The crates, and this one.
fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
    let folder = std::fs::read_dir(root.join("crates")).expect("crates/");
    let mut crates: Vec<PathBuf> = folder.map(|entry| entry.expect("readable").path()).collect();
    crates.push(root.join("xtask"));
    crates
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_file_of_tests_is_a_module_or_a_program() {
    let mut programs = 0;
    for krate in crates() {
        let manifest = read(krate.join("Cargo.toml"));
        if !manifest.contains("autotests = false") {
            continue;
        }
        programs += 1;
        let main = read(krate.join("tests/main.rs"));
        let named: BTreeSet<&str> = main
            .lines()
            .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
            .collect();
        for entry in std::fs::read_dir(krate.join("tests")).expect("tests/") {
            let path = entry.expect("readable").path();
            let is_code =
                path.extension().is_some_and(|extension| extension == "rs") || path.join("mod.rs").exists();
            let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name in UTF-8");
            let own = manifest.contains(&format!("path = \"tests/{stem}.rs\""));
            assert!(
                !is_code || own || named.contains(stem),
                "{}: no module of tests/main.rs",
                path.display()
            );
        }
    }
    assert!(programs > 9, "only {programs} crates have one program of tests");
}

/// What keeps documentation from being tested says so only where there is nothing to test.
#[test]
fn no_example_goes_untested() {
    for krate in crates() {
        if read(krate.join("Cargo.toml")).contains("doctest = false") {
            let mut files = Vec::new();
            sources(&krate.join("src"), &mut files);
            for path in files {
                let text = read(path.clone());
                let lines = text.lines().map(str::trim_start).filter(|line| line.starts_with("//"));
                let mut inside = false;
                for line in lines.map(|line| line.trim_start_matches(['/', '!', ' '])) {
                    if let Some(language) = line.strip_prefix("```") {
                        let rust = language.is_empty()
                            || language.starts_with("rust")
                            || language.starts_with("no_run");
                        assert!(inside || !rust, "{}: an example that nothing tests", path.display());
                        inside = !inside;
                    }
                }
            }
        }
    }
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("src/") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
