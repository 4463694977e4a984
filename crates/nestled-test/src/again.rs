//! The tests of a module once more, in a process of their own whose engines use another device.

use crate::{gpu, stand_in};
use std::path::Path;
use std::process::Command;

/// The environment variable that names the device of that process.
const DEVICE: &str = "NESTLED_DEVICE";

/// The environment variable that says how the CPU compiles.
const COMPILE: &str = "NESTLED_COMPILE";

/// The environment variable that makes tests complete.
const ALL: &str = "NESTLED_TEST_ALL";

/// Runs them through WebGPU. The module is its path, as `module_path!()` has it.
///
/// # Panics
/// If one fails, none ran, or there is no adapter where there has to be one.
pub fn webgpu(module: &str) {
    if gpu::has_adapter() {
        again(module, &[(DEVICE, Path::new("wgpu"))]);
    }
}

/// Runs them on CUDA, without a card.
///
/// # Panics
/// If one fails, none ran, or the stand-in for a card cannot be built where it has to be.
pub fn cuda(module: &str) {
    if stand_in::is_there() {
        let library = stand_in::library().expect("it is there");
        let envs = [(DEVICE, Path::new("cuda")), ("NESTLED_CUDA", library), ("NESTLED_NVRTC", library)];
        again(module, &envs);
    }
}

/// Runs them on the CPU, which compiles every kernel before its first launch.
///
/// # Panics
/// If one fails, or none ran.
pub fn compiled(module: &str) {
    again(module, &[(DEVICE, Path::new("cpu")), (COMPILE, Path::new("first"))]);
}

/// Returns how many of `all` random cases are tried here: in a process of this kind a third, unless `NESTLED_TEST_ALL` is set. What differs between devices is
/// compared by the corpus.
pub fn some_of(all: u64) -> u64 {
    if is_sample() { all.div_ceil(3) } else { all }
}

/// True in such a process, where tests take some of the types only, unless `NESTLED_TEST_ALL` is set.
pub fn is_sample() -> bool {
    std::env::var_os(DEVICE).is_some() && std::env::var_os(ALL).is_none()
}

/// True where every kernel has to be compiled: on a GPU, and on a CPU that compiles first.
pub fn is_compiled() -> bool {
    let is_gpu = std::env::var_os(DEVICE).is_some_and(|device| device != "cpu");
    is_gpu || std::env::var_os(COMPILE).is_some_and(|when| when == "first")
}

fn again(module: &str, envs: &[(&str, &Path)]) {
    let mut command = Command::new(std::env::current_exe().expect("a program knows itself"));
    let (_, module) = module.split_once("::").expect("a module of this program");
    command.args([&format!("{module}::"), "--skip", "all_on_"]).envs(envs.iter().copied());
    let output = command.output().expect("a program can start itself");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{envs:?}:\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains(" 0 passed"), "nothing ran with {envs:?}:\n{text}");
}
