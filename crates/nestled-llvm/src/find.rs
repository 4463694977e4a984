//! Search for an LLVM library: `NESTLED_LLVM`, then the system's, then the Rust toolchains', each of them newest first, then what the process named itself.
//!
//! Only the file system is asked, not the package manager and (unless nothing else is found) not `rustc`: looking takes two
//! milliseconds, starting `rustc` some twenty.

use super::version::version_in_name;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Libraries that the process named itself, and what it says to people when there is none.
static OWN: OnceLock<(Vec<PathBuf>, &'static str)> = OnceLock::new();

/// Names libraries to try after those of the system and of the Rust toolchains, and a command that installs one, for the message that there is none. The first call counts.
///
/// ```
/// nestled_llvm::also_search(vec!["/opt/python/llvmlite/binding/libllvmlite.so".into()], "pip install llvmlite");
/// ```
pub fn also_search(libraries: Vec<PathBuf>, command: &'static str) {
    let _ = OWN.set((libraries, command));
}

/// The command that [`also_search`] was told.
pub(super) fn own_command() -> Option<&'static str> {
    OWN.get().map(|(_, command)| *command)
}

/// The libraries that [`also_search`] was told, as far as they exist.
fn own() -> Vec<PathBuf> {
    OWN.get().map_or(Vec::new(), |(all, _)| all.iter().filter(|path| path.is_file()).cloned().collect())
}

/// The library the user chose, if any. An empty value counts as none.
pub(super) fn chosen() -> Option<PathBuf> {
    std::env::var_os("NESTLED_LLVM").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// All libraries found, in the order in which to try them, each once. Lazy: the later places are looked at only if asked for.
pub(super) fn candidates() -> impl Iterator<Item = PathBuf> {
    let places: [fn() -> Vec<PathBuf>; 4] = [system, rust_toolchains, own, rust_sysroot];
    let mut seen = BTreeSet::new();
    places.into_iter().flat_map(|place| place()).filter(move |path| {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        seen.insert(real)
    })
}

/// The libraries of the system, newest first.
fn system() -> Vec<PathBuf> {
    newest_first(system_directories().iter().flat_map(|directory| libraries_in(directory)).collect())
}

/// The loader's own path first, as far as it can be known, then where the distributions put their LLVMs.
fn system_directories() -> Vec<PathBuf> {
    let variable = if cfg!(target_os = "macos") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };
    let paths = std::env::var_os(variable).unwrap_or_default();
    let mut all: Vec<PathBuf> = std::env::split_paths(&paths).filter(|path| path.is_absolute()).collect();
    let arch = std::env::consts::ARCH;
    let plain = [
        "/usr/lib64",
        "/usr/lib",
        "/lib64",
        "/usr/local/lib64",
        "/usr/local/lib",
        "/opt/homebrew/lib",
        "/run/current-system/sw/lib",
    ];
    all.push(format!("/usr/lib/{arch}-linux-gnu").into());
    all.extend(plain.iter().map(PathBuf::from));
    // Places with one directory for each version: its parent, what its name starts with, and where in it the library is.
    let versioned = [
        ("/usr/lib", "llvm", "lib"),
        ("/usr/lib64", "llvm", "lib64"),
        ("/usr/lib64", "llvm", "lib"),
        ("/usr/lib/llvm", "", "lib64"),
        ("/usr/lib/llvm", "", "lib"),
        ("/usr/local", "llvm", "lib"),
        ("/opt", "llvm", "lib"),
        ("/opt/homebrew/opt", "llvm", "lib"),
        ("/usr/local/opt", "llvm", "lib"),
        ("/opt/local/libexec", "llvm", "lib"),
    ];
    for (parent, prefix, inside) in versioned {
        let children = entries(Path::new(parent)).into_iter();
        all.extend(children.filter(|path| name_of(path).starts_with(prefix)).map(|path| path.join(inside)));
    }
    all
}

/// The LLVMs of the toolchains that `rustup` keeps. Releases before nightlies: they are the ones that were tested.
fn rust_toolchains() -> Vec<PathBuf> {
    let home = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".rustup")));
    let toolchains = home.map(|home| entries(&home.join("toolchains"))).unwrap_or_default();
    let (late, early): (Vec<PathBuf>, Vec<PathBuf>) =
        toolchains.into_iter().partition(|path| name_of(path).starts_with("nightly"));
    let libraries = |toolchains: Vec<PathBuf>| {
        newest_first(toolchains.iter().flat_map(|path| libraries_in(&path.join("lib"))).collect())
    };
    [libraries(early), libraries(late)].concat()
}

/// The LLVM of the `rustc` that would run, wherever it is installed.
fn rust_sysroot() -> Vec<PathBuf> {
    let Ok(output) = Command::new("rustc").args(["--print", "sysroot"]).output() else { return Vec::new() };
    let sysroot = String::from_utf8_lossy(&output.stdout);
    newest_first(libraries_in(&Path::new(sysroot.trim()).join("lib")))
}

fn libraries_in(directory: &Path) -> Vec<PathBuf> {
    entries(directory).into_iter().filter(|path| is_library(name_of(path))).collect()
}

/// True if a file is the whole LLVM in one library: `libLLVM-15.so.1`, `libLLVM.so.19.1`, `libLLVM.dylib`; not `libLLVMCore.so`.
fn is_library(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("libLLVM") else { return false };
    let versioned = rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    // Rust's toolchains have a linker script beside the library, and it looks like one.
    let script = rest.contains("-rust-") && !rest.starts_with(".so");
    let whole = versioned || rest.starts_with(".so") || rest == ".dylib";
    whole && !script && (rest.contains(".so") || rest.ends_with(".dylib"))
}

fn newest_first(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    // A name without a version may be any: the file it points to tells.
    let version = |path: &PathBuf| version_in_name(&path.canonicalize().unwrap_or_else(|_| path.clone()));
    paths.sort_by_cached_key(|path| std::cmp::Reverse(version(path)));
    paths
}

/// The entries of a directory, sorted, or none if it cannot be read.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_libraries_only() {
        for yes in
            ["libLLVM-15.so.1", "libLLVM.so.19.1", "libLLVM.so.22.1-rust-1.95.0-stable", "libLLVM.dylib"]
        {
            assert!(is_library(yes), "{yes}");
        }
        for no in ["libLLVMCore.so", "libLLVM-22-rust-1.95.0-stable.so", "libLLVMCore.a", "libc.so.6", "LLVM"]
        {
            assert!(!is_library(no), "{no}");
        }
    }

    #[test]
    fn newer_ones_come_first() {
        let names = ["/x/libLLVM-15.so.1", "/x/libLLVM.so.19.1", "/x/libLLVM.so", "/x/libLLVM.so.22.1"];
        let sorted = newest_first(names.iter().map(PathBuf::from).collect());
        let expected = ["/x/libLLVM.so.22.1", "/x/libLLVM.so.19.1", "/x/libLLVM-15.so.1", "/x/libLLVM.so"];
        assert_eq!(sorted, expected.map(PathBuf::from));
    }
}
