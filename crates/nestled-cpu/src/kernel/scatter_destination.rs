//! Destinations of unordered scatters: arrays with their base, and the privatised tables that are merged into them.
#![allow(unsafe_code)] // Fills and copies memory known by address.

use super::call::Piece;
use super::loaded::Function;
use super::raw::RawArg;
use super::running::Running;
use super::scratch::{Block, NoMemory};
use super::shared::Shared;
use super::sizes::{self, Step};
use crate::codegen::nest::NestPlan;
use nestled_ir::{Base, Combinator, CombinatorKind, Scalar, ScalarType};
use nestled_kernel::combinator::elem;
use nestled_kernel::stream::{COPIES, Way};
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// Maximum size in bytes of a table that is replicated [`COPIES`] times.
const SMALL: usize = 1 << 15;

/// The destination of a scatter.
pub struct Target {
    /// The steps of its shape.
    pub steps: Vec<Step>,
    /// Number of places.
    pub places: usize,
    /// The address of the first place of each component.
    pub into: Vec<(*mut u8, ScalarType)>,
    temporary: Vec<Block>,
    tables: Option<Tables>,
}

// SAFETY: its blocks may go to other threads, and nothing here depends on which thread it is in; `into` are addresses, which nothing here follows.
unsafe impl Send for Target {}
// SAFETY: through a shared reference only the free tables change, which have a lock. Who writes to the addresses in `into` says there why nobody else does.
unsafe impl Sync for Target {}

/// Privatised tables of the shape of a destination, one set for each active thread.
struct Tables {
    /// Number of copies of each component.
    copies: usize,
    /// The initial value of each component.
    start: Vec<Scalar>,
    merge: Function,
    /// The tables that no thread uses at the moment.
    free: Mutex<Vec<Block>>,
}

/// The way in which pieces of a nest share the destination of a combining scatter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sharing {
    /// Each thread has tables of its own, with this number of copies of each component.
    Tables(usize),
    /// A single thread does all.
    Alone,
}

impl Target {
    /// Makes the destination of a scatter, filled with its base.
    pub fn new(running: &Running<'_>, step: &Combinator) -> Result<Target, NoMemory> {
        let mut target =
            Target { steps: Vec::new(), places: 0, into: Vec::new(), temporary: Vec::new(), tables: None };
        let CombinatorKind::Permute { dest, base, .. } = &step.kind else { return Ok(target) };
        let kernel = &running.kernel.plan.kernel;
        target.steps = sizes::steps(kernel, running.launch, dest);
        target.places = target.steps.iter().fold(1, |points, step| step.first(points)) as usize;
        for &bind in &step.binds {
            let ty = elem(kernel, bind);
            let data = match kernel.ret.iter().position(|&value| value == bind) {
                Some(position) => running.launch.results[position].data,
                None => {
                    let block = running.scratch.take(target.places.saturating_mul(ty.size()))?;
                    let data = block.address();
                    target.temporary.push(block);
                    data
                }
            };
            target.into.push((data, ty));
        }
        target.write_base(running, base);
        Ok(target)
    }

    /// Makes the destinations of the scatters of a nest that are written while it runs, by stream. Also returns whether a single thread must do all.
    pub fn of_nest(running: &Running<'_>, plan: &NestPlan) -> Result<(Vec<Option<Target>>, bool), NoMemory> {
        let (mut targets, mut alone) = (Vec::new(), false);
        for stream in &plan.streams {
            if stream.way == Way::Append {
                targets.push(None);
                continue;
            }
            let kernel = running.kernel;
            let mut target = Target::new(running, &kernel.plan.kernel.steps[stream.step])?;
            if let Some(&(_, merge)) = kernel.merges.iter().find(|(step, _)| *step == stream.step) {
                match target.sharing(running, plan) {
                    Sharing::Alone => alone = true,
                    Sharing::Tables(copies) => {
                        let start = kernel.plan.merges[&stream.step].clone();
                        target.tables = Some(Tables { copies, start, merge, free: Mutex::default() });
                    }
                }
            }
            targets.push(Some(target));
        }
        Ok((targets, alone))
    }

    /// Chooses between tables and a single thread: tables pay if they are small compared to the number of points.
    fn sharing(&self, running: &Running<'_>, plan: &NestPlan) -> Sharing {
        let points = running.points[plan.nest.level] as usize;
        let bytes: usize = self.into.iter().map(|(_, ty)| self.places.saturating_mul(ty.size())).sum();
        if bytes <= SMALL / COPIES && self.places.saturating_mul(running.thresholds.crowded) <= points {
            Sharing::Tables(COPIES)
        } else if running.is_parallel(points as u64) && self.places.saturating_mul(2) <= points {
            Sharing::Tables(1)
        } else {
            Sharing::Alone
        }
    }

    /// Returns the addresses that a piece writes to, and a table to be returned after the piece, if there is one.
    pub fn pointers(
        &self,
        running: &Running<'_>,
        way: Way,
        into: &mut Vec<*mut u8>,
    ) -> Result<Option<Block>, NoMemory> {
        let Some(tables) = &self.tables else {
            let copies = if way == Way::Combine { COPIES } else { 1 };
            for &(data, _) in &self.into {
                into.extend([data; COPIES].iter().take(copies));
            }
            return Ok(None);
        };
        let free = tables.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let block = match free {
            Some(block) => block,
            None => self.new_table(running, tables)?,
        };
        for component in 0..self.into.len() {
            into.extend(
                (0..COPIES).map(|copy| self.table(tables, block.address(), component, copy % tables.copies)),
            );
        }
        Ok(Some(block))
    }

    /// Returns the address of a copy of the table of a component.
    fn table(&self, tables: &Tables, start: *mut u8, component: usize, copy: usize) -> *mut u8 {
        let before: usize = self.into[..component].iter().map(|(_, ty)| self.bytes(*ty)).sum();
        start.wrapping_add(before * tables.copies + self.bytes(self.into[component].1) * copy)
    }

    /// Returns the distance between copies in bytes.
    fn bytes(&self, ty: ScalarType) -> usize {
        self.places.saturating_mul(ty.size()).next_multiple_of(64)
    }

    fn new_table(&self, running: &Running<'_>, tables: &Tables) -> Result<Block, NoMemory> {
        let bytes: usize = self.into.iter().map(|(_, ty)| self.bytes(*ty)).sum();
        let block = running.scratch.take(bytes.saturating_mul(tables.copies))?;
        for (component, &(_, ty)) in self.into.iter().enumerate() {
            for copy in 0..tables.copies {
                let data = self.table(tables, block.address(), component, copy);
                // SAFETY: the block was taken just now, with room for every copy of every component, and this one begins at `data`, a multiple of 64.
                unsafe { fill(data, ty, tables.start[component], self.places) };
            }
        }
        Ok(block)
    }

    /// Returns a table after a piece is done.
    pub fn give_table(&self, block: Block) {
        if let Some(tables) = &self.tables {
            tables.free.lock().unwrap_or_else(PoisonError::into_inner).push(block);
        }
    }

    /// Merges the tables into the destination, and frees all memory.
    pub fn finish(self, running: &Running<'_>) {
        if let Some(tables) = &self.tables {
            let blocks = std::mem::take(&mut *tables.free.lock().unwrap_or_else(PoisonError::into_inner));
            // The order of tables does not matter: such scatters combine exactly.
            let starts: Vec<Shared<u8>> = blocks.iter().map(|block| Shared(block.address())).collect();
            let size = running.thresholds.stretch;
            running.pool.for_each_chunk(self.places.div_ceil(size), |stretch| {
                let from = stretch * size;
                let to = (from + size).min(self.places);
                for start in &starts {
                    for copy in 0..tables.copies {
                        let comes = (0..self.into.len()).map(|at| self.table(tables, start.add(0), at, copy));
                        let pointers: Vec<*mut u8> =
                            self.into.iter().map(|&(data, _)| data).chain(comes).collect();
                        let piece = Piece { streams: &pointers, ..Piece::over(from as u64..to as u64) };
                        // SAFETY: `merge` reads a table and changes the destination, which both have all these places. Stretches do not overlap, and nobody writes
                        // to tables any more: all have been given back.
                        unsafe { running.call(tables.merge, running.slots, piece) };
                    }
                }
            });
            blocks.into_iter().for_each(|block| running.scratch.give(block));
        }
        self.temporary.into_iter().for_each(|block| running.scratch.give(block));
    }

    fn write_base(&self, running: &Running<'_>, base: &Base) {
        let kernel = &running.kernel.plan.kernel;
        for (component, &(data, ty)) in self.into.iter().enumerate() {
            let (to, size) = (Shared(data), ty.size());
            let from = match base {
                Base::Fill(_) => None,
                Base::Arrays(arrays) => {
                    let position = kernel.params.iter().position(|&param| param == arrays[component]);
                    match position.map(|at| running.launch.args[at]) {
                        Some(RawArg::Dense { data: from, .. }) if from != data.cast_const() => {
                            Some(Shared(from.cast_mut()))
                        }
                        // Already there.
                        _ => continue,
                    }
                }
            };
            let value = match base {
                Base::Fill(values) => values[component],
                Base::Arrays(_) => Scalar::zero(ty),
            };
            let most = running.thresholds.stretch;
            running.pool.for_each_chunk(self.places.div_ceil(most), |stretch| {
                let first = stretch * most;
                let len = most.min(self.places - first);
                match from {
                    // SAFETY: the destination has `len` more places from `first` on, and stretches do not overlap.
                    None => unsafe { fill(to.add(first * size), ty, value, len) },
                    // SAFETY: the base has the shape of the destination, and both have `len` more elements from `first` on. A result overlaps no argument but at the very same
                    // place, which is left out above. Stretches do not overlap.
                    Some(from) => unsafe {
                        ptr::copy_nonoverlapping(from.add(first * size), to.add(first * size), len * size);
                    },
                }
            });
        }
    }
}

/// Fills `places` elements with a value.
///
/// # Safety
/// `data` is the address of room for `places` elements of the type, a multiple of their size, and no other thread accesses it.
unsafe fn fill(data: *mut u8, ty: ScalarType, value: Scalar, places: usize) {
    let bits = value.to_bits();
    // SAFETY: there is room for so many integers of the size of the elements, aligned as they are, and it is our caller's alone. It may hold anything: a slice of
    // integers that is only written to.
    unsafe {
        match ty.size() {
            1 => ptr::write_bytes(data, bits as u8, places),
            2 => std::slice::from_raw_parts_mut(data.cast::<u16>(), places).fill(bits as u16),
            4 => std::slice::from_raw_parts_mut(data.cast::<u32>(), places).fill(bits as u32),
            _ => std::slice::from_raw_parts_mut(data.cast::<u64>(), places).fill(bits),
        }
    }
}
