//! Sweeps: runs the thunk of a combinator at every point of its level, in order.

use super::capture::{Capture, Captures, Point};
use super::combine::Combiner;
use super::error::{Error, Fault, FaultKind};
use super::meter::Meter;
use super::points::Points;
use super::thunk::{Lane, Memory, Stop};
use super::tile::{Code, Registers, TILE, TilePoints, Tiled};
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
    /// The code of the combinator that runs, if it runs in tiles.
    pub code: Option<&'a Code>,
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
        Tools { program, meter, combiner, code: None, memory, level, fault: None, after_fault, taken: 0 }
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
        visit: &mut VisitPoint<'_>,
    ) -> Result<(), Error> {
        self.sweep_with(captures, step, types, &mut ByPoints(visit))
    }

    /// Runs the thunk of a combinator at every point of its level, in order, for a visitor that may take whole tiles.
    pub fn sweep_with(
        &mut self,
        captures: &Captures<'_>,
        step: &Combinator,
        types: &[ScalarType],
        visitor: &mut dyn Visitor,
    ) -> Result<(), Error> {
        self.level = step.level();
        self.after_fault |= self.fault.is_some();
        let zeros: Vec<Scalar> = types.iter().map(|&ty| Scalar::zero(ty)).collect();
        let mut sweep = Sweep { captures, step, zeros, args: Vec::new(), results: Vec::new(), visitor };
        let mut points = Points::new(&captures.space, step.level().0);
        match self.code {
            Some(code) => sweep.in_tiles(self, code, &mut points),
            None => {
                while let Some(point) = points.next(self.meter)? {
                    sweep.point(self, point)?;
                }
                Ok(())
            }
        }
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

/// Cost of a point of a tile besides its thunk, in steps of a lane.
const STEPS_OF_A_POINT: u64 = 4;

/// Takes the results of a combinator's thunk at a point.
pub(super) type VisitPoint<'f> = dyn FnMut(&mut Tools<'_, '_>, &Point, Visit<'_>) -> Result<(), Error> + 'f;

/// Takes the results of a combinator's thunk: the combinator's own part of a sweep.
pub(super) trait Visitor {
    /// Takes the results at a point.
    fn point(&mut self, tools: &mut Tools<'_, '_>, point: &Point, visit: Visit<'_>) -> Result<(), Error>;

    /// Takes the results at the points of a tile, of which those where a guard does not hold are left out. False if it takes them one by one.
    fn tile(
        &mut self,
        _tools: &mut Tools<'_, '_>,
        _points: &TilePoints,
        _results: &Registers<'_>,
    ) -> Result<bool, Error> {
        Ok(false)
    }
}

/// A function that takes point after point.
struct ByPoints<'v, 'f>(&'v mut VisitPoint<'f>);

impl Visitor for ByPoints<'_, '_> {
    fn point(&mut self, tools: &mut Tools<'_, '_>, point: &Point, visit: Visit<'_>) -> Result<(), Error> {
        self.0(tools, point, visit)
    }
}

/// A sweep that is being made.
struct Sweep<'s> {
    captures: &'s Captures<'s>,
    step: &'s Combinator,
    zeros: Vec<Scalar>,
    args: Vec<Scalar>,
    results: Vec<Scalar>,
    visitor: &'s mut dyn Visitor,
}

impl Sweep<'_> {
    /// Runs the thunk at a point, if its guard holds.
    fn point(&mut self, tools: &mut Tools<'_, '_>, point: &Point) -> Result<(), Error> {
        tools.meter.step(1)?;
        if !guard_holds(self.captures, self.step, point) {
            return self.visitor.point(tools, point, Visit::Off);
        }
        self.args.clear();
        self.args.extend(point.coordinates.iter().map(|&coordinate| Scalar::Idx(coordinate)));
        self.results.clear();
        let (memory, meter) = (&mut tools.memory, &mut *tools.meter);
        let mut lane = Lane { captures: self.captures, point, memory, meter };
        let Err(stop) = lane.run(tools.program, &self.step.body, &self.args, &mut self.results) else {
            return self.visitor.point(tools, point, Visit::Values(&self.results));
        };
        match *stop {
            Stop::Error(error) => return Err(error),
            Stop::Broken(error) => tools.broken(error)?,
            Stop::Fault(site, kind) => tools.fault(site, point.at[self.step.level().0], kind),
        }
        self.visitor.point(tools, point, Visit::Faulted(&self.zeros))
    }

    /// Runs the thunk tile by tile.
    fn in_tiles(
        &mut self,
        tools: &mut Tools<'_, '_>,
        code: &Code,
        points: &mut Points<'_>,
    ) -> Result<(), Error> {
        let level = self.step.level().0;
        let most = self.captures.space.points_at(level).min(TILE as u64);
        let mut registers = Registers::new(code, self.captures, most as usize);
        let mut tile = TilePoints::new(level);
        while tile.take(points, tools.meter)? {
            tools.meter.step(STEPS_OF_A_POINT * tile.len() as u64)?;
            let on = tile.guard(self.captures, self.step);
            let some = on.as_ref().filter(|on| on.contains(&false)).map(|on| tile.where_on(on));
            let running = some.as_ref().unwrap_or(&tile);
            if let Tiled::GivenUp = registers.run(self.captures, running, tools.meter)? {
                self.one_by_one(tools, &tile)?;
            } else if !self.visitor.tile(tools, running, &registers)? {
                self.visit_lanes(tools, &tile, on.as_deref(), &registers)?;
            }
        }
        Ok(())
    }

    /// Runs the thunk at the points of a tile, one after another.
    fn one_by_one(&mut self, tools: &mut Tools<'_, '_>, tile: &TilePoints) -> Result<(), Error> {
        let mut point = Point::default();
        for lane in 0..tile.len() {
            tile.point(lane, &mut point);
            self.point(tools, &point)?;
        }
        Ok(())
    }

    /// Visits the points of a tile that has been run, one after another.
    fn visit_lanes(
        &mut self,
        tools: &mut Tools<'_, '_>,
        tile: &TilePoints,
        on: Option<&[bool]>,
        registers: &Registers<'_>,
    ) -> Result<(), Error> {
        let columns: Vec<&Buffer> = registers.results().collect();
        let mut point = Point::default();
        let mut lane = 0;
        for position in 0..tile.len() {
            tile.point(position, &mut point);
            if on.is_some_and(|on| !on[position]) {
                self.visitor.point(tools, &point, Visit::Off)?;
                continue;
            }
            self.results.clear();
            self.results.extend(columns.iter().map(|column| column.get(lane)));
            lane += 1;
            self.visitor.point(tools, &point, Visit::Values(&self.results))?;
        }
        Ok(())
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
