//! Operands of ragged arrays: other ragged arrays of the same segments, a value for each segment, and numbers.

use super::{Ragged, Segments};
use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Reason, Result};
use crate::shape::Shape;
use std::sync::Arc;

/// An operand beside a ragged array: a [`Ragged`] or a reference to one, whose segments have the same lengths; an [`Array`] or a reference to one, with a value
/// for each segment; or a number.
///
/// ```
/// # use nestled_array::*;
/// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
/// assert_eq!(rows.maximum(2).to_rows()?, [vec![3, 2], vec![], vec![2]]);
/// assert_eq!(rows.maximum(&Array::from([2, 9, 5])).to_rows()?, [vec![3, 2], vec![], vec![5]]);
/// assert_eq!(rows.maximum(&rows * 2).to_rows()?, [vec![6, 2], vec![], vec![4]]);
/// # Ok::<(), Error>(())
/// ```
pub trait RaggedOperand<T: Element> {
    /// A value for each element of the segments, or one for all.
    #[doc(hidden)]
    fn beside(self, segments: &Segments, operation: &'static str) -> Result<Array<T>>;
}

impl<T: Element> RaggedOperand<T> for &Ragged<T> {
    #[track_caller]
    fn beside(self, segments: &Segments, operation: &'static str) -> Result<Array<T>> {
        segments.expect_same(&self.segments, operation)?;
        Ok(self.values.clone())
    }
}

impl<T: Element> RaggedOperand<T> for Ragged<T> {
    #[track_caller]
    fn beside(self, segments: &Segments, operation: &'static str) -> Result<Array<T>> {
        (&self).beside(segments, operation)
    }
}

impl<T: Element> RaggedOperand<T> for &Array<T> {
    #[track_caller]
    fn beside(self, segments: &Segments, operation: &'static str) -> Result<Array<T>> {
        if self.rank() == 0 {
            return Ok(self.clone());
        }
        if **self.shape() != [segments.count()] {
            return Err(Error::of(operation, Reason::Shapes(Shape::of(&[segments.count()]), *self.shape())));
        }
        Ok(segments.spread(self))
    }
}

impl<T: Element> RaggedOperand<T> for Array<T> {
    #[track_caller]
    fn beside(self, segments: &Segments, operation: &'static str) -> Result<Array<T>> {
        (&self).beside(segments, operation)
    }
}

impl<T: Element> RaggedOperand<T> for T {
    #[track_caller]
    fn beside(self, _segments: &Segments, _operation: &'static str) -> Result<Array<T>> {
        Ok(Array::scalar(self))
    }
}

impl Segments {
    /// Checks that other segments have the same lengths: at once where both are clones of one descriptor, and else their lengths are computed and compared.
    #[track_caller]
    fn expect_same(&self, other: &Segments, operation: &'static str) -> Result<()> {
        if Arc::ptr_eq(&self.lengths.node, &other.lengths.node) {
            return Ok(());
        }
        if self.count() != other.count() {
            return Err(Error::of(
                operation,
                Reason::Shapes(Shape::of(&[self.count()]), Shape::of(&[other.count()])),
            ));
        }
        if self.total == other.total && !self.lengths.ne(&other.lengths).any().item()? {
            return Ok(());
        }
        let (own, others) = (self.lengths.to_vec()?, other.lengths.to_vec()?);
        match own.iter().zip(&others).enumerate().find(|(_, (own, other))| own != other) {
            Some((row, (own, other))) => Err(Error::new(
                operation,
                format!("row {row} has {own} elements on one side and {other} on the other"),
            )),
            None => {
                Err(Error::of(operation, Reason::Shapes(Shape::of(&[self.total]), Shape::of(&[other.total]))))
            }
        }
    }
}
