//! Observed back ends: each program of a statement is shown to an observer after it has run, with its arguments and the time that it took.

use crate::exit_codes::Failure;
use nestled_ir::Program;
use nestled_ir::interp::World;
use nestled_ir::value::{AxisValue, Value};
use nestled_nesl::engine::{Backend, Engine, Halt};
use std::fmt;
use std::time::{Duration, Instant};

/// The arguments of the program's entry: shapes, then values.
pub type Arguments<'a> = (&'a [AxisValue], &'a [Value]);

/// A back end, and the observer of its programs that have kernels.
struct Observed<F> {
    inner: Box<dyn Backend>,
    observer: F,
}

/// The same engine, observed.
///
/// # Errors
/// It is the interpreter of nested programs, which runs no kernels.
pub fn observed<F>(engine: Engine, observer: F) -> Result<Engine, Failure>
where
    F: FnMut(&Program, Arguments<'_>, Duration) -> Result<(), Failure> + 'static,
{
    match engine {
        Engine::Core => Err(Failure::usage("the device `core` runs no kernels")),
        Engine::Flat(inner) => Ok(Engine::Flat(Box::new(Observed { inner, observer }))),
    }
}

impl<F> fmt::Debug for Observed<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observed").field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl<F> Backend for Observed<F>
where
    F: FnMut(&Program, Arguments<'_>, Duration) -> Result<(), Failure>,
{
    fn run(
        &mut self,
        program: &Program,
        shapes: &[AxisValue],
        values: &[Value],
        world: &mut dyn World,
    ) -> Result<Vec<Value>, Halt> {
        let start = Instant::now();
        let results = self.inner.run(program, shapes, values, world)?;
        let time = start.elapsed();
        if !program.kernels.is_empty() {
            let outcome = (self.observer)(program, (shapes, values), time);
            outcome.map_err(|failure| Halt::Other(failure.message.trim_end().to_owned()))?;
        }
        Ok(results)
    }
}
