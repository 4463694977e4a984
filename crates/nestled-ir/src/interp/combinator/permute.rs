//! `permute`: a scatter. Each point writes its values to a destination that it computes.

use super::set_all;
use crate::interp::capture::{Capture, Point};
use crate::interp::combine::Part;
use crate::interp::error::{Error, FaultKind};
use crate::interp::kernel::Launch;
use crate::interp::sweep::{Tools, Visit, Visitor};
use crate::interp::tile::{IntoPlaces, Registers, TilePoints, combine, put_at};
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
    let mut scatter =
        Scatter { step, layout, rank, range, collision, parts, buffers, written, places: Vec::new() };
    launch.tools.sweep_with(&launch.captures, step, &types, &mut scatter)?;
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
    /// Of the destination.
    layout: Layout,
    rank: usize,
    range: Range,
    collision: &'a Collision,
    parts: Vec<Part>,
    buffers: Vec<Buffer>,
    written: Buffer,
    /// The destinations of a tile.
    places: Vec<usize>,
}

impl Visitor for Scatter<'_> {
    fn point(&mut self, tools: &mut Tools<'_, '_>, point: &Point, visit: Visit<'_>) -> Result<(), Error> {
        // A lane that faults does nothing more.
        let Visit::Values(values) = visit else { return Ok(()) };
        let element = point.at[self.step.level().0];
        let (coordinates, values) = values.split_at(self.rank);
        match self.layout.locate(coordinates.iter().map(|c| c.as_integer().unwrap_or(-1))) {
            Ok(at) => self.write(tools, at, values, element),
            Err(outside) => self.miss(tools, outside, element),
        }
    }

    fn tile(
        &mut self,
        tools: &mut Tools<'_, '_>,
        points: &TilePoints,
        results: &Registers<'_>,
    ) -> Result<bool, Error> {
        let columns: Vec<&Buffer> = results.results().collect();
        let (coordinates, columns) = columns.split_at(self.rank);
        if !self.locate(coordinates, points.len()) {
            return Ok(false);
        }
        let collision = self.collision;
        match collision {
            Collision::Combine(_) => {
                let Some(parts): Option<Vec<_>> = self.parts.iter().map(Part::built_in).collect() else {
                    return Ok(false);
                };
                for (op, at) in parts {
                    combine(op, &mut self.buffers[at], columns[at], IntoPlaces(&self.places));
                }
            }
            Collision::Proved if self.is_unwritten() => {
                for (buffer, column) in self.buffers.iter_mut().zip(columns) {
                    put_at(buffer, column, &self.places);
                }
            }
            Collision::Proved | Collision::Fault(_) | Collision::First | Collision::Last => return Ok(false),
        }
        tools.meter.step(points.len() as u64 / 8)?;
        Ok(true)
    }
}

impl Scatter<'_> {
    /// Finds the destinations of a tile; false if a point has none.
    fn locate(&mut self, coordinates: &[&Buffer], n: usize) -> bool {
        self.places.clear();
        for lane in 0..n {
            let own = coordinates.iter().map(|column| column.get(lane).as_integer().unwrap_or(-1));
            let Ok(at) = self.layout.locate(own) else { return false };
            self.places.push(at as usize);
        }
        true
    }

    /// Marks the destinations of a tile as written; false, with nothing done, if one has been, or is the destination of two points.
    fn is_unwritten(&mut self) -> bool {
        let Buffer::Bool(written) = &mut self.written else { unreachable!("marks are truth values") };
        let clash = self.places.iter().position(|&at| std::mem::replace(&mut written[at], true));
        let Some(clash) = clash else { return true };
        self.places[..clash].iter().for_each(|&at| written[at] = false);
        false
    }

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
