//! Which version of the code this is: a hash of the sources of everything that decides what a program becomes.

use std::io::Result;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<()> {
    let crates = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo says it")).join("..");
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for name in ["nestled-ir", "nestled-pass"] {
        let folder = crates.join(name).join("src");
        // Where a crate lies beside no other, it is one that was published, and its version says it all.
        if folder.is_dir() {
            println!("cargo::rerun-if-changed={}", folder.display());
            hash_folder(&folder, &mut hash)?;
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=NESTLED_CODE={:016x}", hash.0);
    Ok(())
}

/// Names and texts of all files, in the order of their names.
fn hash_folder(folder: &Path, hash: &mut Fnv) -> Result<()> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.sort();
    for path in paths {
        hash.bytes(path.file_name().unwrap_or_default().as_encoded_bytes());
        if path.is_dir() {
            hash_folder(&path, hash)?;
        } else {
            let text = fs::read(&path)?;
            hash.bytes(&text.len().to_le_bytes());
            hash.bytes(&text);
        }
    }
    Ok(())
}

/// FNV-1a. It only has to tell versions of our own code apart.
struct Fnv(u64);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
