//! Nests over groups: pieces of about equally many elements; groups are cut where one of them is a large part of all.

use super::launch::{Collected, Rooms, Running, Shared, taken};
use super::loaded::{Function, NestEntries};
use super::scratch::{Block, NoMemory};
use super::sizes;
use crate::codegen::nest::NestPlan;
use nestled_kernel::schedule::TILE;
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// A group that is cut.
struct Giant {
    group: u64,
    positions: u64,
    rows: Block,
}

/// What one thread does at a time.
enum Task {
    /// Groups.
    Groups(u64, u64),
    /// Positions of a giant.
    Positions(usize, u64, u64),
}

impl Running<'_> {
    /// A nest over groups.
    pub fn groups(&self, plan: &NestPlan, entries: NestEntries) -> Result<Collected, NoMemory> {
        let groups = self.points[plan.nest.group];
        let elements = self.points[plan.nest.level];
        if let (Some(columns), Some(function)) = (plan.columns, entries.columns) {
            let least = if columns.short { self.thresholds.few } else { self.thresholds.side_by_side };
            if self.extent(plan.nest.group - 1) >= least {
                return self.columns(plan, function, columns.room);
            }
        }
        let (wanted, _) = self.cut(elements + groups, elements + groups, 1);
        let share = (elements + groups) / (wanted as u64).max(1);
        let mut bounds = vec![0u64];
        let mut giants = Vec::new();
        for piece in 1..wanted as u64 {
            let group = self.group_near(plan, groups, share * piece);
            if group > *bounds.last().expect("it begins with one") {
                bounds.push(group);
            }
            let last = group.saturating_sub(1);
            let positions = self.elements(plan, group) - self.elements(plan, last);
            let known = giants.last().is_some_and(|giant: &Giant| giant.group == last);
            if entries.tiles.is_some() && positions >= self.thresholds.giant.max(2 * share) && !known {
                let rows = self.scratch.take(positions.div_ceil(TILE) as usize * plan.row)?;
                giants.push(Giant { group: last, positions, rows });
            }
        }
        bounds.push(groups);
        if let (Some(tiles), Some(close), false) = (entries.tiles, entries.close, giants.is_empty()) {
            let tasks = tasks(&bounds, &giants, share.next_multiple_of(TILE));
            return self.cut_groups(plan, (entries.main, tiles, close), &tasks, giants);
        }
        let count = bounds.len() - 1;
        let grouped = plan.streams.iter().any(|stream| stream.grouped);
        let ends = match grouped {
            true => Some(self.scratch.take(groups as usize * plan.streams.len() * 8)?),
            false => None,
        };
        let address = Shared(ends.as_ref().map_or(ptr::null_mut(), Block::address));
        let collected: Vec<Mutex<Option<Rooms>>> =
            if plan.streams.is_empty() { Vec::new() } else { (0..count).map(|_| Mutex::new(None)).collect() };
        let failed = Mutex::new(None);
        self.pool.for_each_chunk(count, |piece| {
            let (from, to) = (bounds[piece], bounds[piece + 1]);
            let outcome = self.piece(plan, entries.main, (from, to), collected.get(piece), |work| {
                work.state = address.add(from as usize * plan.streams.len() * 8);
            });
            if let Err(error) = outcome {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        Ok(Collected { ends, bounds, ..taken(collected) })
    }

    /// Groups of which some are cut.
    fn cut_groups(
        &self,
        plan: &NestPlan,
        (main, tiles, close): (Function, Function, Function),
        tasks: &[Task],
        giants: Vec<Giant>,
    ) -> Result<Collected, NoMemory> {
        let places: Vec<(u64, Shared<u8>)> =
            giants.iter().map(|giant| (giant.group, Shared(giant.rows.address()))).collect();
        let failed = Mutex::new(None);
        self.pool.for_each_chunk(tasks.len(), |number| {
            let outcome = match tasks[number] {
                Task::Groups(from, to) => self.piece(plan, main, (from, to), None, |_| {}),
                Task::Positions(giant, from, to) => self.piece(plan, tiles, (from, to), None, |work| {
                    let (group, rows) = &places[giant];
                    work.group = *group as i64;
                    work.state = rows.0;
                }),
            };
            if let Err(error) = outcome {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        if self.is_interrupted() {
            return Ok(taken(Vec::new()));
        }
        for giant in giants {
            self.piece(plan, close, (0, giant.positions.div_ceil(TILE)), None, |work| {
                work.group = giant.group as i64;
                work.state = giant.rows.address();
            })?;
            self.scratch.give(giant.rows);
        }
        Ok(taken(Vec::new()))
    }

    /// Groups in the lanes.
    fn columns(&self, plan: &NestPlan, function: Function, room: usize) -> Result<Collected, NoMemory> {
        let (groups, elements) = (self.points[plan.nest.group], self.points[plan.nest.level]);
        let (wanted, _) = self.cut(elements + groups, elements + groups, 1);
        let enough = self.thresholds.wide.min(groups.div_ceil(self.pool.threads() as u64));
        let size = match wanted {
            0 | 1 => groups.max(1),
            _ => groups.div_ceil(wanted as u64).max(enough).next_multiple_of(16),
        };
        let failed = Mutex::new(None);
        self.pool.for_each_chunk(groups.div_ceil(size) as usize, |piece| {
            let (from, to) = (piece as u64 * size, ((piece as u64 + 1) * size).min(groups));
            let outcome = self.scratch.take(room).and_then(|block| {
                let outcome =
                    self.piece(plan, function, (from, to), None, |work| work.state = block.address());
                self.scratch.give(block);
                outcome
            });
            if let Err(error) = outcome {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(taken(Vec::new())),
        }
    }

    /// The extent of an axis of the space.
    fn extent(&self, level: usize) -> u64 {
        let kernel = &self.kernel.plan.kernel;
        sizes::step(kernel, self.launch, kernel.space[level]).first(1)
    }

    /// The first group such that so many groups and elements lie before it.
    fn group_near(&self, plan: &NestPlan, groups: u64, target: u64) -> u64 {
        let (mut low, mut high) = (0, groups);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.elements(plan, middle) + middle < target { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// The groups between bounds, and the pieces of giants.
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
