//! Parallel execution of nests over groups, load-balanced: pieces have about equally many elements, and a group that is a large part of all is split.
#![allow(unsafe_code)] // Says what compiled code may write.

use super::call::Piece;
use super::loaded::LoadedFunction;
use super::nest::NestRun;
use super::piece_buffers::Collected;
use super::pieces::piece_range;
use super::rows::{Row, Rows};
use super::scratch::NoMemory;
use nestled_ir::reduction_order::TILE;

/// A group that is split.
struct Giant {
    group: u64,
    positions: u64,
    /// A row for each tile.
    rows: Rows,
}

/// A unit of work of one thread.
enum Task {
    /// A range of groups.
    Groups(u64, u64),
    /// A range of positions of a giant.
    Positions(usize, u64, u64),
}

/// The partition of a nest over groups.
struct Cuts {
    /// The first group of each piece, followed by the number of groups.
    bounds: Vec<u64>,
    giants: Vec<Giant>,
    /// Approximate number of groups and elements of a piece.
    share: u64,
}

/// Runs a nest over groups.
pub(super) fn run(nest: &NestRun<'_>) -> Result<Collected, NoMemory> {
    let (running, plan) = (nest.running, nest.plan);
    if !plan.writes_empty_groups && running.points[plan.nest.level] == 0 {
        // A space without elements may have more groups than could ever be visited.
        return Ok(nest.kept(0).collect());
    }
    if let (Some(columns), Some(function)) = (plan.columns, nest.entries.columns) {
        let thresholds = running.thresholds;
        let least = if columns.short { thresholds.few } else { thresholds.side_by_side };
        if running.extent(plan.nest.group - 1) >= least {
            return run_columns(nest, function, columns.bytes);
        }
    }
    let Cuts { bounds, giants, share } = cuts(nest)?;
    if let (Some(tiles), Some(close), false) = (nest.entries.tiles, nest.entries.close, giants.is_empty()) {
        let tasks = tasks(&bounds, &giants, share.next_multiple_of(TILE));
        return run_tasks(nest, (tiles, close), &tasks, giants);
    }
    let groups = running.points[plan.nest.group];
    let grouped = plan.streams.iter().any(|stream| stream.grouped);
    let ends = match grouped {
        true => Some(Rows::take(running.scratch, groups as usize, plan.streams.len() * 8)?),
        false => None,
    };
    let count = bounds.len() - 1;
    let kept = nest.kept(count);
    nest.pieces(groups + running.points[plan.nest.level], count).for_each(|number| {
        let (from, to) = (bounds[number], bounds[number + 1]);
        let state = ends.as_ref().map_or(Row::NONE, |ends| ends.from(from as usize));
        let piece = Piece { state, ..Piece::over(from..to) };
        // SAFETY: bounds rise, so that pieces have groups of their own, and so are the rows of `ends`, one for each group.
        unsafe { nest.piece_into(&kept, number, nest.entries.main, piece) }
    })?;
    Ok(Collected { ends: ends.map(Rows::into_block), bounds, ..kept.collect() })
}

/// Partitions the groups into pieces of about equally many elements, and finds the groups to be split.
fn cuts(nest: &NestRun<'_>) -> Result<Cuts, NoMemory> {
    let (running, plan) = (nest.running, nest.plan);
    let (groups, elements) = (running.points[plan.nest.group], running.points[plan.nest.level]);
    let (wanted, _) = nest.cut(elements + groups, elements + groups, 1);
    let share = (elements + groups) / (wanted as u64).max(1);
    let mut bounds = vec![0u64];
    let mut giants: Vec<Giant> = Vec::new();
    for piece in 1..wanted as u64 {
        let group = group_near(nest, groups, share * piece);
        if group > *bounds.last().expect("it begins with one") {
            bounds.push(group);
        }
        let last = group.saturating_sub(1);
        let positions = running.elements(plan, group) - running.elements(plan, last);
        let known = giants.last().is_some_and(|giant| giant.group == last);
        if nest.entries.tiles.is_some() && positions >= running.thresholds.giant.max(2 * share) && !known {
            let rows = Rows::take(running.scratch, positions.div_ceil(TILE) as usize, plan.row)?;
            giants.push(Giant { group: last, positions, rows });
        }
    }
    bounds.push(groups);
    Ok(Cuts { bounds, giants, share })
}

/// Runs a partition in which some groups are split.
fn run_tasks(
    nest: &NestRun<'_>,
    (tiles, close): (LoadedFunction, LoadedFunction),
    tasks: &[Task],
    giants: Vec<Giant>,
) -> Result<Collected, NoMemory> {
    let running = nest.running;
    let kept = nest.kept(0);
    let elements = running.points[nest.plan.nest.level];
    nest.pieces(elements, tasks.len()).for_each(|number| match tasks[number] {
        // SAFETY: tasks have groups of their own, none of which is cut.
        Task::Groups(from, to) => unsafe {
            nest.piece_into(&kept, number, nest.entries.main, Piece::over(from..to))
        },
        Task::Positions(giant, from, to) => {
            let Giant { group, rows, .. } = &giants[giant];
            let piece = Piece { group: *group, state: rows.from(0), ..Piece::over(from..to) };
            // SAFETY: tasks of one group have whole tiles of their own, and so are the rows that they write, out of one for each tile of the group.
            unsafe { nest.piece_into(&kept, number, tiles, piece) }
        }
    })?;
    if running.is_interrupted() {
        return Ok(kept.collect());
    }
    for Giant { group, positions, rows } in giants {
        let piece = Piece { group, state: rows.from(0), ..Piece::over(0..positions.div_ceil(TILE)) };
        // SAFETY: all rows of the group are written, as all tasks are done; nothing else runs.
        unsafe { nest.piece_into(&kept, 0, close, piece)? };
        running.scratch.give(rows.into_block());
    }
    Ok(kept.collect())
}

/// Runs the version that vectorises across groups.
fn run_columns(nest: &NestRun<'_>, function: LoadedFunction, bytes: usize) -> Result<Collected, NoMemory> {
    let (running, plan) = (nest.running, nest.plan);
    let (groups, elements) = (running.points[plan.nest.group], running.points[plan.nest.level]);
    let (wanted, _) = nest.cut(elements + groups, elements + groups, 1);
    let enough = running.thresholds.wide.min(groups.div_ceil(running.pool.threads() as u64));
    let size = match wanted {
        0 | 1 => groups.max(1),
        _ => groups.div_ceil(wanted as u64).max(enough).next_multiple_of(16),
    };
    let kept = nest.kept(0);
    nest.pieces(elements + groups, groups.div_ceil(size) as usize).for_each(|number| {
        let block = running.scratch.take(bytes)?;
        let piece = Piece { state: Row::of_block(&block), ..Piece::over(piece_range(number, size, groups)) };
        // SAFETY: pieces have groups of their own, and this one has its buffer.
        let outcome = unsafe { nest.piece_into(&kept, number, function, piece) };
        running.scratch.give(block);
        outcome
    })?;
    Ok(kept.collect())
}

/// Finds, by binary search, the first group with at least `target` groups and elements before it.
fn group_near(nest: &NestRun<'_>, groups: u64, target: u64) -> u64 {
    let (mut low, mut high) = (0, groups);
    while low < high {
        let middle = low + (high - low) / 2;
        if nest.running.elements(nest.plan, middle) + middle < target {
            low = middle + 1
        } else {
            high = middle
        }
    }
    low
}

/// Returns the groups between bounds, and the pieces of giants.
fn tasks(bounds: &[u64], giants: &[Giant], size: u64) -> Vec<Task> {
    let mut tasks = Vec::new();
    for bound in bounds.windows(2) {
        let (mut from, to) = (bound[0], bound[1]);
        for (number, giant) in giants.iter().enumerate() {
            if !(from..to).contains(&giant.group) {
                continue;
            }
            if from < giant.group {
                tasks.push(Task::Groups(from, giant.group));
            }
            let mut at = 0;
            while at < giant.positions {
                let end = (at + size).min(giant.positions);
                tasks.push(Task::Positions(number, at, end));
                at = end;
            }
            from = giant.group + 1;
        }
        if from < to {
            tasks.push(Task::Groups(from, to));
        }
    }
    tasks
}
