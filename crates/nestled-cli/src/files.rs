//! Files named on the command line. Files that a program asks for go through a [`nestled_ir::interp::Gate`] instead.

use crate::exit_codes::Failure;
use nestled_cache::Aside;
use nestled_ir::value::MARGIN;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

/// The bytes of a file.
pub fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    std::fs::read(path)
}

/// Reads the bytes of an input: a file, or `-`, which is standard input.
pub fn read_named(path: &Path) -> std::io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return read(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
}

/// Reads the bytes of a data file, at most `room`.
pub fn read_data(path: &Path, room: u64) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let size = file.metadata().map_or(0, |found| found.len());
    all_of(file, size, room)
}

/// Opens a data file, and returns its size if it is an ordinary file: a pipe can be read only once.
pub fn open(path: &Path) -> Result<(File, Option<u64>), String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let size = file.metadata().ok().filter(|found| found.is_file()).map(|found| found.len());
    Ok((file, size))
}

/// All bytes that come, probably so many, of which there may be so many. There is a margin behind them.
pub fn all_of(input: impl Read, size: u64, room: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let wanted = usize::try_from(size).unwrap_or(usize::MAX).saturating_add(MARGIN);
    let fits = size <= room && bytes.try_reserve_exact(wanted).is_ok();
    if fits {
        input.take(room.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    }
    if !fits || bytes.len() as u64 > room {
        return Err(format!("it takes more than the {room} bytes that there is room for"));
    }
    Ok(bytes)
}

/// Checks before any work that a file can be written later: its name has a known extension, its folder exists, and it is no folder itself.
pub fn check_path(path: &Path, forms: &[&str]) -> Result<(), Failure> {
    let shown = path.display();
    let form = path.extension().and_then(|form| form.to_str()).unwrap_or_default();
    if !forms.contains(&form) {
        let known: Vec<String> = forms.iter().map(|form| format!(".{form}")).collect();
        let known = match known.as_slice() {
            [one] => one.clone(),
            [most @ .., last] => format!("{} or {last}", most.join(", ")),
            [] => String::new(),
        };
        return Err(Failure::usage(format!("cannot write `{shown}`: its name should end with {known}")));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => {
            let folder = folder.display();
            return Err(Failure::usage(format!("cannot write `{shown}`: `{folder}` is no folder")));
        }
        Err(error) => return Err(Failure::usage(format!("cannot write `{shown}`: {error}"))),
    }
    if path.is_dir() {
        return Err(Failure::usage(format!("cannot write `{shown}`: it is a folder")));
    }
    Ok(())
}

/// Writes a file atomically, by a closure: if writing fails, an older file stays as it was.
///
/// It is written beside the file, which is replaced at the end. What is no ordinary file, such as `/dev/stdout`, is written as it is.
pub fn write_with(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    replace(path, content)
        .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", path.display())))
}

fn replace(path: &Path, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut aside = Aside::new(path)?;
    let mut out = BufWriter::new(&mut aside);
    content(&mut out)?;
    out.flush()?;
    drop(out);
    aside.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        write_with(path, |out| out.write_all(bytes))
    }

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("nestled-files-{}-{name}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            std::fs::create_dir_all(&path).unwrap();
            Scratch(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = std::fs::read_dir(&self.0).unwrap();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn files_are_made_and_replaced_whole() {
        let scratch = Scratch::new("whole");
        let path = scratch.0.join("out.npy");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(scratch.names(), ["out.npy"]);
        assert!(write(&scratch.0.join("nowhere/out.npy"), b"x").is_err());
    }

    #[test]
    #[cfg(unix)]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new("links");
        let (link, target) = (scratch.0.join("link"), scratch.0.join("target"));
        std::fs::write(&target, "before").unwrap();
        std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link, b"after").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"after");
        assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(scratch.names(), ["link", "target"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_leaves_nothing_behind() {
        let full = Path::new("/dev/full");
        assert!(write(full, b"x").unwrap_err().message.contains("No space left"));
        write(Path::new("/dev/null"), b"x").unwrap();
    }
}
