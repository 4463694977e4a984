//! `permute`: a scatter. Each point writes its values to a destination that it computes.

use super::set_all;
use crate::interp::capture::Capture;
use crate::interp::combine::Part;
use crate::interp::error::{Error, FaultKind};
use crate::interp::kernel::Launch;
use crate::interp::sweep::{Tools, Visit};
use crate::kernel::{Base, Collision, Combinator, Range};
use crate::scalar::{Scalar, ScalarType};
use crate::types::Shape;
use crate::value::{Buffer, Layout, Outside, count_points};

/// Runs a `permute`: the points write in order.
pub(in crate::interp) fn permute(
    launch: &mut Launch<'_, '_>,
    step: &Combinator,
    dest: &Shape,
    base: &Base,
    range: Range,
    collision: &Collision,
) -> Result<(), Error> {
    let types = launch.result_types(step);
    let shape = launch.bindings.shape(dest).expect("destinations are made of shape parameters");
    let layout = Layout::new(&shape);
    let (rank, n) = (layout.rank(), count_points(&shape));
    let buffers = base_buffers(launch, base, &types[rank..], n)?;
    let written = launch.tools.buffer(ScalarType::Bool, n)?;
    let parts = match collision {
        Collision::Combine(monoid) => Part::all(launch.tools.program, monoid, &types[rank..]),
        Collision::Proved | Collision::Fault(_) | Collision::First | Collision::Last => Vec::new(),
    };
    let mut scatter = Scatter { step, range, collision, parts, buffers, written };
    launch.tools.sweep(&launch.captures, step, &types, &mut |tools, point, visit| {
        // A lane that faults does nothing more.
        let Visit::Values(values) = visit else { return Ok(()) };
        let element = point.at[step.level().0];
        let (coordinates, values) = values.split_at(rank);
        match layout.locate(coordinates.iter().map(|c| c.as_integer().unwrap_or(-1))) {
            Ok(at) => scatter.write(tools, at, values, element),
            Err(outside) => scatter.miss(tools, outside, element),
        }
    })?;
    launch.keep_arrays(&step.binds, &shape, scatter.buffers);
    Ok(())
}

/// The destination buffers before any point has written: filled with constants, or copies of the base arrays.
fn base_buffers(
    launch: &mut Launch<'_, '_>,
    base: &Base,
    types: &[ScalarType],
    n: u64,
) -> Result<Vec<Buffer>, Error> {
    let mut buffers = launch.tools.buffers(types, n)?;
    match base {
        Base::Fill(values) => {
            launch.tools.meter.step(n)?;
            (0..n).for_each(|at| set_all(&mut buffers, at, values));
        }
        Base::Arrays(arrays) => {
            for (buffer, &array) in buffers.iter_mut().zip(arrays) {
                let Capture::Array { data, .. } = launch.captures.get(array) else {
                    unreachable!("the verifier lets only array parameters be a base");
                };
                launch.tools.meter.step(n / 16)?;
                // The verifier demands a dense one.
                *buffer = Buffer::clone(data);
            }
        }
    }
    Ok(buffers)
}

/// A scatter that is being made.
struct Scatter<'a> {
    step: &'a Combinator,
    range: Range,
    collision: &'a Collision,
    parts: Vec<Part>,
    buffers: Vec<Buffer>,
    written: Buffer,
}

impl Scatter<'_> {
    /// A point without a destination.
    fn miss(&self, tools: &mut Tools<'_, '_>, outside: Outside, element: u64) -> Result<(), Error> {
        let Outside { axis: _, index, extent } = outside;
        match self.range {
            Range::Fault(site) => {
                let kind = FaultKind::OutOfRange { index, extent, array: "".into() };
                tools.fault(site, element, kind);
                Ok(())
            }
            Range::Drop => Ok(()),
            Range::Proved => {
                self.broken(tools, format!("destination {index} is proved to be less than {extent}"))
            }
        }
    }

    /// A point with a destination.
    fn write(
        &mut self,
        tools: &mut Tools<'_, '_>,
        at: u64,
        values: &[Scalar],
        element: u64,
    ) -> Result<(), Error> {
        let is_first = self.written.get(at as usize) == Scalar::Bool(false);
        self.written.set(at as usize, Scalar::Bool(true));
        match self.collision {
            Collision::Combine(_) => return self.combine(tools, at, values),
            Collision::Proved if !is_first => {
                return self
                    .broken(tools, format!("place {at} of the destination is proved to be written once"));
            }
            Collision::Fault(site) if !is_first => {
                tools.fault(*site, element, FaultKind::Collision { destination: at });
            }
            Collision::First if !is_first => {}
            Collision::Proved | Collision::Fault(_) | Collision::First | Collision::Last => {
                set_all(&mut self.buffers, at, values);
            }
        }
        Ok(())
    }

    /// Combines a value with the current contents of its destination.
    fn combine(&mut self, tools: &mut Tools<'_, '_>, at: u64, values: &[Scalar]) -> Result<(), Error> {
        let mut held: Vec<Scalar> = self.buffers.iter().map(|buffer| buffer.get(at as usize)).collect();
        for part in &self.parts {
            let range = part.first..part.first + part.width();
            tools.combiner.fold(part, &mut held[range.clone()], &values[range], tools.meter)?;
        }
        set_all(&mut self.buffers, at, &held);
        Ok(())
    }

    fn broken(&self, tools: &Tools<'_, '_>, message: String) -> Result<(), Error> {
        tools.broken(Error::Bug { message, span: self.step.span })
    }
}
