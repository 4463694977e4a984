//! `--fuse ilp` with and without a solver of integer programs, and `--lp`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn explain(options: &[&str], solver: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nestled"));
    command.args(["explain", "benches/plans/ranks.lcu"]).args(options);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    if let Some(path) = solver {
        command.env("NESTLED_MIP", path);
    }
    command.output().expect("nestled starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("nestled-ilp-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn without_a_solver_the_error_says_how_to_get_one() {
    let output = explain(&["--fuse", "ilp"], Some(Path::new("/no/such/highs")));
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.starts_with("error: NESTLED_MIP names `/no/such/highs`, which is not a solver"), "{said}");
    assert!(said.contains("pip install highspy"), "{said}");
}

#[test]
fn a_sandbox_starts_no_solver() {
    let output = explain(&["--fuse", "ilp", "--sandbox"], None);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("refused by --sandbox"), "{}", text(&output.stderr));
}

#[test]
fn the_program_of_each_region_is_written() {
    let folder = folder("written");
    let output = explain(&["--lp", folder.to_str().unwrap()], None);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let program = std::fs::read_to_string(folder.join("1-main.lp")).unwrap();
    assert!(
        program.starts_with("\\ fn main at benches/plans/ranks.lcu:27\n\\ run 1: load over [n]\n"),
        "{program}"
    );
    assert!(program.contains("\nMinimize\n cost: + "), "{program}");
    assert!(program.ends_with("\nEnd\n"), "{program}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// A solver that writes what it is told, whatever the program is.
#[cfg(unix)]
fn stand_in(folder: &Path, solution: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("cbc");
    std::fs::write(folder.join("answer.txt"), solution).unwrap();
    // The last argument is the file for the solution.
    let answer = folder.join("answer.txt");
    let script = format!(
        "#!/bin/sh\nfor last; do :; done\n[ \"$last\" = -quit ] || cp '{}' \"$last\"\n",
        answer.display()
    );
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[cfg(unix)]
#[test]
fn nonsense_of_a_solver_is_a_warning_and_changes_no_plan() {
    let folder = folder("nonsense");
    let plain = explain(&["--json"], None);
    let solver = stand_in(&folder, "I feel unwell\n");
    let output = explain(&["--json", "--fuse", "ilp"], Some(&solver));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).starts_with("warning: `"), "{}", text(&output.stderr));
    let plan = |output: &Output| {
        let (_, rest) =
            text(&output.stdout).split_once("\"plan\":").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        rest.split_once(']').unwrap().0.to_owned()
    };
    assert_eq!(plan(&output), plan(&plain));
    // A bound alone, and no values.
    let solver = stand_in(&folder, "Optimal - objective value 1\n");
    let output = explain(&["--fuse", "ilp"], Some(&solver));
    assert!(text(&output.stdout).contains("not proved optimal"), "{}", text(&output.stdout));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_solver_proves_the_plan() {
    let output = explain(&["--fuse", "ilp"], None);
    if output.status.code() == Some(2)
        && text(&output.stderr).contains("no solver of integer programs is here")
    {
        println!("skipped: no solver");
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("solver: proved optimal"), "{said}");
    assert!(said.contains("integer program: solved in "), "{said}");
    assert!(said.contains("the default search is within 0.00 % of this plan"), "{said}");
}
