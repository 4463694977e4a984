//! Seeded bugs for mutation testing: edits to put into a copy of the tree, to see whether the tests find them. Each bug has one edit:
//!
//! ```text
//! bug: scans are inclusive where they should be exclusive
//! file: crates/nestled-ir/src/interp/scan.rs
//! old: Inclusion::Exclusive =>
//! new: Inclusion::Inclusive =>
//! ```
//!
//! The old text stands once in the file. `\n` in it is a line break.

mod functions;
mod weave;

pub use weave::{HELPER, VARIABLE, Woven, place, weave};

/// One edit that makes the code wrong.
pub struct Bug {
    /// The description of the bug.
    pub words: String,
    /// The file, from the root of the tree.
    pub file: String,
    /// The text that stands there.
    pub old: String,
    /// The text that replaces it.
    pub new: String,
}

impl Bug {
    /// Its number, which stays when others come or go.
    pub fn number(&self) -> u64 {
        // FNV-1a: the same in every version of the compiler. Zero means no bug.
        let bytes = [&self.words, &self.file, &self.old, &self.new].into_iter().flat_map(|text| text.bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        hash.max(1)
    }

    /// The crate that it is in, as a folder of `crates/`; `None` for files that several crates read.
    pub fn package(&self) -> Option<&str> {
        self.file.strip_prefix("crates/")?.split('/').next()
    }
}

/// The bugs of a file such as `tests/seeded-bugs.txt`.
pub fn parse(text: &str) -> Result<Vec<Bug>, String> {
    let mut bugs: Vec<Bug> = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    {
        let (key, value) = line.split_once(": ").ok_or(format!("line {}: `key: text` is wanted", at + 1))?;
        let value = value.replace("\\n", "\n");
        match (key, bugs.last_mut()) {
            ("bug", _) => {
                let none = String::new;
                bugs.push(Bug { words: value, file: none(), old: none(), new: none() });
            }
            ("file", Some(bug)) => bug.file = value,
            ("old", Some(bug)) => bug.old = value,
            ("new", Some(bug)) => bug.new = value,
            _ => return Err(format!("line {}: unknown key `{key}`", at + 1)),
        }
    }
    Ok(bugs)
}
