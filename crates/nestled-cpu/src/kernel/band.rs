//! Nests that run band by band: each thread takes a stretch of rows, and goes through it a few rows at a time.

use super::launch::{Rooms, Running};
use super::scratch::{Block, NoMemory};
use crate::codegen::band::Band;
use crate::codegen::slots::Slot;
use std::sync::{Mutex, PoisonError};

/// What a band's rows amount to.
struct Rows {
    /// How many there are.
    total: u64,
    /// Points of each.
    points: u64,
    /// Rows of a band.
    band: u64,
}

/// A ring of one thread.
struct Place {
    block: Block,
    /// The rows that are kept, and the bytes of each.
    rows: i64,
    row: i64,
    /// How far the stage that makes them is ahead.
    ahead: i64,
    /// The slots for its address, and for the row from which on rows lie at the start again.
    address: Option<usize>,
    turn: Option<usize>,
}

impl Running<'_> {
    /// Runs the nests of a band.
    pub fn band(&self, band: &Band) -> Result<(), NoMemory> {
        let (total, points) = (self.points[1], self.points[band.level]);
        if points == 0 {
            return Ok(());
        }
        let row = points / total;
        let rows = Rows { total, points: row, band: band_rows(band, row, self.thresholds.band).min(total) };
        let halo = band.stages.iter().map(|stage| stage.ahead + stage.behind).max().unwrap_or(0);
        let (_, size) = self.cut(points, total, 1);
        // What two threads both compute should not matter.
        let size = if size >= total { total } else { size.max(8 * halo).min(total) };
        let failed = Mutex::new(None);
        self.pool.for_each_chunk(total.div_ceil(size) as usize, |piece| {
            let (from, to) = (piece as u64 * size, ((piece as u64 + 1) * size).min(total));
            if let Err(error) = self.stretch(band, &rows, from, to) {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Rows `from..to` of the last stage, and what they need of those before.
    fn stretch(&self, band: &Band, rows: &Rows, from: u64, to: u64) -> Result<(), NoMemory> {
        let mut slots = self.slots().to_vec();
        let rings = self.rings(band, rows, &mut slots)?;
        let mut done: Vec<u64> = band.stages.iter().map(|stage| from.saturating_sub(stage.behind)).collect();
        let mut rooms = Vec::new();
        for number in 0..band.stages.len() {
            rooms.push(self.rooms_of(self.kernel.nests[band.first + number].main)?);
        }
        // No stage does more than a band's rows at once, the first time neither: so rings are large enough.
        let starts = done.iter().zip(&band.stages).map(|(&done, stage)| done as i64 - stage.ahead as i64);
        let mut end = starts.min().unwrap_or(0);
        while end < to as i64 {
            end = (end + rows.band as i64).min(to as i64);
            for place in &rings {
                place.turn_to(end, rows.total, &mut slots);
            }
            for (number, stage) in band.stages.iter().enumerate() {
                let until = (end + stage.ahead as i64).clamp(0, rows.total as i64) as u64;
                if until > done[number] {
                    let main = self.kernel.nests[band.first + number].main;
                    let mut work = Running::work();
                    (work.from, work.to) =
                        ((done[number] * rows.points) as i64, (until * rows.points) as i64);
                    work.privates = rooms[number].privates();
                    self.call_with(&slots, main, &mut work);
                    done[number] = until;
                }
            }
        }
        rings.into_iter().for_each(|place| self.scratch.give(place.block));
        rooms.into_iter().for_each(|rooms: Rooms| self.give(rooms));
        Ok(())
    }

    /// Memory for the rings.
    fn rings(&self, band: &Band, rows: &Rows, slots: &mut [u64]) -> Result<Vec<Place>, NoMemory> {
        let layout = &self.kernel.plan.slots;
        let mut places = Vec::new();
        for ring in &band.rings {
            let slot = |slot: Slot| layout.iter().position(|&known| known == slot);
            let (kept, row) = (rows.band + ring.kept, rows.points * ring.elem.size() as u64);
            let kept = kept.min(rows.total);
            if let Some(at) = slot(Slot::Rows(ring.stored)) {
                slots[at] = kept;
            }
            places.push(Place {
                block: self.scratch.take(usize::try_from(kept.saturating_mul(row)).unwrap_or(usize::MAX))?,
                rows: kept as i64,
                row: row as i64,
                ahead: band.stages[ring.stage].ahead as i64,
                address: slot(Slot::Stored(ring.stored)),
                turn: slot(Slot::Turn(ring.stored)),
            });
        }
        Ok(places)
    }
}

impl Place {
    /// Sets the slots for a band of the last stage that ends at a row. The last rows that are done by then lie in the ring.
    fn turn_to(&self, end: i64, total: u64, slots: &mut [u64]) {
        let least = ((end + self.ahead).min(total as i64) - self.rows).max(0);
        let before = least - least % self.rows;
        if let Some(at) = self.address {
            let shift = (before * self.row) as usize;
            slots[at] = self.block.address().wrapping_sub(shift) as u64;
        }
        if let Some(at) = self.turn {
            slots[at] = (before + self.rows) as u64;
        }
    }
}

/// How many rows a band has: what is live should fit the cache.
fn band_rows(band: &Band, points: u64, cache: u64) -> u64 {
    let bytes = |elem: u64, rows: u64| (elem * rows).saturating_mul(points);
    let kept: u64 = band.rings.iter().map(|ring| bytes(ring.elem.size() as u64, ring.kept)).sum();
    let each: u64 = band.rings.iter().map(|ring| bytes(ring.elem.size() as u64, 1)).sum();
    cache.saturating_sub(kept).checked_div(each).unwrap_or(u64::MAX / 2).max(2)
}
