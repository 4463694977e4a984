//! Reductions of each segment by name; those of nothing are what each says.

use super::Ragged;
use crate::array::Array;
use crate::element::{Number, Ordered};
use nestled_ir::MonoidOp;

impl<T: Number> Ragged<T> {
    /// The sum of each segment. That of integers is `i64`; [`reduce`](Ragged::reduce) by `Operator::Add` has their own width.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.sum().to_vec()?, [4i64, 0, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn sum(&self) -> Array<T::Wide> {
        self.cast().reduce(MonoidOp::Add)
    }

    /// The product of each segment. That of integers is `i64`; [`reduce`](Ragged::reduce) by `Operator::Mul` has their own width.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![200u8, 100], vec![], vec![2]]);
    /// assert_eq!(rows.product().to_vec()?, [20_000i64, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn product(&self) -> Array<T::Wide> {
        self.cast().reduce(MonoidOp::Mul)
    }

    /// The greatest element of each segment.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.max().to_vec()?[0], 3);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn max(&self) -> Array<T> {
        self.reduce(MonoidOp::Max)
    }

    /// The least element of each segment.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.min().to_vec()?[2], 2);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn min(&self) -> Array<T> {
        self.reduce(MonoidOp::Min)
    }

    /// The mean of each segment; NaN if it has no elements. That of integers is `f64`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3i32, 2], vec![], vec![2]]);
    /// assert_eq!(rows.mean().to_vec()?[..1], [2.5]);
    /// assert!(rows.mean().to_vec()?[1].is_nan());
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn mean(&self) -> Array<T::Mean> {
        self.cast::<T::Mean>().reduce(MonoidOp::Add) / self.segments.lengths.cast::<T::Mean>()
    }

    /// The variance of each segment: the mean of the squares of the distances from the mean.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![1.0, 2.0, 6.0], vec![2.0]]);
    /// assert_eq!(rows.var().to_vec()?, [14.0 / 3.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn var(&self) -> Array<T::Mean> {
        (self.cast::<T::Mean>() - self.mean()).square().mean()
    }

    /// The standard deviation of each segment: the square root of [`var`](Ragged::var).
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![1, 5], vec![2]]).std().to_vec()?, [2.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn std(&self) -> Array<T::Mean> {
        self.var().sqrt()
    }

    /// The place of the greatest element in each segment, the first of equal ones: −0 and +0 are equal. A NaN is greater than all else; in a segment without
    /// elements the place is −1.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![1, 3, 3], vec![], vec![2]]);
    /// assert_eq!(rows.argmax().to_vec()?, [1, -1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn argmax(&self) -> Array<i64> {
        self.place_of(&self.max())
    }

    /// The place of the least element in each segment, the first of equal ones: −0 and +0 are equal. A NaN is less than all else; in a segment without elements
    /// the place is −1.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1, 1], vec![], vec![2]]);
    /// assert_eq!(rows.argmin().to_vec()?, [1, -1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn argmin(&self) -> Array<i64> {
        self.place_of(&self.min())
    }

    /// The first place in each segment where its extreme is.
    #[track_caller]
    fn place_of(&self, extremes: &Array<T>) -> Array<i64> {
        let found = self.segments.spread(extremes);
        // A segment with NaN has it as its extreme.
        let is_nan = self.values.ne(&self.values).and(found.ne(&found));
        let here = self.values.eq(&found).or(is_nan).select(self.segments.places(), i64::MAX);
        let first = Ragged::<i64> { values: here, segments: self.segments.clone() }.min();
        self.segments.lengths.gt(0).select(first, -1)
    }
}

impl Ragged<bool> {
    /// True for each segment that has a true element.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.gt(2).any().to_vec()?, [true, false, false]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn any(&self) -> Array<bool> {
        self.reduce(MonoidOp::Or)
    }

    /// True for each segment whose elements are all true.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.gt(1).all().to_vec()?, [false, true, true]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn all(&self) -> Array<bool> {
        self.reduce(MonoidOp::And)
    }
}

impl<T: Ordered> Ragged<T> {
    /// The number of elements of each segment that are true, or not 0.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1, 0], vec![], vec![2]]);
    /// assert_eq!(rows.count_nonzero().to_vec()?, [2, 0, 1]);
    /// assert_eq!(rows.gt(1).count_nonzero().to_vec()?, [1, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn count_nonzero(&self) -> Array<i64> {
        self.cast::<bool>().cast::<i64>().sum()
    }
}
