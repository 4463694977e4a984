//! Private arrays: scratch memory of one lane, with bounds checks.

use super::super::error::FaultKind;
use super::{Frame, Lane, Outcome, broken, fault};
use crate::id::{PrivateId, SiteId};
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;
use crate::thunk::Atom;

impl Lane<'_> {
    /// Makes a private array of zeros.
    pub(super) fn private_new(&mut self, frame: &Frame<'_>, array: PrivateId, size: Atom) -> Outcome<()> {
        let size = self.index(frame, size).max(0) as u64;
        // Zeroing is work; and so many elements are not there to be zeroed at no cost.
        self.meter.step(size / 16)?;
        let slot = frame.privates + array.index();
        let capacity = self.memory.privates[slot].capacity() as u64;
        if size > capacity {
            self.memory.taken += self.meter.take_many(size - capacity, size_of::<Scalar>())?;
        }
        let elements = &mut self.memory.privates[slot];
        elements.clear();
        elements.reserve_exact(size as usize);
        let elem: ScalarType = frame.thunk.privates[array.index()].elem;
        elements.resize(size as usize, Scalar::zero(elem));
        Ok(())
    }

    /// The position in a private array that an index leads to.
    pub(super) fn private_slot(
        &self,
        frame: &Frame<'_>,
        array: PrivateId,
        at: Atom,
        site: Option<SiteId>,
        span: Span,
    ) -> Outcome<usize> {
        let index = self.index(frame, at);
        let extent = self.memory.privates[frame.privates + array.index()].len() as u64;
        if index >= 0 && (index as u64) < extent {
            return Ok(index as usize);
        }
        let name = &frame.thunk.privates[array.index()].name;
        match site {
            Some(_) => fault(site, FaultKind::OutOfRange { index, extent, array: name.clone() }),
            None => broken(format!("index {index} of `{name}` is proved to be less than {extent}"), span),
        }
    }

    /// Ends the private arrays of thunks that have ended.
    pub(super) fn drop_privates(&mut self, from: usize) {
        for array in self.memory.privates.drain(from..) {
            let bytes = array.capacity() as u64 * size_of::<Scalar>() as u64;
            self.meter.give(bytes);
            self.memory.taken = self.memory.taken.saturating_sub(bytes);
        }
    }
}
