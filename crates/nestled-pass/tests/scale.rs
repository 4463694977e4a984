//! Large programs are simplified in time about linear in their size.

use nestled_ir::{text, verify};
use nestled_pass::{PassContext, PassOptions, run, simplify};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A chain of kernels that `main` runs one after another, each with something to simplify.
fn source(n_kernels: usize) -> String {
    let mut source = String::new();
    for k in 0..n_kernels {
        let _ = write!(
            source,
            "kernel k{k}(xs: [n]i32, unused: [n]i32) over n {{
  p = map {{ i => add (mul xs[i] 1) {k} }}
  q = map {{ i => add xs[i] {k} }}
  y = map {{ i =>
    s = for j in 0..4 with (s = 0i32) {{ add s (sub (mul 2 p[i]) (add 0 q[i])) }}
    add s (add xs[i] (add 1 (add 2 p[i])))
  }}
  d = reduce {{ i => div xs[i] 3 }} add
  ret y, d
}}
"
        );
    }
    source.push_str("fn main(xs: [n]i32) -> [n]i32 {\n");
    for k in 0..n_kernels {
        let before = if k == 0 { "xs".to_owned() } else { format!("y{}", k - 1) };
        let _ = writeln!(source, "  (y{k}, d{k}) = run k{k}({before}, xs)");
    }
    let _ = writeln!(source, "  ret y{}\n}}", n_kernels - 1);
    source
}

fn simplify_time(n_kernels: usize) -> Duration {
    let program = text::parse("chain.lcu", &source(n_kernels)).unwrap_or_else(|failure| panic!("{failure}"));
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
