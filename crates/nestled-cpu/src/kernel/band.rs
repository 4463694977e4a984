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
    /// Columns of a strip.
    strip: u64,
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
        let strip = strip(band, row, self.thresholds.band, self.thresholds.strip);
        let band_rows = band_rows(band, strip, self.thresholds.band).min(total);
        let rows = Rows { total, points: row, band: band_rows, strip };
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
        let mut rooms = Vec::new();
        for number in 0..band.stages.len() {
            rooms.push(self.rooms_of(self.kernel.nests[band.first + number].main)?);
        }
        for left in (0..rows.points).step_by(rows.strip as usize) {
            let columns = (left, (left + rows.strip).min(rows.points));
            self.strip(band, rows, (from, to), columns, &rings, &rooms, &mut slots);
        }
        rings.into_iter().for_each(|place| self.scratch.give(place.block));
        rooms.into_iter().for_each(|rooms: Rooms| self.give(rooms));
        Ok(())
    }

    /// Some columns of a stretch.
    #[allow(clippy::too_many_arguments)]
    fn strip(
        &self,
        band: &Band,
        rows: &Rows,
        (from, to): (u64, u64),
        (left, right): (u64, u64),
        rings: &[Place],
        rooms: &[Rooms],
        slots: &mut [u64],
    ) {
        let mut done: Vec<u64> = band.stages.iter().map(|stage| from.saturating_sub(stage.behind)).collect();
        // No stage does more than a band's rows at once, the first time neither: so rings are large enough.
        let starts = done.iter().zip(&band.stages).map(|(&done, stage)| done as i64 - stage.ahead as i64);
        let mut end = starts.min().unwrap_or(0);
        while end < to as i64 {
            end = (end + rows.band as i64).min(to as i64);
            for place in rings {
                place.turn_to(end, rows.total, slots);
            }
            for (number, stage) in band.stages.iter().enumerate() {
                let until = (end + stage.ahead as i64).clamp(0, rows.total as i64) as u64;
                if until <= done[number] {
                    continue;
                }
                let main = self.kernel.nests[band.first + number].main;
                let mut work = Running::work();
                work.privates = rooms[number].privates();
                let own = (left.saturating_sub(stage.left), (right + stage.right).min(rows.points));
                if own == (0, rows.points) {
                    let points = |row: u64| (row * rows.points) as i64;
                    (work.from, work.to) = (points(done[number]), points(until));
                    self.call_with(slots, main, &mut work);
                } else {
                    for row in done[number]..until {
                        let point = |column: u64| (row * rows.points + column) as i64;
                        (work.from, work.to) = (point(own.0), point(own.1));
                        self.call_with(slots, main, &mut work);
                    }
                }
                done[number] = until;
            }
        }
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

/// Bytes of a column of the rings with so many rows beside those that are kept.
fn column(band: &Band, rows: u64) -> u64 {
    band.rings.iter().map(|ring| ring.elem.size() as u64 * (ring.kept + rows)).sum()
}

/// How many rows a band has: what is live should fit the cache.
fn band_rows(band: &Band, points: u64, cache: u64) -> u64 {
    let kept = column(band, 0).saturating_mul(points);
    let each = (column(band, 1) - column(band, 0)).saturating_mul(points);
    cache.saturating_sub(kept).checked_div(each).unwrap_or(u64::MAX / 2).max(2)
}

/// How many columns are gone through at a time: all, if the rows of a small band fit the cache; else as many as do, but not less than `least`.
fn strip(band: &Band, points: u64, cache: u64, least: u64) -> u64 {
    let fit = cache.checked_div(column(band, ROWS)).unwrap_or(points);
    if !band.strips || fit >= points {
        return points;
    }
    // Of about the same width, and whole lines.
    let count = points.div_ceil(fit.max(least));
    points.div_ceil(count).next_multiple_of(least)
}

/// So many rows of a band are worth the way to and fro between its stages.
const ROWS: u64 = 4;
