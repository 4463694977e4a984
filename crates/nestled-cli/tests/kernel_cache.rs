//! Processes that share compiled kernels on disk.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A directory that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("nestled-kernels-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Scratch(path)
    }

    fn kernels(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths.filter(|path| path.extension().is_some_and(|end| end == "kernel")).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const ANSWER: &str = "6\n[-1.0, 0.0, 2.0, 2.0, 3.5, 9.25]\n";

/// A program of several kernels, with this directory for them.
fn quicksort(cache: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nestled"));
    command.args(["run", "examples/quicksort.lcu", "[3.5, -1, 2, 2, 9.25, 0]"]);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command
        .env("NESTLED_CACHE", cache)
        .env("NESTLED_COMPILE", "first")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn start(cache: &Path) -> Child {
    quicksort(cache).spawn().expect("nestled starts")
}

/// It must say this, and nothing else.
fn check(output: &Output) {
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), ANSWER);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_warm_start_needs_no_llvm() {
    let scratch = Scratch::new("warm");
    check(&quicksort(&scratch.0).output().unwrap());
    assert!(!scratch.kernels().is_empty());
    let without =
        |cache: &Path| quicksort(cache).env("NESTLED_LLVM", "/nowhere/libLLVM.so").output().unwrap();
    check(&without(&scratch.0));
    // Where nothing is kept, the interpreter gives the same answer, and what to install is said once.
    let output = without(Path::new(""));
    assert_eq!(String::from_utf8_lossy(&output.stdout), ANSWER);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.starts_with("note: kernels are interpreted"), "{said}");
    assert!(said.contains("/nowhere/libLLVM.so") && said.matches("note:").count() == 1, "{said}");
}

#[test]
fn two_processes_at_once() {
    let scratch = Scratch::new("two");
    let children = [start(&scratch.0), start(&scratch.0), start(&scratch.0)];
    children.into_iter().for_each(|child| check(&child.wait_with_output().unwrap()));
    check(&quicksort(&scratch.0).output().unwrap());
}

#[test]
fn one_that_is_killed_does_no_harm() {
    let scratch = Scratch::new("killed");
    for millis in [5, 15, 25, 40, 60] {
        let mut child = start(&scratch.0);
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
        check(&quicksort(&scratch.0).output().unwrap());
    }
}

#[test]
fn damaged_kernels_are_compiled_anew() {
    let scratch = Scratch::new("damaged");
    check(&quicksort(&scratch.0).output().unwrap());
    for (number, path) in scratch.kernels().into_iter().enumerate() {
        let mut bytes = std::fs::read(&path).unwrap();
        let at = number * 37 % bytes.len();
        bytes[at] ^= 1;
        bytes.truncate(bytes.len() - number % 2);
        std::fs::write(&path, bytes).unwrap();
    }
    check(&quicksort(&scratch.0).output().unwrap());
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    check(&quicksort(Path::new("/dev/full/kernels")).output().unwrap());
    check(&quicksort(Path::new("")).output().unwrap());
}
