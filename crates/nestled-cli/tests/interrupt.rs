//! Ctrl-C, and readers that go away.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// Starts a function that prints without end.
fn start(name: &str, function: &str, device: &str) -> (Child, std::path::PathBuf) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    let child = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .args(["run", "tests/cli/programs/endless.lcu", "0", "--fn", function, "--device", device, "--trace"])
        .arg(&trace)
        .current_dir(root)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("nestled starts");
    (child, trace)
}

fn text(stderr: Option<ChildStderr>) -> String {
    let mut text = String::new();
    stderr.expect("a pipe").read_to_string(&mut text).expect("UTF-8");
    text
}

fn is_whole(trace: &Path) -> bool {
    std::fs::read_to_string(trace).expect("a trace").ends_with("}\n]\n")
}

#[test]
fn ctrl_c_ends_a_run_in_good_order() {
    for function in ["prints", "computes"] {
        let (mut child, trace) = start(&format!("interrupted-{function}"), function, "reference");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        lines.next().expect("a line").expect("UTF-8");
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
        assert!(killed.success());
        lines.for_each(drop);
        let status = child.wait().expect("it ends");
        assert_eq!(text(child.stderr.take()), "interrupted\n");
        assert_eq!(status.code(), Some(130));
        assert!(is_whole(&trace));
    }
}

#[test]
fn ctrl_c_ends_a_kernel_that_goes_on_for_ever() {
    let endless =
        "print_string(\"on\\n\"); function on(x) : int -> int = if x < 0 then x else on(x + 1); on(1)";
    let mut child = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .args(["run", "-e", endless])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("nestled starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    out.read_line(&mut String::new()).expect("a line");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let status = child.wait().expect("it ends");
    assert!(text(child.stderr.take()).starts_with("interrupted"));
    assert_eq!(status.code(), Some(130));
}

#[test]
fn a_reader_that_goes_away_ends_a_run_quietly() {
    let (mut child, trace) = start("unread", "prints", "cpu");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    out.read_line(&mut String::new()).expect("a line");
    drop(out);
    let status = child.wait().expect("it ends");
    assert_eq!(text(child.stderr.take()), "");
    assert_eq!(status.code(), Some(0));
    assert!(is_whole(&trace));
}
