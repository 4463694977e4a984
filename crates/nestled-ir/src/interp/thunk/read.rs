//! Reads by thunks: arrays by index, registers and windows of earlier combinators, segment lengths and starts.

use super::super::bounds::{Resolved, resolve_index};
use super::super::capture::Capture;
use super::super::error::FaultKind;
use super::{Frame, Lane, Outcome, broken, fault};
use crate::id::{SiteId, ValueId};
use crate::scalar::Scalar;
use crate::span::Span;
use crate::thunk::{Atom, Index, Offset, Rule};
use crate::value::Layout;

/// The resolved target of a read.
enum ReadAt {
    At(u64),
    Zero,
    Default,
}

impl Lane<'_> {
    /// Reads an array.
    pub(super) fn read(
        &self,
        frame: &Frame<'_>,
        array: ValueId,
        index: &[Index],
        default: Option<Atom>,
        site: Option<SiteId>,
        span: Span,
    ) -> Outcome<Scalar> {
        let Capture::Array { layout, data } = self.captures.get(array) else {
            unreachable!("the verifier lets thunks read only array parameters");
        };
        let index = index.iter().map(|index| (self.index(frame, index.at), index.rule));
        match self.walk(layout, index, array, site, span)? {
            ReadAt::At(at) => Ok(data.get(at as usize)),
            ReadAt::Zero => Ok(Scalar::zero(data.elem())),
            ReadAt::Default => Ok(default.map_or(Scalar::zero(data.elem()), |atom| self.atom(frame, atom))),
        }
    }

    /// Follows indices through a layout, axis by axis.
    fn walk(
        &self,
        layout: &Layout,
        index: impl Iterator<Item = (i64, Rule)>,
        array: ValueId,
        site: Option<SiteId>,
        span: Span,
    ) -> Outcome<ReadAt> {
        let mut at = 0;
        for (step, (index, rule)) in layout.steps().iter().zip(index) {
            let (start, extent) = step.segment(at);
            match resolve_index(index, extent, rule) {
                Resolved::At(entry) => at = start.wrapping_add(entry),
                Resolved::Zero => return Ok(ReadAt::Zero),
                Resolved::Default => return Ok(ReadAt::Default),
                Resolved::Fault => {
                    let kind = FaultKind::OutOfRange { index, extent, array: self.captures.name(array) };
                    return fault(site, kind);
                }
                Resolved::Violation => return self.violation(array, index, extent, span),
            }
        }
        Ok(ReadAt::At(at))
    }

    #[cold]
    fn violation<T>(&self, array: ValueId, index: i64, extent: u64, span: Span) -> Outcome<T> {
        let name = self.captures.name(array);
        broken(format!("index {index} of `{name}` is proved to be less than {extent}"), span)
    }

    /// Reads an earlier combinator at the own coordinates: a register.
    pub(super) fn own(&self, bind: ValueId) -> Scalar {
        match self.captures.get(bind) {
            Capture::Bind { level, data } => data.get(self.point.at[level.0] as usize),
            Capture::Nothing | Capture::Scalar(_) | Capture::Array { .. } | Capture::Seg { .. } => {
                unreachable!("the verifier lets thunks read only what is bound before")
            }
        }
    }

    /// Reads an earlier combinator at constant offsets: a window.
    pub(super) fn window(
        &self,
        frame: &Frame<'_>,
        bind: ValueId,
        offsets: &[Offset],
        default: Option<Atom>,
        site: Option<SiteId>,
        span: Span,
    ) -> Outcome<Scalar> {
        let Capture::Bind { data, .. } = self.captures.get(bind) else {
            unreachable!("the verifier lets windows read only what is bound before");
        };
        let own = self.point.coordinates.iter();
        let index = own.zip(offsets).map(|(own, offset)| (own.wrapping_add(offset.by), offset.rule));
        match self.walk(&self.captures.space, index, bind, site, span)? {
            ReadAt::At(at) => Ok(data.get(at as usize)),
            ReadAt::Zero => Ok(Scalar::zero(data.elem())),
            ReadAt::Default => Ok(default.map_or(Scalar::zero(data.elem()), |atom| self.atom(frame, atom))),
        }
    }

    /// The start and the length of a segment, if it exists.
    pub(super) fn segment(&self, frame: &Frame<'_>, seg: ValueId, at: &[Atom]) -> Option<(u64, u64)> {
        let Capture::Seg { parent, lengths } = self.captures.get(seg) else {
            unreachable!("the verifier lets thunks ask only segmentation parameters");
        };
        let at = parent.locate(at.iter().map(|&atom| self.index(frame, atom))).ok()?;
        Some((lengths.start(at), lengths.length(at)))
    }
}
