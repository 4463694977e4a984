//! `cargo xtask gpu-kit`: a folder to take to a machine with a card, where `./run` tests and measures, and writes one report.

use crate::{cargo, root};
use std::fs;
use std::path::Path;

/// The folder has to fit where it is sent.
const MOST_BYTES: u64 = 64 << 20;

const BINARIES: [&str; 4] = ["nestled", "fuzz", "gpu-corpus", "nestled-bench"];

/// Builds the binaries, and copies them with the data files and the scripts.
pub fn run(args: &[String]) -> Result<(), String> {
    let folder = match args {
        [] => root().join("target/gpu-kit"),
        [folder] => folder.into(),
        _ => return Err("usage: cargo xtask gpu-kit [FOLDER]".to_owned()),
    };
    let mut line = vec!["build", "--profile", "kit"];
    line.extend(["-p", "nestled-cli", "-p", "nestled-test", "-p", "nestled-bench"]);
    BINARIES.iter().for_each(|binary| line.extend(["--bin", binary]));
    cargo(&line, &[])?;
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    for binary in BINARIES {
        copy(&root().join("target/kit").join(binary), &folder.join(binary))?;
    }
    copy_all(&root().join("rts/kit"), &folder)?;
    for name in ["tests/programs", "tests/vcode", "examples"] {
        copy_all(&root().join(name), &folder.join(name))?;
    }
    let bytes = size(&folder)?;
    println!("{} has {:.1} MB; there, `./run` writes report.txt", folder.display(), bytes as f64 / 1e6);
    if bytes > MOST_BYTES { Err(format!("that is more than {} MiB", MOST_BYTES >> 20)) } else { Ok(()) }
}

fn entries(folder: &Path) -> Result<impl Iterator<Item = fs::DirEntry>, String> {
    let entries = fs::read_dir(folder);
    Ok(entries.map_err(|error| format!("{} cannot be read: {error}", folder.display()))?.flatten())
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let made = to.parent().map_or(Ok(()), fs::create_dir_all);
    let copied = made.and_then(|()| fs::copy(from, to));
    copied.map(drop).map_err(|error| format!("{} cannot be copied: {error}", from.display()))
}

fn copy_all(from: &Path, to: &Path) -> Result<(), String> {
    for entry in entries(from)? {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { copy_all(&path, &to)? } else { copy(&path, &to)? }
    }
    Ok(())
}

fn size(folder: &Path) -> Result<u64, String> {
    let mut bytes = 0;
    for entry in entries(folder)? {
        let data = entry.metadata().map_err(|error| error.to_string())?;
        bytes += if data.is_dir() { size(&entry.path())? } else { data.len() };
    }
    Ok(bytes)
}
