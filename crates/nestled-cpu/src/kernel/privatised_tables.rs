//! Privatised tables: copies of the destination of an unordered scatter, for each thread that takes part, which are merged into it at the end.
#![allow(unsafe_code)] // Fills memory known by address.

use super::call::Piece;
use super::running::Running;
use super::scatter_destination::{PrivatisedTables, ScatterDestination, fill};
use super::scratch::{NoMemory, ScratchBlock};
use super::shared::SharedPointer;
use crate::codegen::nest::NestPlan;
use nestled_ir::ScalarType;
use nestled_kernel::stream::{COPIES, Way};
use std::sync::{Mutex, PoisonError};

/// Maximum size in bytes of the tables of a nest that have copies.
const SMALL: usize = 1 << 12;

/// Size in bytes up to which all copies of the tables of a nest have room where it does nothing else.
const ALONE: usize = 1 << 13;

/// The same beside arrays that are stored. On a processor of AMD's two tables of 1 KB beside five arrays of 4 MB take 3.4 ms with 8 copies and 2.5 ms with 4, though the copies fit the
/// nearest cache: why is not known.
const BESIDE_STORES: usize = 1 << 12;

/// Minimum number of copies: with fewer, updates of one place in turn (constant data) wait for one another.
const FEWEST: usize = 4;

/// The way in which pieces of a nest share the destination of a combining scatter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sharing {
    /// Each thread has tables of its own, with this number of copies of each component.
    Tables(usize),
    /// A single thread does all.
    Alone,
}

/// Returns the number of copies of the tables of a nest, which have so many bytes together: a power of two, 1 if they are large.
fn copies(bytes: usize, stores: bool) -> usize {
    if bytes > SMALL {
        return 1;
    }
    let room = if stores { BESIDE_STORES } else { ALONE };
    let most = (room / bytes.max(1)).clamp(FEWEST, COPIES);
    1 << most.ilog2()
}

impl ScatterDestination {
    /// Makes the destinations of the scatters of a nest that are written while it runs, by stream. Also returns whether a single thread must do all.
    pub fn of_nest(
        running: &Running<'_>,
        plan: &NestPlan,
    ) -> Result<(Vec<Option<ScatterDestination>>, bool), NoMemory> {
        let kernel = running.kernel;
        let mut destinations = Vec::new();
        for stream in &plan.streams {
            let own = || ScatterDestination::new(running, &kernel.plan.kernel.steps[stream.step]);
            destinations.push(if stream.way == Way::Append { None } else { Some(own()?) });
        }
        let combined =
            plan.streams.iter().zip(&destinations).filter(|(stream, _)| stream.way == Way::Combine);
        let all = combined.filter_map(|(_, destination)| destination.as_ref());
        let bytes = all.map(ScatterDestination::table_bytes).fold(0, usize::saturating_add);
        let copies = copies(bytes, plan.stores);
        let mut alone = false;
        for (stream, destination) in plan.streams.iter().zip(&mut destinations) {
            let Some(destination) = destination else { continue };
            if let Some(&(_, merge)) = kernel.merges.iter().find(|(step, _)| *step == stream.step) {
                match destination.sharing(running, plan, copies) {
                    Sharing::Alone => alone = true,
                    Sharing::Tables(copies) => {
                        let start = kernel.plan.merges[&stream.step].clone();
                        destination.tables =
                            Some(PrivatisedTables { copies, start, merge, free: Mutex::default() });
                    }
                }
            }
        }
        Ok((destinations, alone))
    }

    /// Returns the size in bytes of one copy of all components.
    fn table_bytes(&self) -> usize {
        self.into.iter().map(|(_, ty)| self.bytes(*ty)).fold(0, usize::saturating_add)
    }

    /// Chooses between tables and a single thread: tables pay if they are small compared to the number of points.
    fn sharing(&self, running: &Running<'_>, plan: &NestPlan, copies: usize) -> Sharing {
        let points = running.points[plan.nest.level] as usize;
        if copies > 1 && self.places.saturating_mul(running.thresholds.crowded) <= points {
            Sharing::Tables(copies)
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
    ) -> Result<Option<ScratchBlock>, NoMemory> {
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
    fn table(&self, tables: &PrivatisedTables, start: *mut u8, component: usize, copy: usize) -> *mut u8 {
        let before: usize = self.into[..component].iter().map(|(_, ty)| self.bytes(*ty)).sum();
        start.wrapping_add(before * tables.copies + self.bytes(self.into[component].1) * copy)
    }

    /// Returns the distance between copies in bytes.
    fn bytes(&self, ty: ScalarType) -> usize {
        self.places.saturating_mul(ty.size()).next_multiple_of(64)
    }

    fn new_table(&self, running: &Running<'_>, tables: &PrivatisedTables) -> Result<ScratchBlock, NoMemory> {
        let block = running.scratch.take(self.table_bytes().saturating_mul(tables.copies))?;
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
    pub fn give_table(&self, block: ScratchBlock) {
        if let Some(tables) = &self.tables {
            tables.free.lock().unwrap_or_else(PoisonError::into_inner).push(block);
        }
    }

    /// Merges the tables into the destination, and frees all memory.
    pub fn finish(self, running: &Running<'_>) {
        if let Some(tables) = &self.tables {
            let blocks = std::mem::take(&mut *tables.free.lock().unwrap_or_else(PoisonError::into_inner));
            // The order of tables does not matter: such scatters combine exactly.
            let starts: Vec<SharedPointer<u8>> =
                blocks.iter().map(|block| SharedPointer(block.address())).collect();
            let size = running.thresholds.destination_chunk;
            running.pool.for_each_chunk(self.places.div_ceil(size), |chunk| {
                let from = chunk * size;
                let to = (from + size).min(self.places);
                for start in &starts {
                    for copy in 0..tables.copies {
                        let comes = (0..self.into.len()).map(|at| self.table(tables, start.add(0), at, copy));
                        let pointers: Vec<*mut u8> =
                            self.into.iter().map(|&(data, _)| data).chain(comes).collect();
                        let piece = Piece { streams: &pointers, ..Piece::over(from as u64..to as u64) };
                        // SAFETY: `merge` reads a table and changes the destination, which both have all these places. Chunks do not overlap, and nobody writes
                        // to tables any more: all have been given back.
                        unsafe { running.call(tables.merge, running.slots, piece) };
                    }
                }
            });
            blocks.into_iter().for_each(|block| running.scratch.give(block));
        }
        self.temporary.into_iter().for_each(|block| running.scratch.give(block));
    }
}

#[cfg(test)]
mod tests {
    use super::copies;

    #[test]
    fn tables_take_less_room_beside_stores() {
        assert_eq!(
            [0, 64, 1 << 10, 1025, 1 << 11, 3 << 10, 1 << 12].map(|bytes| copies(bytes, false)),
            [8, 8, 8, 4, 4, 4, 4]
        );
        assert_eq!(
            [0, 64, 1 << 10, 1025, 1 << 11, 3 << 10, 1 << 12].map(|bytes| copies(bytes, true)),
            [8, 8, 4, 4, 4, 4, 4]
        );
        assert_eq!([(1 << 12) + 1, 1 << 20].map(|bytes| copies(bytes, false)), [1; 2]);
    }
}
