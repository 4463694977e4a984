//! Execution of rolling windows, band by band: each thread takes a range of rows and processes it a few rows at a time (overlapped tiling).
#![allow(unsafe_code)] // Says what compiled code may write.

use super::call::Piece;
use super::parallel::Pieces;
use super::piece_buffers::PieceBuffers;
use super::pieces::cut;
use super::running::Running;
use super::scratch::{NoMemory, ScratchBlock};
use crate::codegen::launch_table::Slot;
use nestled_kernel::rolling::{Band, LINE};
use nestled_kernel::strategy::jam;
use std::ops::Range;

/// The tiling of a band's rows.
struct Rows {
    /// Number of rows.
    total: u64,
    /// Points of a row.
    points: u64,
    /// Rows of a band.
    band: u64,
    /// Columns of a strip.
    strip: u64,
}

/// The private state of one thread.
struct Own {
    slots: Vec<u64>,
    rings: Vec<Places>,
    /// The memory of the rings.
    block: ScratchBlock,
    /// The private arrays of each stage.
    buffers: Vec<PieceBuffers>,
    /// Number of rows that each stage has done.
    done: Vec<u64>,
    /// The slots for the range of columns that is walked.
    left: Option<usize>,
    right: Option<usize>,
}

/// Rings of one thread with the same layout of rows.
struct Places {
    /// The number of the ring that stands for them.
    like: usize,
    /// Number of rows kept.
    rows: i64,
    /// Number of rows that the stages that compute them run ahead.
    ahead: i64,
    /// The slot for the row at which the ring wraps around.
    turn: Option<usize>,
    rings: Vec<Place>,
}

/// A ring of one thread.
struct Place {
    /// The address of its memory.
    start: usize,
    /// Bytes of a row, and of an element if there are strips.
    row: i64,
    size: i64,
    /// The slot for its address.
    address: usize,
}

impl Running<'_> {
    /// Runs the nests of a band.
    pub(super) fn band(&self, band: &Band) -> Result<(), NoMemory> {
        let (total, points) = (self.points[1], self.points[band.level]);
        if points == 0 {
            return Ok(());
        }
        let row = points / total;
        let strip = strip(band, row, self.thresholds.band, self.thresholds.strip);
        let band_rows = band_rows(band, strip, self.thresholds.band).min(total);
        let rows = Rows { total, points: row, band: band_rows, strip };
        let halo = band.stages.iter().map(|stage| stage.ahead + stage.behind).max().unwrap_or(0);
        let cost = &self.kernel.costs[band.first];
        let (_, size) = cut(total, self.pieces(points, cost), 1);
        // The rows that two threads both compute should be few.
        let size = if size >= total { total } else { size.max(8 * halo).min(total) };
        let count = total.div_ceil(size) as usize;
        Pieces { running: self, cost, positions: points, count }.for_each(|piece| {
            let (from, to) = (piece as u64 * size, ((piece as u64 + 1) * size).min(total));
            self.row_range(band, &rows, from..to)
        })
    }

    /// Runs some rows of the last stage, with the rows of earlier stages that they need.
    fn row_range(&self, band: &Band, rows: &Rows, range: Range<u64>) -> Result<(), NoMemory> {
        let mut own = self.own(band, rows)?;
        for left in (0..rows.points).step_by(rows.strip as usize) {
            let columns = left..(left + rows.strip).min(rows.points);
            self.strip(band, rows, range.clone(), columns, &mut own);
        }
        self.scratch.give(own.block);
        own.buffers.into_iter().for_each(|buffers| buffers.give(self));
        Ok(())
    }

    /// Runs a strip of columns of a range of rows.
    fn strip(&self, band: &Band, rows: &Rows, range: Range<u64>, columns: Range<u64>, own: &mut Own) {
        for (done, stage) in own.done.iter_mut().zip(&band.stages) {
            *done = range.start.saturating_sub(stage.behind);
        }
        // The first column of the rows of rings.
        let first =
            columns.start.saturating_sub(band.stages.iter().map(|stage| stage.left).max().unwrap_or(0));
        // No stage does more than a band's rows at once, not even the first time: so rings are large enough.
        let starts = own.done.iter().zip(&band.stages).map(|(&done, stage)| done as i64 - stage.ahead as i64);
        let mut end = starts.min().unwrap_or(0);
        let to = range.end as i64;
        while end < to {
            end = (end + rows.band as i64).min(to);
            for places in &own.rings {
                places.turn_to(end, rows.total, first, &mut own.slots);
            }
            for (number, stage) in band.stages.iter().enumerate() {
                let until = (end + stage.ahead as i64).clamp(0, rows.total as i64) as u64;
                if until <= own.done[number] {
                    continue;
                }
                if let (Some(left), Some(right)) = (own.left, own.right) {
                    own.slots[left] = columns.start.saturating_sub(stage.left);
                    own.slots[right] = (columns.end + stage.right).min(rows.points);
                }
                let piece = Piece {
                    privates: &own.buffers[number].privates,
                    ..Piece::over(own.done[number] * rows.points..until * rows.points)
                };
                // SAFETY: the slots are those of the launch, with rings and private arrays of this thread, in which the rows that the stage reads and writes have their
                // places: `turn_to` has just seen to it. Nests of bands have neither streams nor partial results. Of the last stage each thread has rows of its own;
                // what several threads compute of those before, each keeps in rings of its own.
                unsafe { self.call(self.kernel.nests[band.first + number].main, &own.slots, piece) };
                own.done[number] = until;
            }
        }
    }

    /// Allocates the private state of a thread.
    fn own(&self, band: &Band, rows: &Rows) -> Result<Own, NoMemory> {
        let layout = &self.kernel.tables.slots;
        let slot = |slot: Slot| layout.iter().position(|&known| known == slot);
        let mut slots = self.slots.to_vec();
        let width = width(band, rows);
        if let Some(at) = slot(Slot::Width) {
            slots[at] = width;
        }
        let kept = |kept: u64| (rows.band + kept).min(rows.total);
        let mut starts = Vec::new();
        let mut size: u64 = 0;
        for room in &band.rooms {
            starts.push(size as usize);
            let bytes = kept(room.kept).saturating_mul(width).saturating_mul(room.size);
            size = size.saturating_add(bytes).checked_next_multiple_of(64).unwrap_or(u64::MAX);
        }
        let block = self.scratch.take(usize::try_from(size).unwrap_or(usize::MAX))?;
        let mut rings: Vec<Places> = Vec::new();
        for ring in &band.rings {
            let at = match rings.iter().position(|places| places.like == ring.like) {
                Some(at) => at,
                None => {
                    if let Some(at) = slot(Slot::Rows(ring.like)) {
                        slots[at] = kept(ring.kept);
                    }
                    let (rows, ahead) = (kept(ring.kept) as i64, band.stages[ring.stage].ahead as i64);
                    let turn = slot(Slot::Turn(ring.like));
                    rings.push(Places { like: ring.like, rows, ahead, turn, rings: Vec::new() });
                    rings.len() - 1
                }
            };
            if let Some(address) = slot(Slot::Stored(ring.stored)) {
                rings[at].rings.push(Place {
                    start: block.address().wrapping_add(starts[ring.room]) as usize,
                    row: (width * ring.elem.size() as u64) as i64,
                    size: if band.strips { ring.elem.size() as i64 } else { 0 },
                    address,
                });
            }
        }
        let mut buffers = Vec::new();
        for number in band.nests() {
            buffers.push(PieceBuffers::of(self, self.kernel.nests[number].main)?);
        }
        let done = vec![0; band.stages.len()];
        Ok(Own { slots, rings, block, buffers, done, left: slot(Slot::Left), right: slot(Slot::Right) })
    }
}

impl Places {
    /// Sets the slots for a band of the last stage that ends at row `end`. The last rows done by then are in the rings, from column `first` on.
    fn turn_to(&self, end: i64, total: u64, first: u64, slots: &mut [u64]) {
        let least = ((end + self.ahead).min(total as i64) - self.rows).max(0);
        let before = least - least % self.rows;
        if let Some(at) = self.turn {
            slots[at] = (before + self.rows) as u64;
        }
        for ring in &self.rings {
            let shift = before * ring.row + first as i64 * ring.size;
            slots[ring.address] = ring.start.wrapping_sub(shift as usize) as u64;
        }
    }
}

/// Returns the number of columns of a ring's rows.
fn width(band: &Band, rows: &Rows) -> u64 {
    if !band.strips {
        return rows.points;
    }
    let of =
        |side: fn(&nestled_kernel::rolling::Stage) -> u64| band.stages.iter().map(side).max().unwrap_or(0);
    let width = (rows.strip + of(|stage| stage.left) + of(|stage| stage.right)).next_multiple_of(LINE);
    // Rows should not all map to the same set of the cache.
    width + if width.is_multiple_of(16 * LINE) { LINE } else { 0 }
}

/// Returns the bytes of a column of all rings, with `rows` rows beside those that are kept.
fn column(band: &Band, rows: u64) -> u64 {
    band.rooms.iter().map(|room| room.size * (room.kept + rows)).sum()
}

/// Chooses the number of rows of a band: live data should fit the cache.
fn band_rows(band: &Band, points: u64, cache: u64) -> u64 {
    let kept = column(band, 0).saturating_mul(points);
    let each = (column(band, 1) - column(band, 0)).saturating_mul(points);
    let rows = cache.saturating_sub(kept).checked_div(each).unwrap_or(u64::MAX / 2).max(2);
    // A whole number of groups of jammed rows.
    if rows > jam::ROWS { rows - rows % jam::ROWS } else { rows }
}

/// Chooses the number of columns of a strip: all, if the rows of a small band fit the cache; otherwise as many as fit, but at least `least`.
fn strip(band: &Band, points: u64, cache: u64, least: u64) -> u64 {
    let fit = cache.checked_div(column(band, ROWS)).unwrap_or(points);
    if !band.strips || fit >= points {
        return points;
    }
    // Strips of about equal width, in whole lines.
    let count = points.div_ceil(fit.max(least));
    points.div_ceil(count).next_multiple_of(least)
}

/// Minimum number of rows of a band that is worth switching between its stages.
const ROWS: u64 = 4;
