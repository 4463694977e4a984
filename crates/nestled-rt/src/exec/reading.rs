//! Readings: the lists of one look at the device.

use super::datum::CellData;
use crate::device::Cell;
use nestled_ir::Scalar;
use std::rc::Rc;

/// The lists of one look at the device, kept so that looking allocates none.
#[derive(Default)]
pub struct Reading {
    /// Locations of the numbers to be read.
    pub places: Vec<Cell>,
    /// The numbers, once they are read.
    pub numbers: Vec<Scalar>,
    /// Numbers that are read along, whoever may want them.
    pub expected: Vec<Rc<CellData>>,
}
