//! Packed rows: short ragged rows share a vector.
//!
//! One vector per row is slow where rows have one or two points. But the points of neighbouring rows are adjacent in memory, so a vector may extend
//! into the next rows. Each lane then has coordinates of its own, and values that are uniform within a row are gathered.

use super::{Info, Site};
use crate::axes::is_even;
use crate::combinator::level_of;
use crate::nest::{At, Item, Order};
use nestled_ir::{CombinatorKind, Direction};

/// Lanes of a packed vector, each with one bit in the flags of row starts.
pub const LANES: usize = 16;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "packed-rows",
    summary: "a vector goes on into the next ragged rows where a row ends within it; a segment search by bits tells the lanes their rows",
    condition: "maps over ragged segments below every point of an outer level (level 2 or 3), 16 lanes, nothing reduced or scanned; earlier values only of the whole or the point",
    cost: "about 25 instructions for each vector to find its rows, 40 where some are empty, and gathers for what is read at the row; saves a masked vector for each short row",
};

/// True if vectors may extend into the next rows.
pub fn condition(site: &Site<'_>) -> bool {
    let nest = site.nest;
    nest.group == 0
        && (2..=3).contains(&nest.level)
        && site.lanes == LANES
        && nest.order == Order::Vectors
        && nest.direction == Direction::Forward
        && !nest.tiled
        && !nest.chained
        && !is_even(site.kernel, nest.level - 1)
        && (0..nest.level - 1).all(|axis| is_even(site.kernel, axis))
        && nest.items.iter().all(|item| can_run(site, item))
}

/// True if the combinator is a map that reads only earlier values of level 0 or of its own level.
fn can_run(site: &Site<'_>, item: &Item) -> bool {
    let combinator = &site.kernel.steps[item.step];
    let (own, windows) = combinator.reads();
    let level = |bind| level_of(site.kernel, bind, site.nest.level);
    matches!((item.at, &combinator.kind), (At::Element(_), CombinatorKind::Map))
        && windows.is_empty()
        && own.iter().all(|&bind| level(bind) == 0 || level(bind) == site.nest.level)
}
