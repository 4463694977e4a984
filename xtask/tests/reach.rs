//! The crates that must run anywhere, in a browser too, reach for no thread, file, variable or clock but in the places listed here.
//!
//! Programs reach the machine through `nestled_ir::interp::Gate`. What else is listed takes time for reports, or bounds it.

use std::collections::BTreeSet;
use std::path::Path;

const CRATES: [&str; 4] = ["nestled-ir", "nestled-nesl", "nestled-pass", "nestled-rt"];

/// What reaches out, as it is written.
const WAYS: [&str; 9] = [
    "Instant::now",
    "SystemTime::now",
    "fs::",
    "File::open",
    "File::create",
    "thread::",
    "env::",
    "process::",
    "net::",
];

/// Which file may do what: this list only gets shorter.
const LISTED: [(&str, &str); 14] = [
    ("nestled-ir/src/interp/sandbox.rs", "File::create"),
    ("nestled-ir/src/interp/sandbox.rs", "File::open"),
    ("nestled-ir/src/interp/sandbox.rs", "Instant::now"),
    ("nestled-ir/src/interp/sandbox.rs", "env::"),
    ("nestled-ir/src/interp/sandbox.rs", "fs::"),
    ("nestled-ir/src/interp/sandbox.rs", "process::"),
    // How long a statement that faulted may run once more.
    ("nestled-nesl/src/engine/replay.rs", "Instant::now"),
    // Writes to a process that may write before it has read everything.
    ("nestled-nesl/src/interp/streams.rs", "thread::"),
    // Times for reports and traces.
    ("nestled-pass/src/fuse/pass.rs", "Instant::now"),
    ("nestled-pass/src/runner.rs", "Instant::now"),
    ("nestled-rt/src/exec/datum.rs", "Instant::now"),
    ("nestled-rt/src/exec/machine.rs", "Instant::now"),
    ("nestled-rt/src/executable.rs", "Instant::now"),
    ("nestled-rt/src/trace/event.rs", "Instant::now"),
];

#[test]
fn what_reaches_out_is_listed() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository").join("crates");
    let mut found = BTreeSet::new();
    for krate in CRATES {
        visit(&root, &root.join(krate).join("src"), &mut found);
    }
    let listed: BTreeSet<(String, &str)> = LISTED.iter().map(|&(file, way)| (file.to_owned(), way)).collect();
    assert_eq!(found, listed, "left: found, right: listed");
}

fn visit(root: &Path, folder: &Path, found: &mut BTreeSet<(String, &'static str)>) {
    for entry in std::fs::read_dir(folder).expect("src/") {
        let path = entry.expect("readable").path();
        let name = path.strip_prefix(root).expect("it is below").display().to_string();
        if path.is_dir() {
            visit(root, &path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && !name.contains("/tests/") {
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            // Tests of a file stand at its end.
            let code = text.split("#[cfg(test)]\nmod ").next().expect("split gives one piece at least");
            let lines = code.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
            for line in lines {
                found.extend(WAYS.iter().filter(|way| reaches(line, way)).map(|&way| (name.clone(), way)));
            }
        }
    }
}

/// Whether a line has the words, not as the end of longer ones.
fn reaches(line: &str, way: &str) -> bool {
    line.match_indices(way).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|before| !before.is_alphanumeric() && before != '_')
    })
}
