//! The copy of the tree that bugs are put into.

use nestled_test::seeded::{Bug, HELPER, Woven, weave};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The copy, under `target/` of the tree itself.
pub struct Tree {
    root: PathBuf,
    /// The folder of the copy.
    pub copy: PathBuf,
    /// The build folder.
    pub target: PathBuf,
    /// The files that bugs are woven into.
    pub woven: BTreeMap<String, Woven>,
}

impl Tree {
    /// The copy of a tree, with no file in it yet.
    pub fn of(root: &Path) -> Tree {
        let folder = root.join("target/seeded-bugs");
        Tree {
            root: root.to_owned(),
            copy: folder.join("tree"),
            target: folder.join("target"),
            woven: BTreeMap::new(),
        }
    }

    /// Brings the copy up to date, with these bugs woven in. Files that are the same keep their times, so that little is built again.
    pub fn update(&mut self, bugs: &[&Bug]) -> Result<(), Box<dyn Error>> {
        self.woven = self.weave(bugs);
        let mut git = Command::new("git");
        let listed = git.args(["ls-files", "-co", "--exclude-standard"]).current_dir(&self.root).output()?;
        let mut current = BTreeSet::new();
        for name in String::from_utf8(listed.stdout)?.lines() {
            let Ok(mut bytes) = fs::read(self.root.join(name)) else { continue };
            if let Some(woven) = self.woven.get(name) {
                bytes = woven.text.clone().into_bytes();
            }
            self.write(name, bytes)?;
            current.insert(self.copy.join(name));
        }
        remove_others(&self.copy, &current)
    }

    fn weave(&self, bugs: &[&Bug]) -> BTreeMap<String, Woven> {
        let mut by_file: BTreeMap<&str, Vec<&Bug>> = BTreeMap::new();
        for bug in bugs.iter().filter(|bug| bug.file.ends_with(".rs")) {
            by_file.entry(&bug.file).or_default().push(bug);
        }
        let woven = by_file.into_iter().filter_map(|(file, bugs)| {
            let woven = weave(&self.original(file)?, &bugs);
            let has_any = woven.bugs().next().is_some();
            has_any.then(|| (file.to_owned(), woven))
        });
        woven.collect()
    }

    /// The text of a file without bugs.
    pub fn original(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.root.join(file)).ok()
    }

    /// Writes a file of the copy. [`Tree::update`] makes it whole again.
    pub fn replace(&self, file: &str, text: &str) -> Result<(), Box<dyn Error>> {
        self.write(file, text.as_bytes().to_vec())
    }

    /// Writes a file, with the switch if it is the root of a crate that has woven bugs.
    fn write(&self, file: &str, mut bytes: Vec<u8>) -> Result<(), Box<dyn Error>> {
        let is_root = file.ends_with("/src/lib.rs") || file.ends_with("/src/main.rs");
        if is_root && self.woven.keys().any(|woven| package_folder(woven) == package_folder(file)) {
            bytes.extend_from_slice(HELPER.as_bytes());
        }
        let path = self.copy.join(file);
        if fs::read(&path).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        Ok(fs::write(path, bytes)?)
    }
}

/// The folder of the crate that a file is in.
fn package_folder(file: &str) -> Option<&str> {
    file.split_once("/src/").map(|(folder, _)| folder)
}

/// Removes the files of a folder that are no longer in the tree.
fn remove_others(folder: &Path, current: &BTreeSet<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, current)?;
        } else if !current.contains(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
