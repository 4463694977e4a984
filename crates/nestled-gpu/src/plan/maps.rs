//! Strategy of maps: how the points of a thread are stored, and whether points away from the borders of a grid have a version of their own.

use super::group::Group;
use super::step::Step;
use super::view::View;
use crate::dialect::Language;
use crate::repr::Repr;

/// How a pass of maps runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Maps {
    /// How results are stored.
    pub stores: Stores,
    /// True if points away from the borders run a version without the rules for what lies outside (`interior.rs`).
    pub interior: bool,
}

/// How the results of maps are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stores {
    /// A thread to a point.
    Points,
    /// A thread to four neighbouring points, whose bytes and halves go into one word: the smallest that WGSL stores.
    Packed,
    /// A thread to four neighbouring points, so that their loads and stores are vectorised. For cheap thunks without faults, over a space whose last axis is no
    /// segmentation; others gain nothing by it.
    Fours,
}

impl View<'_> {
    pub fn maps(&self, group: &Group) -> Maps {
        let stores = match (self.goes_by_fours(group), self.makes_narrow(group)) {
            (true, _) => Stores::Fours,
            (false, true) => Stores::Packed,
            (false, false) => Stores::Points,
        };
        Maps { stores, interior: self.has_interior(group) }
    }

    fn goes_by_fours(&self, group: &Group) -> bool {
        let last = group.level.checked_sub(1).map(|axis| self.space[axis]);
        self.has_warps()
            && matches!(last, Some(Step::Const(_) | Step::Extent(_)))
            && !self.has_sites
            && self.is_plain(group)
    }

    /// True if a pass of maps makes arrays of elements that WGSL stores four at a time.
    fn makes_narrow(&self, group: &Group) -> bool {
        let mut binds = group.maps.iter().flat_map(|&at| &self.kernel.steps[at].binds);
        let narrow = |value| self.is_result(value) && Repr::of(self.kernel.elem(value)).is_narrow();
        self.dialect.language == Language::Wgsl && binds.any(|&bind| narrow(bind))
    }
}
