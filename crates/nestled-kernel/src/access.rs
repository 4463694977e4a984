//! Access paths: how the lanes of a vector come to what each step reads, and where its results go, as far as that is known before there is code.
//!
//! Paths are those of the interior version of a sweep's loop, along the last axis of the nest. Where groups lie in the lanes, or a vector goes on into the next rows, code finds paths of
//! its own.

use crate::axes::{Length, of_shape};
use crate::combinator::level_of;
use crate::form::{Around, Form, Forms, scaled, sum};
use crate::memory::{Home, Memory};
use crate::nest::{At, Nest};
use crate::rolling::Band;
use crate::schedule::Schedule;
use crate::strategy::slide;
use crate::stream::{Way, way};
use crate::target::Target;
use nestled_ir::{
    Combinator, CombinatorKind, Index, Kernel, Offset, Placement, Program, StmtKind, Type, ValueId,
    are_own_coordinates,
};

/// A read or a write of a step, in the order of its statements; writes come last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// What is read or written.
    pub value: ValueId,
    /// How.
    pub path: Path,
}

/// How lanes come to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// A read of what the same sweep, or the group, has in a register.
    Register,
    /// One element for all lanes.
    Broadcast,
    /// Elements side by side.
    Contiguous,
    /// Elements so far from each other.
    Strided(i64),
    /// In groups of so many lanes, elements side by side.
    LaneGroups(u64),
    /// In groups of so many lanes, one element.
    LaneBroadcast(u64),
    /// From anywhere.
    Gather,
    /// Elements side by side among others on a line of which two vectors hold all.
    SlidingWindow,
    /// The same, of rows that lie in the ring of a rolling window.
    Ring,
    /// A write of elements side by side.
    Store,
    /// The same, of interior vectors with non-temporal stores.
    NonTemporal,
    /// A write to the ring of a rolling window.
    StoreRing,
    /// Into the accumulators of a reduction.
    Accumulate,
    /// Appended to a stream, which is moved to its place when the piece is done.
    Append,
    /// Scattered to where it belongs: no two points have one destination.
    Scatter,
    /// Combined in privatised tables.
    Tables,
}

/// What accesses are found from.
struct Search<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    memory: &'a Memory,
    bands: &'a [Band],
    target: &'a Target,
    nest: &'a Nest,
    schedule: &'a Schedule,
    /// The steps of the nest so far.
    here: Vec<usize>,
}

/// The accesses of each step of a kernel.
pub fn accesses(
    program: &Program,
    kernel: &Kernel,
    (nests, schedules): (&[Nest], &[Schedule]),
    bands: &[Band],
    memory: &Memory,
    target: &Target,
) -> Vec<Vec<Access>> {
    let mut all = vec![Vec::new(); kernel.steps.len()];
    for (nest, schedule) in nests.iter().zip(schedules) {
        let here = Vec::new();
        let mut search = Search { program, kernel, memory, bands, target, nest, schedule, here };
        for item in &nest.items {
            all[item.step] = search.step(item.step, item.at);
            search.here.push(item.step);
        }
    }
    all
}

impl Search<'_> {
    fn step(&self, step: usize, at: At) -> Vec<Access> {
        let combinator = &self.kernel.steps[step];
        let forms = self.forms(combinator, at);
        let mut list = Vec::new();
        combinator.body.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Read { array, index, .. } => {
                let path = read(self.kernel, self.nest.level, *array, index, &forms);
                list.push(Access { value: *array, path });
            }
            StmtKind::Own { bind, .. } => {
                list.push(Access { value: *bind, path: self.own(*bind, combinator.level().0) });
            }
            StmtKind::Window { bind, offsets, .. } => {
                list.push(Access { value: *bind, path: self.window(combinator, *bind, offsets) });
            }
            _ => {}
        });
        list.extend(self.writes(step, combinator));
        list
    }

    /// Whether the points of a step go W at a time, along the last axis.
    fn in_lanes(&self, at: At) -> bool {
        match at {
            At::Element(_) => self.schedule.strategies().iter().any(|strategy| strategy.is_in_lanes()),
            At::Group(_) => false,
        }
    }

    fn forms(&self, combinator: &Combinator, at: At) -> Forms {
        forms(self.program, self.kernel, combinator, self.in_lanes(at))
    }

    fn own(&self, bind: ValueId, level: usize) -> Path {
        let made = |&step: &usize| self.kernel.steps[step].binds.contains(&bind);
        if self.here.iter().any(made) {
            return Path::Register;
        }
        match level_of(self.kernel, bind, level) == level && self.in_lanes(At::Element(0)) && level > 0 {
            true if self.in_ring(bind) => Path::Ring,
            true => Path::Contiguous,
            false => Path::Broadcast,
        }
    }

    fn window(&self, combinator: &Combinator, bind: ValueId, offsets: &[Offset]) -> Path {
        let rank = combinator.level().0;
        let slides = self.in_lanes(At::Element(0))
            && slide::condition(
                self.target,
                self.schedule.lanes,
                self.kernel,
                &combinator.body,
                rank,
                (bind, offsets),
            );
        match (slides, self.in_ring(bind)) {
            (true, _) => Path::SlidingWindow,
            (false, true) => Path::Ring,
            (false, false) if self.in_lanes(At::Element(0)) => Path::Contiguous,
            (false, false) => Path::Broadcast,
        }
    }

    fn in_ring(&self, bind: ValueId) -> bool {
        let Some(Home::Stored(number)) = self.memory.home(bind) else { return false };
        self.bands.iter().any(|band| band.rings.iter().any(|ring| ring.stored == number))
    }

    fn writes(&self, step: usize, combinator: &Combinator) -> Vec<Access> {
        let path = |bind: ValueId| match &combinator.kind {
            CombinatorKind::Map | CombinatorKind::Scan { .. } | CombinatorKind::Serial { .. } => {
                match self.memory.home(bind)? {
                    Home::Stored(_) if self.in_ring(bind) => Some(Path::StoreRing),
                    Home::Result(_) if self.schedule.nontemporal => Some(Path::NonTemporal),
                    Home::Stored(_) | Home::Result(_) => Some(Path::Store),
                }
            }
            CombinatorKind::Reduce { .. } => Some(Path::Accumulate),
            CombinatorKind::Filter { .. } | CombinatorKind::Partition { .. } => Some(Path::Append),
            CombinatorKind::Permute { .. } => Some(match way(self.program, self.kernel, step) {
                Way::Append => Path::Append,
                Way::Place => Path::Scatter,
                Way::Combine => Path::Tables,
            }),
        };
        // The shape that a filter makes is no array.
        let is_array = |bind: &ValueId| matches!(self.kernel.values[bind.index()].ty, Type::Array(_));
        let binds = combinator.binds.iter().copied().filter(is_array);
        binds.filter_map(|value| Some(Access { value, path: path(value)? })).collect()
    }
}

/// True if a combinator reads an array at any place.
pub fn gathers(kernel: &Kernel, combinator: &Combinator, forms: &Forms) -> bool {
    let mut gathers = false;
    combinator.body.body.walk(&mut |stmt| {
        if let StmtKind::Read { array, index, .. } = &stmt.kind {
            gathers |= read(kernel, combinator.level().0, *array, index, forms) == Path::Gather;
        }
    });
    gathers
}

/// The forms of a thunk's values, with the points of the combinator along the lanes or not.
pub fn forms(program: &Program, kernel: &Kernel, combinator: &Combinator, lanes: bool) -> Forms {
    let level = combinator.level().0;
    let mut coordinates = vec![Form::Uniform; level];
    if let (Some(last), true) = (coordinates.last_mut(), lanes) {
        *last = Form::Linear(1);
    }
    let own = |bind| lanes && level_of(kernel, bind, level) == level;
    Forms::of(program, &combinator.body, &coordinates, &Around { own: &own, lanes })
}

/// The path of a read at a point of this level.
fn read(kernel: &Kernel, level: usize, array: ValueId, index: &[Index], forms: &Forms) -> Path {
    let Some(shape) = kernel.values[array.index()].ty.as_array() else { return Path::Gather };
    let dense = shape.placement == Placement::Dense;
    if dense && index.len() == level && are_own_coordinates(index) {
        return contiguous(forms.atom(index[index.len() - 1].at));
    }
    let axes = of_shape(kernel, &shape.shape);
    let mut place = Form::Uniform;
    for (axis, index) in axes.iter().zip(index) {
        let before = match (place, axis) {
            (Form::Uniform, _) => Some(Form::Uniform),
            (form, Length::Literal(extent)) => i64::try_from(*extent).ok().and_then(|by| scaled(form, by)),
            (_, Length::Even | Length::Ragged) => None,
        };
        let next = before.and_then(|before| sum(before, forms.atom(index.at), 1));
        place = next.unwrap_or(Form::Any);
    }
    contiguous(place)
}

/// The path to places of a form.
fn contiguous(form: Form) -> Path {
    match form {
        Form::Uniform => Path::Broadcast,
        Form::Linear(1) => Path::Contiguous,
        Form::Linear(step) => Path::Strided(step),
        Form::Groups(size, 1) => Path::LaneGroups(size),
        Form::Groups(size, 0) => Path::LaneBroadcast(size),
        Form::Groups(..) | Form::Any => Path::Gather,
    }
}
