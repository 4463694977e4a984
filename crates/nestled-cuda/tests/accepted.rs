//! The texts that NVRTC is known to compile, by their digest: tests/emitted/nvrtc-*.txt. A text that is not in the list is compiled; so is a sixteenth of the others each time.
//! With `UPDATE=1` all are compiled, and the list becomes those that do.

use nestled_cache::Key;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// One of so many remembered texts is compiled again, chosen by its digest.
const SAMPLE: u8 = 16;

/// The remembered digests of one kind of module.
pub struct Accepted {
    path: PathBuf,
    known: BTreeSet<String>,
    update: bool,
}

impl Accepted {
    /// Reads the list of a kind of module.
    pub fn read(kind: &str) -> Accepted {
        let path =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/emitted/nvrtc-{kind}.txt"));
        let update = std::env::var_os("UPDATE").is_some();
        let text =
            if update { String::new() } else { std::fs::read_to_string(&path).expect("the list is there") };
        let known = text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
        Accepted { path, known, update }
    }

    /// True if a text is known to compile, and not in the sample.
    pub fn has(&self, digest: &str) -> bool {
        let byte = u8::from_str_radix(&digest[..2], 16).expect("a digest is hexadecimal");
        !self.update && !byte.is_multiple_of(SAMPLE) && self.known.contains(digest)
    }

    /// Writes the list of what has been compiled, if that is asked for.
    pub fn keep(&self, compiled: &BTreeSet<String>) {
        if self.update {
            let lines: Vec<&str> = compiled.iter().map(String::as_str).collect();
            let head = "# Digests of the CUDA C++ that NVRTC compiles for every architecture; written by `UPDATE=1 cargo test -p nestled-cuda`.";
            std::fs::write(&self.path, format!("{head}\n{}\n", lines.join("\n")))
                .expect("the list can be written");
        }
    }
}

/// The digest of a text, and of the architectures and the version of NVRTC that it is compiled by.
pub fn digest(text: &str, compiler: &str) -> String {
    Key::of(&[compiler.as_bytes(), text.as_bytes()]).to_string()
}
