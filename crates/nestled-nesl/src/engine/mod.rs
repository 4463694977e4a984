//! Running flat programs: values go in and come out nested, faults get their codes and places back.
//!
//! What runs λcu is a [`Backend`], which this crate does not know: whoever makes a session chooses.

mod again;
mod requests;
mod values;

use crate::core::{CoreTypes, Program, Ty};
use crate::fault::FaultCode;
use crate::flatten::{Flat, flatten};
use crate::interp::{Fault, Settings, Value, Why, World, too_deep};
use crate::typed::GlobalId;
pub(crate) use again::{Again, PATIENCE};
use nestled_ir::value::AxisValue;
use nestled_ir::{SiteId, SourceMap, Span, interp as lcu};
use requests::Requests;
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;
pub(crate) use values::{Given, Known, parts_of};

/// What runs λcu programs.
pub trait Backend: fmt::Debug {
    /// Runs `main` of a verified program.
    ///
    /// # Errors
    /// See [`Halt`].
    fn run(
        &mut self,
        program: &nestled_ir::Program,
        shapes: &[AxisValue],
        args: &[nestled_ir::value::Value],
        world: &mut dyn lcu::World,
    ) -> Result<Vec<nestled_ir::value::Value>, Halt>;
}

/// Why a program did not come to its end.
#[derive(Clone, PartialEq, Debug)]
pub enum Halt {
    /// A fault was found at this site.
    Fault(SiteId),
    /// Steps or memory went over a limit.
    Limit(String),
    /// Calls went over their limit; the one that was too much.
    Depth(String, Span),
    /// Somebody wished that it ends.
    Interrupted,
    /// Anything else, in words.
    Other(String),
}

/// What runs statements.
#[derive(Debug, Default)]
pub enum Engine {
    /// The interpreter of the core, which is the judge of the others.
    #[default]
    Core,
    /// Flattening, and what runs λcu.
    Flat(Box<dyn Backend>),
}

/// The interpreter of λcu as a backend: slow, and needs nothing.
#[derive(Debug, Default)]
pub struct Interpreter {
    /// What runs may take.
    pub limits: lcu::Limits,
}

impl Backend for Interpreter {
    fn run(
        &mut self,
        program: &nestled_ir::Program,
        shapes: &[AxisValue],
        args: &[nestled_ir::value::Value],
        world: &mut dyn lcu::World,
    ) -> Result<Vec<nestled_ir::value::Value>, Halt> {
        let main = nestled_ir::Program::ENTRY;
        lcu::run(program, main, shapes, args, &self.limits, world).map_err(|error| match error {
            lcu::Error::Fault(fault) => Halt::Fault(fault.site),
            lcu::Error::Interrupted => Halt::Interrupted,
            lcu::Error::Limit { limit: lcu::Limit::Depth { function, limit }, span } => {
                Halt::Depth(too_deep(&function, limit), span)
            }
            lcu::Error::Limit { .. } => Halt::Limit(format!("{error:?}")),
            other => Halt::Other(format!("{other:?}")),
        })
    }
}

/// What a program is run with.
pub(crate) struct Run<'s> {
    pub types: &'s CoreTypes,
    pub value_types: &'s HashMap<GlobalId, Ty>,
    pub values: &'s HashMap<GlobalId, Value>,
    pub settings: Settings,
    pub sources: &'s SourceMap,
    pub known: &'s mut Known,
    /// How long to look for how a fault came about.
    pub patience: Duration,
}

/// Flattens and runs a program.
pub(crate) fn run_flat(
    core: &Program,
    run: Run<'_>,
    backend: &mut dyn Backend,
    world: &mut dyn World,
) -> Result<Value, Fault> {
    let Settings { dialect, arg_check, .. } = run.settings;
    let stopped =
        |code, message: String| Fault { code, message: Some(message), span: Span::NONE, why: Box::default() };
    let flat = flatten(core, run.types, run.value_types, dialect, arg_check, run.sources.clone())
        .map_err(|diagnostic| stopped(FaultCode::Limit, diagnostic.message.clone()))?;
    check(&flat).map_err(|message| stopped(FaultCode::Limit, message))?;
    let mut given = values::Given::default();
    for (id, ty) in &flat.globals {
        run.known.give(&run.values[id], *ty, run.types, dialect, &mut given);
    }
    let mut requests = Requests::new(world, &flat.calls, dialect);
    let results = backend.run(&flat.program, &given.shapes, &given.args, &mut requests);
    let message = requests.message.take();
    match results {
        Ok(results) => {
            let ty = core.functions[core.main.0 as usize].result;
            Ok(run.known.take(ty, run.types, &mut results.as_slice()))
        }
        Err(Halt::Fault(site)) => {
            let code = flat.codes[site.index()];
            let message = message.filter(|_| code == FaultCode::Error);
            let span = flat.program.sites[site.index()];
            let why = if message.is_none() {
                let Run { types, values, settings, patience, .. } = run;
                Again { core, types, values, settings, patience }.why((code, span), &|| world.interrupted())
            } else {
                Why::default()
            };
            Err(Fault { code, message, span, why: Box::new(why) })
        }
        Err(Halt::Interrupted) => {
            Err(Fault { code: FaultCode::Interrupted, message: None, span: Span::NONE, why: Box::default() })
        }
        Err(Halt::Depth(message, span)) => {
            Err(Fault { code: FaultCode::Limit, message: Some(message), span, why: Box::default() })
        }
        Err(Halt::Limit(message)) => Err(stopped(FaultCode::Limit, message)),
        Err(Halt::Other(message)) => Err(stopped(FaultCode::Limit, message)),
    }
}

/// Sequences in sequences in contexts may want more axes than λcu has; nothing else may be wrong.
fn check(flat: &Flat) -> Result<(), String> {
    let Err(diagnostics) = nestled_ir::verify::verify(&flat.program) else { return Ok(()) };
    if diagnostics.iter().any(|diagnostic| diagnostic.code == "L0303") {
        return Err("sequences are nested too deep: arrays have at most eight axes".to_owned());
    }
    let messages = nestled_ir::render_all(&diagnostics, &flat.program.sources);
    if cfg!(debug_assertions) {
        let text = nestled_ir::text::print(&flat.program);
        panic!("flattening made a program that is not well-formed:\n{messages}\n{text}");
    }
    Err(format!("a bug in Nestled: flattening made a program that is not well-formed:\n{messages}"))
}
