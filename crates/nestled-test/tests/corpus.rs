//! The data files in `tests/` at the root of the repository, on every engine there is.

use nestled_ir::Program;
use nestled_ir::interp::{self, Error, Limits, World};
use nestled_ir::value::{AxisValue, Value};
use nestled_rt::{Reference, ReferenceConfig};
use nestled_test::corpus::{Engine, Rewrite, check_errors, check_programs};
use std::path::PathBuf;
use std::rc::Rc;

const ENGINES: &[Engine] = &[
    Engine { name: "the interpreter", run: interpret },
    Engine { name: "the reference device", run: execute },
];

const REWRITES: &[Rewrite] = &[];

fn interpret(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    interp::run(program, function, shapes, args, &Limits::default(), world)
}

fn execute(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    let device = Rc::new(Reference::new(ReferenceConfig { deferred: true, ..ReferenceConfig::default() }));
    nestled_rt::run_on(device, program, function, shapes, args, world).map_err(|error| match error {
        nestled_rt::Error::Fault(fault) => Error::Fault(fault),
        other => Error::BadArgument(other.to_string()),
    })
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

#[test]
fn programs() {
    check_programs(&folder("programs"), ENGINES, REWRITES).finish("programs", 200, 1400);
}

#[test]
fn errors() {
    check_errors(&folder("errors")).finish("errors", 30, 30);
}
