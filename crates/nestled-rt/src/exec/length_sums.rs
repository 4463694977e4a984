//! Symbolic bounds on totals: bounds a sum of segment lengths before the device has computed it, so that data over the segments is allocated
//! without a wait.
//!
//! A kernel that computes lengths states the segmentations whose lengths they are sums of ([`LengthSums`]). Followed from one segmentation to
//! the next, these become [shares](Sum) of segmentations whose totals the host knows.

use super::call::Call;
use super::datum::sum::{Sum, known_bound, share_of_extent, shares};
use super::datum::{Bound, CellData, Datum, LengthsData, SegData, WIDE};
use super::machine::Machine;
use crate::lower::{LengthSums, PlanAxis, Times};
use std::rc::{Rc, Weak};

/// Greatest ratio of a bound to the known size behind it: beyond, memory would be wasted, and it is better to wait.
const MOST_TIMES: u64 = 4;

/// Greatest number of device values that are fetched along with another one.
const MOST_EXPECTED: usize = 64;

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
    let Datum::Seg(seg) = call.axis(PlanAxis::Shape(first.of)) else { return None };
    let LengthsData::Offsets { total, .. } = &seg.lengths else { return None };
    let same =
        |at: usize| matches!(call.axis(PlanAxis::Shape(at)), Datum::Seg(other) if Rc::ptr_eq(&seg, &other));
    if !plan.terms.iter().all(|term| same(term.of)) {
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
            match call.axis(PlanAxis::Shape(term.of)) {
                Datum::Seg(seg) => shares(&seg, term.part, times, &mut list)?,
                extent => share_of_extent(&extent, times, &mut list)?,
            }
        }
        let exact = if plan.exact { exact_total(call, plan) } else { None };
        let cut = match (&exact, &plan.terms[..]) {
            (Some(_), [term]) if plan.alike => match call.axis(PlanAxis::Shape(term.of)) {
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
