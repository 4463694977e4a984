//! Engines: running a program. The flat engine flattens it, converts nested values to flat arrays and back, and maps faults to their codes and places.
//!
//! λcu programs run on a [`Backend`]. This crate knows none; the creator of a session chooses it.

mod replay;
mod requests;
mod values;

use crate::core::{CoreTypes, Program, Ty};
use crate::data::{Decoder, Encoder, Translated};
use crate::fault::FaultCode;
use crate::flatten::{Flat, flatten};
use crate::interp::{Circumstances, Fault, Settings, Value, World, too_deep};
use crate::typed::GlobalId;
use nestled_ir::value::AxisValue;
use nestled_ir::{Shape, SiteId, SourceMap, Span, interp as lcu};
pub(crate) use replay::{Replay, TIME_LIMIT};
use requests::Requests;
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;
pub(crate) use values::{Given, Known, parts_of};

/// An implementation of λcu.
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

/// The reason why a program did not finish.
#[derive(Clone, PartialEq, Debug)]
pub enum Halt {
    /// A fault at this site.
    Fault(SiteId),
    /// Steps or memory exceeded a limit.
    Limit(String),
    /// The depth of calls exceeded its limit: the message, and the place of the call.
    Depth(String, Span),
    /// The user interrupted the program.
    Interrupted,
    /// Any other reason, as a message.
    Other(String),
}

/// The engine that runs the statements of a session.
#[derive(Debug, Default)]
pub enum Engine {
    /// The interpreter of the core, which defines the meaning of programs.
    #[default]
    Core,
    /// Flattening, and a backend for λcu.
    Flat(Box<dyn Backend>),
}

/// The interpreter of λcu as a backend: slow, but always available.
#[derive(Debug, Default)]
pub struct Interpreter {
    /// Limits on steps, memory and depth of calls.
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

/// The inputs and settings of a run.
pub(crate) struct Run<'s> {
    pub types: &'s CoreTypes,
    pub value_types: &'s HashMap<GlobalId, Ty>,
    pub values: &'s HashMap<GlobalId, Value>,
    pub settings: Settings,
    pub sources: &'s SourceMap,
    pub known: &'s mut Known,
    /// The program without datatypes, if it has some.
    pub translated: Option<Translated>,
    /// Time limit for the replay of a fault.
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
    let (program, value_types) = match &run.translated {
        Some(translated) => (&translated.program, &translated.values),
        None => (core, run.value_types),
    };
    let flat = flatten(program, run.types, value_types, dialect, arg_check, run.sources.clone())
        .map_err(|diagnostic| stopped(FaultCode::Limit, diagnostic.message.clone()))?;
    check(&flat).map_err(|message| stopped(FaultCode::Limit, message))?;
    let mut given = values::Given::default();
    match &run.translated {
        None => {
            for (id, ty) in &flat.globals {
                run.known.give(&run.values[id], *ty, run.types, dialect, &mut given);
            }
        }
        Some(translated) => give_translated(&flat, translated, &run, &mut given),
    }
    let mut requests = Requests::new(world, &flat.calls, dialect);
    let results = backend.run(&flat.program, &given.shapes, &given.args, &mut requests);
    let message = requests.message.take();
    match results {
        Ok(results) => {
            let ty = core.functions[core.main.0 as usize].result;
            if let Some(translated) = &run.translated {
                return Ok(take_translated(translated, ty, (run.types, run.known), &results));
            }
            Ok(run.known.take(ty, run.types, &mut results.as_slice()))
        }
        Err(Halt::Fault(site)) => {
            let code = flat.codes[site.index()];
            let message = message.filter(|_| code == FaultCode::Error);
            let span = flat.program.sites[site.index()];
            let why = if message.is_none() {
                let Run { types, values, settings, patience, .. } = run;
                Replay { core, types, values, settings, patience }.why((code, span), &|| world.interrupted())
            } else {
                Circumstances::default()
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

/// Gives a translated program the values of the top level, and its pools with what these hold.
fn give_translated(flat: &Flat, translated: &Translated, run: &Run<'_>, given: &mut Given) {
    let dialect = run.settings.dialect;
    let pools = &translated.program.pools;
    let mut encoder = Encoder::new(&translated.forms, run.types, pools.elements.len());
    for (id, ty) in &flat.globals {
        match run.types.is_nominal(run.value_types[id]) {
            true => {
                let value = encoder.value(&run.values[id], run.value_types[id]);
                run.known.give(&value, *ty, run.types, dialect, given);
            }
            false => run.known.give(&run.values[id], *ty, run.types, dialect, given),
        }
    }
    if pools.given {
        for (pool, ty) in encoder.pools().iter().zip(&translated.pool_types) {
            run.known.give(pool, *ty, run.types, dialect, given);
        }
    }
}

/// Returns the value of a translated program; its links become trees.
fn take_translated(
    translated: &Translated,
    ty: Ty,
    (types, known): (&CoreTypes, &mut Known),
    results: &[nestled_ir::value::Value],
) -> Value {
    let main = &translated.program.functions[translated.program.main.0 as usize];
    if !types.is_nominal(ty) {
        return known.take(main.result, types, &mut &*results);
    }
    let (mut rest, mut short) = (results, Known::default());
    let value = short.take(main.result, types, &mut rest);
    let pools = translated.pool_types.iter().filter(|_| translated.program.pools.wanted);
    let pools = pools.map(|ty| short.take(*ty, types, &mut rest)).collect();
    Decoder::new(&translated.forms, types, pools).value(&value, ty)
}

/// Verifies a flat program. Deeply nested sequences in contexts may need more axes than λcu has, which is an error for the user; any other finding is a bug of
/// ours.
fn check(flat: &Flat) -> Result<(), String> {
    let Err(diagnostics) = nestled_ir::verify::verify(&flat.program) else { return Ok(()) };
    if diagnostics.iter().any(|diagnostic| diagnostic.code == "L0303") {
        return Err(format!("sequences are nested too deep: at most {} levels", Shape::MAX_RANK));
    }
    let messages = nestled_ir::render_all(&diagnostics, &flat.program.sources);
    if cfg!(debug_assertions) {
        let text = nestled_ir::text::print(&flat.program);
        panic!("flattening made a program that is not well-formed:\n{messages}\n{text}");
    }
    Err(format!("a bug in Nestled: flattening made a program that is not well-formed:\n{messages}"))
}
