//! The data files and random programs on CUDA without a card: kernels are compiled by g++, and run on the stand-in for the driver.

use nestled_ir::Program;
use nestled_ir::interp::{Error, World};
use nestled_ir::value::{AxisValue, Value};
use nestled_pass::{DEFAULT, PassContext, PassOptions};
use nestled_test::check::{check_case, gpu_engines};
use nestled_test::corpus::{Engine, check_programs, interpret};
use nestled_test::generate::{Size, generate};
use nestled_test::{gpu, stand_in};
use std::ops::Range;
use std::path::PathBuf;

const PLAIN: Engine = Engine { name: "CUDA", run: gpu::stand_in_engine };
const OPTIMISED: Engine = Engine { name: "CUDA, after all passes", run: optimised };
const INTERPRETER: Engine = Engine { name: "the interpreter", run: interpret };

fn optimised(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    let options = PassOptions { verify: true, keep_all: true, strict_math: true, ..PassOptions::default() };
    let optimised = nestled_pass::run(program, DEFAULT, &mut PassContext::new(options));
    let optimised = optimised.map_err(|bug| Error::BadArgument(bug.to_string()))?;
    gpu::stand_in_engine(&optimised, function, shapes, args, world)
}

/// One folder of data files. There are several tests, so that they run side by side.
fn check(name: &str, engines: &[Engine], least_files: usize, least_cases: usize) {
    if stand_in::is_there() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name);
        check_programs(&folder, engines, &[]).finish(name, least_files, least_cases);
        println!("{:#?}", gpu::counts());
    }
}

#[test]
fn programs_of_kernels() {
    check("programs/kernels", &[INTERPRETER, PLAIN], 120, 900);
}

#[test]
fn programs_of_host_code() {
    check("programs/host", &[INTERPRETER, PLAIN, OPTIMISED], 60, 300);
}

#[test]
fn programs_of_operations() {
    check("programs/ops", &[INTERPRETER, PLAIN], 30, 1300);
}

#[test]
fn programs_of_front_ends() {
    check("programs/vcode", &[INTERPRETER, PLAIN], 60, 200);
}

/// Runs that stop where they would wait.
#[test]
fn programs_that_stop() {
    let stopping = Engine { name: "CUDA, stopping", run: gpu::stopping_stand_in_engine };
    check("programs/rt", &[INTERPRETER, stopping], 15, 100);
}

#[test]
fn programs_of_the_runtime() {
    check("programs/rt", &[INTERPRETER, PLAIN], 15, 100);
    check("programs/interp", &[INTERPRETER, PLAIN], 10, 50);
}

#[test]
fn examples() {
    check("programs/examples", &[INTERPRETER, PLAIN, OPTIMISED], 25, 200);
    check("../examples", &[INTERPRETER, PLAIN, OPTIMISED], 3, 30);
}

/// Checks the programs of some seeds with one of the ways to use CUDA.
fn check_seeds(seeds: Range<u64>, engine: usize) {
    if !stand_in::is_there() {
        return;
    }
    let engines = &gpu_engines()[engine..=engine];
    assert!(engines[0].name.ends_with("CUDA"), "{}", engines[0].name);
    let mut good = 0;
    for seed in seeds.clone() {
        match check_case(&generate(seed, Size::TINY), engines) {
            Ok(outcome) => good += usize::from(outcome.end.is_ok()),
            Err(failure) => panic!("seed {seed}: {}: {}", failure.stage, failure.message),
        }
    }
    assert!(good > seeds.count() / 2, "only {good} programs end with results");
}

#[test]
fn random_programs() {
    check_seeds(0..50, 2);
}

#[test]
fn random_programs_after_all_passes() {
    check_seeds(50..100, 3);
}
