//! Licences of what Nestled is built from: `cargo xtask ci` checks them, `cargo xtask licences` makes the notices that go with binaries.
//!
//! Cargo knows all that is asked here, so that no other tool has to be installed.

use crate::{in_root, root, shown};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Licences under which all may be passed on with ours, as long as their notices go along.
const ALLOWED: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates that want more than a Rust toolchain where they are built, which the README says is enough.
const BANNED: [&str; 5] = ["bindgen", "cc", "cmake", "openssl-sys", "pkg-config"];

/// A crate that we are built from: `libc v0.2.1`, and its licence as an expression.
type Part = (String, String);

/// Refuses licences that are not on the list, crates that are not from crates.io, and those that want a compiler for C.
pub fn check() -> Result<(), String> {
    let parts = parts(&["--workspace", "--all-features"])?;
    let wrong: Vec<String> = parts.iter().filter_map(complaint).collect();
    if wrong.is_empty() {
        println!("{} crates, their licences and sources are as they should be", parts.len());
        return Ok(());
    }
    Err(wrong.join("\n"))
}

fn complaint((name, licence): &Part) -> Option<String> {
    let (plain, _) = name.split_once(' ')?;
    if !is_allowed(licence) {
        return Some(format!("{name}: the licence `{licence}` is not on the list of xtask/src/licences.rs"));
    }
    if name.contains('(') {
        return Some(format!("{name} is not from crates.io"));
    }
    BANNED
        .contains(&plain)
        .then(|| format!("{name}: building Nestled must need a Rust toolchain and nothing else"))
}

/// Whether a choice of the expression is all on the list. `A OR B`, `A/B`, `A AND B`, and brackets around choices are all that crates write.
fn is_allowed(expression: &str) -> bool {
    let all_of = |part: &str| part.split(" AND ").all(|one| ALLOWED.contains(&one.trim()));
    match expression.split_once(')') {
        Some((choices, rest)) => {
            let rest = rest.trim().trim_start_matches("AND ").trim();
            is_allowed(choices.trim_start_matches('(')) && (rest.is_empty() || is_allowed(rest))
        }
        None => expression.replace('/', " OR ").split(" OR ").any(all_of),
    }
}

/// Writes the notices of a package, `nestled-cli` unless `--package` names another, to `target/licences.txt` or where `--out` says.
pub fn run(args: &[String]) -> Result<(), String> {
    let (mut package, mut file) = ("nestled-cli", root().join("target/licences.txt"));
    for option in args.chunks(2) {
        match option {
            [name, value] if name == "--package" => package = value,
            [name, value] if name == "--out" => file = PathBuf::from(value),
            _ => return Err("`cargo xtask licences [--package NAME] [--out FILE]`".to_owned()),
        }
    }
    check()?;
    std::fs::write(&file, notices(package)?).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("{}", file.display());
    Ok(())
}

/// All crates that a package is built from with their licences, then the texts that come with them, each once.
fn notices(package: &str) -> Result<String, String> {
    let folders = folders()?;
    let mut out = String::from(
        "Nestled is under the MIT licence or the Apache licence 2.0, at your choice. It is built from these:\n\n",
    );
    let mut crates_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for (name, licence) in parts(&["-p", package])? {
        let _ = writeln!(out, "{name}: {licence}");
        let stem = name.replacen(" v", "-", 1);
        let found = folders.iter().find(|folder| folder.ends_with(&stem)).map(|folder| texts(folder));
        let found = found.unwrap_or_default();
        if found.is_empty() {
            without.push(name.clone());
        }
        for text in found {
            crates_of.entry(text).or_default().push(name.clone());
        }
    }
    if !without.is_empty() {
        let _ = write!(out, "\nThese bring no text of their licence along: {}\n", without.join(", "));
    }
    for (text, names) in crates_of {
        let _ = write!(out, "\n{}\n{}\n\n{text}\n", "=".repeat(80), names.join(", "));
    }
    Ok(out)
}

/// All crates but ours that are linked or run to build what the options name, on this system.
fn parts(options: &[&str]) -> Result<BTreeSet<Part>, String> {
    let mut args = vec!["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}|{l}"];
    args.extend(options);
    let text = output(&args)?;
    let home = root().display().to_string();
    let lines = text.lines().filter(|line| !line.contains(&home));
    Ok(lines
        .filter_map(|line| line.trim_end_matches(" (*)").split_once('|'))
        .map(|(name, licence)| (name.trim_end_matches(" (proc-macro)").to_owned(), licence.to_owned()))
        .collect())
}

/// The folders in which cargo has the sources.
fn folders() -> Result<Vec<PathBuf>, String> {
    let text = output(&["metadata", "--format-version", "1"])?;
    let paths = text.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split_once('"'));
    Ok(paths.filter_map(|(path, _)| Path::new(path).parent().map(Path::to_owned)).collect())
}

/// The texts of licences and notices of a crate.
fn texts(folder: &Path) -> Vec<String> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|word| name.starts_with(word))
    };
    files.into_iter().filter(is_wanted).filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// What cargo prints.
fn output(args: &[&str]) -> Result<String, String> {
    let output = in_root(args, &[]).output().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{}` failed: {}", shown(args), String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("`{}`: {error}", shown(args)))
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn one_choice_has_to_be_on_the_list() {
        for good in [
            "MIT",
            "Unlicense/MIT",
            "GPL-3.0 OR MIT",
            "MIT AND ISC",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0) AND GPL-3.0"] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }
}
