//! Random programs mean the same before and after passes.

use nestled_ir::text;
use nestled_pass::{Pass, PassContext, PassOptions, contract, expand_math, run, simplify};
use nestled_test::check::{compare, interpret};
use nestled_test::generate::{Case, Size, generate};

/// The case after some passes, whose results must verify.
fn apply(case: &Case, passes: &[&Pass]) -> Case {
    let mut cx = PassContext::new(PassOptions { strict_math: false, verify: true, keep_all: false });
    let program = run(&case.program, passes, &mut cx).unwrap_or_else(|bug| panic!("{bug}"));
    Case { program, ..case.clone() }
}

/// Checks that passes keep what a program of this seed does.
fn check(seed: u64, name: &str, passes: &[&Pass]) {
    let case = generate(seed, if seed.is_multiple_of(20) { Size::NORMAL } else { Size::QUICK });
    let judge = interpret(&case);
    let changed = apply(&case, passes);
    if let Err(failure) = compare(name, &judge, &interpret(&changed)) {
        panic!(
            "seed {seed}: {}: {}\n{}\n; ---- after ----\n{}",
            failure.stage,
            failure.message,
            text::print(&case.program),
            text::print(&changed.program)
        );
    }
}

/// How many programs; `SEEDS=100000` for a long run.
fn seeds() -> std::ops::Range<u64> {
    let first = std::env::var("SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let count = std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    first..first + count
}

#[test]
fn simplify_keeps_what_random_programs_do() {
    seeds().for_each(|seed| check(seed, "simplify", &[&simplify::PASS]));
}

#[test]
fn expansion_keeps_what_random_programs_do() {
    let passes = [&simplify::PASS, &expand_math::PASS, &simplify::PASS];
    seeds().for_each(|seed| check(seed, "simplify, expand-math, simplify", &passes));
}

#[test]
fn contraction_keeps_random_programs_valid() {
    for seed in seeds() {
        apply(&generate(seed, Size::QUICK), &[&contract::PASS]);
    }
}
