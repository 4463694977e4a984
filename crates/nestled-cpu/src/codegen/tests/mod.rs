//! Tests of thunks at W points: compiled and compared with the interpreter.

mod driver;
mod inputs;
mod paths;

use driver::Driver;
use inputs::Inputs;
use nestled_ir::KernelId;
use nestled_ir::interp::{Limits, Meter, run_kernel};
use nestled_ir::text::parse;
use nestled_ir::value::same_bits;

const THUNKS: &str = include_str!("../../../tests/kernels/thunks.lcu");

#[test]
fn thunks_do_what_the_interpreter_does() {
    let program = parse("thunks.lcu", THUNKS).unwrap_or_else(|failure| {
        panic!("{}", nestled_ir::render_all(&failure.diagnostics, &failure.sources))
    });
    nestled_ir::verify::verify(&program).expect("well-formed");
    let only = std::env::var("NESTLED_TEST_KERNEL").ok();
    for (number, kernel) in program.kernels.iter().enumerate() {
        if only.as_ref().is_some_and(|only| **only != *kernel.name) {
            continue;
        }
        for (bits, lanes) in [(None, 16), (Some(256), 8), (Some(128), 4)] {
            let driver = Driver::new(&program, kernel, bits, lanes);
            for seed in 0..12 {
                let inputs = Inputs::random(kernel, seed);
                let mut meter = Meter::new(&Limits::default());
                let id = KernelId::from(number);
                let expected = run_kernel(&program, id, None, &inputs.shapes, &inputs.args, &mut meter);
                let expected = expected.unwrap_or_else(|error| panic!("{} {seed}: {error}", kernel.name));
                let found = driver.run(&program, kernel, &inputs);
                let what = format!("{} with {lanes} lanes, seed {seed}", kernel.name);
                assert_eq!(found.fault, expected.fault, "{what}: {inputs:?}");
                for (found, expected) in found.values.iter().zip(&expected.values) {
                    assert!(same_bits(found, expected), "{what}: {found:?}, not {expected:?}; {inputs:?}");
                }
            }
        }
    }
}
