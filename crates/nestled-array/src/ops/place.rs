//! Places along an axis, as numbers and as ranges of numbers.

use std::fmt::Debug;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

mod sealed {
    /// Keeps the lists ours.
    pub trait Sealed {}
}

/// A place along an axis: an integer, which counts from the end if it is negative.
///
/// ```
/// # use nestled_array::*;
/// let x = Array::from_vec(vec![10, 20, 30]);
/// assert_eq!((x.at(0, 0).item()?, x.at(0, -1).item()?), (10, 30));
/// # Ok::<(), Error>(())
/// ```
pub trait AxisIndex: sealed::Sealed + Copy + Debug {
    /// The place in an axis of some extent, which may be at or beyond its end; `None` if it is before the beginning.
    #[doc(hidden)]
    fn place(self, extent: usize) -> Option<usize>;
}

/// Places along an axis: a range, with or without ends. Negative ends count from the end.
///
/// ```
/// # use nestled_array::*;
/// let x = Array::from_vec(vec![10, 20, 30, 40]);
/// assert_eq!(x.slice(0, 1..3).to_vec()?, [20, 30]);
/// assert_eq!(x.slice(0, -2..).to_vec()?, [30, 40]);
/// assert_eq!(x.slice(0, ..=1).to_vec()?, [10, 20]);
/// # Ok::<(), Error>(())
/// ```
pub trait AxisRange: sealed::Sealed + Debug {
    /// The first place and the one after the last, of an axis of some extent.
    #[doc(hidden)]
    fn places(&self, extent: usize) -> Option<(usize, usize)>;
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl sealed::Sealed for $ty {}
        impl AxisIndex for $ty {
            fn place(self, extent: usize) -> Option<usize> {
                let at = self as i128;
                usize::try_from(if at < 0 { at + extent as i128 } else { at }).ok()
            }
        }
    )*};
}

integers!(i32 u32 i64 u64 isize usize);

macro_rules! ranges {
    ($($range:ident $of:ident $extent:ident $start:expr, $end:expr;)*) => {$(
        impl<I: AxisIndex> sealed::Sealed for $range<I> {}
        impl<I: AxisIndex> AxisRange for $range<I> {
            fn places(&self, $extent: usize) -> Option<(usize, usize)> {
                let $of = self;
                Some(($start, $end))
            }
        }
    )*};
}

ranges! {
    Range of extent of.start.place(extent)?, of.end.place(extent)?;
    RangeFrom of extent of.start.place(extent)?, extent;
    RangeTo of extent 0, of.end.place(extent)?;
    RangeInclusive of extent of.start().place(extent)?, of.end().place(extent)?.checked_add(1)?;
    RangeToInclusive of extent 0, of.end.place(extent)?.checked_add(1)?;
}

impl sealed::Sealed for RangeFull {}
impl AxisRange for RangeFull {
    fn places(&self, extent: usize) -> Option<(usize, usize)> {
        Some((0, extent))
    }
}
