//! The examples in NESL on a GPU, or on software Vulkan: they print what they print on the CPU.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(example: &Path, device: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .args(["run", "--device", device, "--memory", "64M"])
        .arg(example)
        .current_dir(root())
        .output()
        .expect("nestled starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} on {device}: {errors}", example.display());
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn examples_print_the_same() {
    let required = std::env::var_os("NESTLED_GPU_REQUIRED").is_some_and(|value| !value.is_empty());
    if nestled_wgpu::adapters().is_empty() {
        assert!(!required, "there is no WebGPU adapter; install mesa-vulkan-drivers");
        eprintln!("SKIPPED: there is no WebGPU adapter; mesa-vulkan-drivers has one in software");
        return;
    }
    let entries = std::fs::read_dir(root().join("examples")).expect("the folder is there");
    let mut examples: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    examples.retain(|path| path.extension().is_some_and(|extension| extension == "nesl"));
    // It has as many kernels as all others together, which are those of the plane.
    examples.retain(|path| !path.ends_with("barnes_hut_3d.nesl"));
    assert!(examples.len() > 12, "{examples:?}");
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(4) {
            scope.spawn(|| {
                while let Some(example) =
                    examples.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    assert_eq!(run(example, "wgpu"), run(example, "cpu"), "{}", example.display());
                }
            });
        }
    });
}

#[test]
fn the_environment_names_a_device() {
    let means = root().join("examples/means.lcu");
    let run = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nestled"));
        command.env("NESTLED_DEVICE", name).args(["run", "--stats"]).arg(&means).arg("[[1, 2, 3], [10]]");
        let output = command.output().expect("nestled starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, errors) = run("gpu");
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("NESTLED_DEVICE: `gpu` is no device; one of cpu, cuda"), "{errors}");
    let (code, errors) = run("wgpu:1000");
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("there is no WebGPU adapter"), "{errors}");
    assert_eq!(run("").0, Some(0));
    let (code, errors) = run("auto");
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("note: kernels run on "), "{errors}");
}

#[test]
fn devices_are_listed() {
    let output = Command::new(env!("CARGO_BIN_EXE_nestled")).arg("devices").output().expect("nestled starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let first: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(first.starts_with(&["cpu", "reference"]), "{text}");
    assert!(first[2].starts_with("cuda"), "{text}");
    assert!(first.last().is_some_and(|last| last.starts_with("wgpu")), "{text}");
}

#[test]
fn the_cpu_says_what_compiles_for_it() {
    let cpu = |library: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nestled"));
        command.arg("devices");
        library.map(|library| command.env("NESTLED_LLVM", library));
        let output = command.output().expect("nestled starts");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(cpu(None).lines().next().is_some_and(|line| line.contains("threads; LLVM ")), "{}", cpu(None));
    let without = cpu(Some("/nowhere/libLLVM.so"));
    assert!(without.contains("without LLVM kernels are interpreted"), "{without}");
    assert!(without.contains("/nowhere/libLLVM.so"), "{without}");
}

fn says(args: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .args(args)
        .current_dir(root())
        .output()
        .expect("nestled starts");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

const MEANS: [&str; 3] = ["run", "examples/means.lcu", "[[1, 2, 3], [10], [4, 6]]"];

#[test]
fn devices_that_are_not_there_are_refused_in_words() {
    let (done, text) = says(&[&MEANS[..], &["--device", "wgpu:99"]].concat());
    assert!(!done && text.contains("there is no WebGPU adapter"), "{text}");
    assert!(text.contains("help: `nestled devices` lists what there is"), "{text}");
    if nestled_cuda::cards().is_err() {
        let (done, text) = says(&[&MEANS[..], &["--device", "cuda"]].concat());
        assert!(!done && text.starts_with("error: "), "{text}");
        assert!(text.contains("libcuda.so.1") || text.contains("NVRTC") || text.contains("card"), "{text}");
        assert!(!text.contains("panicked"), "{text}");
    }
}

#[test]
fn auto_says_what_it_takes() {
    let (done, text) = says(&[&MEANS[..], &["--device", "auto"]].concat());
    assert!(done && text.contains("note: kernels run on "), "{text}");
}
