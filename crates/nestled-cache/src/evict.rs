//! Keeps the directory small: what was not used for longest goes first.

use super::place::{ENTRY_EXTENSION, TEMPORARY_EXTENSION};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file that is still being written after this time belongs to a process that was killed.
const FORGOTTEN: Duration = Duration::from_secs(3600);

/// Removes entries until three quarters of `cap` are left, if there are more than `cap` bytes. Returns how many bytes are left.
///
/// Several processes may evict at once: each goes by what it saw, and a file that is gone already counts as removed.
pub(super) fn evict(directory: &Path, cap: u64) -> u64 {
    let mut entries = Vec::new();
    for file in files(directory) {
        match file.path.extension().and_then(|extension| extension.to_str()) {
            Some(ENTRY_EXTENSION) => entries.push(file),
            Some(TEMPORARY_EXTENSION) if file.used.elapsed().is_ok_and(|age| age > FORGOTTEN) => {
                let _ = fs::remove_file(&file.path);
            }
            Some(_) | None => {}
        }
    }
    let mut total = entries.iter().map(|entry| entry.size).sum();
    if total <= cap {
        return total;
    }
    // By name as well, so that two sweeps at once remove the same ones.
    entries.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
    for entry in entries {
        if total <= cap / 4 * 3 {
            break;
        }
        let _ = fs::remove_file(&entry.path);
        total -= entry.size;
    }
    total
}

struct Found {
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

fn files(directory: &Path) -> impl Iterator<Item = Found> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Found { path: entry.path(), size: about.len(), used: about.modified().ok()? })
    })
}
