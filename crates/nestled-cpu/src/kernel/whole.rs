//! Parallel execution of nests over the whole: independent pieces, whose partial results are combined at the end.
#![allow(unsafe_code)] // Says what compiled code may write.

use super::call::Piece;
use super::nest::NestRun;
use super::piece_buffers::Collected;
use super::pieces::piece_range;
use super::rows::{Row, Rows};
use super::scratch::NoMemory;
use super::single_pass_filter::Placing;
use super::two_phase_scan;
use nestled_ir::reduction_order::{SHORT, TILE};

/// Runs a nest over the whole. Returns `None` if all streams have been placed.
pub(super) fn run(nest: &NestRun<'_>) -> Result<Option<Collected>, NoMemory> {
    let plan = nest.plan;
    let total = nest.running.points[plan.nest.level];
    if plan.short && total <= SHORT {
        return short(nest, total).map(Some);
    }
    let placing = Placing::new(nest.running, plan, total);
    if plan.nest.chained {
        return two_phase_scan::run(nest, total, placing);
    }
    let multiple = if plan.nest.tiled { TILE } else { 64 };
    let (_, size) = nest.cut(total, total, multiple);
    let size = placing.as_ref().map_or(size, |placing| size.min(placing.size));
    if placing.is_none() && !plan.joins {
        return pieces(nest, total, size).map(Some);
    }
    joined(nest, total, size, placing)
}

/// Runs `main` over `0..total` in pieces of `size` positions. Returns the streams of each piece.
pub(super) fn pieces(nest: &NestRun<'_>, total: u64, size: u64) -> Result<Collected, NoMemory> {
    let count = total.div_ceil(size.max(1)) as usize;
    let kept = nest.kept(count);
    nest.pieces(total, count).for_each(|number| {
        let piece = Piece::over(piece_range(number, size, total));
        // SAFETY: ranges of pieces are disjoint and lie in the nest; it has no partial results.
        unsafe { nest.piece_into(&kept, number, nest.entries.main, piece) }
    })?;
    Ok(kept.collect())
}

/// Runs pieces that leave partial results, or wait for each other to place the points that they keep.
fn joined(
    nest: &NestRun<'_>,
    total: u64,
    size: u64,
    placing: Option<Placing>,
) -> Result<Option<Collected>, NoMemory> {
    let (running, plan) = (nest.running, nest.plan);
    let count = total.div_ceil(size) as usize;
    let rows = if plan.nest.tiled { total.div_ceil(TILE) as usize } else { count };
    let state = Rows::take(running.scratch, rows, plan.row)?;
    let kept = nest.kept(if placing.is_some() { 0 } else { count });
    let piece = |number: usize| {
        // Tiled nests compute the number of their row from their range.
        let row = if plan.nest.tiled { 0 } else { number };
        Piece { state: state.from(row), ..Piece::over(piece_range(number, size, total)) }
    };
    match &placing {
        // A piece waits for the number of points that earlier pieces place.
        Some(placing) => nest.pieces(total, count).for_each_in_turn(|number| {
            // SAFETY: ranges of pieces are disjoint and lie in the nest; each piece has a row of its own, or one for each of its tiles.
            unsafe { placing.piece(nest, number, piece(number)) }
        }),
        None => nest.pieces(total, count).for_each(|number| {
            // SAFETY: ranges of pieces are disjoint and lie in the nest, and no two pieces have a row in common.
            unsafe { nest.piece_into(&kept, number, nest.entries.main, piece(number)) }
        }),
    }?;
    nest.join(rows as u64, &state)?;
    running.scratch.give(state.into_block());
    Ok(Placing::end(placing, kept))
}

/// Runs a short whole, which one thread reduces from left to right.
fn short(nest: &NestRun<'_>, total: u64) -> Result<Collected, NoMemory> {
    let (running, plan) = (nest.running, nest.plan);
    let state = Rows::take(running.scratch, 1, plan.row)?;
    let last = Rows::take(running.scratch, 1, plan.carry.len() * 8)?;
    let kept = nest.kept(1);
    if let Some(function) = nest.entries.short.filter(|_| total > 0) {
        let (state, carry, total_row) = (state.from(0), Row::of_cells(&plan.carry), last.from(0));
        let piece = Piece { state, carry, total: total_row, ..Piece::over(0..total) };
        // SAFETY: there is this one piece, over all positions, at most `SHORT`; its rows are its own, and the carry, which it only reads, has all cells.
        unsafe { nest.piece_into(&kept, 0, function, piece)? };
    }
    running.scratch.give(last.into_block());
    nest.join(u64::from(total > 0), &state)?;
    running.scratch.give(state.into_block());
    Ok(kept.collect())
}
