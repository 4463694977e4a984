//! The tests of a module once more, in a process of their own whose engines use another device.

use nestled_test::{gpu, stand_in};
use std::path::Path;
use std::process::Command;

/// Through WebGPU. The module is its path, as `module_path!()` has it.
pub fn webgpu(module: &str) {
    if gpu::has_adapter() {
        again(module, "wgpu", None);
    }
}

/// On CUDA, without a card.
pub fn cuda(module: &str) {
    if stand_in::is_there() {
        again(module, "cuda", Some(stand_in::library().unwrap()));
    }
}

/// Returns how many of `all` random cases are tried here: on a GPU a third, unless `NESTLED_TEST_ALL` is set. What differs between devices is compared by the corpus.
pub fn some_of(all: u64) -> u64 {
    if is_sample() { all.div_ceil(3) } else { all }
}

/// True if tests run on a GPU, where they take some of the types only, unless `NESTLED_TEST_ALL` is set.
pub fn is_sample() -> bool {
    std::env::var_os("NESTLED_DEVICE").is_some() && std::env::var_os("NESTLED_TEST_ALL").is_none()
}

fn again(module: &str, device: &str, library: Option<&Path>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let (_, module) = module.split_once("::").expect("a module of this program");
    command.args([&format!("{module}::"), "--skip", "all_on_"]).env("NESTLED_DEVICE", device);
    if let Some(library) = library {
        command.env("NESTLED_CUDA", library).env("NESTLED_NVRTC", library);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "on {device}:\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains(" 0 passed"), "nothing ran on {device}:\n{text}");
}
