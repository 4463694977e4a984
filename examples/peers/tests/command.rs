//! The command: one of ours alone, and a comparison with stand-ins for the peers.

use crate::given::{Given, noise};
use nestled_peers::record::Record;
use std::path::Path;
use std::process::{Command, Output};

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nestled-peers"));
    command.args(args);
    command
}

fn text(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn given(name: &str) -> Given {
    Given::new(name).with("x", &noise(5000, 1), &[5000]).with("y", &noise(5000, 2), &[5000])
}

#[test]
fn one_is_measured() {
    let given = given("run");
    let folder = given.0.to_string_lossy().into_owned();
    let result = given.0.join("result.npy");
    let args = ["run", "N12", "--data", &folder, "--size", "large", "--result"];
    let output = command(&args).arg(&result).output().expect("it runs");
    let (said, errors) = text(&output);
    let record = Record::parse(said.trim()).unwrap_or_else(|| panic!("{said}{errors}"));
    assert_eq!((record.workload.as_str(), record.size.as_str()), ("N12", "large"));
    assert!(
        record.least <= record.median && record.least > Some(0.0) && record.first > Some(0.0),
        "{record:?}"
    );
    assert!(record.repeats >= Some(7.0) && record.lines == Some(4.0), "{record:?}");
    assert!(result.is_file());
}

#[test]
fn kernels_are_shown() {
    let given = given("explain");
    let output = command(&["run", "N12", "--explain", "--data"]).arg(&given.0).output().expect("it runs");
    let (said, errors) = text(&output);
    assert!(said.contains("kernel"), "{said}{errors}");
}

#[test]
fn what_is_missing_is_said() {
    let output = command(&["compare", "N1", "--peers", "nowhere"]).output().expect("it runs");
    let (_, errors) = text(&output);
    assert!(!output.status.success() && errors.contains("NESTLED_PEERS"), "{errors}");
    let output = command(&["run", "N13", "--data", "nowhere"]).output().expect("it runs");
    let (_, errors) = text(&output);
    assert!(!output.status.success() && errors.contains("N8I"), "{errors}");
}

/// With stand-ins: C takes two seconds, Numba is wrong, SciPy has no program.
fn compared(given: &Given, more: &[&str]) -> Output {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand-in");
    command(&["compare", "N12", "--rounds", "1", "--retries", "0", "--quiet-wait", "0", "--peers"])
        .arg(&peers)
        .args(more)
        .env("NESTLED_PEERS_PYTHON", peers.join("python"))
        .env("PEERS_CACHE", &given.0)
        .output()
        .expect("it runs")
}

#[test]
fn a_comparison_is_a_table_and_lines() {
    let given = given("compare");
    let (json, md) = (given.0.join("all.json"), given.0.join("all.md"));
    let [json_name, md_name] = [&json, &md].map(|path| path.to_string_lossy().into_owned());
    let output = compared(&given, &["--size", "small", "--json", &json_name, "--md", &md_name]);
    let (said, errors) = text(&output);
    assert!(output.status.success(), "{errors}");
    let row = said.lines().find(|line| line.starts_with("| N12 ")).unwrap_or_else(|| panic!("{said}"));
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[5], "2000 (1500)", "{row}");
    assert_eq!(&cells[7..9], ["–", "–"], "what is wrong is no peer: {row}");
    assert_eq!((cells[14], cells[15]), ("20", "4"), "{row}");
    assert!(said.contains("Geometric mean"), "{said}");
    assert_eq!(std::fs::read_to_string(md).expect("a table").trim(), said.trim());
    let lines = std::fs::read_to_string(json).expect("lines");
    let records: Vec<Record> = lines.lines().filter_map(Record::parse).collect();
    let found = |system: &str| records.iter().find(|record| record.system == system);
    let ours = found("nestled").unwrap_or_else(|| panic!("{lines}"));
    assert_eq!((ours.check.as_str(), ours.detail.as_str()), ("ok", "no error"));
    assert!(ours.first > Some(0.0) && ours.first_warm > Some(0.0) && ours.size == "small", "{ours:?}");
    assert_eq!(found("numba").map(|record| record.check.as_str()), Some("FAIL"));
    assert_eq!(found("scipy"), None);
}

#[test]
fn only_what_is_installed_is_compared_with() {
    let given = given("against");
    let (_, errors) = text(&compared(&given, &["--against", "c,jax"]));
    assert!(errors.contains("`jax` is not installed; there are: c, scipy, numba"), "{errors}");
}
