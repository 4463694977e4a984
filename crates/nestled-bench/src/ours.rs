//! Our side of a benchmark: from λcu text to a program that runs on a device, with arguments that stay there.

use crate::bench::{Bench, Case};
use crate::compare::elements;
use nestled_ir::interp::QuietWorld;
use nestled_ir::value::{AxisValue, Buffer, Value, infer_shapes};
use nestled_ir::{Program, render_all};
use nestled_pass::{Pass, PassContext};
use nestled_rt::device::Device;
use nestled_rt::{Event, Executable, Handle, Trace, When};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// A program with its arguments.
pub struct Ours {
    executable: Executable,
    shapes: Vec<Handle>,
    args: Vec<Handle>,
    world: QuietWorld,
    /// Number of kernels that the device did not compile.
    pub interpreted: usize,
}

impl Ours {
    /// Parses, verifies, runs passes, compiles, and copies the arguments to the device.
    ///
    /// # Errors
    /// Any error, as text.
    pub fn new(
        bench: &Bench,
        case: &Case,
        device: &Rc<dyn Device>,
        all_passes: bool,
    ) -> Result<Ours, String> {
        let program = compile(bench, all_passes)?;
        let main = program.find_function(Program::ENTRY).ok_or("it has no `main`")?;
        let shapes = match &case.shapes {
            Some(shapes) => shapes.clone(),
            None => infer_shapes(&program, main, &case.args).map_err(|error| error.to_string())?,
        };
        Ours::of(&program, shapes, &case.args, device)
    }

    /// Compiles a program, and copies the arguments to the device.
    ///
    /// # Errors
    /// Any error, as text.
    pub fn of(
        program: &Program,
        shapes: Vec<AxisValue>,
        args: &[Value],
        device: &Rc<dyn Device>,
    ) -> Result<Ours, String> {
        let diagnostic = |error: nestled_rt::Error| error.diagnostic().render(&program.sources);
        let executable = Executable::new(program, Rc::clone(device)).map_err(diagnostic)?;
        let interpreted = interpreted(program, device).map_err(diagnostic)?;
        // All at once, so that what segmentations the arguments share stays shared.
        let values: Vec<Value> =
            shapes.iter().cloned().map(Value::from).chain(args.iter().cloned()).collect();
        let mut handles = executable.put(&values).map_err(diagnostic)?;
        let args = handles.split_off(shapes.len());
        Ok(Ours { executable, shapes: handles, args, world: QuietWorld::default(), interpreted })
    }

    /// Runs it once, until everything is done; the results stay on the device.
    ///
    /// # Errors
    /// Any error, as text.
    pub fn run(&mut self) -> Result<Vec<Handle>, String> {
        let Ours { executable, shapes, args, world, interpreted: _ } = self;
        let results = executable
            .run_handles(Program::ENTRY, shapes, args, world)
            .map_err(|error| format!("{error:?}"))?;
        executable.device().wait().map_err(|error| format!("{error:?}"))?;
        Ok(results)
    }

    /// Runs it once, and brings its results to the host.
    ///
    /// # Errors
    /// Any error, as text.
    pub fn results(&mut self) -> Result<Vec<Arc<Buffer>>, String> {
        Ok(self.values()?.iter().map(elements).collect())
    }

    /// The same, with their shapes.
    ///
    /// # Errors
    /// Any error, as text.
    pub fn values(&mut self) -> Result<Vec<Value>, String> {
        let results = self.run()?;
        results.iter().map(|handle| handle.to_value().map_err(|error| format!("{error:?}"))).collect()
    }
}

impl fmt::Debug for Ours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ours").finish_non_exhaustive()
    }
}

/// Number of kernels of a program for which a device reports no compilation.
fn interpreted(program: &Program, device: &Rc<dyn Device>) -> Result<usize, nestled_rt::Error> {
    #[derive(Default)]
    struct Compiles(usize);
    impl Trace for Compiles {
        fn event(&mut self, event: Event<'_>, _: When) {
            self.0 += usize::from(matches!(event, Event::Compile { .. }));
        }
    }
    let compiles = Rc::new(RefCell::new(Compiles::default()));
    // Another executable, because nobody watches the one that is timed.
    let _ = Executable::new(program, Rc::clone(device))?.with_trace(compiles.clone());
    Ok(program.kernels.len() - compiles.borrow().0)
}

fn compile(bench: &Bench, all_passes: bool) -> Result<Program, String> {
    let file = format!("benches/{}.lcu", bench.file());
    let program = nestled_ir::text::parse(&file, bench.program).map_err(|failure| failure.to_string())?;
    nestled_ir::verify::verify(&program).map_err(|diagnostics| render_all(&diagnostics, &program.sources))?;
    let passes: &[&Pass] =
        if all_passes { nestled_pass::DEFAULT } else { &[&nestled_pass::expand_math::PASS] };
    nestled_pass::run(&program, passes, &mut PassContext::default()).map_err(|bug| bug.to_string())
}
