//! Symbolic bounds on totals: bounds a sum of segment lengths before the device has computed it, so that data over the segments is allocated
//! without a wait.
//!
//! A kernel that computes lengths states the segmentations whose lengths they are sums of ([`LengthSums`]). Followed from one segmentation to
//! the next, these become shares of segmentations whose totals the host knows. Disjoint parts of the same segmentation add up to no more
//! than its total, so splitting and merging does not loosen the bound.

use super::datum::{Bound, CellData, Datum, LengthsData, SegData};
use super::launch::{Call, WIDE};
use super::machine::Machine;
use crate::lower::{LengthSums, PlanAxis, Times};
use std::rc::{Rc, Weak};

/// A symbolic sum of lengths: exact where known, else bounded by shares of other segmentations.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    /// The exact total.
    pub exact: Option<Datum>,
    /// The identity of the offsets, if these are the lengths of a known segmentation.
    pub cut: Option<Rc<()>>,
    /// The sum is at most that of these shares.
    shares: Vec<Share>,
}

/// Lengths of segments.
#[derive(Clone, Debug)]
struct Share {
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

/// Greatest ratio of a bound to the known size behind it: beyond, memory would be wasted, and it is better to wait.
const MOST_TIMES: u64 = 4;

/// Greatest number of device values that are fetched along with another one.
const MOST_EXPECTED: usize = 64;

impl Sum {
    /// True if the bound is below 2³¹, so that sums of these lengths do not overflow and cannot be negative.
    pub fn is_natural(&self) -> bool {
        self.bound().most < WIDE
    }

    /// The upper bound on the sum.
    fn bound(&self) -> Bound {
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
fn known_bound(extent: &Datum) -> Option<Bound> {
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
pub(super) fn root_of_axis(axis: &Datum) -> Option<u64> {
    known_points(axis).map(|bound| bound.root)
}

/// The shares that lengths of segments are.
fn shares(seg: &SegData, part: Option<u64>, times: u64, into: &mut Vec<Share>) -> Option<()> {
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

/// Upper bound on the number of values that a coordinate takes.
fn values(call: &Call, times: Times) -> Option<u64> {
    let extent = match times.axis {
        PlanAxis::Const(extent) => extent,
        axis => match call.axis(axis) {
            Datum::Seg(seg) => match &seg.lengths {
                LengthsData::Regular(length) => known_bound(length)?.most,
                LengthsData::Offsets { .. } => return None,
            },
            extent => known_bound(&extent)?.most,
        },
    };
    Some(extent.saturating_sub(times.less).min(times.most))
}

/// The exact total, if every segment of one segmentation is taken once: all in one term, or in one term for each last coordinate.
fn exact_total(call: &Call, plan: &LengthSums) -> Option<Datum> {
    let first = plan.terms.first()?;
    let Datum::Seg(seg) = call.axis(PlanAxis::Shape(first.seg)) else { return None };
    let LengthsData::Offsets { total, .. } = &seg.lengths else { return None };
    let same =
        |at: usize| matches!(call.axis(PlanAxis::Shape(at)), Datum::Seg(other) if Rc::ptr_eq(&seg, &other));
    if !plan.terms.iter().all(|term| same(term.seg)) {
        return None;
    }
    let parts: Option<Vec<u64>> = plan.terms.iter().map(|term| term.part).collect();
    let whole = match parts {
        None => plan.terms.len() == 1,
        Some(mut parts) => {
            let values = match seg.parent.last()? {
                Datum::Seg(rows) => match &rows.lengths {
                    LengthsData::Regular(length) => length.known_extent()?,
                    LengthsData::Offsets { .. } => return None,
                },
                extent => extent.known_extent()?,
            };
            parts.sort_unstable();
            parts.iter().copied().eq(0..values)
        }
    };
    whole.then(|| total.clone())
}

impl Machine<'_> {
    /// The symbolic sum of the lengths of a segmentation.
    pub(super) fn sum_of_lengths(&self, seg: &SegData) -> Option<Sum> {
        let LengthsData::Offsets { total, .. } = &seg.lengths else { return None };
        let mut list = Vec::new();
        shares(seg, None, 1, &mut list)?;
        Some(Sum { exact: Some(total.clone()), cut: Some(Rc::clone(&seg.cut)), shares: list })
    }

    /// The symbolic sum of the elements of a kernel's result.
    pub(super) fn sum_of_result(&self, call: &Call, plan: &LengthSums) -> Option<Sum> {
        let mut list = Vec::new();
        for term in &plan.terms {
            let mut times = 1u64;
            for &factor in &term.times {
                times = times.saturating_mul(values(call, factor)?);
            }
            if times > MOST_TIMES {
                return None;
            }
            let Datum::Seg(seg) = call.axis(PlanAxis::Shape(term.seg)) else { return None };
            shares(&seg, term.part, times, &mut list)?;
        }
        let exact = if plan.exact { exact_total(call, plan) } else { None };
        let cut = match (&exact, &plan.terms[..]) {
            (Some(_), [term]) if plan.alike => match call.axis(PlanAxis::Shape(term.seg)) {
                Datum::Seg(seg) => Some(Rc::clone(&seg.cut)),
                _ => None,
            },
            _ => None,
        };
        Some(Sum { exact, cut, shares: list })
    }

    /// The bound to allocate for such a sum; `None` if waiting for the exact number is better.
    pub(super) fn bound_of_sum(&self, sum: Option<&Sum>) -> Option<Bound> {
        let bound = sum.filter(|_| !self.device.describe().waits_are_free)?.bound();
        (bound.most <= bound.root.saturating_mul(MOST_TIMES) && bound.most < WIDE).then_some(bound)
    }

    /// Records a number queued on the device that host code may wait for, to be fetched along with the next wait.
    pub(super) fn expect(&mut self, cell: &Rc<CellData>) {
        if self.device.describe().waits_are_free {
            return;
        }
        if self.expected.len() == MOST_EXPECTED {
            self.expected.retain(|cell| cell.strong_count() > 0);
            if self.expected.len() == MOST_EXPECTED {
                self.expected.remove(0);
            }
        }
        self.expected.push(Rc::downgrade(cell));
    }

    /// Expects the total of a segmentation.
    pub(super) fn expect_total(&mut self, seg: &SegData) {
        if let LengthsData::Offsets { total: Datum::Cell(cell), .. } = &seg.lengths {
            self.expect(cell);
        }
    }

    /// The expected numbers that are still alive and unknown: they are fetched along with a wait, so that they need none of their own.
    pub(super) fn take_expected(&mut self, into: &mut Vec<Rc<CellData>>) {
        let wanted = self.expected.drain(..).filter_map(|cell: Weak<CellData>| cell.upgrade());
        into.extend(wanted.filter(|cell| cell.known.get().is_none()));
    }
}
