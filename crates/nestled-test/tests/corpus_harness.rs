//! The harness notices what it is there to notice.

use nestled_ir::interp::{self, Error, Fault, Limits};
use nestled_ir::{Op, Program};
use nestled_test::corpus::{Engine, Report, Rewrite, check_errors, check_passes, check_programs};
use std::path::PathBuf;

const INTERPRETER: Engine = Engine {
    name: "the interpreter",
    run: |program, function, shapes, args, world| {
        interp::run(program, function, shapes, args, &Limits::default(), world)
    },
};

/// A folder with one file, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, text: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("harness-{name}"));
        std::fs::create_dir_all(&path).expect("the folder of temporary files can be written");
        std::fs::write(path.join("file.lcu"), text).expect("the folder of temporary files can be written");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left over is only in the way of nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const BODY: &str = "
fn f(x: i32) -> i32 {
  y = add x 1
  check (ne y 0) \"ZERO\"
  ret y
}
";

fn assert_fails(report: &Report, words: &str) {
    let found = report.failures();
    assert!(found.iter().any(|failure| failure.contains(words)), "`{words}` is not in {found:?}");
}

#[test]
fn what_is_wrong_with_a_program_is_found() {
    for (name, head, words) in [
        ("result", "; Words\n; run: f(1) = 3", "f(1) on the interpreter: gives 2, not 3"),
        ("count", "; Words\n; run: f(1) = 2, 2", "the stated results are wrong"),
        ("no-fault", "; Words\n; fault: f(1) = ZERO", "gives 2, not a fault"),
        ("fault", "; Words\n; run: f(-1) = 0", "check \"ZERO\" failed"),
        ("other-fault", "; Words\n; fault: f(-1) = ONE", "not `ONE`"),
        ("output", "; Words\n; run: f(1) = 2\n; output: x", "prints [], not [\"x\"]"),
        ("structure", "; Words\n; structure: statements 9", "has statements 3, not 9"),
        ("function", "; Words\n; run: g(1) = 2", "no such function"),
        ("argument", "; Words\n; run: f(x) = 2", "`x` is not a value of type `i32`"),
        ("first-line", "; run: f(1) = 2", "the first line should say in words"),
        ("unknown", "; Words\n; runs: f(1) = 2", "line 2: unknown directive `runs`"),
        ("nothing", "; Words", "the file states nothing"),
        ("place", "; Words\n; error: L0101 1:1 x", "has no place among programs"),
        ("parse", "; Words\n; run: f(1) = 2\nfn", "does not parse"),
    ] {
        let folder = Folder::new(name, &format!("{head}\n{BODY}"));
        assert_fails(&check_programs(&folder.0, &[INTERPRETER], &[]), words);
    }
}

/// An engine that takes another point for the one that faults.
const OFF_BY_ONE: Engine = Engine {
    name: "the other",
    run: |program, function, shapes, args, world| {
        (INTERPRETER.run)(program, function, shapes, args, world).map_err(|error| match error {
            Error::Fault(fault) => Error::Fault(Fault { element: fault.element + 1, ..fault }),
            other => other,
        })
    },
};

#[test]
fn a_fault_at_another_point_is_found() {
    let folder = Folder::new("point", &format!("; Words\n; fault: f(-1) = ZERO\n{BODY}"));
    assert!(check_programs(&folder.0, &[INTERPRETER, INTERPRETER], &[]).failures().is_empty());
    assert_fails(
        &check_programs(&folder.0, &[INTERPRETER, OFF_BY_ONE], &[]),
        "f(-1) on the other: faults with",
    );
}

/// A pass with a mistake: it takes every `add` for a `sub`.
fn spoil(program: &Program) -> Result<Program, String> {
    let mut program = program.clone();
    for function in &mut program.functions {
        for stmt in &mut function.body.stmts {
            if let nestled_ir::HostOp::Scalar { op, .. } = &mut stmt.op {
                *op = if *op == Op::Add { Op::Sub } else { *op };
            }
        }
    }
    Ok(program)
}

fn spoiled() -> Vec<Rewrite> {
    vec![Rewrite { name: "spoil", exact: true, run: Box::new(|program, _| spoil(program)) }]
}

#[test]
fn a_wrong_rewrite_is_found() {
    let folder = Folder::new("rewrite", &format!("; Words\n; run: f(1) = 2\n{BODY}"));
    let report = check_programs(&folder.0, &[INTERPRETER], &spoiled());
    assert_eq!(report.failures().len(), 1);
    assert_fails(&report, "f(1) on the interpreter after `spoil`: error[R0002]: check");
}

#[test]
fn what_is_wrong_with_a_pass_is_found_and_updated() {
    let text = format!("; Words\n; pass: spoil\n; run: f(5) = 6\n{BODY}; expect:\n; fn f() {{\n; }}\n");
    let folder = Folder::new("pass", &text);
    let check = |update| check_passes(&folder.0, &[INTERPRETER], &spoiled(), update);
    assert_fails(&check(false), "on the interpreter after: gives 4, not 6");
    assert_fails(&check(false), "the program is\nfn f(x: i32) -> i32 {\n  y = sub x 1");
    assert_eq!(check(true).failures().len(), 1, "the result stays wrong");
    assert_eq!(check(false).failures().len(), 1, "the program is right now");
}

#[test]
fn a_pass_that_does_not_exist_is_found() {
    let folder = Folder::new("no-pass", &format!("; Words\n; pass: fly\n; run: f(5) = 6\n{BODY}"));
    assert_fails(&check_passes(&folder.0, &[INTERPRETER], &[], false), "there is no pass `fly`");
}

#[test]
fn messages_are_compared_in_all_their_parts() {
    let wrong = BODY.replace("add x 1", "add z 1");
    let right = "; error: L0101 4:11 unknown name `z`";
    let check = |error: &str| {
        let folder = Folder::new("messages", &format!("; Words\n{error}{wrong}"));
        check_errors(&folder.0)
    };
    assert!(check(right).failures().is_empty(), "{:?}", check(right).failures());
    for other in [
        right.replace("L0101", "L0102"),
        right.replace("4:11", "4:12"),
        right.replace("`z`", "`y`"),
        format!("{right}\n{right}"),
    ] {
        assert_fails(&check(&other), "the messages are");
    }
}

#[test]
fn a_missing_folder_is_found() {
    assert_fails(&check_programs(&PathBuf::from("no/such/folder"), &[INTERPRETER], &[]), "no/such/folder");
}
