//! `cargo xtask gpu-kit`: a folder to take to a machine with a card, where `./run` tests and measures, and writes one report.

use crate::{cargo, root};
use std::fs;
use std::path::Path;

/// Builds the binaries, and copies them with the data files and the script.
pub fn run(args: &[String]) -> Result<(), String> {
    let folder = match args {
        [] => root().join("target/gpu-kit"),
        [folder] => folder.into(),
        _ => return Err("usage: cargo xtask gpu-kit [FOLDER]".to_owned()),
    };
    let packages = ["-p", "nestled-cli", "-p", "nestled-test"];
    let binaries = ["nestled", "fuzz", "gpu-corpus"];
    let mut line = vec!["build", "--release"];
    line.extend(packages);
    binaries.iter().for_each(|binary| line.extend(["--bin", binary]));
    cargo(&line, &[("CARGO_PROFILE_RELEASE_STRIP", "symbols")])?;
    for binary in binaries {
        copy(&root().join("target/release").join(binary), &folder.join(binary))?;
    }
    for name in ["run", "streams.lcu"] {
        copy(&root().join("rts/kit").join(name), &folder.join(name))?;
    }
    for name in ["tests/programs", "examples"] {
        copy_all(&root().join(name), &folder.join(name))?;
    }
    println!("{} is ready: there, `./run` writes report.txt", folder.display());
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let made = to.parent().map_or(Ok(()), fs::create_dir_all);
    let copied = made.and_then(|()| fs::copy(from, to));
    copied.map(drop).map_err(|error| format!("{} cannot be copied: {error}", from.display()))
}

fn copy_all(from: &Path, to: &Path) -> Result<(), String> {
    let entries =
        fs::read_dir(from).map_err(|error| format!("{} cannot be read: {error}", from.display()))?;
    for entry in entries.flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { copy_all(&path, &to)? } else { copy(&path, &to)? }
    }
    Ok(())
}
