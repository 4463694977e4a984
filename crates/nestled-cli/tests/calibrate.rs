//! `nestled calibrate`: every rate is measured and written, and programs run with whatever the file holds.

use std::path::PathBuf;
use std::process::Command;

/// Runs the command with a file of rates; what it prints.
fn nestled(rates: &PathBuf, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .args(args)
        .env("NESTLED_RATES", rates)
        .output()
        .expect("the command starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn rates_are_measured_and_written() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rates.txt");
    let said = nestled(&file, &["calibrate", "--threads", "1"]);
    assert!(said.contains("rates.txt"), "{said}");
    let text = std::fs::read_to_string(&file).expect("it was written");
    let mut rates = nestled_pass::time::Rates::default();
    rates.read(&text).expect("it is well-formed");
    assert!(rates.launch > 0.0 && rates.work.iter().all(|rate| *rate > 0.0), "{text}");
    for curve in [rates.stream, rates.gather, rates.scatter, rates.combine] {
        assert!(curve.0.windows(2).all(|pair| pair[0].0 < pair[1].0), "{text}");
    }
    let sum = ["run", "-e", "sum({x * x : x in [1:4]})"];
    assert_eq!(nestled(&file, &sum), "it = 14 : int\n");
    std::fs::write(&file, "these are no rates").expect("it can be written");
    assert_eq!(nestled(&file, &sum), "it = 14 : int\n");
}

#[test]
fn a_file_that_holds_no_rates_is_warned_of() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no-rates.txt");
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nestled"));
        let output =
            command.args(["run", "-e", "sum({x * x : x in [1:4]})"]).env("NESTLED_RATES", &file).output();
        String::from_utf8(output.expect("the command starts").stderr).expect("text")
    };
    std::fs::write(&file, "launch 5\nlaunch many\n").expect("it can be written");
    let said = run();
    assert!(said.contains("line 2: `launch many` is no rate"), "{said}");
    std::fs::write(&file, "launch 5\n").expect("it can be written");
    assert_eq!(run(), "");
    std::fs::remove_file(&file).expect("it is there");
    let said = run();
    assert!(said.contains("no-rates.txt"), "{said}");
}
