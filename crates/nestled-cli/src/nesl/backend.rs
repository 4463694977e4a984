//! Back end for the flat programs of NESL: the passes, then a device.

use crate::cli::{Repl, Run};
use crate::commands::pass::{context, pass_options};
use crate::device;
use crate::exit_codes::Failure;
use crate::runner::Runner;
use crate::signals;
use crate::watch::Watch;
use nestled_devices::{DeviceChoice, Devices, Opened, Settings};
use nestled_finished::Finished;
use nestled_ir::Program;
use nestled_ir::interp::{Interrupt, World};
use nestled_ir::value::{AxisValue, Value};
use nestled_nesl::engine::{Backend, Engine, Halt};
use nestled_pass::fuse::solve::ilp::Mip;
use nestled_pass::{PassContext, PassOptions};
use nestled_rt::device::Math;
use nestled_rt::{Error, Executable, Reference};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Instant;

/// The watch shared by the runs of all statements.
pub type SharedWatch = Rc<RefCell<Watch>>;

/// A device, with the options by which programs are prepared for it.
pub struct OnDevice {
    device: DeviceChoice,
    threads: Option<u16>,
    memory: Option<String>,
    math: Math,
    options: PassOptions,
    /// The solver of the planner `ilp`.
    mip: Option<Rc<dyn Mip>>,
    passes: bool,
    finished: Finished,
    interrupt: Interrupt,
    /// True if kernels are compiled before they run.
    compile_first: bool,
    watch: Option<SharedWatch>,
    /// Candidate devices, listed when the first kernel is to run.
    devices: Option<Devices>,
    /// The device of the last program with kernels.
    opened: Option<Opened>,
}

impl fmt::Debug for OnDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnDevice").field("device", &self.device).finish_non_exhaustive()
    }
}

/// The engine that the command line asks for.
pub fn engine(options: &Run, interrupt: &Interrupt, watch: &SharedWatch) -> Result<Engine, Failure> {
    let device = match options.device {
        Some(Runner::Core) => return Ok(Engine::Core),
        Some(Runner::On(device)) => device,
        None => device::of_environment()?,
    };
    // What makes no sense is said now, and not with the first statement.
    device::settings(options.threads, options.memory.as_deref(), interrupt)?;
    // The original contracts nothing.
    let math = options.math.or_strict(options.nesl.compat);
    let how = pass_options(math, options.fuse);
    Ok(Engine::Flat(Box::new(OnDevice {
        device,
        threads: options.threads,
        memory: options.memory.clone(),
        math,
        options: how,
        mip: context(how, options.gate())?.mip,
        passes: !options.no_passes,
        finished: Finished::of_user(),
        interrupt: interrupt.clone(),
        compile_first: device::compile_first(options),
        watch: Some(Rc::clone(watch)),
        devices: None,
        opened: None,
    })))
}

/// The engine of interactive sessions; nothing is contracted if the original implementation is imitated.
pub fn session_engine(options: &Repl, interrupt: &Interrupt) -> Result<Engine, Failure> {
    let device = match options.device {
        Some(Runner::Core) => return Ok(Engine::Core),
        Some(Runner::On(device)) => device,
        None => device::of_environment()?,
    };
    // What makes no sense is said now, and not with the first statement.
    device::settings(options.threads, options.memory.as_deref(), interrupt)?;
    let compat = options.nesl.compat;
    Ok(Engine::Flat(Box::new(OnDevice {
        device,
        threads: options.threads,
        memory: options.memory.clone(),
        math: Math::Default.or_strict(compat),
        options: PassOptions { strict_math: compat, ..PassOptions::default() },
        mip: None,
        passes: true,
        finished: Finished::of_user(),
        interrupt: interrupt.clone(),
        compile_first: Settings::default().compile_first,
        watch: None,
        devices: None,
        opened: None,
    })))
}

impl OnDevice {
    /// The device for a program: `auto` may take another one for each.
    fn opened(&mut self, program: &Program) -> Result<&Opened, Halt> {
        let other = |failure: Failure| {
            // Whoever shows it says that it is an error.
            let text = failure.message.trim_end();
            Halt::Other(text.strip_prefix("error: ").unwrap_or(text).to_owned())
        };
        if self.devices.is_none() {
            let settings = device::settings(self.threads, self.memory.as_deref(), &self.interrupt);
            let settings =
                Settings { math: self.math, compile_first: self.compile_first, ..settings.map_err(other)? };
            self.devices = Some(Devices::new(self.device, settings));
        }
        let devices = self.devices.as_ref().expect("they were just found");
        let opened = device::fit(devices, self.device, program, self.opened.as_ref()).map_err(other)?;
        if self.opened.is_none() {
            device::say_hint(&opened);
        }
        Ok(self.opened.insert(opened))
    }
}

impl Backend for OnDevice {
    fn run(
        &mut self,
        program: &Program,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
    ) -> Result<Vec<Value>, Halt> {
        let start = Instant::now();
        let has_kernels = !program.kernels.is_empty();
        let mut options = self.options;
        if has_kernels {
            let opened = self.opened(program)?;
            (options.limits, options.rates) = (opened.limits(), opened.rates());
        }
        let mut cx = PassContext { mip: self.mip.clone(), ..PassContext::new(options) };
        let passes: &[_] = if self.passes { nestled_pass::DEFAULT } else { &[] };
        let program = self.finished.run(program, passes, &mut cx).map_err(|bug| {
            Halt::Other(format!("the pass `{}` made an invalid program\n{}", bug.pass, bug.rendered))
        })?;
        if let Some(watch) = &self.watch {
            watch.borrow_mut().statement(&program.sources);
            watch.borrow_mut().passes(&cx.timings, start);
        }
        let start = Instant::now();
        // Without kernels no device need be begun.
        let executable = match (has_kernels, &self.opened) {
            (true, Some(opened)) => Executable::new(&program, opened.device()),
            _ => Executable::new(&program, Rc::new(Reference::default())),
        };
        let mut executable = executable.map_err(halt)?.with_interrupt(self.interrupt.clone());
        if let Some(watch) = &self.watch {
            executable = watch.borrow_mut().over(executable);
            watch.borrow_mut().phase("making ready", start);
        }
        let start = Instant::now();
        let _running = signals::enter(signals::Phase::Running);
        let results = executable.run(Program::ENTRY, shapes, args, world).map_err(halt);
        if let Some(watch) = &self.watch {
            watch.borrow_mut().phase("host code", start);
        }
        results
    }
}

fn halt(error: Error) -> Halt {
    match error {
        Error::Fault(fault) => Halt::Fault(fault.site),
        Error::Interrupted => Halt::Interrupted,
        Error::Depth { span, .. } => {
            let message =
                format!("{error}; does a recursion never end? a call in tail position takes no room");
            Halt::Depth(message, span)
        }
        Error::OutOfMemory { .. } | Error::Points { .. } => Halt::Limit(error.to_string()),
        other => Halt::Other(other.to_string()),
    }
}
