//! Large programs are simplified in time about linear in their size.

use crate::common::chain;
use nestled_ir::{text, verify};
use nestled_pass::{PassContext, PassOptions, reads, rematerialise, run, simplify};
use std::time::{Duration, Instant};

fn simplify_time(n_kernels: usize) -> Duration {
    let program =
        text::parse("chain.lcu", &chain::source(n_kernels)).unwrap_or_else(|failure| panic!("{failure}"));
    let start = Instant::now();
    let mut cx = PassContext::new(PassOptions { verify: false, ..PassOptions::default() });
    let simple = run(&program, &[&simplify::PASS], &mut cx).unwrap();
    let time = start.elapsed();
    verify::verify(&simple).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert!(simple.kernels.iter().all(|kernel| kernel.steps.len() == 2 && kernel.params.len() == 1));
    time
}

#[test]
fn a_program_of_500_kernels_takes_no_second() {
    let time = simplify_time(500);
    println!("500 kernels: {time:?}");
    // Far above what it takes (tens of milliseconds), far below what a quadratic pass would.
    assert!(time < Duration::from_secs(3), "{time:?}");
}

/// All default passes, `fuse` among them, take half a second in a release on an idle machine.
#[test]
fn all_passes_of_500_kernels_take_no_second() {
    for source in [chain::source(500), transforms(500)] {
        let program = text::parse("chain.lcu", &source).unwrap_or_else(|failure| panic!("{failure}"));
        let mut cx = PassContext::new(PassOptions { verify: false, ..PassOptions::default() });
        let fused = run(&program, nestled_pass::DEFAULT, &mut cx).unwrap();
        let time: Duration = cx.timings.iter().map(|timing| timing.time).sum();
        println!("500 kernels, {} after all passes: {time:?}", fused.kernels.len());
        // Tests are hardly optimised, and others run beside them.
        assert!(time < Duration::from_secs(5), "{:?}", cx.timings);
    }
}

/// A chain of kernels that mirror, shift, or add what lies beside, each reading what the one before made.
fn transforms(n_kernels: usize) -> String {
    let mut source = String::new();
    let mut body = String::from("fn main(y0: [n]f32) -> [n]f32 {\n");
    for k in 0..n_kernels {
        let thunk = match k % 4 {
            0 => "y[n - 1 - i]".to_owned(),
            1 | 2 => "y[i - 1 clamp]".to_owned(),
            _ => format!("add y[i] (mul {k}.0 y[i + 1 clamp])"),
        };
        source.push_str(&format!(
            "kernel k{k}(y: [n]f32) over n {{\n  z = map {{ i => {thunk} }}\n  ret z\n}}\n"
        ));
        body.push_str(&format!("  y{} = run k{k}(y{k})\n", k + 1));
    }
    format!("{source}{body}  ret y{n_kernels}\n}}\n")
}

#[test]
fn reads_of_500_kernels_take_no_second() {
    let program =
        text::parse("transforms.lcu", &transforms(500)).unwrap_or_else(|failure| panic!("{failure}"));
    let mut cx = PassContext::new(PassOptions { verify: false, ..PassOptions::default() });
    let passes = [&simplify::PASS, &reads::PASS, &simplify::PASS, &rematerialise::PASS, &simplify::PASS];
    let simple = run(&program, &passes, &mut cx).unwrap();
    verify::verify(&simple).unwrap_or_else(|errors| panic!("{errors:?}"));
    for timing in &cx.timings {
        println!("{}: {:?}", timing.pass, timing.time);
        assert!(timing.time < Duration::from_secs(2), "{timing:?}");
    }
    assert!(simple.kernels.len() < 260, "{}", simple.kernels.len());
}

/// An `if` inside an `if`, and so on, as deep as programs may be.
fn nested(depth: usize) -> String {
    let mut thunk = "neg (neg x)".to_owned();
    for level in 0..depth {
        thunk = format!(
            "if gt x {level} {{\n r = add (mul x {level}) 1\n s = {thunk}\n add r s\n}} else {{\n sub x {level} }}"
        );
    }
    format!("thunk f(x: i32) -> i32 {{\n s = {thunk}\n s\n}}\n")
}

#[test]
fn deep_blocks_fit_the_stack_of_a_thread() {
    let source = nested(200);
    let program = text::parse("deep.lcu", &source).unwrap_or_else(|failure| panic!("{failure}"));
    verify::verify(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut cx = PassContext::new(PassOptions { verify: true, keep_all: true, ..PassOptions::default() });
    let passes: Vec<&nestled_pass::Pass> = nestled_pass::PASSES.iter().collect();
    let simple = run(&program, &passes, &mut cx).unwrap();
    assert!(!text::print(&simple).contains("neg"), "double negations are gone");
}
