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

#[test]
fn programs() {
    if !gpu::has_adapter() {
        return;
    }
    let report = check_programs(&folder("programs"), ENGINES, &[]);
    println!("{:#?}", gpu::counts());
    report.finish("programs", 310, 1000);
}

#[test]
fn examples() {
    if !gpu::has_adapter() {
        return;
    }
    check_programs(&folder("../examples"), ENGINES, &[]).finish("examples", 3, 6);
}
