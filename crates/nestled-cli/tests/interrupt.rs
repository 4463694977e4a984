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
    let on = "function on(x) : int -> int = if x < 0 then x else on(x + 1);";
    ends_by_ctrl_c(&format!("{on} on(1)"), "cpu");
}

/// Nothing of what never ends is left out: neither where its result is known, nor where nobody wants it.
#[test]
fn a_recursion_that_does_not_end_is_not_left_out() {
    let on = "function on(n) = if n == 0 then 0 else on(n + 1 - 1);";
    for rest in
        ["on(1)", "let x = on(1) in 5", "#{on(x) : x in [1, 2]}", "{let y = on(x) in x : x in [1, 2]}"]
    {
        for device in ["cpu", "reference", "core"] {
            ends_by_ctrl_c(&format!("{on} {rest}"), device);
        }
    }
}

/// Runs statements that do not end, until Ctrl-C.
fn ends_by_ctrl_c(endless: &str, device: &str) {
    let statements = format!("print_string(\"on\\n\"); {endless}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .args(["run", "--device", device, "-e", &statements])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("nestled starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    out.read_line(&mut String::new()).expect("a line");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(child.try_wait().expect("it can be asked").is_none(), "{endless} has ended on {device}");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let status = child.wait().expect("it ends");
    assert!(text(child.stderr.take()).starts_with("interrupted"), "{endless} on {device}");
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
