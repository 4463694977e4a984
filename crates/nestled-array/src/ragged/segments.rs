//! Segment descriptors: the lengths of the segments of a vector, and what follows from them.

use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::ops::{Outside, places_of_segments, total_of};
use nestled_ir::{Direction, Inclusion, MonoidOp};

/// A segment descriptor: the lengths of the segments that a vector is cut into, one after another.
///
/// ```
/// # use nestled_array::*;
/// let segments = Segments::from_lengths(&[2, 0, 1]);
/// let values = Ragged::<f64>::new(&Array::from_vec(vec![1.0, 2.0, 4.0]), &segments)?;
/// assert_eq!(values.sum().to_vec()?, [3.0, 0.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Segments {
    pub(crate) lengths: Array<i64>,
    pub(crate) total: usize,
}

impl Segments {
    /// Segments of these lengths.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let segments = Segments::from_lengths(&[2, 0, 1]);
    /// assert_eq!((segments.count(), segments.total()), (3, 3));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// The lengths sum to more elements than can be counted.
    #[track_caller]
    pub fn from_lengths(lengths: &[usize]) -> Segments {
        let total = lengths.iter().try_fold(0usize, |sum, &length| sum.checked_add(length));
        let Some(total) = total.filter(|&total| i64::try_from(total).is_ok()) else {
            panic!("{}", Error::new("from_lengths", "the lengths come to more elements than can be counted"));
        };
        Segments { lengths: Array::from_vec(lengths.iter().map(|&length| length as i64).collect()), total }
    }

    /// Segments between ascending offsets; there is one offset more than segments.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let segments = Segments::from_offsets(&[0, 2, 2, 3])?;
    /// assert_eq!(segments.lengths().to_vec()?, [2, 0, 1]);
    /// assert!(Segments::from_offsets(&[1, 2]).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The offsets do not begin with 0, or fall.
    #[track_caller]
    pub fn from_offsets(offsets: &[usize]) -> Result<Segments> {
        if offsets.first() != Some(&0) || offsets.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(Error::new("from_offsets", "offsets begin with 0 and never fall"));
        }
        if offsets.last().is_some_and(|&last| i64::try_from(last).is_err()) {
            return Err(Error::new("from_offsets", "they come to more elements than can be counted"));
        }
        let lengths: Vec<usize> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Ok(Segments::from_lengths(&lengths))
    }

    /// Segments with computed lengths. The number of elements is data, so this computes at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let segments = Segments::of(&(Array::<i64>::range(3) + 1))?;
    /// assert_eq!(segments.total(), 6);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The lengths are no vector, or one is negative; and those of evaluation.
    #[track_caller]
    pub fn of(lengths: &Array<i64>) -> Result<Segments> {
        if lengths.rank() != 1 {
            return Err(Error::new("of", format!("lengths of shape {} are no vector", lengths.shape())));
        }
        let total = total_of("of", lengths)?;
        Ok(Segments { lengths: lengths.clone(), total })
    }

    /// Segments with computed lengths whose sum is known, which computes nothing. Where the lengths come to another sum, or one is negative, operations
    /// give an error or wrong elements.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let (left, right) = (Array::from_vec(vec![2, 0]), Array::from_vec(vec![1, 1]));
    /// let both = Segments::with_total(&(&left + &right), 4);
    /// assert_eq!(both.owners().to_vec()?, [0, 0, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// The lengths are no vector.
    #[track_caller]
    pub fn with_total(lengths: &Array<i64>, total: usize) -> Segments {
        assert_eq!(lengths.rank(), 1, "with_total: lengths of shape {} are no vector", lengths.shape());
        Segments { lengths: lengths.clone(), total }
    }

    /// The number of segments.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let segments = Segments::from_lengths(&[2, 0, 1]);
    /// assert_eq!(segments.count(), 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn count(&self) -> usize {
        self.lengths.size()
    }

    /// The total number of elements.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let segments = Segments::from_lengths(&[2, 0, 1]);
    /// assert_eq!(segments.total(), 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn total(&self) -> usize {
        self.total
    }

    /// The length of each segment.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let segments = Segments::from_lengths(&[2, 0, 1]);
    /// assert_eq!(segments.lengths().to_vec()?, [2, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn lengths(&self) -> &Array<i64> {
        &self.lengths
    }

    /// The number of elements before each segment: the exclusive prefix sum of the lengths.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let segments = Segments::from_lengths(&[2, 0, 1]);
    /// assert_eq!(segments.starts().to_vec()?, [0, 2, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn starts(&self) -> Array<i64> {
        self.lengths.scan(0, MonoidOp::Add, Inclusion::Exclusive, Direction::Forward)
    }

    /// For each element the index of its segment.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let segments = Segments::from_lengths(&[2, 0, 1]);
    /// assert_eq!(segments.owners().to_vec()?, [0, 0, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn owners(&self) -> Array<i64> {
        places_of_segments(&self.lengths, self.total)
    }

    /// For each element its place in its segment.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let segments = Segments::from_lengths(&[2, 0, 1]);
    /// assert_eq!(segments.places().to_vec()?, [0, 1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn places(&self) -> Array<i64> {
        Array::range(self.total) - self.spread(&self.starts())
    }

    /// Broadcasts a value per segment to the elements of the segment.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let segments = Segments::from_lengths(&[2, 0, 1]);
    /// assert_eq!(segments.spread(&Array::from_vec(vec![10, 20, 30])).to_vec()?, [10, 10, 30]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// There is not a value for each segment.
    #[track_caller]
    pub fn spread<T: Element>(&self, values: &Array<T>) -> Array<T> {
        assert_eq!(**values.shape(), [self.count()], "spread: there is not a value for each segment");
        values.take(0, &self.owners(), Outside::Clamp)
    }
}
