//! The version of the code that makes entries: a hash of sources, for build scripts.

use std::io::Result;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Sets `NESTLED_CODE` to a hash of the sources of some crates in the folder of the current one, and reruns the build script when they change. For build scripts of crates that
/// make entries: the hash is part of their cache keys, so a change of the code never finds old entries.
///
/// # Errors
/// If a source cannot be read.
pub fn code_version(crates: &[&str]) -> Result<()> {
    let beside = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..");
    for name in crates {
        let folder = beside.join(name).join("src");
        if folder.is_dir() {
            println!("cargo::rerun-if-changed={}", folder.display());
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=NESTLED_CODE={}", hash_of_crates(&beside, crates)?);
    Ok(())
}

/// Returns a hash of the sources of crates in a folder: names and texts of all files. A crate that is not there was published, and is known by its version.
///
/// # Errors
/// If a source cannot be read.
pub fn hash_of_crates(folder: &Path, crates: &[&str]) -> Result<String> {
    let mut files = Vec::new();
    for name in crates {
        let sources = folder.join(name).join("src");
        if sources.is_dir() {
            add_folder(&sources, &mut files)?;
        }
    }
    let parts: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    Ok(crate::Key::of(&parts).to_string())
}

/// Appends names and texts of all files, sorted by name.
fn add_folder(folder: &Path, files: &mut Vec<Vec<u8>>) -> Result<()> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.sort();
    for path in paths {
        files.push(path.file_name().unwrap_or_default().as_encoded_bytes().to_vec());
        if path.is_dir() {
            add_folder(&path, files)?;
        } else {
            files.push(fs::read(&path)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_source_is_another_version() {
        let folder = env::temp_dir().join(format!("nestled-version-{}", std::process::id()));
        let sources = folder.join("one/src");
        fs::create_dir_all(sources.join("inner")).unwrap();
        fs::create_dir_all(folder.join("two/src")).unwrap();
        let write = |name: &str, text: &str| fs::write(sources.join(name), text).unwrap();
        let hash = || hash_of_crates(&folder, &["one", "absent"]).unwrap();
        write("lib.rs", "fn a() {}");
        write("inner/b.rs", "fn b() {}");
        let mut seen = vec![hash()];
        assert_eq!(hash(), seen[0]);
        fs::write(folder.join("two/src/lib.rs"), "other").unwrap();
        assert_eq!(hash(), seen[0], "a crate that does not count");
        write("inner/b.rs", "fn b() { }");
        seen.push(hash());
        fs::rename(sources.join("inner/b.rs"), sources.join("inner/c.rs")).unwrap();
        seen.push(hash());
        fs::rename(sources.join("inner/c.rs"), sources.join("c.rs")).unwrap();
        seen.push(hash());
        write("d.rs", "");
        seen.push(hash());
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 5);
        fs::remove_dir_all(&folder).unwrap();
    }
}
