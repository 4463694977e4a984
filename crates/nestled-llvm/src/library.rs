//! Loading of an LLVM library, once in the life of the process, with checks that it is an LLVM that will do.
#![allow(unsafe_code)]

use super::api::Api;
use super::error::Refusal;
use super::llvmlite;
use super::owned::Context;
use super::version::{OLDEST, Version, version_in_name};
use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};
use nestled_fork as fork;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// An LLVM that is open. Never closed: it keeps data for each thread, and a process uses one or two.
#[derive(Debug)]
pub(super) struct Loaded {
    pub path: PathBuf,
    pub version: Version,
    pub api: Api,
}

/// The libraries opened so far, each with the reason if it was refused.
static OPENED: Mutex<BTreeMap<PathBuf, Result<&'static Loaded, Refusal>>> = Mutex::new(BTreeMap::new());

/// Prefer the library's own symbols to equal ones of another LLVM in the process: without it, two copies of one version clash.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const DEEP_BIND: c_int = libc::RTLD_DEEPBIND;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
const DEEP_BIND: c_int = 0;

/// Opens the library at `path`, or returns it if it is open already.
///
/// A failure is remembered only if the library was opened; a file that could not be may appear later.
pub(super) fn open(path: &Path) -> Result<&'static Loaded, Refusal> {
    // Takes a tenth of a second, on the compiler's thread, while a program may fork.
    fork::critical(|| opened(path))
}

fn opened(path: &Path) -> Result<&'static Loaded, Refusal> {
    // The lock also keeps two threads from initialising one library at once, which LLVM does not allow.
    let mut opened = fork::lock(&OPENED);
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if let Some(known) = opened.get(&path) {
        return known.clone();
    }
    if let Some(version) = version_in_name(&path).filter(|version| version.major < OLDEST) {
        return Err(Refusal::TooOld(version));
    }
    // SAFETY: opening runs the library's initialisers. Its path comes from the user, or names an LLVM in a place of the system
    // or of the Rust toolchain; LLVM's initialisers only fill tables of its own.
    let library = unsafe { Library::open(Some(&path), RTLD_LAZY | RTLD_LOCAL | DEEP_BIND) }
        .map_err(|error| Refusal::NotOpened(error.to_string()))?;
    let result = examine(library, &path).map(|loaded| &*Box::leak(Box::new(loaded)));
    opened.insert(path, result.clone());
    result
}

fn examine(library: Library, path: &Path) -> Result<Loaded, Refusal> {
    let api = if llvmlite::is_llvmlite(path) {
        // SAFETY: by its names it is llvmlite's, or `look_up` finds nothing; `forget` below keeps it open in every case.
        unsafe { llvmlite::look_up(&library) }
    } else {
        // SAFETY: by its names it is an LLVM, or `look_up` finds nothing; `forget` below keeps it open in every case.
        unsafe { Api::look_up(&library) }.map_err(Refusal::Lacks)
    };
    std::mem::forget(library);
    let api = api?;
    let version = version(&api, path);
    if version.major < OLDEST {
        return Err(Refusal::TooOld(version));
    }
    // SAFETY: the function takes nothing, and says how the library was built.
    if unsafe { (api.is_multithreaded)() } == 0 {
        return Err(Refusal::NoThreads);
    }
    initialize(&api)?;
    Ok(Loaded { path: path.to_path_buf(), version, api })
}

fn version(api: &Api, path: &Path) -> Version {
    let mut numbers = [0; 3];
    if let Some(get_version) = api.get_version {
        let [major, minor, patch] = &mut numbers;
        // SAFETY: three places for three numbers.
        unsafe { get_version(major, minor, patch) };
        let [major, minor, patch] = numbers;
        return Version { major, minor, patch };
    }
    // Version 15 is the last that cannot say; 14 is told apart by not knowing the type `ptr`.
    let knows_ptr = Context::new(api).parse("declare void @f(ptr)").is_ok();
    let guess = Version { major: if knows_ptr { 15 } else { 14 }, minor: 0, patch: 0 };
    version_in_name(path).filter(|version| version.major == guess.major).unwrap_or(guess)
}

/// Registers the processors we may compile for. Under the lock of [`OPENED`], once for each library.
fn initialize(api: &Api) -> Result<(), Refusal> {
    let x86 = [api.x86_info, api.x86_target, api.x86_mc, api.x86_printer, api.x86_assembler];
    let aarch64 =
        [api.aarch64_info, api.aarch64_target, api.aarch64_mc, api.aarch64_printer, api.aarch64_assembler];
    let native = if cfg!(target_arch = "aarch64") { &aarch64 } else { &x86 };
    if native.iter().any(Option::is_none) {
        return Err(Refusal::Lacks("the code generator for this processor"));
    }
    for function in x86.into_iter().chain(aarch64).flatten() {
        // SAFETY: these have no arguments, and no other thread is in this library yet: the lock is held.
        unsafe { function() };
    }
    Ok(())
}
