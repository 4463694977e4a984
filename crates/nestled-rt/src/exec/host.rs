//! Shape statements: extents, segmentations, reshapes, views, and the checks on them. What needs no wait is done by `known.rs` already.

use super::datum::sum::root_of_axis;
use super::datum::{ArrayData, Bound, Datum, DeviceBuffer, LengthsData, SegData, ViewData};
use super::launch::offsets_seg;
use super::live_buffers::Purpose;
use super::machine::{Machine, PendingCheck};
use crate::device::{Extent, NativeKind, Slice};
use crate::error::Error;
use crate::lower::{Literal, Operand, Slot};
use crate::trace::Event;
use nestled_ir::interp::FaultKind;
use nestled_ir::{Name, Scalar, ScalarType, SiteId};
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

impl Machine<'_> {
    /// A literal that is not on the device yet.
    pub(super) async fn literal(&mut self, literal: &Literal, dst: Slot) -> Result<(), Error> {
        let data = self.upload(&literal.elements, &Purpose::Words("a literal")).await?;
        let data = Rc::clone(literal.uploaded.get_or_init(|| data));
        self.set(dst, Datum::Array(Rc::new(ArrayData::whole(data))));
        Ok(())
    }

    /// Copies elements to a new buffer.
    pub(super) async fn upload(
        &mut self,
        elements: &nestled_ir::value::Buffer,
        purpose: &Purpose,
    ) -> Result<Rc<DeviceBuffer>, Error> {
        let data = self.allocate(elements.elem(), elements.len() as u64, purpose).await?;
        let copied = Event::CopyIn { bytes: elements.size(), span: self.span() };
        self.watched(|device| device.copy_in(data.id, 0, elements), copied)?;
        Ok(data)
    }

    /// An extent that the host has to compute with, or that is negative.
    pub(super) async fn dim(&mut self, extent: Operand, site: SiteId, dst: Slot) -> Result<(), Error> {
        let datum = self.take(extent);
        let value = self.number(&datum).await?.as_integer().unwrap_or(0);
        if value < 0 {
            return self.host_fault(site, 0, FaultKind::Negative { value }).await;
        }
        self.set(dst, Datum::Scalar(Scalar::Idx(value)));
        Ok(())
    }

    pub(super) async fn size(&mut self, axes: &[Operand], dst: Slot) -> Result<(), Error> {
        let axes = self.take_all(axes);
        let points = self.counted(&axes).await?;
        self.set(dst, points);
        Ok(())
    }

    pub(super) async fn segments(
        &mut self,
        lengths: Operand,
        parent: &[Operand],
        site: SiteId,
        dst: Slot,
    ) -> Result<(), Error> {
        let array = self.take_array(lengths)?;
        let parent = self.take_all(parent);
        let points = self.points(&parent).await?;
        let count = self.extent(&points).await?;
        let offsets = self
            .allocate(ScalarType::Idx, array.len.saturating_add(1), &Purpose::Words("a segmentation"))
            .await?;
        let kind = NativeKind::Offsets {
            elem: array.data.elem,
            lengths: array.slice(),
            count,
            offsets: offsets.slice(),
            site,
        };
        self.native(kind, true)?;
        self.offsets_made(&array, &points, &offsets);
        // What is put together from lengths is never negative.
        let trusted = array.sum.as_ref().is_some_and(|sum| sum.is_natural());
        if !trusted
            && self.may_be_undercut(site)
            && self.wait.soon(self.has_negative(&array, count, site)).await?
        {
            return Ok(());
        }
        self.set_segments(&array, parent, offsets, dst);
        Ok(())
    }

    /// Sets the segmentation of these lengths, whose offsets are queued.
    pub(super) fn set_segments(
        &mut self,
        array: &ArrayData,
        parent: Vec<Datum>,
        offsets: Rc<DeviceBuffer>,
        dst: Slot,
    ) {
        let total = array.sum.as_ref().and_then(|sum| sum.exact.clone());
        let bound = self.bound_of_sum(array.sum.as_deref());
        let mut seg = offsets_seg(parent, offsets, bound);
        if let (Some(total), LengthsData::Offsets { total: own, .. }) = (total, &mut seg.lengths) {
            *own = total;
        }
        if let Some(cut) = array.sum.as_ref().and_then(|sum| sum.cut.as_ref()) {
            seg.cut = Rc::clone(cut);
        }
        seg.sum.clone_from(&array.sum);
        self.expect_total(&seg);
        self.set(dst, Datum::Seg(Rc::new(seg)));
    }

    /// True if a length is negative. Waits for the lengths. Called only where something later in the region may fault with a lesser site:
    /// that must not run on lengths that the program never meant.
    async fn has_negative(
        &mut self,
        lengths: &ArrayData,
        count: Extent,
        site: SiteId,
    ) -> Result<bool, Error> {
        self.look(&[]).await?;
        if let Some(known) = self.has_faulted(site) {
            return Ok(known);
        }
        let count = match count.exact {
            Some(cell) => self.reader().extent_at(cell).await?,
            None => count.bound,
        };
        let list = self.reader().copy_out(Slice { len: count.min(lengths.len), ..lengths.slice() }).await?;
        Ok((0..list.len()).any(|at| list.get(at).as_index().is_some_and(|length| length < 0)))
    }

    pub(super) async fn regular(
        &mut self,
        parent: &[Operand],
        length: Operand,
        dst: Slot,
    ) -> Result<(), Error> {
        let parent = self.take_all(parent);
        let length = self.take(length);
        let seg = Datum::Seg(Rc::new(SegData::new(parent, LengthsData::Regular(length))));
        if self.may_be_uncountable(std::slice::from_ref(&seg)) {
            self.counted(std::slice::from_ref(&seg)).await?;
        }
        self.set(dst, seg);
        Ok(())
    }

    pub(super) async fn widen(&mut self, seg: Operand, dst: Slot) -> Result<(), Error> {
        let seg = self.take_seg(seg)?;
        let wide = self.widened(&seg).await?;
        self.set(dst, Datum::Seg(wide));
        Ok(())
    }

    /// The same segmentation with offsets.
    pub(super) async fn widened(&mut self, seg: &Rc<SegData>) -> Result<Rc<SegData>, Error> {
        let LengthsData::Regular(length) = &seg.lengths else { return Ok(Rc::clone(seg)) };
        let segments = self.bound_of_points(&seg.parent).await?;
        let total = self.bound_of_points(&[Datum::Seg(Rc::clone(seg))]).await?;
        let offsets = self
            .allocate(ScalarType::Idx, segments.saturating_add(1), &Purpose::Words("a segmentation"))
            .await?;
        let (step, count) = (self.extent(length).await?, self.points(&seg.parent).await?);
        let count = self.extent(&count).await?;
        self.native(NativeKind::Ramp { step, count, into: offsets.slice() }, false)?;
        let bound = Bound { most: total, root: root_of_axis(&Datum::Seg(Rc::clone(seg))).unwrap_or(total) };
        let wide = offsets_seg(seg.parent.clone(), offsets, Some(bound));
        self.expect_total(&wide);
        Ok(Rc::new(wide))
    }

    pub(super) async fn lengths(&mut self, seg: Operand, dst: Slot) -> Result<(), Error> {
        let seg = self.take_seg(seg)?;
        let segments = self.bound_of_points(&seg.parent).await?;
        let data = self.allocate(ScalarType::Idx, segments, &Purpose::Words("lengths")).await?;
        let kind = match &seg.lengths {
            LengthsData::Regular(length) => {
                NativeKind::FillExtent { extent: self.extent(length).await?, into: data.slice() }
            }
            LengthsData::Offsets { offsets, .. } => {
                let mut offsets = offsets.slice();
                offsets.len = segments + 1;
                NativeKind::Lengths { offsets, lengths: data.slice() }
            }
        };
        self.native(kind, false)?;
        let sum = self.sum_of_lengths(&seg).map(Rc::new);
        self.set(dst, Datum::Array(Rc::new(ArrayData { sum, ..ArrayData::whole(data) })));
        Ok(())
    }

    pub(super) async fn starts(&mut self, seg: Operand, dst: Slot) -> Result<(), Error> {
        let seg = self.take_seg(seg)?;
        let starts = self.starts_of(&seg).await?;
        self.set(dst, Datum::Array(starts));
        Ok(())
    }

    /// Segment starts in dense data; with offsets, the offsets themselves.
    pub(super) async fn starts_of(&mut self, seg: &SegData) -> Result<Rc<ArrayData>, Error> {
        let segments = self.bound_of_points(&seg.parent).await?;
        Ok(Rc::new(match &seg.lengths {
            LengthsData::Offsets { offsets, .. } => {
                ArrayData { data: Rc::clone(offsets), offset: 0, len: segments, view: None, sum: None }
            }
            LengthsData::Regular(length) => {
                let data = self.allocate(ScalarType::Idx, segments, &Purpose::Words("starts")).await?;
                let (step, count) = (self.extent(length).await?, self.points(&seg.parent).await?);
                let count = self.extent(&count).await?;
                self.native(NativeKind::Ramp { step, count, into: data.slice() }, false)?;
                ArrayData::whole(data)
            }
        }))
    }

    pub(super) async fn reshape(
        &mut self,
        array: Operand,
        from: &[Operand],
        to: &[Operand],
        site: SiteId,
        dst: Slot,
    ) -> Result<(), Error> {
        let array = self.take(array);
        let (from, to) = (self.take_all(from), self.take_all(to));
        let (before, after) = (self.points(&from).await?, self.points(&to).await?);
        if self.same_extent(&before, &after).await? {
            self.set(dst, array);
            return Ok(());
        }
        let left = format!("{} elements", self.exact(&before).await?);
        let right = format!("a shape of {} points", self.exact(&after).await?);
        self.host_fault(site, 0, FaultKind::Unequal { left, right }).await
    }

    pub(super) async fn view(
        &mut self,
        operands: [Operand; 4],
        site: SiteId,
        dst: Slot,
    ) -> Result<(), Error> {
        let [seg, starts, buffer, extent] = operands;
        let seg = self.take(seg);
        let (starts, buffer) = (self.take_array(starts)?, self.take_array(buffer)?);
        let extent = self.take(extent);
        let limit = self.extent(&extent).await?;
        let Datum::Seg(shape) = &seg else { return Err(Error::Bug("a view of no segments".to_owned())) };
        let count = self.points(&shape.parent).await?;
        let count = self.extent(&count).await?;
        let rows = self.rows(std::slice::from_ref(&seg)).await?;
        self.native(NativeKind::Inside { starts: starts.slice(), count, rows, limit, site }, true)?;
        if self.may_be_undercut(site)
            && self.wait.soon(self.has_outside(shape, &starts, &extent, site)).await?
        {
            return Ok(());
        }
        let view = ArrayData {
            data: Rc::clone(&buffer.data),
            offset: buffer.offset,
            len: buffer.len,
            view: Some(Rc::new(ViewData { starts, extent })),
            sum: None,
        };
        self.set(dst, Datum::Array(Rc::new(view)));
        Ok(())
    }

    /// True if a segment of a view is not inside its buffer. Called under the conditions of [`Machine::has_negative`].
    async fn has_outside(
        &mut self,
        seg: &SegData,
        starts: &ArrayData,
        extent: &Datum,
        site: SiteId,
    ) -> Result<bool, Error> {
        self.look(&[]).await?;
        if let Some(known) = self.has_faulted(site) {
            return Ok(known);
        }
        let limit = self.exact(extent).await?;
        let seg = self.reader().seg(seg).await?;
        let segments = seg.n_segments();
        let list = self.reader().copy_out(Slice { len: segments.min(starts.len), ..starts.slice() }).await?;
        let start = |at: u64| list.get(at as usize).as_index().unwrap_or(-1);
        Ok((0..list.len() as u64).any(|at| !seg.lengths.fits(at, start(at), limit)))
    }

    pub(super) async fn check(&mut self, cond: Operand, code: &Name, site: SiteId) -> Result<(), Error> {
        let datum = self.take(cond);
        match (datum.known(), datum) {
            (Some(Scalar::Bool(true)), _) => Ok(()),
            (None, Datum::Cell(cond)) => {
                let region = self.region;
                self.pending.push(PendingCheck { region, cond, site, code: Arc::clone(code) });
                self.faults_pending = true;
                Ok(())
            }
            _ => self.host_fault(site, 0, FaultKind::Check { code: Arc::clone(code) }).await,
        }
    }

    pub(super) async fn same(&mut self, left: Operand, right: Operand, site: SiteId) -> Result<(), Error> {
        let (left, right) = (self.take(left), self.take(right));
        let equal = match (&left, &right) {
            (Datum::Seg(a), Datum::Seg(b)) => self.same_seg(a, b).await?,
            _ => self.same_extent(&left, &right).await?,
        };
        if equal {
            return Ok(());
        }
        let kind =
            FaultKind::Unequal { left: self.in_words(&left).await?, right: self.in_words(&right).await? };
        self.host_fault(site, 0, kind).await
    }

    /// After a fault: skips the next instruction, and marks its results lost, if shapes that it takes for equal are not. Without a fault
    /// every `same` holds.
    pub(super) async fn skip_unfit(&mut self, pairs: &[(Operand, Operand)]) -> Result<(), Error> {
        let data: Vec<_> = pairs.iter().map(|&(left, right)| (self.take(left), self.take(right))).collect();
        if self.fault.is_none() || self.uses_poison {
            return Ok(());
        }
        for (left, right) in &data {
            let equal = match (left, right) {
                (Datum::Seg(a), Datum::Seg(b)) => self.same_seg(a, b).await?,
                _ => self.same_extent(left, right).await?,
            };
            if !equal {
                let unfit = &self.code.instrs[self.pc];
                self.pc += 1;
                unfit.dsts_in_region().iter().for_each(|&dst| self.set(dst, Datum::Empty));
                break;
            }
        }
        Ok(())
    }

    async fn in_words(&mut self, shape: &Datum) -> Result<String, Error> {
        match shape {
            Datum::Seg(seg) => {
                let segments = self.points(&seg.parent).await?;
                let total = self.points(std::slice::from_ref(shape)).await?;
                let (segments, total) = (self.exact(&segments).await?, self.exact(&total).await?);
                Ok(format!("a segmentation of {total} points into {segments} segments"))
            }
            extent => Ok(self.exact(extent).await?.to_string()),
        }
    }

    /// True if two extents are equal.
    async fn same_extent(&mut self, left: &Datum, right: &Datum) -> Result<bool, Error> {
        if let Some(equal) = same_at_once(left, right) {
            return Ok(equal);
        }
        self.fetch(&[left.clone(), right.clone()]).await?;
        Ok(left.known_extent() == right.known_extent())
    }

    /// True if two segmentations, of parents that count as equal, have equal lengths.
    async fn same_seg(&mut self, left: &Rc<SegData>, right: &Rc<SegData>) -> Result<bool, Error> {
        if Rc::ptr_eq(&left.cut, &right.cut) {
            return Ok(true);
        }
        if let (LengthsData::Regular(a), LengthsData::Regular(b)) = (&left.lengths, &right.lengths) {
            let segments = self.points(&left.parent).await?;
            return Ok(self.same_extent(a, b).await? || self.exact(&segments).await? == 0);
        }
        let (left, right) = (self.widened(left).await?, self.widened(right).await?);
        let (LengthsData::Offsets { offsets: a, .. }, LengthsData::Offsets { offsets: b, .. }) =
            (&left.lengths, &right.lengths)
        else {
            return Err(Error::Bug("a widened segmentation has offsets".to_owned()));
        };
        if Rc::ptr_eq(a, b) {
            return Ok(true);
        }
        let equal = self.allocate(ScalarType::Bool, 1, &Purpose::Words("a comparison")).await?;
        let kind = NativeKind::SameOffsets { left: a.slice(), right: b.slice(), equal: equal.slice() };
        self.native(kind, false)?;
        let cell = super::datum::CellData { buffer: equal, at: 0, bound: None, known: OnceCell::new() };
        Ok(self.number(&Datum::Cell(Rc::new(cell))).await?.as_bool().unwrap_or(false))
    }

    pub(super) fn take_array(&mut self, operand: Operand) -> Result<Rc<ArrayData>, Error> {
        match self.take(operand) {
            Datum::Array(array) => Ok(array),
            other => Err(Error::Bug(format!("{other:?} where an array is wanted"))),
        }
    }

    pub(super) fn take_seg(&mut self, operand: Operand) -> Result<Rc<SegData>, Error> {
        match self.take(operand) {
            Datum::Seg(seg) => Ok(seg),
            other => Err(Error::Bug(format!("{other:?} where a segmentation is wanted"))),
        }
    }
}

/// Compares two extents, if the host knows both, or they are the same cell.
pub(super) fn same_at_once(left: &Datum, right: &Datum) -> Option<bool> {
    if matches!((left, right), (Datum::Cell(a), Datum::Cell(b)) if a.cell() == b.cell()) {
        return Some(true);
    }
    Some(left.known_extent()? == right.known_extent()?)
}
