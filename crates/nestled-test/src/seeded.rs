//! Bugs to put into a copy of the tree, one at a time, to see whether the tests find them. Each has one edit:
//!
//! ```text
//! bug: scans are inclusive where they should be exclusive
//! file: crates/nestled-ir/src/interp/scan.rs
//! old: Inclusion::Exclusive =>
//! new: Inclusion::Inclusive =>
//! ```
//!
//! The old text stands once in the file. `\n` in it is a line break.

/// One edit that makes the code wrong.
pub struct Bug {
    /// What is wrong then.
    pub words: String,
    /// Where, from the root of the tree.
    pub file: String,
    /// The text that stands there.
    pub old: String,
    /// What stands there instead.
    pub new: String,
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
