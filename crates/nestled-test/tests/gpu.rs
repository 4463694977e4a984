//! The data files and random programs on GPUs: software Vulkan, where nothing else is there.

use nestled_ir::Program;
use nestled_ir::interp::{self, Error, World};
use nestled_ir::value::{AxisValue, Value};
use nestled_pass::{DEFAULT, PassContext, PassOptions};
use nestled_test::corpus::{Engine, check_programs};
use nestled_test::gpu;
use std::path::PathBuf;

const ENGINES: &[Engine] = &[
    Engine { name: "the interpreter", run: interpret },
    Engine { name: "WebGPU", run: webgpu },
    Engine { name: "WebGPU, after all passes", run: webgpu_optimised },
];

fn interpret(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    interp::run(program, function, shapes, args, &interp::Limits::default(), world)
}

fn webgpu(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    gpu::run(program, function, shapes, args, world).map_err(|error| match error {
        nestled_rt::Error::Fault(fault) => Error::Fault(fault),
        other => Error::BadArgument(other.to_string()),
    })
}

fn webgpu_optimised(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    let options = PassOptions { verify: true, keep_all: true, strict_math: true, ..PassOptions::default() };
    let optimised = nestled_pass::run(program, DEFAULT, &mut PassContext::new(options));
    webgpu(&optimised.map_err(|bug| Error::BadArgument(bug.to_string()))?, function, shapes, args, world)
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

/// One folder of data files. There are several tests, so that they run side by side.
fn check(name: &str, least_files: usize, least_cases: usize) {
    if gpu::has_adapter() {
        check_programs(&folder(name), ENGINES, &[]).finish(name, least_files, least_cases);
        println!("{:#?}", gpu::counts());
    }
}

#[test]
fn programs_of_kernels() {
    check("programs/kernels", 120, 1200);
}

#[test]
fn programs_of_host_code() {
    check("programs/host", 60, 300);
}

#[test]
fn programs_of_operations() {
    check("programs/ops", 30, 1500);
}

#[test]
fn programs_of_front_ends() {
    check("programs/vcode", 60, 200);
}

#[test]
fn programs_of_the_runtime() {
    check("programs/rt", 15, 100);
    check("programs/interp", 10, 50);
}

#[test]
fn examples() {
    check("programs/examples", 25, 200);
    check("../examples", 3, 30);
}
