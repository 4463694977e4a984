//! Symbolic sums of lengths: bounds on a total that only the device knows, as shares of segmentations whose totals the host knows.
//!
//! Disjoint parts of the same segmentation add up to no more than its total, so splitting and merging does not loosen the bound.

use super::{Bound, Datum, LengthsData, SegData, WIDE};
use std::rc::Rc;

/// A symbolic sum of lengths: exact where known, else bounded by shares of other segmentations.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    /// The exact total.
    pub exact: Option<Datum>,
    /// The identity of the offsets, if these are the lengths of a known segmentation.
    pub cut: Option<Rc<()>>,
    /// The sum is at most that of these shares.
    pub shares: Vec<Share>,
}

/// Lengths of segments.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    /// The identity of the segmentation.
    of: Rc<()>,
    /// Restricts the share to segments with this last coordinate.
    part: Option<u64>,
    /// Greatest number of times that each segment is taken.
    times: u64,
    /// Upper bound on the total of the segmentation.
    total: Bound,
    /// True if the total is exactly the bound.
    exact: bool,
}

/// Greatest number of shares in a list: longer ones give poor bounds.
const MOST_SHARES: usize = 16;

impl Sum {
    /// True if the bound is below 2³¹, so that sums of these lengths do not overflow and cannot be negative.
    pub fn is_natural(&self) -> bool {
        self.bound().most < WIDE
    }

    /// The upper bound on the sum.
    pub fn bound(&self) -> Bound {
        let (mut most, mut sure, mut root) = (0u64, 0u64, 0);
        for (at, share) in self.shares.iter().enumerate() {
            let alike = |other: &&Share| Rc::ptr_eq(&other.of, &share.of);
            if self.shares[..at].iter().any(|other| alike(&other)) {
                continue;
            }
            let of_part = |part: Option<u64>| -> u64 {
                let taken = self.shares.iter().filter(alike).filter(|other| other.part == part);
                taken.map(|other| other.times).fold(0, u64::saturating_add)
            };
            let parts = self.shares.iter().filter(alike).filter(|other| other.part.is_some());
            let times =
                of_part(None).saturating_add(parts.map(|other| of_part(other.part)).max().unwrap_or(0));
            let least =
                self.shares.iter().filter(alike).min_by_key(|other| other.total.most).unwrap_or(share);
            most = most.saturating_add(least.total.most.saturating_mul(times));
            match least.exact {
                true => sure = sure.saturating_add(least.total.root),
                false => root = root.max(least.total.root),
            }
        }
        Bound { most, root: sure.saturating_add(root) }
    }
}

/// The upper bound on an extent, if it is known without a wait.
pub fn known_bound(extent: &Datum) -> Option<Bound> {
    match (extent.known_extent(), extent) {
        (Some(known), _) => Some(Bound { most: known, root: known }),
        (None, Datum::Cell(cell)) => cell.bound,
        (None, _) => None,
    }
}

/// The upper bound on the points of an axis; of a segmentation, together with its parent.
fn known_points(axis: &Datum) -> Option<Bound> {
    let Datum::Seg(seg) = axis else { return known_bound(axis) };
    known_total(seg)
}

fn known_total(seg: &SegData) -> Option<Bound> {
    let times = |points: Bound, axis: Bound| Bound {
        most: points.most.saturating_mul(axis.most),
        root: points.root.saturating_mul(axis.root),
    };
    match &seg.lengths {
        LengthsData::Regular(length) => {
            let length = known_bound(length)?;
            seg.parent.iter().try_fold(length, |points, axis| Some(times(points, known_points(axis)?)))
        }
        LengthsData::Offsets { total, .. } => known_bound(total),
    }
}

/// See [`Bound::root`].
pub fn root_of_axis(axis: &Datum) -> Option<u64> {
    known_points(axis).map(|bound| bound.root)
}

/// The shares that lengths of segments are.
pub fn shares(seg: &SegData, part: Option<u64>, times: u64, into: &mut Vec<Share>) -> Option<()> {
    let exact = match &seg.lengths {
        LengthsData::Regular(_) => None,
        LengthsData::Offsets { total, .. } => total.known_extent(),
    };
    match (exact, &seg.sum) {
        (None, Some(sum)) if sum.exact.is_none() => {
            into.extend(
                sum.shares
                    .iter()
                    .map(|share| Share { times: share.times.saturating_mul(times), ..share.clone() }),
            );
        }
        _ => {
            let (of, total) = (Rc::clone(&seg.identity), known_total(seg)?);
            into.push(Share { of, part, times, total, exact: exact.is_some() });
        }
    }
    (into.len() <= MOST_SHARES).then_some(())
}

/// The share that an extent is, taken so many times.
pub fn share_of_extent(extent: &Datum, times: u64, into: &mut Vec<Share>) -> Option<()> {
    let total = known_bound(extent)?;
    into.push(Share { of: Rc::new(()), part: None, times, total, exact: extent.known_extent().is_some() });
    (into.len() <= MOST_SHARES).then_some(())
}
