//! The instances of an `each` on its way: their arguments, and what those that have run returned.

use super::datum::{ArrayData, Datum};
use super::upload::cell_at;
use nestled_ir::value::Segmentation;
use std::rc::Rc;
use std::sync::Arc;

/// An `each` on its way.
pub struct EachState {
    pub extent: Datum,
    pub instances: u64,
    pub next: u64,
    pub args: Vec<EachData>,
    /// For each result, its values in the instances so far.
    pub results: Vec<Vec<Datum>>,
}

/// The source of an instance's argument.
pub enum EachData {
    Uniform(Datum),
    Length(Arc<Segmentation>),
    Element(Rc<ArrayData>),
    Segment(Rc<ArrayData>, Arc<Segmentation>),
}

impl EachData {
    /// The argument of one instance.
    pub fn of_instance(&self, instance: u64) -> Datum {
        match self {
            EachData::Uniform(datum) => datum.clone(),
            EachData::Length(seg) => Datum::extent(seg.lengths.length(instance)),
            EachData::Element(array) => cell_at(&array.data, array.offset + instance),
            EachData::Segment(array, seg) => Datum::Array(Rc::new(ArrayData {
                data: Rc::clone(&array.data),
                offset: array.offset + seg.lengths.start(instance),
                len: seg.lengths.length(instance),
                view: None,
                sum: None,
            })),
        }
    }
}
