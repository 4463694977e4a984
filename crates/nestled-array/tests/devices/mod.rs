//! The tests of a file once more, in a process of their own whose engines use another device.

use nestled_test::{gpu, stand_in};
use std::path::Path;
use std::process::Command;

/// Through WebGPU.
pub fn webgpu() {
    if gpu::has_adapter() {
        again("wgpu", None);
    }
}

/// On CUDA, without a card.
pub fn cuda() {
    if stand_in::is_there() {
        again("cuda", Some(stand_in::library().unwrap()));
    }
}

fn again(device: &str, library: Option<&Path>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--skip", "all_on_"]).env("NESTLED_DEVICE", device);
    if let Some(library) = library {
        command.env("NESTLED_CUDA", library).env("NESTLED_NVRTC", library);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "on {device}:\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains(" 0 passed"), "nothing ran on {device}:\n{text}");
}
