//! `cargo xtask gpu-kit`: a folder and an archive of it to take to a machine with a card, where `./run` tests and measures, and writes one report.

use crate::{cargo, root};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The archive has to fit where it is sent.
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
    let archive = folder.with_extension("tar.xz");
    pack(&folder, &archive)?;
    let bytes = fs::metadata(&archive).map_err(|error| format!("{}: {error}", archive.display()))?.len();
    println!(
        "{} has {:.1} MB; unpacked there, `./run` writes report.txt",
        archive.display(),
        bytes as f64 / 1e6
    );
    if bytes > MOST_BYTES { Err(format!("that is more than {} MiB", MOST_BYTES >> 20)) } else { Ok(()) }
}

/// Packs a folder, under its own name.
fn pack(folder: &Path, archive: &Path) -> Result<(), String> {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Err(format!("{} is no folder with a name", folder.display()));
    };
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(if parent == Path::new("") { Path::new(".") } else { parent });
    tar.env("XZ_OPT", "-T0").arg("-cJf").arg(archive).arg(name);
    let status = tar.status().map_err(|error| format!("tar: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("tar ended with {status}")) }
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
