//! NESL on the CPU: the files of `tests/nesl/values`, and random programs on all engines.

#[path = "../../nestled-nesl/tests/common/expectations.rs"]
mod expectations;

use nestled_nesl::Dialect;
use nestled_nesl::engine::Engine;
use nestled_test::cpu::{Cpu, Kernels};
use nestled_test::nesl::compare::FusedOnCpu;
use nestled_test::nesl::{Besides, Verdict, compare, generate, generate_data};

/// The CPU, whose compiler takes its time, and other planners for some.
fn besides(seed: u64) -> Besides {
    Besides { cpu: seed.is_multiple_of(8).then_some(Cpu::NARROW), planners: seed % 4 == 1 }
}

#[test]
fn expressions_have_their_values_on_the_cpu() {
    expectations::all(&|| Engine::Flat(Box::new(FusedOnCpu(Cpu::WIDE, Kernels::InMemory { level: 0 }))));
}

#[test]
fn random_programs_mean_the_same_flattened() {
    for seed in 0..60 {
        let source = generate(seed);
        let verdict = compare(&source, Dialect::default(), besides(seed));
        assert!(!matches!(verdict, Verdict::Differ { .. } | Verdict::Skipped(_)), "{source}\n{verdict:#?}");
    }
}

#[test]
fn random_programs_with_datatypes_mean_the_same_flattened() {
    for seed in 0..40 {
        let source = generate_data(seed);
        let verdict = compare(&source, Dialect::default(), besides(seed));
        assert!(!matches!(verdict, Verdict::Differ { .. } | Verdict::Skipped(_)), "{source}\n{verdict:#?}");
    }
}
