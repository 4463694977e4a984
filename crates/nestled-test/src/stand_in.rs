//! A CUDA emulator: a stand-in for the driver of CUDA and NVRTC (described in `stand-in/cuda.cpp`), so that all of the CUDA device but the card itself runs in
//! tests. g++ builds it on first use, and every module that it loads; both stay under `target/`.

use nestled_cuda::{CudaConfig, CudaDevice};
use nestled_rt::device::Math;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const SOURCE: &str = include_str!("../stand-in/cuda.cpp");
const DEVICE: &str = include_str!("../stand-in/device.hpp");

/// The number of modules from which on old ones are not kept from run to run.
const MOST_MODULES: usize = 4000;
const OLD: Duration = Duration::from_secs(3600);

/// Returns whether it can be built here. If it is required and cannot be built, the tests fail.
///
/// # Panics
/// If there is no g++ where there has to be one.
pub fn is_there() -> bool {
    match library() {
        Ok(_) => true,
        Err(why) => {
            let required = crate::required::is_set();
            assert!(!required, "{why}");
            eprintln!("SKIPPED: {why}");
            false
        }
    }
}

/// Opens the CUDA device on it, with results equal to the interpreter's bits as far as they can be. Every second device gives freed memory back at once, so that
/// tools that watch memory see all of it.
///
/// # Panics
/// If it cannot be built, or does not open.
pub fn open(memory: Option<u64>) -> CudaDevice {
    open_with(memory, Math::Strict)
}

/// As [`open`], with another freedom.
///
/// # Panics
/// If it cannot be built, or does not open.
pub fn open_with(memory: Option<u64>, math: Math) -> CudaDevice {
    let library = Some(library().expect("the stand-in is there").to_owned());
    static OPENED: AtomicUsize = AtomicUsize::new(0);
    let exact_memory = OPENED.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
    let config = CudaConfig { memory, library, exact_memory, math, ..CudaConfig::default() };
    nestled_cuda::open(config).expect("the stand-in opens")
}

/// Builds the library, and returns its path.
///
/// # Errors
/// Why it cannot be.
pub fn library() -> Result<&'static Path, String> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match BUILT.get_or_init(build) {
        Ok(path) => Ok(path),
        Err(why) => Err(why.clone()),
    }
}

/// Removes old modules where there are many; young ones may be in use by another process.
fn clear(modules: &Path) {
    let Ok(entries) = std::fs::read_dir(modules) else { return };
    let files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    if files.len() <= MOST_MODULES {
        return;
    }
    for file in files {
        let age = file.metadata().and_then(|data| data.modified()).map(|time| time.elapsed());
        if age.is_ok_and(|age| age.is_ok_and(|age| age > OLD)) {
            // Somebody else may have done it.
            let _ = std::fs::remove_file(file);
        }
    }
}

fn build() -> Result<PathBuf, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    let mut hasher = DefaultHasher::new();
    (SOURCE, DEVICE).hash(&mut hasher);
    let folder = target.join("stand-in").join(format!("{:016x}", hasher.finish()));
    let modules = folder.join("modules");
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    clear(&modules);
    std::fs::create_dir_all(&modules).map_err(said)?;
    let folder = folder.canonicalize().map_err(said)?;
    let library = folder.join("libcuda.so");
    if library.exists() {
        return Ok(library);
    }
    // Several processes may do this at once: each makes a library of its own, and the last one to be named stays.
    let (source, made) = (folder.join("cuda.cpp"), folder.join(format!("{}.so", std::process::id())));
    std::fs::write(&source, SOURCE).map_err(said)?;
    std::fs::write(folder.join("device.hpp"), DEVICE).map_err(said)?;
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", "-o"]);
    let done = command.arg(&made).arg(&source).arg("-ldl").output();
    let done = done.map_err(|error| format!("the stand-in for CUDA needs g++: {error}"))?;
    if !done.status.success() {
        return Err(format!("g++ refuses the stand-in for CUDA:\n{}", String::from_utf8_lossy(&done.stderr)));
    }
    std::fs::rename(&made, &library).map_err(said)?;
    Ok(library)
}
