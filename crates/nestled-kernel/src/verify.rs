//! The plan verifier: checks that each decision of a plan is possible for its kernel. Profitability is not checked.
//!
//! Code generation relies on these checks: each combinator runs once and after the values that it reads, strategies suit their nests, and values read
//! from memory are stored there.

use crate::axes::{Length, is_even, length, literal_length};
use crate::combinator::scans_across_rows;
use crate::memory::Home;
use crate::nest::{At, Item, Nest, Order};
use crate::plan::Plan;
use crate::reduction;
use crate::schedule::{Columns, GroupSweep, Loops, Rows, Schedule, Strategy};
use crate::strategy::{jam, pack, transpose};
use nestled_ir::reduction_order::{SHORT, TILE};
use nestled_ir::{CombinatorKind, Direction, Program, ValueId};
use std::collections::HashMap;

/// The reason why a plan cannot run.
pub type Fault = String;

/// Verifies a plan of a kernel of a program.
///
/// # Errors
/// The reason, if the plan cannot run.
pub fn verify(program: &Program, plan: &Plan) -> Result<(), Fault> {
    items(plan)?;
    if plan.schedules.len() != plan.nests.len() || plan.accesses.len() != plan.kernel.steps.len() {
        return Err("every nest has a schedule, and every step its accesses".into());
    }
    for (number, (nest, schedule)) in plan.nests.iter().zip(&plan.schedules).enumerate() {
        let judge = Judge { program, plan, nest, schedule };
        judge.nest().map_err(|fault| format!("nest {number}: {fault}"))?;
    }
    order(plan)?;
    bands(plan)
}

fn demand(holds: bool, what: &str) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(what.into()) }
}

/// Checks that every step is in one nest, in order, at a level that the nest walks.
fn items(plan: &Plan) -> Result<(), Fault> {
    let mut seen = vec![false; plan.kernel.steps.len()];
    for nest in &plan.nests {
        demand(nest.level <= plan.kernel.space.len(), "a nest walks a level of the space")?;
        demand(nest.level == 0 || nest.group < nest.level, "groups are points of an outer level")?;
        demand(nest.items.is_sorted_by_key(|item| item.step), "the steps of a nest are in order")?;
        for item in &nest.items {
            let level = match item.at {
                At::Element(_) => nest.level,
                At::Group(_) => nest.group,
            };
            let step = plan.kernel.steps.get(item.step).ok_or("a nest has steps of the kernel")?;
            demand(step.level().0 == level, "a step runs at the points of its level")?;
            demand(!std::mem::replace(&mut seen[item.step], true), "a step runs once")?;
        }
    }
    demand(seen.into_iter().all(|seen| seen), "every step runs")
}

/// Checks that every value is computed before it is read, and is in a register or in memory.
fn order(plan: &Plan) -> Result<(), Fault> {
    let mut made: HashMap<ValueId, (usize, Item)> = HashMap::new();
    for (number, nest) in plan.nests.iter().enumerate() {
        for &item in &nest.items {
            let step = &plan.kernel.steps[item.step];
            let (own, windows) = step.reads();
            for value in own {
                let (maker, by) = made.get(&value).ok_or("a value is read before it is made")?;
                let home = plan.memory.home(value).is_some();
                let register = *maker == number && is_at_hand(plan, *by, item)?;
                demand(home || register, "a value that goes from sweep to sweep lies in memory")?;
            }
            for value in windows {
                let (maker, _) = made.get(&value).ok_or("a window is read before it is made")?;
                demand(*maker < number, "a window is made by an earlier nest")?;
                demand(plan.memory.home(value).is_some(), "what is read through a window lies in memory")?;
            }
            made.extend(step.binds.iter().map(|&bind| (bind, (number, item))));
        }
    }
    Ok(())
}

/// True if the value that one item of a nest binds is in a register when another item runs.
fn is_at_hand(plan: &Plan, made: Item, read: Item) -> Result<bool, Fault> {
    let reduces = matches!(plan.kernel.steps[made.step].kind, CombinatorKind::Reduce { .. });
    Ok(match (made.at, read.at) {
        (At::Element(sweep), At::Element(at) | At::Group(at)) if reduces => {
            demand(sweep < at, "a reduction is read after its sweep")?;
            true
        }
        (At::Element(sweep), At::Element(at)) => {
            demand(sweep <= at, "a sweep reads what was made before")?;
            sweep == at
        }
        (At::Group(sweep), At::Element(at) | At::Group(at)) => {
            demand(sweep <= at, "a sweep reads what was made before")?;
            true
        }
        (At::Element(_), At::Group(_)) => false,
    })
}

struct Judge<'a> {
    program: &'a Program,
    plan: &'a Plan,
    nest: &'a Nest,
    schedule: &'a Schedule,
}

impl Judge<'_> {
    fn nest(&self) -> Result<(), Fault> {
        let (nest, schedule) = (self.nest, self.schedule);
        demand(
            schedule.lanes.is_power_of_two() && (16..=64).contains(&schedule.lanes),
            "lanes are 16, 32 or 64",
        )?;
        let fixed = nest.tiled || nest.chained || nest.ordered || schedule.nontemporal;
        demand(
            schedule.aligned == fixed,
            "vectors are aligned where an order, a scan or a store hangs on it",
        )?;
        let kernel = &self.plan.kernel;
        let read = |array: ValueId| {
            kernel.params.contains(&array) && kernel.values[array.index()].ty.as_array().is_some()
        };
        let free = !fixed && nest.level == 1 && nest.direction == Direction::Forward;
        demand(
            schedule.aligned_to.is_none_or(|array| free && read(array)),
            "vectors begin with those of an array where they may begin anywhere",
        )?;
        let across_rows = |step| scans_across_rows(self.program, kernel, &kernel.steps[step]);
        demand(
            nest.flat || !nest.in_sweeps().any(across_rows),
            "a scan whose order is fixed goes on from row to row",
        )?;
        let past = self.plan.sizes.streaming && nest.streams();
        demand(past || !schedule.nontemporal, "only results larger than the caches go past them")?;
        demand(
            !nest.tiled || schedule.lanes == 16 || nest.group == 0 && nest.flat,
            "an order that is fixed is that of sixteen lanes, also where the whole is walked in wider vectors",
        )?;
        match &schedule.loops {
            Loops::Once => demand(nest.level == 0, "only level 0 has no loop"),
            Loops::Whole(whole) => {
                demand(nest.level > 0 && nest.group == 0, "the whole is level 0's")?;
                demand(whole.totals.is_some() == nest.chained, "a scan over the whole has two phases")?;
                demand(whole.short == nest.tiled, "short reductions run from left to right")?;
                if let Some(totals) = whole.totals {
                    demand(!totals.is_in_tiles(), "totals are not kept by tiles")?;
                    self.strategy(totals, false)?;
                }
                demand(whole.main.is_in_tiles() == nest.tiled, "reductions of a fixed order go by tiles")?;
                self.strategy(whole.main, false)
            }
            Loops::Groups(groups) => {
                demand(nest.group > 0, "groups are points of an outer level")?;
                demand(groups.sweeps.len() == nest.sweeps(), "each sweep has a strategy")?;
                groups.sweeps.iter().enumerate().try_for_each(|(sweep, how)| self.group_sweep(sweep, how))?;
                let plain = nest.order == Order::Vectors && nest.direction == Direction::Forward;
                demand(
                    groups.transposed.is_none() || plain && schedule.lanes == transpose::SIDE,
                    "a batch is a square",
                )?;
                demand(
                    groups.transposed.is_none_or(|batches| !batches.flat || nest.flat && nest.sweeps() == 1),
                    "flat values need only the numbers of their elements",
                )?;
                if let Some(count) = groups.interleaved {
                    self.interleaved(count, plain)?;
                }
                let even = (nest.group - 1..nest.level).all(|axis| is_even(&self.plan.kernel, axis));
                let one = nest.sweeps() == 1;
                demand(groups.across.is_none() || plain && even && one, "groups in lanes are of one length")?;
                if let Some(split) = groups.split {
                    demand(plain && one && split.is_in_tiles(), "groups are split where tiles end")?;
                    self.strategy(split, false)?;
                }
                Ok(())
            }
        }
    }

    /// Checks that groups can be reduced several at a time, in one pass over columns that all of them have.
    fn interleaved(&self, count: usize, plain: bool) -> Result<(), Fault> {
        let (nest, kernel) = (self.nest, &self.plan.kernel);
        let rows = nest.level == nest.group + 1 && is_even(kernel, nest.group);
        let after = |item: &Item| matches!(item.at, At::Element(_) | At::Group(1));
        demand(
            count >= 2 && plain && rows && nest.sweeps() == 1,
            "interleaved groups are rows of one length",
        )?;
        demand(nest.tiled && nest.only_reduces(kernel), "what is interleaved are reductions in tiles")?;
        demand(nest.items.iter().all(after), "interleaved groups have no code before their elements")?;
        demand(self.starts_from_identities(), "lanes start from an identity")
    }

    fn starts_from_identities(&self) -> bool {
        let parts = reduction::parts(self.program, &self.plan.kernel, self.nest.in_sweep(0));
        parts.iter().all(|part| part.identity.is_some())
    }

    fn group_sweep(&self, sweep: usize, how: &GroupSweep) -> Result<(), Fault> {
        let nest = self.nest;
        let kernel = &self.plan.kernel;
        let is_tiled = |step: usize| crate::combinator::is_tiled(self.program, kernel, &kernel.steps[step]);
        let tiled = nest.in_sweep(sweep).any(is_tiled);
        let known = literal_length(kernel, nest.group, nest.level);
        let fixed = |holds: bool| demand(tiled && holds, "the order of a reduction is fixed by its length");
        match *how {
            GroupSweep::Any(_) => demand(!tiled, "the order of a reduction is fixed")?,
            GroupSweep::PointsUpTo(..) => {
                let map = |step: usize| matches!(kernel.steps[step].kind, CombinatorKind::Map);
                demand(nest.in_sweep(sweep).all(map), "a version for few points is for maps")?;
            }
            GroupSweep::LeftToRight => fixed(known.is_some_and(|length| length <= SHORT))?,
            GroupSweep::Tiles(_) => fixed(known.is_some_and(|length| length > SHORT))?,
            GroupSweep::LeftToRightUpTo(most, _) => fixed(known.is_none() && most == SHORT)?,
        }
        let one_tile = tiled && known.is_some_and(|length| (1..=TILE).contains(&length));
        self.strategy(how.strategy(), one_tile || !tiled)
    }

    /// Checks that a range can be swept by the strategy. Rows that are not cut at tiles require a single tile, or none (`uncut`).
    fn strategy(&self, strategy: Strategy, uncut: bool) -> Result<(), Fault> {
        let nest = self.nest;
        let rows = !nest.flat && nest.level > nest.group + 1;
        if strategy.is_in_lanes() {
            demand(nest.order == Order::Vectors, "a monoid of the program takes one point after another")?;
        }
        match strategy {
            Strategy::Points => Ok(()),
            Strategy::PointTiles => {
                demand(nest.order == Order::Points, "point tiles are for monoids of the program")
            }
            Strategy::Vectors | Strategy::Tiles => demand(!rows, "rows are walked one by one"),
            Strategy::InterleavedTiles(count) => {
                demand(count >= 2 && !rows, "tiles are interleaved where they are one row")?;
                demand(self.starts_from_identities(), "lanes start from an identity")
            }
            Strategy::RowsInTiles => demand(rows, "there are rows"),
            Strategy::Rows(how) => {
                demand(rows, "there are rows")?;
                demand(uncut || !nest.tiled, "rows are cut where tiles end")?;
                self.rows(how)
            }
        }
    }

    fn rows(&self, rows: Rows) -> Result<(), Fault> {
        let (nest, kernel) = (self.nest, &self.plan.kernel);
        let columns = |columns| {
            demand((columns == Columns::Strip) == nest.strips, "a band says whether there are strips")
        };
        let maps =
            || nest.items.iter().all(|item| matches!(kernel.steps[item.step].kind, CombinatorKind::Map));
        match rows {
            Rows::Each(which) => columns(which),
            Rows::Jammed(count, which) => {
                let grid = nest.level == 2 && nest.group == 0 && is_even(kernel, 1);
                demand(
                    count == jam::ROWS && grid && maps(),
                    "rows of a grid of maps are jammed, four at a time",
                )?;
                columns(which)
            }
            Rows::Unrolled(count) => {
                let whole = Length::Literal(count.saturating_mul(self.schedule.lanes as u64));
                demand(
                    count > 0 && length(kernel, nest.level - 1) == whole,
                    "unrolled rows are whole vectors",
                )
            }
            Rows::Packed => {
                let ragged = !is_even(kernel, nest.level - 1);
                demand(ragged && maps() && self.schedule.lanes == pack::LANES, "packed rows are ragged")
            }
        }
    }
}

/// Checks that rolling windows run over grids and do not overlap, and that their rings and buffers exist.
fn bands(plan: &Plan) -> Result<(), Fault> {
    let mut next = 0;
    for band in &plan.bands {
        demand(band.first >= next && band.stages.len() > 1, "rolling windows follow each other")?;
        next = band.nests().end;
        let nests = plan.nests.get(band.nests()).ok_or("a rolling window is of nests")?;
        let alike = |nest: &Nest| {
            nest.level == band.level && nest.group == 0 && nest.strips == band.strips && !nest.flat
        };
        demand(nests.iter().all(alike), "the nests of a rolling window walk the same rows")?;
        for ring in &band.rings {
            demand(ring.room < band.rooms.len() && ring.stage < band.stages.len(), "a ring has a room")?;
            let stored = plan.memory.stored.get(ring.stored).ok_or("a ring is of a stored value")?;
            demand(
                plan.memory.home(stored.bind) == Some(Home::Stored(ring.stored)),
                "a ring is of a stored value",
            )?;
        }
    }
    let strips = |(number, nest): (usize, &Nest)| {
        nest.strips && !plan.bands.iter().any(|band| band.nests().contains(&number))
    };
    demand(!plan.nests.iter().enumerate().any(strips), "only rolling windows have strips")
}
