//! What lengths come to, before anybody has added them up: so there is room for what is cut by them without a wait.
//!
//! A kernel that makes lengths says of which segments' lengths they are made ([`SumPlan`]). Followed from one segmentation to the next, these become shares of segmentations whose
//! totals the host knows. Parts of the same segmentation that do not meet are together no more than its total, so what is taken apart and put together again stays as small as it was.

use super::datum::{Bound, CellData, Datum, LengthsData, SegData};
use super::launch::{Call, WIDE};
use super::machine::Machine;
use crate::lower::{PlanAxis, SumPlan, Times};
use std::rc::{Rc, Weak};

/// What lengths come to.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    /// Exactly this.
    pub exact: Option<Datum>,
    /// They are the lengths of a segmentation that cuts so.
    pub cut: Option<Rc<()>>,
    /// At most what these are together.
    shares: Vec<Share>,
}

/// Lengths of segments.
#[derive(Clone, Debug)]
struct Share {
    /// The identity of the segmentation.
    of: Rc<()>,
    /// Only segments with this last coordinate are taken.
    part: Option<u64>,
    /// Each no more often than this.
    times: u64,
    /// The total of the segmentation is no greater.
    total: Bound,
    /// Or just that.
    exact: bool,
}

/// A list longer than this says little.
const MOST_SHARES: usize = 16;

/// Room for more than so many times what there can be would be wasted: then it is better to wait.
const MOST_TIMES: u64 = 4;

/// So many numbers are fetched on the way, when somebody waits.
const MOST_EXPECTED: usize = 64;

impl Sum {
    /// Whether the numbers may be added: then they, which are put together from lengths, are not negative.
    pub fn is_natural(&self) -> bool {
        self.bound().most < WIDE
    }

    /// The sum is no greater.
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

/// What an extent is no greater than, without a wait.
fn known_bound(extent: &Datum) -> Option<Bound> {
    match (extent.known_extent(), extent) {
        (Some(known), _) => Some(Bound { most: known, root: known }),
        (None, Datum::Cell(cell)) => cell.bound,
        (None, _) => None,
    }
}

/// The same of the points of an axis; of a segmentation, with the axes that it cuts.
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

/// How many values a coordinate has at most.
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

/// The total of a segmentation of which all segments are taken once: all at a time, or all with one last coordinate after the other.
fn exact_total(call: &Call, plan: &SumPlan) -> Option<Datum> {
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
    /// What the lengths of a segmentation come to.
    pub(super) fn sum_of_lengths(&self, seg: &SegData) -> Option<Sum> {
        let LengthsData::Offsets { total, .. } = &seg.lengths else { return None };
        let mut list = Vec::new();
        shares(seg, None, 1, &mut list)?;
        Some(Sum { exact: Some(total.clone()), cut: Some(Rc::clone(&seg.cut)), shares: list })
    }

    /// What the elements of a kernel's result come to.
    pub(super) fn sum_of_result(&self, call: &Call, plan: &SumPlan) -> Option<Sum> {
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

    /// What room for such a sum has to be, unless it is better to wait.
    pub(super) fn bound_of_sum(&self, sum: Option<&Sum>) -> Option<Bound> {
        let bound = sum.filter(|_| !self.device.describe().waits_are_free)?.bound();
        (bound.most <= bound.root.saturating_mul(MOST_TIMES) && bound.most < WIDE).then_some(bound)
    }

    /// The device makes a number that somebody may wait for.
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

    /// The same of the total of a segmentation.
    pub(super) fn expect_total(&mut self, seg: &SegData) {
        if let LengthsData::Offsets { total: Datum::Cell(cell), .. } = &seg.lengths {
            self.expect(cell);
        }
    }

    /// Those that are still wanted, and not known: nobody has to wait for them again.
    pub(super) fn take_expected(&mut self, into: &mut Vec<Rc<CellData>>) {
        let wanted = self.expected.drain(..).filter_map(|cell: Weak<CellData>| cell.upgrade());
        into.extend(wanted.filter(|cell| cell.known.get().is_none()));
    }
}
