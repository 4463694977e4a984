//! Files that are replaced whole: what is written lies beside the old file until all of it is there, so that a full disk leaves the old one.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file that is written beside the one whose place it takes when it is finished. If it never is, nothing of it stays.
#[derive(Debug)]
pub struct Aside {
    file: File,
    /// What it is called until then, and what from then on; nothing if it is written where it is.
    names: Option<(PathBuf, PathBuf)>,
}

impl Aside {
    /// Begins one. What is no ordinary file, such as `/dev/stdout`, is written as it is.
    ///
    /// # Errors
    /// If no file can be made there.
    pub fn new(path: &Path) -> std::io::Result<Aside> {
        // A link stays one: what it leads to is replaced.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let before = std::fs::metadata(&path).ok();
        if before.as_ref().is_some_and(|before| !before.is_file()) {
            return Ok(Aside { file: OpenOptions::new().write(true).open(&path)?, names: None });
        }
        let (beside, file) = match beside(&path) {
            // One may be allowed to write the file, and not to its folder.
            Err(error) if error.kind() == ErrorKind::PermissionDenied && before.is_some() => {
                return Ok(Aside { file: File::create(&path)?, names: None });
            }
            made => made?,
        };
        let aside = Aside { file, names: Some((beside, path)) };
        if let Some(before) = before {
            aside.file.set_permissions(before.permissions())?;
        }
        Ok(aside)
    }

    /// It takes its place.
    ///
    /// # Errors
    /// If the file cannot be replaced.
    pub fn finish(&mut self) -> std::io::Result<()> {
        if let Some((beside, path)) = &self.names {
            std::fs::rename(beside, path)?;
            self.names = None;
        }
        Ok(())
    }
}

impl Write for Aside {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.names {
            let _ = std::fs::remove_file(beside);
        }
    }
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

    #[test]
    fn what_is_not_finished_leaves_the_file_as_it_was() {
        let folder = std::env::temp_dir().join(format!("nestled-aside-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("x.npy");
        std::fs::write(&path, "before").unwrap();
        let mut aside = Aside::new(&path).unwrap();
        aside.write_all(b"half").unwrap();
        drop(aside);
        assert_eq!(std::fs::read(&path).unwrap(), b"before");
        let mut aside = Aside::new(&path).unwrap();
        aside.write_all(b"all").unwrap();
        aside.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"all");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
