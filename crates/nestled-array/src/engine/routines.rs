//! Programs of other front ends, called with arrays that lie on the device.

use super::errors::plain;
use super::kept::Kept;
use super::plans::pass_options;
use super::state::State;
use super::{hint, inputs};
use crate::error::{Error, Reason, Result};
use crate::nesl::{Kind, Piece};
use crate::node::Data;
use nestled_ir::interp::World;
use nestled_ir::value::{AxisValue, Value};
use nestled_ir::{Program, SiteId, Type};
use nestled_pass::PassContext;
use nestled_rt::{Executable, Handle};
use std::rc::Rc;

/// A result of a routine.
pub(crate) enum Given {
    /// An extent.
    Extent(u64),
    /// A scalar.
    Scalar(nestled_ir::Scalar),
    /// An array.
    Kept(Kept),
}

/// Says what a fault at a site means, from the extents and the other arguments of the call.
type Explain<'a> = dyn Fn(SiteId, &[u64], &[Value]) -> String + 'a;

fn extents(pieces: &[Piece]) -> Vec<u64> {
    let extent = |piece: &Piece| if let Kind::Extent(extent) = piece.0 { Some(extent) } else { None };
    pieces.iter().filter_map(extent).collect()
}

/// Arguments as far as the device still gives them.
fn on_host(args: &[Handle]) -> Vec<Value> {
    args.iter().map_while(|arg| arg.to_value().ok()).collect()
}

impl State {
    /// Makes a program ready to be called.
    fn prepare_routine(&mut self, program: &Program) -> Result<Executable> {
        let bug = |why: String| Error::at("nesl", Reason::Bug(why), None);
        let interrupt = self.places.interrupt.clone();
        let fit = self.places.devices()?.for_program(program);
        let opened = fit.map_err(|error| plain(&error.into()))?.opened;
        let mut cx = PassContext::new(pass_options(&self.config, opened));
        let made = self.plans.finish(program, &mut cx);
        let made = made.map_err(|failure| bug(failure.to_string()))?;
        let executable = Executable::new(&made, opened.device()).map_err(|error| plain(&error))?;
        hint::say(opened);
        Ok(executable.with_interrupt(interrupt))
    }

    /// Runs a program that is not kept, on values of the host, in a world of its own.
    pub fn run_once(
        &mut self,
        program: &Program,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn World,
    ) -> Result<std::result::Result<Vec<Value>, nestled_rt::Error>> {
        Ok(self.prepare_routine(program)?.run(Program::ENTRY, shapes, args, world))
    }

    /// Calls a program, which is made ready if it is not. `fault` says what a fault at a site means.
    pub fn call_routine(
        &mut self,
        (number, program): (u64, &Program),
        pieces: &[Piece],
        fault: &Explain<'_>,
    ) -> Result<Vec<Given>> {
        let gone = || Error::at("nesl", Reason::Bug("a program that is gone".to_owned()), None);
        if !self.routines.contains_key(&number) {
            let executable = Rc::new(self.prepare_routine(program)?);
            self.routines.insert(number, executable);
        }
        let executable = Rc::clone(&self.routines[&number]);
        let device = executable.device();
        let (mut shapes, mut args) = (Vec::new(), Vec::new());
        for piece in pieces {
            match &piece.0 {
                Kind::Extent(extent) => shapes.push(Handle::extent(device, *extent)),
                Kind::Data(Data::Scalar(scalar)) => args.push(Handle::scalar(device, *scalar)),
                Kind::Data(Data::Device(resident)) => args.push(inputs::adopt(resident, &executable)?),
                Kind::Data(Data::Host(_)) | Kind::Node(_) => return Err(gone()),
            }
        }
        let outcome = executable.run_handles(Program::ENTRY, &shapes, &args, &mut self.world);
        let results = outcome.map_err(|error| match &error {
            nestled_rt::Error::Fault(found) => {
                let why = fault(found.site, &extents(pieces), &on_host(&args));
                Error::at("nesl", Reason::Fault(why.trim_end().to_owned()), None)
            }
            nestled_rt::Error::Depth { span, .. } => {
                let place =
                    program.sources.describe(*span).map_or(String::new(), |place| format!("{place}: "));
                Error::at("nesl", Reason::Device(format!("{place}{error}")), None)
            }
            _ => plain(&error),
        })?;
        let kinds = executable.result_types(Program::ENTRY).ok_or_else(gone)?;
        let mut given = Vec::new();
        for (handle, ty) in results.into_iter().zip(kinds) {
            let is_array = matches!(&ty, Type::Array(array) if !array.shape.is_scalar());
            given.push(match is_array {
                true => Given::Kept(self.keep(handle)?),
                false => match handle.to_value().map_err(|error| plain(&error))? {
                    Value::Scalar(scalar) => Given::Scalar(scalar),
                    Value::Dim(extent) => Given::Extent(extent),
                    Value::Array(_) | Value::Seg(_) => return Err(gone()),
                },
            });
        }
        Ok(given)
    }
}
