//! Unroll-and-jam: a few rows of a grid at a time, where neighbouring rows read the same elements.
//!
//! A sum over a column of seven neighbours reads seven rows, and the sum in the row below reads six of them again. Jammed into the same round of the
//! loop, four sums load ten elements instead of twenty-eight.
//!
//! ```text
//! for row: for x: sum of a[row - 3 …, x]                                   before
//! for four rows: for x: sum of a[row - 3 …, x], of a[row - 2 …, x], …      after
//! ```

use super::{Info, Site};
use crate::axes::is_even;
use crate::nest::{At, Item, Order};
use nestled_ir::{Atom, CombinatorKind, Direction, StmtKind, Thunk, ValueId};
use std::collections::{HashMap, HashSet};

/// Rows jammed into one round.
pub const ROWS: u64 = 4;

/// Maximum number of statements of a point: the code is repeated for each row.
const LIGHT: u64 = 64;

/// Minimum number of rows that are read at one place of a row.
const NEIGHBOURS: usize = 3;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "jammed-rows",
    summary: "unroll-and-jam: four rows of a grid in one interior loop, so that rows read by several of them are loaded once",
    condition: "unguarded maps over a grid of two axes, forward, that cannot fault and have no loops, at most 64 statements a point together, of which one reads 3 rows or more at one \
                place of the row",
    cost: "the body is written once more for each row; saves loads of rows that neighbours read too",
};

/// Returns the number of rows to jam, if that pays.
pub fn condition(site: &Site<'_>) -> Option<u64> {
    let nest = site.nest;
    let plain = nest.level == 2
        && nest.group == 0
        && nest.order == Order::Vectors
        && nest.direction == Direction::Forward
        && is_even(site.kernel, 1);
    let is_map = |item: &Item| {
        let step = &site.kernel.steps[item.step];
        item.at == At::Element(0) && step.guard.is_none() && matches!(step.kind, CombinatorKind::Map)
    };
    if !plain || !nest.items.iter().all(is_map) {
        return None;
    }
    let costs = site.costs(site.steps());
    let suits = costs.iter().all(|cost| !cost.loops && !cost.faults)
        && costs.iter().map(|cost| cost.size).sum::<u64>() <= LIGHT
        && site.steps().any(|step| reads_neighbours(&site.kernel.steps[step].body));
    suits.then_some(ROWS)
}

/// True if a thunk reads several rows of a value at the same place of the row.
fn reads_neighbours(thunk: &Thunk) -> bool {
    // The values that vary along a row.
    let mut along: HashSet<Atom> = thunk.params().skip(1).map(Atom::Local).collect();
    let mut windows: HashMap<(ValueId, i64), HashSet<i64>> = HashMap::new();
    let mut reads: HashMap<(ValueId, Atom), HashSet<Atom>> = HashMap::new();
    thunk.body.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Window { bind, offsets, .. } => {
            windows.entry((*bind, offsets[1].by)).or_default().insert(offsets[0].by);
        }
        StmtKind::Own { dst, bind } => {
            windows.entry((*bind, 0)).or_default().insert(0);
            along.insert(Atom::Local(*dst));
        }
        StmtKind::Read { dst, array, index, .. } => {
            if let [row, column] = &index[..]
                && !along.contains(&row.at)
            {
                reads.entry((*array, column.at)).or_default().insert(row.at);
            }
            along.insert(Atom::Local(*dst));
        }
        kind => {
            if kind.atoms().iter().any(|atom| along.contains(atom)) {
                along.extend(kind.dsts().iter().map(|&dst| Atom::Local(dst)));
            }
        }
    });
    let most = windows.values().map(HashSet::len).chain(reads.values().map(HashSet::len)).max();
    most.is_some_and(|most| most >= NEIGHBOURS)
}
