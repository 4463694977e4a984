//! Bug reports: keeps a program on which Nestled failed in a temporary file, for the one who reports it.

use nestled_ir::interp::{Entropy, Files, Gate, Refused};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Keeps a text; returns a sentence with its path, or with the reason why it is not kept.
pub fn keep(gate: Gate, text: &str) -> String {
    keep_in(&std::env::temp_dir(), gate, text)
}

fn keep_in(folder: &Path, gate: Gate, text: &str) -> String {
    let outcome = gate.kept_files().and_then(|files| Ok((files, gate.entropy()?)));
    let outcome: Result<(Files, Entropy), Refused> = outcome;
    let (files, entropy) = match outcome {
        Ok(both) => both,
        Err(refused) => return format!("the programs before and after it are not kept: {refused}"),
    };
    match write(folder, &files, &entropy, text) {
        Ok(path) => format!("the programs before and after it are in {}", path.display()),
        Err(error) => format!("the programs could not be written to {}: {error}", folder.display()),
    }
}

/// Creates a file under an unpredictable name, since others may write to that folder; an existing file is not touched.
fn write(folder: &Path, files: &Files, entropy: &Entropy, text: &str) -> std::io::Result<PathBuf> {
    let path = folder.join(format!("nestled-bug-{:016x}{:016x}.lcu", entropy.number(), entropy.number()));
    files.create_new(&path)?.write_all(text.as_bytes())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestled_ir::interp::WayOut;
    use std::collections::BTreeSet;

    fn names(folder: &Path) -> BTreeSet<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn what_is_kept_is_private_and_has_a_new_name_each_time() {
        let folder = std::env::temp_dir().join(format!("nestled-kept-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for count in 1..=3 {
            let said = keep_in(&folder, Gate::default(), "both");
            assert!(said.starts_with("the programs before and after it are in "), "{said}");
            assert_eq!(names(&folder).len(), count);
        }
        for path in names(&folder) {
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "both");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            }
        }
        for gate in [Gate::sealed("--sandbox"), Gate::default().refuse(WayOut::KeptFiles, "--sandbox")] {
            let said = keep_in(&folder, gate, "both");
            assert!(said.ends_with("not kept: files of internal errors are refused by --sandbox"), "{said}");
        }
        assert_eq!(names(&folder).len(), 3);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
