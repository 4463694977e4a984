//! One launch: slots are filled, nests run one after another, and what leaves packed is moved to where it belongs.
#![allow(unsafe_code)] // Fills slots with addresses and calls generated code.

use super::leave;
use super::loaded::{Function, LoadedKernel, NestEntries};
use super::placing::Placing;
use super::raw::{RawArg, RawFault, RawLaunch, RawShape};
use super::scratch::{Block, NoMemory, Scratch};
use super::serial;
use super::sizes;
use super::target::Target;
use super::thresholds::Thresholds;
use crate::codegen::fault::{FaultRecord, FaultTemplate};
use crate::codegen::module::Plan;
use crate::codegen::nest::NestPlan;
use crate::codegen::slots::Slot;
use crate::codegen::work::Work;
use nestled_ir::interp::{FaultKind, Interrupt};
use nestled_ir::{Atom, SiteId, ValueId};
use nestled_kernel::rolling::Band;
use nestled_kernel::schedule::{SHORT, TILE};
use nestled_pool::Pool;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What launches need again and again; one for each thread that launches.
#[derive(Debug, Default)]
pub struct Workspace {
    slots: Vec<u64>,
    /// Points of each level.
    pub points: Vec<u64>,
    /// Memory.
    pub scratch: Scratch,
    /// When to do what.
    pub thresholds: Thresholds,
    /// The wish at which launches end, if there may be one.
    pub interrupt: Option<Interrupt>,
}

impl Workspace {
    /// One for launches with these thresholds.
    pub fn new(thresholds: Thresholds, interrupt: Option<Interrupt>) -> Workspace {
        Workspace { thresholds, interrupt, ..Workspace::default() }
    }
}

/// Positions after which a thread looks whether somebody wishes the end.
const LOOK: u64 = 1 << 20;

/// The same, where each may take long.
const LOOK_AT_LOOPS: u64 = 1 << 6;

/// A launch under way.
pub struct Running<'a> {
    /// The kernel.
    pub kernel: &'a LoadedKernel,
    /// The threads.
    pub pool: &'a Pool,
    /// The arguments.
    pub launch: &'a RawLaunch<'a>,
    /// Memory.
    pub scratch: &'a Scratch,
    /// Points of each level.
    pub points: &'a [u64],
    /// When to do what.
    pub thresholds: Thresholds,
    slots: &'a [u64],
    stored: Vec<Block>,
    /// Of the nest that runs: where its streams are scattered to.
    targets: Vec<Option<Target>>,
    /// Whether one thread must run the nest.
    alone: bool,
    interrupt: Option<&'a Interrupt>,
    fault: Mutex<Option<RawFault>>,
}

// SAFETY: what the launch's pointers lead to is written by one thread at a time, or in disjoint pieces.
unsafe impl Sync for Running<'_> {}

impl LoadedKernel {
    /// Runs the kernel. Answers the least fault. If somebody wishes the end meanwhile, results may be anything.
    ///
    /// # Errors
    /// If memory that it needs for itself is not there.
    ///
    /// # Safety
    /// The launch is what the kernel's text asks for: pointers lead to as many elements as shapes promise (sources readable 256 bytes past their
    /// ends), offsets rise and agree with totals, views lie inside their data.
    pub unsafe fn launch(
        &self,
        pool: &Pool,
        launch: &RawLaunch<'_>,
        workspace: &mut Workspace,
    ) -> Result<Option<RawFault>, NoMemory> {
        let Workspace { slots, points, scratch, thresholds, interrupt } = workspace;
        sizes::level_points(&self.plan.kernel, launch, points);
        let mut stored = Vec::new();
        let rings: Vec<usize> =
            self.plan.bands.iter().flat_map(|band| &band.rings).map(|ring| ring.stored).collect();
        for (number, (place, elem)) in self.plan.stored.iter().enumerate() {
            let size = match rings.contains(&number) {
                true => 0,
                false => match place.given {
                    Some(axis) => sizes::step(&self.plan.kernel, launch, axis).first(1),
                    None => points[place.level],
                }
                .saturating_mul(elem.size() as u64),
            };
            stored.push(scratch.take(usize::try_from(size).unwrap_or(usize::MAX))?);
        }
        let wish = interrupt.as_ref().map_or(&NOBODY, |interrupt| &**interrupt.flag());
        fill(slots, &self.plan.slots, (launch, wish), points, &stored);
        let mut running = Running {
            kernel: self,
            pool,
            launch,
            scratch,
            points,
            thresholds: *thresholds,
            slots,
            stored,
            targets: Vec::new(),
            alone: false,
            interrupt: interrupt.as_ref(),
            fault: Mutex::new(None),
        };
        let outcome = running.run();
        for block in running.stored.drain(..) {
            scratch.give(block);
        }
        let fault = running.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.map(|()| fault)
    }
}

/// The wish of nobody.
static NOBODY: AtomicBool = AtomicBool::new(false);

fn fill(
    slots: &mut Vec<u64>,
    layout: &[Slot],
    (launch, wish): (&RawLaunch<'_>, &AtomicBool),
    points: &[u64],
    stored: &[Block],
) {
    slots.clear();
    for slot in layout {
        slots.push(match *slot {
            Slot::Wish => ptr::from_ref(wish) as u64,
            Slot::Extent(at) | Slot::Length(at) => match launch.shapes[at] {
                RawShape::Extent(extent) => extent,
                RawShape::Regular { length } => length,
                RawShape::Offsets { .. } => 0,
            },
            Slot::Offsets(at) => match launch.shapes[at] {
                RawShape::Offsets { offsets, .. } => offsets as u64,
                RawShape::Extent(_) | RawShape::Regular { .. } => 0,
            },
            Slot::Scalar(at) => match launch.args[at] {
                RawArg::Scalar(scalar) => scalar.to_bits(),
                RawArg::Dense { .. } | RawArg::View { .. } => 0,
            },
            Slot::Data(at) => match launch.args[at] {
                RawArg::Dense { data, .. } | RawArg::View { data, .. } => data as u64,
                RawArg::Scalar(_) => 0,
            },
            Slot::Starts(at) => match launch.args[at] {
                RawArg::View { starts, .. } => starts as u64,
                RawArg::Dense { .. } | RawArg::Scalar(_) => 0,
            },
            Slot::Result(at) => launch.results[at].data as u64,
            Slot::Stored(at) => stored[at].address() as u64,
            // Set by each thread for itself.
            Slot::Turn(_) | Slot::Rows(_) | Slot::Width | Slot::Left | Slot::Right => 0,
            Slot::Points(level) => points[level],
        });
    }
}

/// Serial sections of pieces, in order of the pieces.
#[derive(Debug, Default)]
pub struct Turns {
    next: AtomicUsize,
}

impl Turns {
    /// Waits until all pieces before have had their turn. Pieces are claimed in order, so those before are under way.
    pub fn wait(&self, piece: usize) {
        let mut rounds = 0u32;
        while self.next.load(Ordering::Acquire) != piece {
            rounds += 1;
            if rounds < 1 << 12 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }

    /// Ends the turn of a piece.
    pub fn done(&self, piece: usize) {
        self.next.store(piece + 1, Ordering::Release);
    }
}

/// A pointer that threads share.
#[derive(Clone, Copy, Debug)]
pub struct Shared<T>(pub *mut T);

// SAFETY: whoever uses one keeps threads out of each other's way.
unsafe impl<T> Sync for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Shared<T> {}

impl<T> Shared<T> {
    /// The pointer `count` elements on.
    pub fn add(self, count: usize) -> *mut T {
        self.0.wrapping_add(count)
    }
}

/// The rooms of a piece's streams and private arrays.
#[derive(Default)]
pub struct Rooms {
    blocks: Vec<Block>,
    /// The address of the room of each component of each stream.
    pub streams: Vec<*mut u8>,
    /// How many points are in each stream.
    pub counts: Vec<i64>,
    privates: Vec<*mut u8>,
    /// Tables that are the piece's while it runs, with their streams.
    tables: Vec<(usize, Block)>,
}

// SAFETY: the addresses lead into the blocks.
unsafe impl Send for Rooms {}
// SAFETY: as above.
unsafe impl Sync for Rooms {}

/// The streams of a nest, piece by piece.
pub struct Collected {
    /// The rooms of each piece, in order.
    pub rooms: Vec<Rooms>,
    /// Of a nest over groups that streams tell apart: for each group and stream, where it ends in the stream of its piece.
    pub ends: Option<Block>,
    /// Of a nest over groups: where pieces begin, and where the last ends.
    pub bounds: Vec<u64>,
}

impl Running<'_> {
    fn run(&mut self) -> Result<(), NoMemory> {
        for number in 0..self.kernel.plan.nests.len() {
            // What was not computed must not lead anybody anywhere.
            if self.is_interrupted() {
                return Ok(());
            }
            let kernel = self.kernel;
            let band = kernel.plan.bands.iter().find(|band| band.nests().contains(&number));
            if band.is_some_and(|band| band.first != number) {
                continue;
            }
            let mut together = band.map_or(number..number + 1, Band::nests);
            if self.has_faulted() && together.any(|nest| kernel.plan.risks[nest].relies) {
                self.give_up(number);
                return Ok(());
            }
            if let Some(band) = band {
                self.band(band)?;
                continue;
            }
            let plan = &kernel.plan.nests[number];
            (self.targets, self.alone) = Target::of_nest(self, plan)?;
            let entries = self.kernel.nests[number];
            if let Some(step) = serial::of_nest(self, plan) {
                serial::run(self, plan, entries.main, step)?;
                continue;
            }
            let collected = if plan.nest.level == 0 {
                Some(self.pieces(plan, entries.main, 1, 1)?)
            } else if plan.nest.group > 0 {
                Some(self.groups(plan, entries)?)
            } else {
                self.whole(plan, entries)?
            };
            for target in std::mem::take(&mut self.targets).into_iter().flatten() {
                target.finish(self);
            }
            if let Some(collected) = collected {
                leave::finish(self, plan, collected)?;
            }
        }
        self.copy_duplicates();
        Ok(())
    }

    /// Leaves out the nests from `number` on: what they should have made is zero.
    fn give_up(&mut self, number: usize) {
        let Plan { kernel, nests, risks, .. } = &self.kernel.plan;
        let left_out = |step: usize| {
            nests[number..].iter().any(|plan| plan.nest.items.iter().any(|item| item.step == step))
        };
        for (value, into) in kernel.ret.iter().zip(self.launch.results) {
            if kernel.binder(*value).is_some_and(|(step, _)| left_out(step)) {
                let size = nestled_kernel::nest::elem(kernel, *value).size();
                // SAFETY: results have room for so many elements.
                unsafe { ptr::write_bytes(into.data, 0, into.len as usize * size) };
            }
        }
        let fault = self.fault.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(fault) = fault {
            fault.unsure = risks[number].least_site.is_some_and(|least| least <= fault.site);
        }
    }

    /// A value that leaves twice was written once.
    fn copy_duplicates(&self) {
        let kernel = &self.kernel.plan.kernel;
        for (position, value) in kernel.ret.iter().enumerate() {
            let first = kernel.ret.iter().position(|other| other == value).unwrap_or(position);
            if first != position {
                let (from, to) = (self.launch.results[first], self.launch.results[position]);
                let size = nestled_kernel::nest::elem(kernel, *value).size();
                let len = from.len.min(to.len) as usize * size;
                // SAFETY: results do not overlap, and have room for so many elements.
                unsafe { ptr::copy_nonoverlapping(from.data, to.data, len) };
            }
        }
    }

    /// Where a value lies that leaves, or lives as long as the launch.
    pub fn place_of(&self, value: ValueId) -> *mut u8 {
        let plan = &self.kernel.plan;
        if let Some(position) = plan.kernel.ret.iter().position(|&ret| ret == value) {
            return self.launch.results[position].data;
        }
        let stored = plan.stored.iter().position(|(stored, _)| stored.bind == value);
        self.stored[stored.expect("it lies in memory")].address()
    }

    /// The least fault so far, which is forgotten.
    pub fn take_fault(&self) -> Option<RawFault> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn has_faulted(&mut self) -> bool {
        self.fault.get_mut().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Whether somebody wishes the end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(Interrupt::is_requested)
    }

    /// The slots.
    pub fn slots(&self) -> &[u64] {
        self.slots
    }

    /// Takes note of a fault.
    pub fn note(&self, fault: RawFault) {
        let mut least = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let before = |other: &RawFault| (fault.site, fault.element) < (other.site, other.element);
        if least.as_ref().is_none_or(before) {
            *least = Some(fault);
        }
    }

    fn note_record(&self, record: &FaultRecord) {
        if record.site < 0 {
            return;
        }
        let (template, level) = &self.kernel.plan.faults[record.template as usize];
        let kind = match template {
            FaultTemplate::OutOfRange { array } => {
                FaultKind::OutOfRange { index: record.a, extent: record.b as u64, array: array.clone() }
            }
            FaultTemplate::Check { code } => FaultKind::Check { code: code.clone() },
            FaultTemplate::Class { classes } => FaultKind::Class { class: record.a, classes: *classes },
            FaultTemplate::Collision => FaultKind::Collision { destination: record.a as u64 },
        };
        let site = SiteId::from(record.site as usize);
        self.note(RawFault { site, element: record.element as u64, level: *level, kind, unsure: false });
    }

    /// A piece of work with nothing in it.
    pub fn work() -> Work {
        Work {
            from: 0,
            to: 0,
            group: 0,
            state: ptr::null_mut(),
            carry: ptr::null_mut(),
            total: ptr::null_mut(),
            streams: ptr::null(),
            counts: ptr::null_mut(),
            privates: ptr::null(),
            fault: FaultRecord::NONE,
        }
    }

    /// Calls a function on a piece of work.
    pub fn call(&self, function: Function, work: &mut Work) {
        self.call_with(self.slots, function, work);
    }

    /// Calls a function on a piece of work, with slots of its own.
    pub fn call_with(&self, slots: &[u64], function: Function, work: &mut Work) {
        // SAFETY: slots and work are as the kernel's plan asks for.
        unsafe { function.call(slots.as_ptr(), work) };
        self.note_record(&work.fault);
        work.fault = FaultRecord::NONE;
    }

    /// Whether a nest over so many positions is worth several threads.
    pub fn is_parallel(&self, positions: u64) -> bool {
        positions >= self.thresholds.parallel && self.pool.threads() > 1
    }

    /// Room for the streams of a piece of `len` points, and for private arrays.
    fn rooms(&self, plan: &NestPlan, function: Function, len: u64) -> Result<Rooms, NoMemory> {
        let mut rooms = Rooms::default();
        for (position, stream) in plan.streams.iter().enumerate() {
            rooms.counts.push(0);
            if let Some(target) = &self.targets[position] {
                let table = target.pointers(self, stream.way, &mut rooms.streams)?;
                rooms.tables.extend(table.map(|table| (position, table)));
                continue;
            }
            let number = stream.numbered.then_some(nestled_ir::ScalarType::Idx);
            for ty in stream.types.iter().copied().chain(number) {
                let size = (len as usize).saturating_mul(ty.size());
                let block = self.scratch.take(size)?;
                rooms.streams.push(block.address());
                rooms.blocks.push(block);
            }
        }
        self.add_privates(&mut rooms, function)?;
        Ok(rooms)
    }

    /// Room for the private arrays of a function.
    pub fn rooms_of(&self, function: Function) -> Result<Rooms, NoMemory> {
        let mut rooms = Rooms::default();
        self.add_privates(&mut rooms, function)?;
        Ok(rooms)
    }

    fn add_privates(&self, rooms: &mut Rooms, function: Function) -> Result<(), NoMemory> {
        let Some(number) = function.privates else { return Ok(()) };
        let list = self.kernel.plan.privates.values().nth(number);
        for room in list.into_iter().flatten() {
            let size = match room.size {
                Atom::Const(scalar) => scalar.as_integer().unwrap_or(0),
                Atom::Value(value) => self.scalar(value),
                Atom::Local(_) => 0,
            };
            let bytes = (size.max(0) as u64).saturating_mul((room.lanes * room.elem.size()) as u64);
            let block = self.scratch.take(usize::try_from(bytes).unwrap_or(usize::MAX))?;
            rooms.privates.push(block.address());
            rooms.blocks.push(block);
        }
        Ok(())
    }

    /// A scalar or extent parameter.
    fn scalar(&self, value: ValueId) -> i64 {
        let kernel = &self.kernel.plan.kernel;
        if let Some(at) = kernel.params.iter().position(|&param| param == value)
            && let RawArg::Scalar(scalar) = self.launch.args[at]
        {
            return scalar.as_integer().unwrap_or(0);
        }
        match kernel.shapes.iter().position(|&shape| shape == value).map(|at| self.launch.shapes[at]) {
            Some(RawShape::Extent(extent)) => extent as i64,
            _ => 0,
        }
    }

    /// Gives rooms back.
    pub fn give(&self, rooms: Rooms) {
        for block in rooms.blocks {
            self.scratch.give(block);
        }
    }

    /// How many pieces `total` positions or groups make, and how large they are.
    pub fn cut(&self, positions: u64, total: u64, multiple: u64) -> (usize, u64) {
        let threads = self.pool.threads() as u64;
        let wanted = if self.is_parallel(positions) { threads * 4 } else { 1 };
        let stretch = if self.kernel.loops { LOOK_AT_LOOPS } else { LOOK };
        let looks =
            if self.interrupt.is_some() { (positions / stretch).next_multiple_of(threads * 4) } else { 0 };
        // Pieces go to any thread: what one alone must run is one piece.
        let wanted = if self.alone { 1 } else { wanted.max(looks) };
        let size = total.div_ceil(wanted).max(1).next_multiple_of(multiple);
        (total.div_ceil(size) as usize, size)
    }

    /// Runs `function` over `0..total` in pieces of a size, and answers the streams of each piece.
    fn pieces(
        &self,
        plan: &NestPlan,
        function: Function,
        total: u64,
        size: u64,
    ) -> Result<Collected, NoMemory> {
        let count = total.div_ceil(size.max(1)) as usize;
        let collected: Vec<Mutex<Option<Rooms>>> =
            if plan.streams.is_empty() { Vec::new() } else { (0..count).map(|_| Mutex::new(None)).collect() };
        let failed = Mutex::new(None);
        self.pool.for_each_chunk(count, |piece| {
            let (from, to) = (piece as u64 * size, ((piece as u64 + 1) * size).min(total));
            if let Err(error) = self.piece(plan, function, (from, to), collected.get(piece), |_| {}) {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(taken(collected)),
        }
    }

    /// One piece.
    pub(super) fn piece(
        &self,
        plan: &NestPlan,
        function: Function,
        (from, to): (u64, u64),
        keep: Option<&Mutex<Option<Rooms>>>,
        prepare: impl FnOnce(&mut Work),
    ) -> Result<(), NoMemory> {
        let mut work = Running::work();
        (work.from, work.to) = (from as i64, to as i64);
        prepare(&mut work);
        // What goes through streams is moved by counts that the code leaves behind.
        if plan.streams.is_empty() && self.is_interrupted() {
            return Ok(());
        }
        if plan.streams.is_empty() && function.privates.is_none() {
            self.call(function, &mut work);
            return Ok(());
        }
        let mut len = to - from;
        if plan.nest.group > 0 && !plan.streams.is_empty() {
            len = self.elements(plan, to) - self.elements(plan, from);
        }
        let mut rooms = self.rooms(plan, function, len)?;
        work.streams = rooms.streams.as_ptr();
        work.counts = rooms.counts.as_mut_ptr();
        work.privates = rooms.privates.as_ptr();
        self.call(function, &mut work);
        for (stream, table) in rooms.tables.drain(..) {
            if let Some(target) = &self.targets[stream] {
                target.give_table(table);
            }
        }
        match keep {
            Some(keep) => *keep.lock().unwrap_or_else(PoisonError::into_inner) = Some(rooms),
            None => self.give(rooms),
        }
        Ok(())
    }

    /// How many elements lie below the groups before `group`.
    pub fn elements(&self, plan: &NestPlan, group: u64) -> u64 {
        let kernel = &self.kernel.plan.kernel;
        let mut number = group;
        for level in plan.nest.group..plan.nest.level {
            number = sizes::step(kernel, self.launch, kernel.space[level]).first(number);
        }
        number
    }

    /// A nest over the whole. Nothing is collected if all has been placed.
    fn whole(&self, plan: &NestPlan, entries: NestEntries) -> Result<Option<Collected>, NoMemory> {
        let total = self.points[plan.nest.level];
        if plan.short && total <= SHORT {
            return self.short(plan, entries, total).map(Some);
        }
        let placing = Placing::new(self, plan, total);
        if plan.nest.chained {
            return self.chained(plan, entries, total, placing);
        }
        let multiple = if plan.nest.tiled { TILE } else { 64 };
        let (mut count, mut size) = self.cut(total, total, multiple);
        if let Some(placing) = &placing {
            size = size.min(placing.size);
            count = total.div_ceil(size) as usize;
        } else if !plan.joins {
            return self.pieces(plan, entries.main, total, size).map(Some);
        }
        let rows = if plan.nest.tiled { total.div_ceil(TILE) } else { count as u64 };
        let state = self.scratch.take(rows as usize * plan.row)?;
        let address = Shared(state.address());
        let collected: Vec<Mutex<Option<Rooms>>> = if plan.streams.is_empty() || placing.is_some() {
            Vec::new()
        } else {
            (0..count).map(|_| Mutex::new(None)).collect()
        };
        let failed = Mutex::new(None);
        let run = |piece: usize| {
            let (from, to) = (piece as u64 * size, ((piece as u64 + 1) * size).min(total));
            let prepare = |work: &mut Work| {
                let own = if plan.nest.tiled { 0 } else { piece * plan.row };
                work.state = address.add(own);
            };
            let outcome = match &placing {
                Some(placing) => placing.piece(self, (plan, entries.main), piece, (from, to), prepare),
                None => self.piece(plan, entries.main, (from, to), collected.get(piece), prepare),
            };
            if let Err(error) = outcome {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        };
        match &placing {
            // A piece waits for the number of points that those before it place.
            Some(_) => self.pool.for_each_in_turn(count, run),
            None => self.pool.for_each_chunk(count, run),
        }
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        self.join(entries, rows, state.address())?;
        self.scratch.give(state);
        Ok(placed_or_taken(placing, collected))
    }

    fn join(&self, entries: NestEntries, rows: u64, state: *mut u8) -> Result<(), NoMemory> {
        let Some(join) = entries.join else { return Ok(()) };
        let rooms = self.rooms_of(join)?;
        let mut work = Running::work();
        work.to = rows as i64;
        work.state = state;
        work.privates = rooms.privates.as_ptr();
        self.call(join, &mut work);
        self.give(rooms);
        Ok(())
    }

    /// A whole that is reduced from left to right.
    fn short(&self, plan: &NestPlan, entries: NestEntries, total: u64) -> Result<Collected, NoMemory> {
        let state = self.scratch.take(plan.row)?;
        let total_row = self.scratch.take(plan.carry.len() * 8)?;
        let (address, own) = (Shared(state.address()), Shared(total_row.address()));
        let keep = Mutex::new(None);
        let function = if total == 0 { None } else { entries.short };
        if let Some(function) = function {
            let keep = (!plan.streams.is_empty()).then_some(&keep);
            self.piece(plan, function, (0, total), keep, |work| {
                work.state = address.0;
                work.carry = plan.carry.as_ptr().cast_mut().cast();
                work.total = own.0;
            })?;
        }
        self.scratch.give(total_row);
        self.join(entries, u64::from(total > 0), state.address())?;
        self.scratch.give(state);
        Ok(taken(vec![keep]))
    }

    /// A nest with scans over the whole: each piece waits for what those before it come to.
    fn chained(
        &self,
        plan: &NestPlan,
        entries: NestEntries,
        total: u64,
        placing: Option<Placing>,
    ) -> Result<Option<Collected>, NoMemory> {
        // It depends on nothing but the kernel, for it may show in last bits.
        let size = self.thresholds.chained.next_multiple_of(if plan.nest.tiled { TILE } else { 16 });
        let count = total.div_ceil(size) as usize;
        let cells = plan.carry.len();
        let rows = if plan.nest.tiled { total.div_ceil(TILE) } else { count as u64 };
        let carries = self.scratch.take((count + 1) * cells * 8)?;
        let totals = self.scratch.take(count.max(1) * cells * 8)?;
        let state = self.scratch.take((rows as usize * plan.row).max(8))?;
        let (carry, own) = (Shared(carries.address().cast::<u64>()), Shared(totals.address().cast::<u64>()));
        let address = Shared(state.address());
        let backward = plan.nest.direction == nestled_ir::Direction::Backward;
        // SAFETY: there is room for so many cells.
        unsafe { ptr::copy_nonoverlapping(plan.carry.as_ptr(), carry.0, cells) };
        let collected: Vec<Mutex<Option<Rooms>>> =
            if plan.streams.is_empty() { Vec::new() } else { (0..count).map(|_| Mutex::new(None)).collect() };
        let turns = Turns::default();
        let failed = Mutex::new(None);
        let fail = |error| *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        let alone = self.alone || self.pool.threads() == 1 || count < self.thresholds.chain;
        let run = |turn: usize| {
            let piece = if backward { count - 1 - turn } else { turn };
            let (from, to) = (piece as u64 * size, ((piece as u64 + 1) * size).min(total));
            if !alone && let (Some(function), Some(chain)) = (entries.totals, entries.chain) {
                let outcome = self.piece_of(plan, function, (from, to), |work| {
                    work.total = own.add(turn * cells).cast();
                });
                if let Err(error) = outcome {
                    fail(error);
                }
                turns.wait(turn);
                let outcome = self.piece_of(plan, chain, (0, 0), |work| {
                    work.carry = carry.add(turn * cells).cast();
                    work.state = own.add(turn * cells).cast();
                    work.total = carry.add((turn + 1) * cells).cast();
                });
                if let Err(error) = outcome {
                    fail(error);
                }
                turns.done(turn);
            }
            let prepare = |work: &mut Work| {
                let row = if plan.nest.tiled { 0 } else { piece * plan.row };
                work.state = address.add(row);
                work.carry = carry.add(turn * cells).cast();
                let next = if alone { carry.add((turn + 1) * cells) } else { own.add(turn * cells) };
                work.total = next.cast();
            };
            let outcome = match &placing {
                Some(placing) => placing.piece(self, (plan, entries.main), turn, (from, to), prepare),
                None => self.piece(plan, entries.main, (from, to), collected.get(piece), prepare),
            };
            if let Err(error) = outcome {
                fail(error);
            }
        };
        if alone {
            (0..count).for_each(run)
        } else {
            self.pool.for_each_in_turn(count, run)
        }
        let outcome = match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(()),
        };
        if outcome.is_ok() && plan.joins {
            self.join(entries, rows, state.address())?;
        }
        [carries, totals, state].into_iter().for_each(|block| self.scratch.give(block));
        outcome.map(|()| placed_or_taken(placing, collected))
    }

    /// A piece without streams.
    fn piece_of(
        &self,
        plan: &NestPlan,
        function: Function,
        (from, to): (u64, u64),
        prepare: impl FnOnce(&mut Work),
    ) -> Result<(), NoMemory> {
        let mut rooms = self.rooms_of(function)?;
        // The streams of the nest are not written, but their rooms are looked up.
        let components: usize = plan.streams.iter().map(|stream| stream.pointers()).sum();
        rooms.streams.resize(components, ptr::null_mut());
        let mut work = Running::work();
        (work.from, work.to) = (from as i64, to as i64);
        work.streams = rooms.streams.as_ptr();
        work.privates = rooms.privates.as_ptr();
        prepare(&mut work);
        self.call(function, &mut work);
        self.give(rooms);
        Ok(())
    }
}

impl Rooms {
    /// The table of private arrays.
    pub fn privates(&self) -> *const *mut u8 {
        self.privates.as_ptr()
    }
}

/// Ends the placing, if that is how streams left.
fn placed_or_taken(placing: Option<Placing>, collected: Vec<Mutex<Option<Rooms>>>) -> Option<Collected> {
    match placing {
        Some(placing) => {
            placing.finish();
            None
        }
        None => Some(taken(collected)),
    }
}

pub(super) fn taken(collected: Vec<Mutex<Option<Rooms>>>) -> Collected {
    let take = |rooms: Mutex<Option<Rooms>>| rooms.into_inner().unwrap_or_else(PoisonError::into_inner);
    Collected { rooms: collected.into_iter().filter_map(take).collect(), ends: None, bounds: Vec::new() }
}
