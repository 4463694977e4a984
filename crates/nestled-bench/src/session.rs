//! Timed sessions of NESL, on a device and with a plan of fusion.

use nestled_ir::interp::World;
use nestled_ir::value::{AxisValue, Value};
use nestled_nesl::engine::{Backend, Engine, Halt};
use nestled_nesl::{Dialect, Session};
use nestled_pass::fuse::solve::Planner;
use nestled_pass::{DEFAULT, PassContext, PassOptions};
use nestled_rt::device::Device;
use nestled_rt::{Error, Executable};
use std::fmt;
use std::rc::Rc;
use std::time::Instant;

/// NESL functions that make input data. `kept` materialises a sequence, so that a read of it cannot be replaced by its computation.
pub(crate) const HELPERS: &str = "function kept(v) = v <- {(i, x) : i in index(#v); x in v};
    function numbers(n) = kept({float(1 + rem(i, 16)) : i in index(n)});
    function entries(n, size) = partition(kept({(rem(i * 7919, min(size, 10000)), 0.5) : i in index(n)}), dist(10, n / 10));
    function skewed(counts) = partition(numbers(sum(counts)), counts);";

/// The device, after the passes with one planner.
struct Planned {
    device: Rc<dyn Device>,
    planner: Planner,
}

impl fmt::Debug for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planned").field("planner", &self.planner).finish_non_exhaustive()
    }
}

impl Backend for Planned {
    fn run(
        &mut self,
        program: &nestled_ir::Program,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
    ) -> Result<Vec<Value>, Halt> {
        let executable = compile(program, &self.device, self.planner)?;
        executable.run(nestled_ir::Program::ENTRY, shapes, args, world).map_err(halt)
    }
}

/// Makes a program ready after the passes with a planner.
pub(crate) fn compile(
    program: &nestled_ir::Program,
    device: &Rc<dyn Device>,
    planner: Planner,
) -> Result<Executable, Halt> {
    let limits = nestled_devices::limits(device.describe());
    let options = PassOptions { planner, limits, ..PassOptions::default() };
    let program = nestled_pass::run(program, DEFAULT, &mut PassContext::new(options))
        .map_err(|bug| Halt::Other(format!("the pass {} broke it", bug.pass)))?;
    Executable::new(&program, Rc::clone(device)).map_err(halt)
}

/// The end of a session by an error of a run.
pub(crate) fn halt(error: Error) -> Halt {
    match error {
        Error::Fault(fault) => Halt::Fault(fault.site),
        error => Halt::Other(error.to_string()),
    }
}

/// A session that says how long things take.
pub(crate) struct Clocked(Session);

impl Clocked {
    /// A timed session on a device.
    pub fn new(device: &Rc<dyn Device>) -> Clocked {
        Clocked(session(Dialect::default(), device, Planner::Search))
    }

    /// The last value, which is a pair of floats.
    pub fn evaluate(&mut self, text: &str) -> Result<[f64; 2], String> {
        evaluate(&mut self.0, text)
    }
}

/// A world that has a clock and nothing else.
struct Clock(Instant);

impl nestled_nesl::interp::World for Clock {
    fn print(&mut self, _bytes: &[u8]) {}

    fn report(&mut self, _bytes: &[u8]) {}

    fn seconds(&mut self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    fn read_file(&mut self, name: &str) -> Result<Vec<u8>, String> {
        Err(format!("there is no `{name}`"))
    }

    fn write_file(&mut self, name: &str, _bytes: &[u8], _append: bool) -> Result<(), String> {
        Err(format!("`{name}` cannot be written"))
    }

    fn variable(&mut self, _name: &str) -> String {
        String::new()
    }

    fn read_input(&mut self) -> Option<u8> {
        None
    }
}

/// A session on a device, after the passes with one planner.
pub fn session(dialect: Dialect, device: &Rc<dyn Device>, planner: Planner) -> Session {
    session_on(dialect, Box::new(Planned { device: Rc::clone(device), planner }))
}

/// A session on a back end.
pub(crate) fn session_on(dialect: Dialect, backend: Box<dyn Backend>) -> Session {
    let mut session = Session::new(dialect);
    session.engine = Engine::Flat(backend);
    session
}

/// The last value, which is a pair of floats.
pub fn evaluate(session: &mut Session, text: &str) -> Result<[f64; 2], String> {
    let mut world = Clock(Instant::now());
    let mut last = [0.0; 2];
    for result in session.run("bench", text, &mut world) {
        if !result.errors.is_empty() {
            return Err(nestled_ir::render_all(&result.errors, &session.sources));
        }
        if let Some(fault) = result.fault {
            return Err(fault.diagnostic().render(&session.sources));
        }
        if let Some((nestled_nesl::interp::Value::Pair(parts), _)) = session.value("it") {
            use nestled_nesl::interp::Value::Float;
            if let (Float(left), Float(right)) = (&parts.0, &parts.1) {
                last = [*left, *right];
            }
        }
    }
    Ok(last)
}
