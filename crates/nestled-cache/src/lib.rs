//! A cache on disk: what can be made again, kept from one run to the next. There is one for everything ([`Kind`] says what): finished programs, machine code for
//! the CPU, machine code for cards.
//!
//! ```
//! use nestled_cache::{DiskCache, Kind, Source};
//! let directory = std::env::temp_dir().join(format!("nestled-doc-{}", std::process::id()));
//! let cache = DiskCache::at(&directory, 1 << 20);
//! let source = Source::new(Kind::Kernel, &[b"the kernel", b"+avx2", b"version of the code"]);
//! assert_eq!(cache.get(&source), None);
//! cache.put(&source, b"object");
//! assert_eq!(cache.get(&source).as_deref(), Some(&b"object"[..]));
//! # std::fs::remove_dir_all(directory).unwrap();
//! ```
//!
//! **It never fails.** A full or read-only disk, a damaged or missing file, a directory that somebody else may write to: in each case the
//! cache keeps nothing, [`DiskCache::get`] finds nothing, and [`DiskCache::trouble`] can be asked why.
//!
//! **Several processes at once.** An entry is written to a file of its own and then renamed, so readers see all of it or nothing. A process
//! that is killed leaves a temporary file, which is cleared away when it is an hour old. Two processes that write the same entry
//! write the same bytes.
//!
//! **What is in an entry**: a mark with the version of this format, the key, sizes, a checksum, what it was made from, the bytes. What does not agree
//! is removed. An entry is used only if it repeats what is wanted byte for byte: whoever may run programs, but not open files, could look for two with one hash, and
//! what was made of one would run in the other's place. Sources are kept as they are: those of programs
//! and kernels are shorter than what is made of them, and comparing bytes needs no cryptographic digest to be trusted. Entries run as machine code, so the directory is made for its owner only, and one that others can write to is not used. An
//! entry is made for its owner only, too; it is opened without following a link or waiting for a writer, and what was opened must be an ordinary file of
//! this user that nobody else can write to.
//!
//! **How large it grows**: when the entries exceed the cap, those not used for longest go, until three quarters are left. The time
//! of use is the time of modification, set at each hit.
//!
//! [`Aside`] is for files of users: they are replaced whole or not at all, too.

mod aside;
mod capacity;
mod entry;
mod evict;
mod hash;
mod kind;
mod place;
mod shared;
mod source;
mod version;

pub use aside::Aside;
pub use capacity::parse_size;
pub use hash::Key;
pub use kind::Kind;
pub use shared::SharedCache;
pub use source::Source;
pub use version::{code_version, hash_of_crates};

use nestled_fork as fork;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

/// The cap of [`DiskCache::open`] where `NESTLED_CACHE_SIZE` says none: room for some ten thousand kernels.
pub const DEFAULT_CAP: u64 = 256 << 20;

/// A cache on disk. It can be shared between threads.
#[derive(Debug)]
pub struct DiskCache {
    /// None if it is off.
    directory: Option<PathBuf>,
    cap: u64,
    /// Bytes in the directory as far as we know; nothing before the first look.
    known_size: Mutex<Option<u64>>,
    trouble: Mutex<Option<String>>,
}

impl DiskCache {
    /// The user's cache: in `NESTLED_CACHE` if it is set (off if it is empty), else where the system keeps caches
    /// (`XDG_CACHE_HOME`, `~/.cache`, on macOS `~/Library/Caches`). `NESTLED_CACHE_SIZE` says how large it may grow: `512M`, `2G`, a number of bytes.
    #[must_use]
    pub fn open() -> DiskCache {
        match place::users_directory() {
            Ok(directory) => DiskCache::at(&directory, capacity::cap()),
            Err(reason) => DiskCache::off(&reason),
        }
    }

    /// A cache in this directory, which is made if it does not exist, of about `cap` bytes.
    #[must_use]
    pub fn at(directory: &Path, cap: u64) -> DiskCache {
        match place::prepare(directory) {
            Ok(()) => DiskCache { directory: Some(directory.to_path_buf()), cap, ..DiskCache::off("") },
            Err(reason) => DiskCache::off(&reason),
        }
    }

    /// A cache that keeps nothing, and why.
    #[must_use]
    pub fn off(reason: &str) -> DiskCache {
        let trouble = Some(reason.to_string()).filter(|reason| !reason.is_empty());
        DiskCache { directory: None, cap: 0, known_size: Mutex::new(None), trouble: Mutex::new(trouble) }
    }

    /// The directory in use, or none if the cache is off.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Why the cache is off, or the last thing that went wrong with it.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        fork::lock(&self.trouble).clone()
    }

    /// Looks an entry up, and reads its bytes. An entry that cannot be read is removed: `read` answers nothing where bytes are not what they should be.
    ///
    /// That bytes have the checksum they were written with says nothing of who wrote them, nor with which intent: whoever follows them has to look at them.
    #[must_use]
    pub fn find<T>(&self, source: &Source, read: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let found = read(&self.get(source)?);
        if found.is_none() {
            self.remove(source.key(), "what is in it makes no sense");
        }
        found
    }

    /// Looks an entry up.
    #[must_use]
    pub fn get(&self, source: &Source) -> Option<Vec<u8>> {
        let path = self.path(source.key())?;
        let entry = match place::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            opened => opened.map_err(|error| error.to_string()).and_then(|mut file| {
                let bytes = entry::read(&mut file, source, self.cap)?;
                // Reading it counts as use. If it cannot be noted, the entry only goes earlier.
                let _ = file.set_modified(SystemTime::now());
                Ok(bytes)
            }),
        };
        match entry {
            Ok(bytes) => Some(bytes),
            Err(damage) => {
                self.remove(source.key(), &damage);
                None
            }
        }
    }

    fn remove(&self, key: Key, why: &str) {
        let Some(path) = self.path(key) else { return };
        self.note(format!("{}: {why}; removed", path.display()));
        let _ = fs::remove_file(&path);
    }

    /// Keeps an entry, if it can.
    pub fn put(&self, source: &Source, bytes: &[u8]) {
        let Some(path) = self.path(source.key()) else { return };
        let parts = [&entry::header(source, bytes), source.bytes(), bytes];
        match write_whole(&path, &parts) {
            Ok(()) => self.grow(parts.iter().map(|part| part.len() as u64).sum()),
            Err(error) => self.note(format!("{}: {error}", path.display())),
        }
    }

    fn path(&self, key: Key) -> Option<PathBuf> {
        Some(self.directory.as_ref()?.join(format!("{key}.{}", place::ENTRY_EXTENSION)))
    }

    /// Counts what was written, and sweeps when it is too much. Other processes write as well, so the count starts afresh
    /// with each look at the directory, and every sixteenth part of the cap written here brings a new look.
    fn grow(&self, size: u64) {
        let Some(directory) = &self.directory else { return };
        let mut known = fork::lock(&self.known_size);
        let grown = known.map(|known| known.saturating_add(size));
        let crossed = |total: u64| (total - size) / (self.cap / 16).max(1) != total / (self.cap / 16).max(1);
        *known = match grown {
            Some(total) if total <= self.cap && !crossed(total) => Some(total),
            Some(_) | None => Some(evict::evict(directory, self.cap)),
        };
    }

    fn note(&self, trouble: String) {
        *fork::lock(&self.trouble) = Some(trouble);
    }
}

/// Writes a file such that nobody ever sees a part of it under its name.
fn write_whole(path: &Path, parts: &[&[u8]]) -> std::io::Result<()> {
    // A process that was killed may have had the same number.
    let random = std::hash::RandomState::new().build_hasher().finish();
    let name = format!("{}-{random:016x}.{}", std::process::id(), place::TEMPORARY_EXTENSION);
    let temporary = path.with_file_name(name);
    let mut file = place::create(&temporary)?;
    let written = parts.iter().try_for_each(|part| file.write_all(part));
    let result = written.and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

#[cfg(test)]
mod tests;
