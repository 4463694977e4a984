//! Sweeps: runs the thunk of a combinator at every point of its level, in order.

use super::capture::{Capture, Captures, Point};
use super::combine::Combiner;
use super::error::{Error, Fault, FaultKind};
use super::meter::Meter;
use super::points::Points;
use super::thunk::{Lane, Memory, Stop};
use crate::id::SiteId;
use crate::kernel::{Combinator, Level};
use crate::program::Program;
use crate::scalar::{Scalar, ScalarType};
use crate::value::{Buffer, Layout};

/// The outcome of a thunk at one point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Visit<'v> {
    /// The guard does not hold.
    Off,
    /// The results.
    Values(&'v [Scalar]),
    /// The lane faulted; its results are these zeros.
    Faulted(&'v [Scalar]),
}

impl<'v> Visit<'v> {
    /// The results, of points that take part.
    pub fn values(self) -> Option<&'v [Scalar]> {
        match self {
            Visit::Off => None,
            Visit::Values(values) | Visit::Faulted(values) => Some(values),
        }
    }
}

/// Evaluation state of a launch: meter, monoids, scratch memory and the least fault.
pub(super) struct Tools<'a, 'm> {
    /// The program.
    pub program: &'a Program,
    /// Counts steps and memory against the limits.
    pub meter: &'m mut Meter,
    /// Combines by monoids.
    pub combiner: Combiner<'a>,
    memory: Memory,
    /// The level of the combinator that runs.
    level: Level,
    /// The least fault, and the level of its point.
    fault: Option<(Level, Fault)>,
    /// True if a fault happened before the combinator that runs. Its inputs may then be zeros, for which a *proved* rule need not hold.
    after_fault: bool,
    taken: u64,
}

impl<'a, 'm> Tools<'a, 'm> {
    /// The state for a launch of a kernel; `after_fault` if a fault happened before.
    pub fn new(program: &'a Program, after_fault: bool, meter: &'m mut Meter) -> Tools<'a, 'm> {
        let combiner = Combiner::new(program);
        let (memory, level) = (Memory::default(), Level::WHOLE);
        Tools { program, meter, combiner, memory, level, fault: None, after_fault, taken: 0 }
    }

    /// Records a fault, if it is the least so far.
    pub fn fault(&mut self, site: SiteId, element: u64, kind: FaultKind) {
        let fault = Fault::new(self.program, site, element, kind);
        if self.fault.as_ref().is_none_or(|(_, least)| fault.comes_before(least)) {
            self.fault = Some((self.level, fault));
        }
    }

    /// Reports a violated proof; ignored after a fault, when inputs may be zeros.
    pub fn broken(&self, error: Error) -> Result<(), Error> {
        if self.after_fault { Ok(()) } else { Err(error) }
    }

    /// Takes memory until the launch ends.
    pub fn take(&mut self, count: u64, size: usize) -> Result<(), Error> {
        self.taken += self.meter.take_many(count, size)?;
        Ok(())
    }

    /// Zeros, one buffer for each type.
    pub fn buffers(&mut self, types: &[ScalarType], len: u64) -> Result<Vec<Buffer>, Error> {
        types.iter().map(|&ty| self.buffer(ty, len)).collect()
    }

    /// Zeros.
    pub fn buffer(&mut self, ty: ScalarType, len: u64) -> Result<Buffer, Error> {
        self.take(len, ty.size())?;
        // Clearing memory takes time as well.
        self.meter.step(len / 64)?;
        Ok(Buffer::zeroed(ty, len as usize))
    }

    /// Frees all memory; returns the least fault, with its point in the space.
    pub fn end(&mut self, space: &Layout) -> Option<Fault> {
        std::mem::take(&mut self.memory).release(self.meter);
        self.meter.give(std::mem::take(&mut self.taken));
        let (level, fault) = self.fault.take()?;
        Some(Fault { point: space.coordinates(level.0, fault.element), ..fault })
    }

    /// Runs the thunk of a combinator at every point of its level, in order.
    pub fn sweep(
        &mut self,
        captures: &Captures<'_>,
        step: &Combinator,
        types: &[ScalarType],
        visit: &mut dyn FnMut(&mut Self, &Point, Visit<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.level = step.level();
        self.after_fault |= self.fault.is_some();
        let zeros: Vec<Scalar> = types.iter().map(|&ty| Scalar::zero(ty)).collect();
        let (mut args, mut results) = (Vec::new(), Vec::new());
        let mut points = Points::new(&captures.space, step.level().0);
        while let Some(point) = points.next(self.meter)? {
            self.meter.step(1)?;
            if !guard_holds(captures, step, point) {
                visit(self, point, Visit::Off)?;
                continue;
            }
            args.clear();
            args.extend(point.coordinates.iter().map(|&coordinate| Scalar::Idx(coordinate)));
            results.clear();
            let (memory, meter) = (&mut self.memory, &mut *self.meter);
            let mut lane = Lane { captures, point, memory, meter };
            match lane.run(self.program, &step.body, &args, &mut results) {
                Ok(()) => visit(self, point, Visit::Values(&results))?,
                Err(stop) => match *stop {
                    Stop::Error(error) => return Err(error),
                    Stop::Broken(error) => {
                        self.broken(error)?;
                        visit(self, point, Visit::Faulted(&zeros))?;
                    }
                    Stop::Fault(site, kind) => {
                        self.fault(site, point.at[step.level().0], kind);
                        visit(self, point, Visit::Faulted(&zeros))?;
                    }
                },
            }
        }
        Ok(())
    }

    /// Runs the thunk of a `serial` on its input arrays, which it changes in place. Returns its results, and whether it ended without a
    /// fault; after a fault the results are zeros.
    pub fn serial(
        &mut self,
        captures: &Captures<'_>,
        step: &Combinator,
        types: &[ScalarType],
        given: &mut [Vec<Scalar>],
    ) -> Result<(Vec<Scalar>, bool), Error> {
        self.level = step.level();
        self.after_fault |= self.fault.is_some();
        let mut points = Points::new(&captures.space, 0);
        let point = points.next(self.meter)?.expect("there is one whole");
        self.meter.step(1)?;
        let mut results = Vec::new();
        let mut lane = Lane { captures, point, memory: &mut self.memory, meter: &mut *self.meter };
        let Err(stop) = lane.run_given(self.program, &step.body, given, &mut results) else {
            return Ok((results, true));
        };
        match *stop {
            Stop::Error(error) => return Err(error),
            Stop::Broken(error) => self.broken(error)?,
            Stop::Fault(site, kind) => self.fault(site, point.at[0], kind),
        }
        Ok((types.iter().map(|&ty| Scalar::zero(ty)).collect(), false))
    }
}

fn guard_holds(captures: &Captures<'_>, step: &Combinator, point: &Point) -> bool {
    let Some(guard) = step.guard else { return true };
    match captures.get(guard) {
        Capture::Bind { level, data } => data.get(point.at[level.0] as usize) == Scalar::Bool(true),
        Capture::Nothing | Capture::Scalar(_) | Capture::Array { .. } | Capture::Seg { .. } => {
            unreachable!("the verifier lets only what is bound before be a guard")
        }
    }
}
