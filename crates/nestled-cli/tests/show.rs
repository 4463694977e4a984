//! `nestled show --stage` with and without LLVM.

use std::path::Path;
use std::process::{Command, Output};

fn show(stage: &str, llvm: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nestled"));
    command.args(["show", "examples/mandelbrot.lcu", "--stage", stage, "--device-width", "256"]);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    if let Some(path) = llvm {
        command.env("NESTLED_LLVM", path);
    }
    command.output().expect("nestled starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn the_text_for_llvm_needs_no_llvm() {
    let without = show("llvm", Some("/no/such/libLLVM.so"));
    assert_eq!(without.status.code(), Some(0));
    assert!(text(&without.stdout).starts_with("; kernel mandelbrot\n"));
    assert!(text(&without.stdout).contains("define "));
    assert_eq!(show("llvm", None).stdout, without.stdout, "it does not depend on which LLVM there is");
}

#[test]
fn machine_code_needs_llvm_and_says_so() {
    let without = show("asm", Some("/no/such/libLLVM.so"));
    assert_eq!(without.status.code(), Some(1));
    assert_eq!(text(&without.stdout), "");
    assert!(text(&without.stderr).contains("help: let it be the path of a libLLVM"));
}

#[test]
fn machine_code_is_shown() {
    let output = show("asm", None);
    if output.status.code() == Some(1) {
        assert!(text(&output.stderr).contains("help: install one of"), "{}", text(&output.stderr));
        println!("skipped: no LLVM");
        return;
    }
    assert_eq!(output.status.code(), Some(0));
    let code = text(&output.stdout);
    assert!(code.starts_with("# kernel mandelbrot\n"), "{code}");
    assert!(code.contains("\tret"), "{code}");
    #[cfg(target_arch = "x86_64")]
    assert!(!code.contains("%zmm"), "vectors are at most 256 bits wide");
}
