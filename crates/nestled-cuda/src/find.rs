//! Where the driver and NVRTC may lie: where the user says, on the loader's path; NVRTC also in a toolkit or in a wheel of Python.

use std::path::{Path, PathBuf};

/// The library itself, or the folder that it lies in.
pub const VARIABLE: &str = "NESTLED_NVRTC";

/// Names that loaders know it by, the newest first.
const NAMES: [&str; 5] =
    ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", "nvrtc64_120_0.dll"];

/// cuBLAS itself, or the folder that it lies in.
pub const CUBLAS: &str = "NESTLED_CUBLAS";

/// Names that loaders know it by, the newest first.
const CUBLASES: [&str; 5] =
    ["libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so", "cublas64_12.dll"];

/// The driver itself.
pub const DRIVER: &str = "NESTLED_CUDA";

/// Names that loaders know the driver by; the second is where Windows' Linux has it.
const DRIVERS: [&str; 3] = ["libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "nvcuda.dll"];

/// All places to try for the driver: only what the user says, if anything.
pub fn drivers() -> Vec<PathBuf> {
    match std::env::var_os(DRIVER).map(PathBuf::from) {
        Some(said) => vec![said],
        None => DRIVERS.map(PathBuf::from).to_vec(),
    }
}

/// All places to try for NVRTC, the best first.
pub fn candidates() -> Vec<PathBuf> {
    places(VARIABLE, &NAMES, "nvidia/cuda_nvrtc/lib")
}

/// All places to try for cuBLAS, the best first.
pub fn cublas() -> Vec<PathBuf> {
    places(CUBLAS, &CUBLASES, "nvidia/cublas/lib")
}

/// All places for a library of the toolkit's: what a variable says, then where loaders look, the toolkit, and a wheel of Python.
fn places(variable: &str, names: &[&str], wheel: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let add_folder = |folder: &Path, found: &mut Vec<PathBuf>| {
        found.extend(names.iter().map(|name| folder.join(name)).filter(|path| path.exists()));
    };
    if let Some(said) = std::env::var_os(variable).map(PathBuf::from) {
        if said.is_dir() {
            add_folder(&said, &mut found);
        } else {
            found.push(said);
        }
    }
    found.extend(names.iter().map(PathBuf::from));
    if let Some(toolkit) = std::env::var_os("CUDA_PATH").map(PathBuf::from) {
        add_folder(&toolkit.join("lib64"), &mut found);
    }
    for folder in entries(Path::new("/usr/local"), "cuda") {
        add_folder(&folder.join("lib64"), &mut found);
    }
    for packages in site_packages() {
        add_folder(&packages.join(wheel), &mut found);
        add_folder(&packages.join("nvidia/cu13/lib"), &mut found);
    }
    found
}

/// Folders in which Python keeps its packages.
fn site_packages() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local"));
    let environment = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    // The environment of the `python3` that a shell would run, activated or not.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let bin = std::env::split_paths(&path).find(|folder| folder.join("python3").exists());
    let running = bin.and_then(|bin| bin.parent().map(Path::to_path_buf));
    let system = ["/usr/local", "/usr"].map(PathBuf::from);
    let roots = environment.into_iter().chain(running).chain(home).chain(system);
    let mut found = Vec::new();
    for root in roots {
        for python in entries(&root.join("lib"), "python3") {
            found.push(python.join("site-packages"));
            found.push(python.join("dist-packages"));
        }
    }
    found
}

/// Entries of a folder whose names begin so, in order.
fn entries(folder: &Path, begin: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let named = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with(begin);
    let mut found: Vec<PathBuf> = entries.flatten().filter(named).map(|entry| entry.path()).collect();
    found.sort();
    found
}
