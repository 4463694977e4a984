//! A program that fails gets small.

use nestled_ir::{CombinatorKind, Direction, Op, StmtKind, compact::compact, interp, text::print};
use nestled_test::corpus::{Engine, check_programs};
use nestled_test::generate::{Case, Size, generate};
use nestled_test::reduce::{as_test, reduce};

/// Reduces the first random programs that a predicate holds for, and says how long the longest is.
fn longest(fails: fn(&Case) -> bool) -> usize {
    let failing = (0..3000).map(|seed| generate(seed, Size::QUICK)).filter(fails).take(5);
    let sizes = failing.map(|case| {
        let small = reduce(&case, &fails, 4000);
        assert!(fails(&small));
        print(&small.program).lines().count()
    });
    sizes.max().expect("the predicate holds for some programs")
}

#[test]
fn a_bug_of_backward_scans_needs_few_lines() {
    let lines = longest(|case| {
        let mut steps = case.program.kernels.iter().flat_map(|kernel| &kernel.steps);
        steps.any(|step| matches!(step.kind, CombinatorKind::Scan { direction: Direction::Backward, .. }))
    });
    assert!(lines <= 14, "{lines} lines are left");
}

#[test]
fn a_bug_of_an_operation_in_a_loop_needs_few_lines() {
    let lines = longest(|case| {
        let mut found = false;
        for step in case.program.kernels.iter().flat_map(|kernel| &kernel.steps) {
            step.body.body.walk(&mut |stmt| {
                if let StmtKind::For { body, .. } = &stmt.kind {
                    body.walk(&mut |stmt| {
                        found |= matches!(stmt.kind, StmtKind::Op { op: Op::Xor, .. });
                    });
                }
            });
        }
        found
    });
    assert!(lines <= 20, "{lines} lines are left");
}

#[test]
fn what_is_written_is_a_program_of_the_corpus() {
    let folder = std::env::temp_dir().join(format!("nestled-reduce-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let quiet = |case: &Case| !print(&case.program).contains("print ");
    let cases = (0..200).map(|seed| generate(seed, Size::QUICK)).filter(quiet).take(60);
    for (at, case) in cases.enumerate() {
        let case = Case { program: compact(&case.program), ..case };
        std::fs::write(folder.join(format!("{at}.lcu")), as_test(&case, "found: by nobody")).unwrap();
    }
    let engine = Engine {
        name: "the interpreter",
        run: |program, function, shapes, args, world| {
            interp::run(program, function, shapes, args, &interp::Limits::default(), world)
        },
    };
    let report = check_programs(&folder, &[engine], &[]);
    std::fs::remove_dir_all(&folder).unwrap();
    report.finish("random programs", 60, 50);
}
