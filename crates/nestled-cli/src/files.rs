//! The files that the command line names, as against those that a program asks for: those go through a [`nestled_ir::interp::Gate`].

use crate::exit_codes::Failure;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The bytes of a file.
pub fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    std::fs::read(path)
}

/// The bytes of a file of data, of which there may be so many.
pub fn read_data(path: &Path, room: u64) -> Result<Vec<u8>, String> {
    let said = |error: std::io::Error| error.to_string();
    let file = File::open(path).map_err(said)?;
    let mut bytes = Vec::new();
    let size = file.metadata().map_or(0, |found| found.len());
    let fits = size <= room && bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX)).is_ok();
    if fits {
        file.take(room.saturating_add(1)).read_to_end(&mut bytes).map_err(said)?;
    }
    if !fits || bytes.len() as u64 > room {
        return Err(format!("it takes more than the {room} bytes that there is room for"));
    }
    Ok(bytes)
}

/// Whether a file can be written, as far as that can be known before there is something to write: its name says a known form, and its folder
/// is there.
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

/// Makes a file hold these bytes: whole, or as it was where that fails.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_with(path, |out| out.write_all(bytes))
}

/// The same with what a function writes.
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
    // A link stays one: what it leads to is replaced.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = std::fs::metadata(&path).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        return content(&mut OpenOptions::new().write(true).open(&path)?);
    }
    let (beside, mut file) = match beside(&path) {
        // One may be allowed to write the file, and not to its folder.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && before.is_some() => {
            return content(&mut File::create(&path)?);
        }
        made => made?,
    };
    let written = content(&mut file).and_then(|()| match &before {
        Some(before) => file.set_permissions(before.permissions()),
        None => Ok(()),
    });
    drop(file);
    let result = written.and_then(|()| std::fs::rename(&beside, &path));
    if result.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    result
}

/// A new file in the same folder.
fn beside(path: &Path) -> std::io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut number = 0;
    loop {
        let beside = path.with_file_name(format!(".{name}.{}-{number}.partial", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            // One that a process of this number left when it was killed, or that somebody planted.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1000 => number += 1,
            made => return Ok((beside, made?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
