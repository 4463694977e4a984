//! Strategy of reductions: who takes the tiles of groups, and how many points a lane takes at once. The order in which points are joined is λcu's, whatever is chosen.

use super::group::{Group, is_cheap};
use super::step::Step;
use super::view::{View, is_exact};
use crate::repr::words;
use nestled_ir::{Atom, Combinator, Monoid, StmtKind, ValueId};

/// Number of words that a thread loads before it joins the values, where threads are cheap.
const AHEAD: u32 = 32;
/// The same as a number of points, where fewer are left.
pub(crate) const REST: u32 = 8;

/// How a reduction runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reduce {
    /// Who takes the tiles.
    pub groups: Groups,
    /// True if the monoid commutes: a lane takes every sixteenth position of a tile, otherwise a contiguous block. Either all parts commute or none does.
    pub commutes: bool,
    /// Points that a lane takes at once.
    pub pace: Pace,
    /// True if launches with many groups take neighbouring groups side by side, because memory lies that way (`code/reduce_across.rs`).
    pub across: bool,
}

/// Who takes the tiles of the groups of a reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Groups {
    /// Three entries: tiles, the joining of tiles, the end of groups.
    Tiles,
    /// The whole is one group, in one entry: the workgroup that ends last joins the rest.
    Whole,
    /// Short groups are folded by a thread each, tiles of others are taken from a worklist, so that the work is even (`code/rows.rs`).
    Worklist,
}

/// The number of points that a lane takes at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// One point.
    Single,
    /// Several points, loaded before they are joined.
    Ahead(u32),
    /// The same with four neighbours in one load, for exact monoids.
    Fours(u32),
}

impl View<'_> {
    pub fn reduce(&self, group: &Group, step: &Combinator, to: usize, monoid: &Monoid) -> Reduce {
        let commutes = monoid.parts.iter().all(|part| part.is_commutative(&self.program.monoids));
        let any_order = commutes && is_exact(monoid, &self.result_types(step), &self.program.monoids);
        let pace = self.pace(group, step, any_order);
        let groups = match (self.has_warps(), to) {
            (false, _) => Groups::Tiles,
            (true, 0) => Groups::Whole,
            (true, _) => Groups::Worklist,
        };
        let across =
            groups == Groups::Worklist && commutes && pace != Pace::Single && self.goes_across(group, to);
        Reduce { groups, commutes, pace, across }
    }

    fn pace(&self, group: &Group, step: &Combinator, any_order: bool) -> Pace {
        if !self.has_warps() || !is_cheap(step) {
            return Pace::Single;
        }
        let mut read = 0;
        for at in group.steps() {
            self.kernel.steps[at].body.body.walk(&mut |stmt| {
                if let StmtKind::Read { array, .. } = &stmt.kind {
                    read += words(self.kernel.elem(*array)) as u32;
                }
            });
        }
        let ahead = (AHEAD / read.max(1)).max(1);
        if any_order && self.is_plain(group) {
            return Pace::Fours((ahead / 8).max(1));
        }
        Pace::Ahead(ahead.max(REST))
    }

    /// True if neighbouring groups read neighbouring elements, and the points of a group do not.
    fn goes_across(&self, group: &Group, to: usize) -> bool {
        let regular = group.level == to + 1
            && self.space[..group.level].iter().all(|step| matches!(step, Step::Const(_) | Step::Extent(_)));
        let mut across = false;
        let steps = || group.steps().map(|at| &self.kernel.steps[at]);
        let along = steps().any(|step| self.lies_along(group, step, to));
        steps().for_each(|step| last_indices(step, &mut |last, step| across |= is_axis(step, last, to - 1)));
        regular && across && !along
    }

    /// True if a combinator reads elements, or values in memory, that lie along the points of a group.
    fn lies_along(&self, group: &Group, step: &Combinator, to: usize) -> bool {
        let mut along = false;
        last_indices(step, &mut |last, step| along |= is_axis(step, last, to));
        let (own, windows) = step.reads();
        let is_below = |value: ValueId| self.level_in_memory(value).is_some_and(|level| level > to);
        let in_memory = |value: &ValueId| {
            let bound = group.maps.iter().any(|&map| self.kernel.steps[map].binds.contains(value));
            !bound && is_below(*value)
        };
        along
            || own.iter().chain(&step.guard).any(in_memory)
            || step.binds.iter().any(|&bind| is_below(bind))
            || !windows.is_empty()
    }
}

/// Visits the last index of each read of a combinator.
fn last_indices(step: &Combinator, visit: &mut dyn FnMut(Atom, &Combinator)) {
    step.body.body.walk(&mut |stmt| {
        if let StmtKind::Read { index, .. } = &stmt.kind
            && let Some(last) = index.last()
        {
            visit(last.at, step);
        }
    });
}

/// True if an index is the coordinate of an axis.
fn is_axis(step: &Combinator, index: Atom, axis: usize) -> bool {
    step.body.params().nth(axis).is_some_and(|param| index == Atom::Local(param))
}
