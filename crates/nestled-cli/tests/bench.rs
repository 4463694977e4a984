//! `nestled bench`: every statement is measured at every size, files of measurements are compared, and what has become slower is a failure.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn bench(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nestled"));
    command.arg("bench").args(args).args(["--time", "0.01", "--threads", "1"]);
    command.output().expect("the command starts")
}

/// Runs it, and returns what it prints.
fn measured(args: &[&str]) -> String {
    let output = bench(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

const PROGRAM: &str = "n = 10; v = {i * i : i in [0:n]}; #v; sum({x : x in v | x > 5});";

#[test]
fn statements_are_measured_at_each_size() {
    let (file, chart) = (scratch("bench.json"), scratch("bench.svg"));
    let (file, chart) = (file.to_str().expect("a name"), chart.to_str().expect("a name"));
    let text = measured(&["-e", PROGRAM, "--n", "100,2000", "--json", file, "--svg", chart]);
    for line in [" 100 ", " 2000 "] {
        assert_eq!(text.matches(line).count(), 2, "{text}");
    }
    assert!(text.contains("sum({x : x in v") && !text.contains("it ="), "{text}");
    let svg = std::fs::read_to_string(chart).expect("a chart");
    assert_eq!(svg.matches("<polyline").count(), 2, "{svg}");

    // Nothing is slower than what took an hour, everything is slower than what took no time.
    let json = std::fs::read_to_string(file).expect("measurements");
    let with_all = |value: &str| {
        let lines = json.lines().map(|line| match line.split_once("\"median\":") {
            Some((before, _)) => {
                let end = if line.ends_with(',') { "}," } else { "}" };
                format!("{before}\"median\":{value},\"low\":{value},\"high\":{value}{end}")
            }
            None => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let sizes = ["-e", PROGRAM, "--n", "100,2000", "--compare", file];
    std::fs::write(file, with_all("3600")).expect("it can be written");
    assert!(measured(&sizes).contains("ratio"));
    std::fs::write(file, with_all("1e-12")).expect("it can be written");
    let output = bench(&sizes);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("  slower").count(), 4);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "slower: 4 measurements\n");
    let other = bench(&["-e", PROGRAM, "--n", "7", "--compare", file]);
    assert_eq!(other.status.code(), Some(2), "no size is in the file");
}

#[test]
fn functions_of_lcu_are_measured() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/means.lcu");
    let text = measured(&[program, "[[1, 2, 3], [10], [4, 6]]"]);
    assert!(text.starts_with("main  ") && text.lines().count() == 3, "{text}");
}

#[test]
fn what_cannot_be_measured_is_said() {
    for (args, wanted) in [
        (&["-e", "1 + 1"][..], "no statement launches a kernel"),
        (&["-e", PROGRAM, "--n", "many"], "sizes are wanted"),
        (&["-e", "sum([1, 2])", "--n", "10"], "the program has no name `n`"),
        (&["-e", PROGRAM, "--compare", "not-there.json"], "not-there.json"),
        (&["-e", PROGRAM, "--json", "x.txt"], "json"),
        (&["-e", PROGRAM, "--svg", "x.svg"], "--n"),
        (&["examples/x.vcode"], "nestled compare"),
        (&["-e", "sum([1, 2] -> [5])"], "outside of the sequence"),
    ] {
        let output = bench(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(wanted), "{args:?}: {said}");
    }
}
