//! Upper bounds for lengths of filters' results, and for all sizes of shapes that only the device knows.
//!
//! A result is allocated by its bound, so that the host need not wait for its length. It waits only where no bound is known, or where the exact size is needed. Bounds themselves are functions that
//! say what they would have to wait for, so that a launch is no future.

use super::call::Call;
use super::datum::sum::{known_bound, root_of_axis};
use super::datum::{Bound, Datum, LengthsData, SegData};
use super::machine::Machine;
use super::pause::Unknown;
use crate::device::{Extent, Rows};
use crate::error::Error;
use crate::lower::PlanAxis;
use nestled_ir::Scalar;

/// A number that the extent is no greater than.
#[inline]
pub(super) fn bound(extent: &Datum) -> Result<u64, Unknown> {
    known_bound(extent).map(|bound| bound.most).ok_or_else(|| Unknown(extent.clone()))
}

/// An extent as a device takes it.
#[inline]
pub(super) fn extent(extent: &Datum) -> Result<Extent, Unknown> {
    let bound = bound(extent)?;
    let exact = match extent {
        Datum::Cell(cell) if cell.known.get().is_none() => Some(cell.cell()),
        _ => None,
    };
    Ok(Extent { bound, exact })
}

/// The number of points of a shape is no greater than this.
pub(super) fn bound_of_points(axes: &[Datum]) -> Result<u64, Unknown> {
    let mut points = 1u64;
    for axis in axes {
        points = points.saturating_mul(bound_of_axis(axis)?);
    }
    Ok(points)
}

/// An upper bound on the points of an axis; of a segmentation, together with its parent.
#[inline]
fn bound_of_axis(axis: &Datum) -> Result<u64, Unknown> {
    match axis {
        Datum::Seg(seg) => bound_of_total(seg),
        extent => bound(extent),
    }
}

fn bound_of_total(seg: &SegData) -> Result<u64, Unknown> {
    match &seg.lengths {
        LengthsData::Regular(length) => {
            let parent = bound_of_points(&seg.parent)?;
            Ok(parent.saturating_mul(bound(length)?))
        }
        LengthsData::Offsets { total, .. } => bound(total),
    }
}

/// The number of points of a shape is no greater than this.
pub(super) fn bound_of_plan(call: &Call, shape: &[PlanAxis]) -> Result<u64, Unknown> {
    let mut points = 1u64;
    for &axis in shape {
        points = points.saturating_mul(match axis {
            PlanAxis::Const(extent) => extent,
            PlanAxis::Shape(at) => bound_of_axis(&call.held[at])?,
            PlanAxis::Result(at) => bound_of_axis(&call.made[at])?,
        });
    }
    Ok(points)
}

/// An upper bound on the points of a shape, with the known size it was derived from.
pub(super) fn bound_with_root(call: &Call, shape: &[PlanAxis]) -> Result<Bound, Unknown> {
    let most = bound_of_plan(call, shape)?;
    let root =
        shape.iter().try_fold(1u64, |root, &axis| Some(root.saturating_mul(root_of_axis(&call.axis(axis))?)));
    Ok(Bound { most, root: root.unwrap_or(most) })
}

/// A number of points as an extent; `None` if there are more than an extent can count.
fn points(known: u64) -> Option<Datum> {
    i64::try_from(known).ok().map(|points| Datum::Scalar(Scalar::Idx(points)))
}

impl Machine<'_> {
    /// The exact extent; waits if it is on the device.
    pub(super) async fn exact(&mut self, extent: &Datum) -> Result<u64, Error> {
        let number = self.number(extent).await?;
        Ok(number.as_integer().unwrap_or(0).max(0) as u64)
    }

    /// Waits for an extent.
    pub(super) async fn learn(&mut self, Unknown(extent): Unknown) -> Result<(), Error> {
        self.exact(&extent).await?;
        extent.known_extent().map(drop).ok_or_else(|| Error::Bug(format!("{extent:?} is no extent")))
    }

    /// A size computed from bounds; waits only for extents without any, for one after another.
    async fn sized<T>(&mut self, size: impl Fn() -> Result<T, Unknown>) -> Result<T, Error> {
        loop {
            match size() {
                Ok(size) => return Ok(size),
                Err(unknown) => self.learn(unknown).await?,
            }
        }
    }

    /// As [`extent`](fn@extent); waits only if the host knows no bound.
    pub(super) async fn extent(&mut self, datum: &Datum) -> Result<Extent, Error> {
        self.sized(|| extent(datum)).await
    }

    /// As [`bound_of_points`]; waits only for extents of which the host knows no bound.
    pub(super) async fn bound_of_points(&mut self, axes: &[Datum]) -> Result<u64, Error> {
        self.sized(|| bound_of_points(axes)).await
    }

    /// The number of points of a shape, as an extent. It stays on the device if all other axes have one point. Saturates at the greatest
    /// extent: no array has so many elements.
    pub(super) async fn points(&mut self, axes: &[Datum]) -> Result<Datum, Error> {
        Ok(self.try_points(axes).await?.unwrap_or(Datum::Scalar(Scalar::Idx(i64::MAX))))
    }

    /// As [`points`](Self::points), but an error if there are more points than an extent can count.
    pub(super) async fn counted(&mut self, axes: &[Datum]) -> Result<Datum, Error> {
        self.try_points(axes).await?.ok_or_else(|| Error::Points { span: self.span() })
    }

    /// True if there may be more points than an extent can count. Extents of which the host knows no bound are taken to be small: waiting
    /// for them would cost more than a later error from `size`.
    pub(super) fn may_be_uncountable(&self, axes: &[Datum]) -> bool {
        let (mut known, mut unknown) = (1u64, Vec::new());
        self.gather_factors(axes, &mut known, &mut unknown);
        let bounds = unknown.iter().map(|factor| match factor {
            Datum::Cell(cell) => cell.bound.map_or(1, |bound| bound.most),
            Datum::Empty | Datum::Scalar(_) | Datum::Seg(_) | Datum::Array(_) => 1,
        });
        bounds.fold(known, u64::saturating_mul) > i64::MAX as u64
    }

    async fn try_points(&mut self, axes: &[Datum]) -> Result<Option<Datum>, Error> {
        let (mut known, unknown) = match self.points_at_once(axes) {
            Ok(points) => return Ok(points),
            Err(factors) => factors,
        };
        self.fetch(&unknown).await?;
        for factor in &unknown {
            known = known.saturating_mul(factor.known_extent().unwrap_or(0));
        }
        Ok(points(known))
    }

    /// The number of points of a shape, if nothing has to be waited for; otherwise the product of what is known, and the other factors.
    pub(super) fn points_at_once(&self, axes: &[Datum]) -> Result<Option<Datum>, (u64, Vec<Datum>)> {
        let (mut known, mut unknown) = (1u64, Vec::new());
        self.gather_factors(axes, &mut known, &mut unknown);
        match unknown.as_slice() {
            [only] if known == 1 => Ok(Some(only.clone())),
            [_, ..] if known != 0 => Err((known, unknown)),
            _ => Ok(points(known)),
        }
    }

    fn gather_factors(&self, axes: &[Datum], known: &mut u64, unknown: &mut Vec<Datum>) {
        for axis in axes {
            match axis {
                Datum::Seg(seg) => match &seg.lengths {
                    LengthsData::Regular(length) => {
                        self.gather_factors(&seg.parent, known, unknown);
                        self.gather_factors(std::slice::from_ref(length), known, unknown);
                    }
                    LengthsData::Offsets { total, .. } => {
                        self.gather_factors(std::slice::from_ref(total), known, unknown);
                    }
                },
                extent => match extent.known_extent() {
                    Some(extent) => *known = known.saturating_mul(extent),
                    None => unknown.push(extent.clone()),
                },
            }
        }
    }

    /// The rows of the last axis.
    pub(super) async fn rows(&mut self, axes: &[Datum]) -> Result<Rows, Error> {
        let Some((last, outer)) = axes.split_last() else {
            return Err(Error::Bug("rows of a scalar".to_owned()));
        };
        let (outer, length) = match last {
            Datum::Seg(seg) => match &seg.lengths {
                LengthsData::Regular(length) => (seg.parent.as_slice(), length),
                LengthsData::Offsets { offsets, .. } => return Ok(Rows::Offsets(offsets.slice())),
            },
            extent => (outer, extent),
        };
        let count = self.points(outer).await?;
        Ok(Rows::Regular { count: self.extent(&count).await?, length: self.extent(length).await? })
    }
}
