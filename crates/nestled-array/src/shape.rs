//! Shapes: up to eight extents, outermost first.

mod checked;

use std::fmt;
use std::ops::Deref;

/// The shape of an array. Reads as a slice of extents; without any it is the shape of a single number.
///
/// ```
/// # use nestled_array::*;
/// let shape = Shape::new(&[2, 3])?;
/// assert_eq!((shape.len(), shape[1], shape.size()), (2, 3, 6));
/// assert_eq!(shape, [2, 3]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    extents: [usize; Shape::MAX_RANK],
    rank: u8,
}

impl Shape {
    /// The most axes that an array has.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert!(Shape::new(&[1; Shape::MAX_RANK + 1]).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub const MAX_RANK: usize = 8;

    /// The shape of a single number.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(*Array::scalar(1.0).shape(), Shape::SCALAR);
    /// # Ok::<(), Error>(())
    /// ```
    pub const SCALAR: Shape = Shape { extents: [0; Shape::MAX_RANK], rank: 0 };

    /// A shape that is known to be one.
    pub(crate) fn of(extents: &[usize]) -> Shape {
        let mut shape = Shape { extents: [0; Shape::MAX_RANK], rank: extents.len() as u8 };
        shape.extents[..extents.len()].copy_from_slice(extents);
        shape
    }

    /// The number of elements.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Shape::new(&[2, 3])?.size(), 6);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn size(&self) -> usize {
        self.iter().product()
    }

    /// The shape without some axes.
    pub(crate) fn without(&self, axes: &[usize]) -> Shape {
        let kept: Vec<usize> =
            (0..self.len()).filter(|axis| !axes.contains(axis)).map(|axis| self[axis]).collect();
        Shape::of(&kept)
    }

    /// The shape that operands of two shapes have together, by NumPy's rule: axes are aligned at the last, and an extent of 1
    /// is stretched.
    pub(crate) fn broadcast(&self, other: &Shape) -> Option<Shape> {
        if self == other {
            return Some(*self);
        }
        let rank = self.len().max(other.len());
        let mut extents = [0; Shape::MAX_RANK];
        for (axis, extent) in extents.iter_mut().enumerate().take(rank) {
            let of = |shape: &Shape| (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis]);
            *extent = match (of(self), of(other)) {
                (left, right) if left == right => left,
                (1, right) => right,
                (left, 1) => left,
                _ => return None,
            };
        }
        Some(Shape::of(&extents[..rank]))
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.extents[..usize::from(self.rank)]
    }
}

macro_rules! equal_to_extents {
    ($([$($generics:tt)*] $own:ty, $extents:ty;)*) => {$(
        impl<$($generics)*> PartialEq<$extents> for $own {
            fn eq(&self, extents: &$extents) -> bool {
                self[..] == extents[..]
            }
        }
    )*};
}

equal_to_extents! {
    [const N: usize] Shape, [usize; N];
    [const N: usize] &Shape, [usize; N];
    [] Shape, Vec<usize>;
    [] &Shape, Vec<usize>;
    [] Shape, [usize];
    [] Shape, &[usize];
}

/// `[2, 3]`
impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &**self)
    }
}

/// `[2, 3]`
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting() {
        let of = |left: &[usize], right: &[usize]| Shape::of(left).broadcast(&Shape::of(right));
        assert_eq!(of(&[2, 3], &[3]), Some(Shape::of(&[2, 3])));
        assert_eq!(of(&[2, 1], &[1, 0]), Some(Shape::of(&[2, 0])));
        assert_eq!(of(&[], &[4]), Some(Shape::of(&[4])));
        assert_eq!(of(&[2], &[3]), None);
    }
}
