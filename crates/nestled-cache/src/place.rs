//! The directory of the cache and its files: where they are, and whether they can be trusted.

use std::fs;
use std::io::{Error, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The ending of an entry's name.
pub(super) const ENTRY_EXTENSION: &str = "kernel";

/// The ending of a file that is being written.
pub(super) const TEMPORARY_EXTENSION: &str = "partial";

/// Tells backup programs that everything here can be made again (see bford.info/cachedir).
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # This directory holds compiled kernels and programs of Nestled. It can be removed at any time.\n";

/// The directory for this user, or why there is none.
pub(super) fn users_directory() -> Result<PathBuf, String> {
    if let Some(chosen) = std::env::var_os("NESTLED_CACHE") {
        let off = "`NESTLED_CACHE` is empty".to_string();
        return if chosen.is_empty() { Err(off) } else { Ok(PathBuf::from(chosen)) };
    }
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let usual = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    let base = base.or_else(|| std::env::home_dir().map(|home| home.join(usual)));
    let base = base.filter(|path| path.is_absolute()).ok_or("no home directory is known")?;
    Ok(base.join("nestled").join("kernels"))
}

/// Makes the directory if need be, and checks that only its owner writes to it.
pub(super) fn prepare(directory: &Path) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("{}: {error}", directory.display());
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(fail)?;
    let found = fs::metadata(directory).map_err(fail)?;
    if !is_private(&found) {
        return Err(format!("{}: others can write to it", directory.display()));
    }
    // Without the tag the cache works as well, and on a read-only disk there is none to be made.
    let _ = create(&directory.join("CACHEDIR.TAG")).and_then(|mut tag| tag.write_all(TAG.as_bytes()));
    Ok(())
}

/// Opens an entry if it can be trusted. What is asked is asked of what was opened, so that nothing else can take its place in between.
pub(super) fn open(path: &Path) -> Result<fs::File, Error> {
    // Not to follow a link; not to wait for whoever writes to a pipe.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(Error::other("it is not an ordinary file"));
    }
    if !is_private(&found) {
        return Err(Error::other("others can write to it"));
    }
    Ok(file)
}

/// Makes a file that was not there, for its owner only.
pub(super) fn create(path: &Path) -> Result<fs::File, Error> {
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Whether it is this user's, and nobody else can write to it.
fn is_private(found: &fs::Metadata) -> bool {
    found.mode() & 0o022 == 0 && found.uid() == user()
}

#[allow(unsafe_code)]
fn user() -> u32 {
    // SAFETY: `geteuid` has no condition and cannot fail.
    unsafe { libc::geteuid() }
}
