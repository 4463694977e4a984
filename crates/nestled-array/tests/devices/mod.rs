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
