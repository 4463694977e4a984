//! Engines, which run programs, and rewrites, which change them.

use nestled_ir::Program;
use nestled_ir::interp::{self, Error, World};
use nestled_ir::value::{AxisValue, Value};
use nestled_pass::Limits;

/// Runs a function of a program.
pub type Run = fn(&Program, &str, &[AxisValue], &[Value], &mut dyn World) -> Result<Vec<Value>, Error>;

/// Rewrites a program, for a device with these limits; an error is the report of a bug.
pub type Change = dyn Fn(&Program, Limits) -> Result<Program, String> + Sync;

/// Something that runs programs: an interpreter, or the executor on a device.
#[derive(Clone, Copy)]
pub struct Engine {
    /// The name in reports.
    pub name: &'static str,
    /// Runs a function.
    pub run: Run,
}

/// Something that rewrites programs: a pass or a list of passes.
pub struct Rewrite {
    /// The name in files and reports.
    pub name: &'static str,
    /// Whether results keep all their bits. If not, only the programs that the rewrite makes are checked.
    pub exact: bool,
    /// Rewrites a program.
    pub run: Box<Change>,
}

/// Runs a function with the interpreter.
pub fn interpret(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    interp::run(program, function, shapes, args, &interp::Limits::default(), world)
}

/// Converts an error of the executor to the interpreter's.
pub fn as_interpreted(error: nestled_rt::Error) -> Error {
    match error {
        nestled_rt::Error::Fault(fault) => Error::Fault(fault),
        other => Error::BadArgument(other.to_string()),
    }
}
