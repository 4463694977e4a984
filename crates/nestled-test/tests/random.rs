//! Random programs.

use nestled_ir::{render_all, verify::verify};
use nestled_test::generate::{Size, generate};

#[test]
fn random_programs_are_well_formed() {
    for seed in 0..2000 {
        let program = generate(seed, Size::QUICK).program;
        if let Err(diagnostics) = verify(&program) {
            panic!("seed {seed}: {}", render_all(&diagnostics, &program.sources));
        }
    }
}

#[test]
fn a_seed_always_gives_the_same_program() {
    for seed in 0..50 {
        let (a, b) = (generate(seed, Size::NORMAL), generate(seed, Size::NORMAL));
        assert_eq!(a.program, b.program, "seed {seed}");
    }
}
