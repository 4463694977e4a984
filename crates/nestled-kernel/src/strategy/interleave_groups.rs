//! Interleaved groups: several long rows are reduced in the same pass over their columns, so that what all rows read is loaded once.
//!
//! In a matrix-vector product each row reads the whole vector again. If the vector and a row do not fit the first cache together, it comes from the
//! second one as often as there are rows, beside the row itself. One loop over the columns of several rows, each with accumulators of its own, loads
//! an element of the vector for all of them.
//!
//! ```text
//! for row: for x: sum += a[row, x] * v[x]                          before
//! for four rows: for x: sum0 += a[row, x] * v[x], sum1 += …        after
//! ```
//!
//! Rows that share nothing, and short ones, go one after another: memory is fastest in one long stream. Four streams of a thousand bytes each took
//! three times as long.

use super::{Info, Site};
use crate::axes::{is_even, literal_length};
use crate::nest::{At, Order};
use crate::reduction;
use nestled_ir::reduction_order::TILE;
use nestled_ir::{Atom, CombinatorKind, Direction, StmtKind, Thunk};
use std::collections::HashSet;

/// Number of rows. More streams than this gained nothing.
const ROWS: usize = 4;

/// Minimum length of a row.
pub const LONG: u64 = TILE;

/// Maximum number of instructions of a point: memory does not bound longer bodies.
const LIGHT: u64 = 40;

/// Maximum bytes of the accumulators of a lane and row: those of all rows stay in registers.
const BYTES: usize = 8;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "interleaved-groups",
    summary: "several long rows at the same time, each with accumulators of its own; what all of them read is loaded once",
    condition: "one forward sweep that only reduces, in tiles, the rows of a regular axis, and reads an array along the columns alone; monoids whose every component has an identity, no loops in thunks \
                and at most 40 instructions a point, at most 8 bytes of accumulators a lane; no version across groups; rows of at least 4096 elements",
    cost: "the body is written twice more for each row, one time under a mask; saves loads of what all rows read",
};

/// Returns the number of rows that are reduced at the same time, if that pays.
pub fn condition(site: &Site<'_>) -> Option<usize> {
    let nest = site.nest;
    let plain = nest.group > 0
        && nest.level == nest.group + 1
        && nest.sweeps() == 1
        && nest.tiled
        && nest.order == Order::Vectors
        && nest.direction == Direction::Forward
        && is_even(site.kernel, nest.group)
        && nest.only_reduces(site.kernel)
        && nest.items.iter().all(|item| match (item.at, &site.kernel.steps[item.step].kind) {
            (At::Element(_), _) | (At::Group(1), CombinatorKind::Map) => true,
            (At::Group(_), _) => false,
        });
    let known = literal_length(site.kernel, nest.group, nest.level);
    if !plain || known.is_some_and(|length| length < LONG) {
        return None;
    }
    let parts = reduction::parts(site.program, site.kernel, nest.in_sweep(0));
    let bytes: usize = parts.iter().flat_map(|part| &part.types).map(|ty| ty.size()).sum();
    let costs = site.costs(nest.in_sweep(0));
    let pays = costs.iter().all(|cost| !cost.loops)
        && costs.iter().map(|cost| cost.work).sum::<u64>() <= LIGHT
        && bytes <= BYTES
        && parts.iter().all(|part| part.identity.is_some())
        && nest.in_sweep(0).any(|step| reads_columns(&site.kernel.steps[step].body, nest.group));
    pays.then_some(ROWS)
}

/// True if a thunk reads an element that depends on the coordinate of the column, and on no coordinate of the group.
fn reads_columns(thunk: &Thunk, group: usize) -> bool {
    let coordinates: Vec<Atom> = thunk.params().map(Atom::Local).collect();
    let mut of_row: HashSet<Atom> = coordinates[..group].iter().copied().collect();
    let mut of_column: HashSet<Atom> = coordinates[group..].iter().copied().collect();
    let mut found = false;
    thunk.body.walk(&mut |stmt| {
        let atoms = stmt.kind.atoms();
        let own = matches!(stmt.kind, StmtKind::Own { .. });
        let row = own || atoms.iter().any(|atom| of_row.contains(atom));
        let column = own || atoms.iter().any(|atom| of_column.contains(atom));
        found |= matches!(stmt.kind, StmtKind::Read { .. }) && column && !row;
        let made = || stmt.kind.dsts().iter().map(|&dst| Atom::Local(dst)).collect::<Vec<_>>();
        if row {
            of_row.extend(made());
        }
        if column {
            of_column.extend(made());
        }
    });
    found
}
