//! Strategy selection: chooses one strategy for each sweep of a nest, and the versions of the nest.

use super::{
    Site, across_groups, align, interleave, interleave_groups, jam, nontemporal, pack, points, split_groups,
    transpose, unroll,
};
use crate::axes::literal_length;
use crate::combinator::is_tiled;
use crate::nest::Order;
use crate::schedule::{Columns, GroupSweep, Groups, Loops, Rows, Schedule, Strategy, Whole};
use nestled_ir::reduction_order::{SHORT, TILE};

/// The partial results of a sweep, where a reduction's order is fixed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reduces {
    /// None: the order is free.
    Freely,
    /// A row of partial results for each tile of a range.
    Tiles,
    /// The same for a whole group, which may be known to be a single tile.
    TilesOfGroup,
}

/// Chooses the schedule of a nest.
pub fn schedule(site: &Site<'_>) -> Schedule {
    let nest = site.nest;
    let loops = match (nest.level, nest.group) {
        (0, _) => Loops::Once,
        (_, 0) => Loops::Whole(whole(site)),
        _ => Loops::Groups(groups(site)),
    };
    let nontemporal = nontemporal::condition(site);
    let aligned = nest.tiled || nest.chained || nest.ordered || nontemporal;
    let aligned_to = if aligned { None } else { align::condition(site) };
    Schedule { lanes: site.lanes, loops, aligned, aligned_to, nontemporal }
}

fn whole(site: &Site<'_>) -> Whole {
    let nest = site.nest;
    let order = if nest.tiled { Reduces::Tiles } else { Reduces::Freely };
    Whole { main: strategy(site, 0, order), totals: nest.chained.then(|| totals(site)), short: nest.tiled }
}

/// Chooses the strategy of the totals phase. Only the operands of scans are computed.
fn totals(site: &Site<'_>) -> Strategy {
    match (site.nest.order, has_rows(site)) {
        (Order::Points, _) => Strategy::Points,
        (Order::Vectors, false) => Strategy::Vectors,
        (Order::Vectors, true) => Strategy::Rows(Rows::Each(columns(site))),
    }
}

fn groups(site: &Site<'_>) -> Groups {
    let split = split_groups::condition(site);
    let across = across_groups::condition(site);
    // Where columns are read along the lanes, each row by itself would be gathered.
    let interleaved = if across.is_none() { interleave_groups::condition(site) } else { None };
    Groups {
        sweeps: (0..site.nest.sweeps()).map(|sweep| group_sweep(site, sweep)).collect(),
        transposed: transpose::condition(site),
        interleaved,
        across,
        split: split.then(|| strategy(site, 0, Reduces::Tiles)),
    }
}

fn group_sweep(site: &Site<'_>, sweep: usize) -> GroupSweep {
    let (nest, kernel) = (site.nest, site.kernel);
    let tiled = nest.in_sweep(sweep).any(|step| is_tiled(site.program, kernel, &kernel.steps[step]));
    let freely = || strategy(site, sweep, Reduces::Freely);
    if nest.order == Order::Vectors && points::condition(site, sweep) {
        return GroupSweep::PointsUpTo(points::FEW, freely());
    }
    if !tiled {
        return GroupSweep::Any(freely());
    }
    let by_tiles = || strategy(site, sweep, Reduces::TilesOfGroup);
    match literal_length(kernel, nest.group, nest.level) {
        Some(length) if length <= SHORT => GroupSweep::LeftToRight,
        Some(_) => GroupSweep::Tiles(by_tiles()),
        None => GroupSweep::LeftToRightUpTo(SHORT, by_tiles()),
    }
}

/// True if a range is walked row by row: it has several rows, and its points need coordinates.
fn has_rows(site: &Site<'_>) -> bool {
    !site.nest.flat && site.nest.level > site.nest.group + 1
}

fn columns(site: &Site<'_>) -> Columns {
    if site.nest.strips { Columns::Strip } else { Columns::All }
}

/// Chooses the strategy of a sweep.
fn strategy(site: &Site<'_>, sweep: usize, order: Reduces) -> Strategy {
    let nest = site.nest;
    match (nest.order, order) {
        (Order::Points, Reduces::Freely) => return Strategy::Points,
        (Order::Points, Reduces::Tiles | Reduces::TilesOfGroup) => return Strategy::PointTiles,
        (Order::Vectors, _) => {}
    }
    let known = || literal_length(site.kernel, nest.group, nest.level);
    let one_tile = || known().is_some_and(|length| (1..=TILE).contains(&length));
    match (has_rows(site), order) {
        (false, Reduces::Freely) => Strategy::Vectors,
        (false, Reduces::Tiles | Reduces::TilesOfGroup) => match interleave::condition(site, sweep) {
            Some(tiles) => Strategy::InterleavedTiles(tiles),
            None => Strategy::Tiles,
        },
        (true, Reduces::Freely) => Strategy::Rows(rows(site, sweep)),
        (true, Reduces::TilesOfGroup) if one_tile() => Strategy::Rows(rows(site, sweep)),
        (true, Reduces::Tiles | Reduces::TilesOfGroup) => Strategy::RowsInTiles,
    }
}

fn rows(site: &Site<'_>, sweep: usize) -> Rows {
    let columns = columns(site);
    if columns == Columns::All {
        if pack::condition(site) {
            return Rows::Packed;
        }
        if let Some(vectors) = unroll::condition(site, sweep) {
            return Rows::Unrolled(vectors);
        }
    }
    match jam::condition(site) {
        Some(count) => Rows::Jammed(count, columns),
        None => Rows::Each(columns),
    }
}
