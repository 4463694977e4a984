//! Values at the points of a level: what a map gives, and what a scan begins with.

use super::set_all;
use crate::interp::capture::Point;
use crate::interp::error::Error;
use crate::interp::sweep::{Tools, Visit, Visitor};
use crate::interp::tile::{Registers, TilePoints};
use crate::kernel::Level;
use crate::scalar::Scalar;
use crate::value::Buffer;

/// The values of the points so far; elsewhere zeros.
pub(super) struct Values {
    pub level: Level,
    pub buffers: Vec<Buffer>,
    /// If it is asked for, true for each point that takes part.
    pub present: Option<Buffer>,
}

impl Visitor for Values {
    fn point(&mut self, _: &mut Tools<'_, '_>, point: &Point, visit: Visit<'_>) -> Result<(), Error> {
        let Some(values) = visit.values() else { return Ok(()) };
        let at = point.at[self.level.0];
        set_all(&mut self.buffers, at, values);
        if let Some(present) = &mut self.present {
            present.set(at as usize, Scalar::Bool(true));
        }
        Ok(())
    }

    fn tile(
        &mut self,
        _: &mut Tools<'_, '_>,
        points: &TilePoints,
        results: &Registers<'_>,
    ) -> Result<bool, Error> {
        for (buffer, column) in self.buffers.iter_mut().zip(results.results()) {
            points.put(self.level.0, buffer, column);
        }
        if let Some(present) = &mut self.present {
            points.mark(self.level.0, present);
        }
        Ok(true)
    }
}
