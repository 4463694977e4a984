//! The runner: what it reports, leaves out, and lets one see.

use nestled_ir::{Program, text};
use nestled_pass::{DEFAULT, PASSES, Pass, PassContext, PassOptions, find, run};
use std::cell::RefCell;
use std::rc::Rc;

const TEXT: &str = "\
kernel k(xs: [n]f32) over n {
  y = map { i => add (mul xs[i] 2.0) 1.0 }
  ret y
}
fn f(xs: [n]f32) -> [n]f32 {
  y = run k(xs)
  ret y
}
";

fn program() -> Program {
    text::parse("test.lcu", TEXT).unwrap_or_else(|failure| panic!("{failure}"))
}

fn context(strict_math: bool) -> PassContext {
    PassContext::new(PassOptions { strict_math, verify: true, ..PassOptions::default() })
}

/// Forgets what the kernel's map binds.
fn break_program(program: &Program, _: &mut PassContext) -> Program {
    let mut program = program.clone();
    program.kernels[0].steps.clear();
    program
}

#[test]
fn a_pass_that_makes_an_invalid_program_is_reported() {
    let broken = Pass { name: "break", summary: "", changes_rounding: false, run: break_program };
    let bug = run(&program(), &[&broken], &mut context(false)).unwrap_err();
    assert_eq!(bug.pass, "break");
    assert!(!bug.diagnostics.is_empty());
    let report = bug.to_string();
    let parts = ["the pass `break`", "error[L02", "before `break`", "mul xs[i", "after `break`", "ret y"];
    let mut rest = report.as_str();
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("no `{part}` in what is left of\n{report}"));
        rest = &rest[at..];
    }
}

#[test]
fn without_verifying_nothing_is_reported() {
    let keep = Pass { name: "keep", summary: "", changes_rounding: false, run: |program, _| program.clone() };
    let mut cx = PassContext::new(PassOptions { verify: false, ..PassOptions::default() });
    assert!(run(&program(), &[&keep], &mut cx).is_ok());
}

#[test]
fn strict_math_leaves_out_what_changes_roundings() {
    let names = |cx: &PassContext| cx.timings.iter().map(|timing| timing.pass).collect::<Vec<_>>();
    let (mut strict, mut free) = (context(true), context(false));
    let kept = run(&program(), DEFAULT, &mut strict).unwrap();
    let fused = run(&program(), DEFAULT, &mut free).unwrap();
    let all: Vec<&str> = DEFAULT.iter().map(|pass| pass.name).collect();
    let rounding = ["contract", "filter-reduce"];
    let exact: Vec<&str> = all.iter().copied().filter(|name| !rounding.contains(name)).collect();
    assert_eq!(names(&free), all);
    assert_eq!(names(&strict), exact);
    assert_eq!(exact.len() + rounding.len(), all.len(), "each of these runs once");
    assert!(text::print(&kept).contains("mul") && !text::print(&kept).contains("fma"));
    assert!(text::print(&fused).contains("fma") && !text::print(&fused).contains("mul"));
}

#[test]
fn the_program_after_each_pass_can_be_seen() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&seen);
    let mut cx = context(false);
    cx.observer =
        Some(Box::new(move |pass, program| sink.borrow_mut().push((pass.name, text::print(program)))));
    let last = run(&program(), DEFAULT, &mut cx).unwrap();
    let seen = seen.borrow();
    assert_eq!(seen.len(), DEFAULT.len());
    assert_eq!(seen.last(), Some(&("split", text::print(&last))));
}

#[test]
fn passes_are_listed_once_in_alphabetical_order() {
    let names: Vec<&str> = PASSES.iter().map(|pass| pass.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    assert!(names.iter().all(|name| find(name).is_some_and(|pass| pass.name == *name)));
    assert!(find("no-such-pass").is_none());
}
