//! Ragged arrays: rows of any lengths, stored as one vector of elements and a segment descriptor.

mod content;
mod elementwise;
mod operand;
mod operators;
mod reductions;
mod segments;
mod sort;
mod traits;

pub use content::{Content, record_rows};
pub use operand::RaggedOperand;
pub use segments::Segments;

use crate::array::Array;
use crate::element::{Element, combines};
use crate::error::{Error, Reason, Result, expect};
use crate::node::{Fold, Node, Op, Segmented};
use crate::shape::Shape;
use crate::trace::operator;
use nestled_ir::{Direction, Inclusion, MonoidOp};
use std::ops::Range;
use std::sync::Arc;

/// A vector of segments of any lengths: a nested array. Its elements lie one after another: those of a `Ragged<f32>` in one [`Array`], those of a
/// `Ragged<(i64, f32)>` in two, and those of a `Ragged<Ragged<f32>>` are segments again. [`Content`] has the list.
///
/// ```
/// use nestled_array::Ragged;
/// let rows = Ragged::from_rows(&[vec![3.0f32, 1.0], vec![], vec![5.0, 2.0, 4.0]]);
/// assert_eq!((&rows * 2.0).sum().to_vec()?, [8.0, 0.0, 22.0]);
/// assert_eq!((&rows - rows.mean()).max().to_vec()?[0], 1.0);
/// assert_eq!(rows.sort().to_rows()?, [vec![1.0, 3.0], vec![], vec![2.0, 4.0, 5.0]]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
#[derive(Clone)]
pub struct Ragged<T: Content> {
    pub(crate) values: T::Values,
    pub(crate) segments: Segments,
}

impl<T: Content> Ragged<T> {
    /// Combines elements and their segments.
    ///
    /// ```
    /// use nestled_array::{Array, Ragged, Segments};
    /// let values = Array::from_vec(vec![1, 2, 3]);
    /// let rows: Ragged<i32> = Ragged::new(&values, &Segments::from_lengths(&[2, 1]))?;
    /// assert_eq!(rows.to_rows()?, [vec![1, 2], vec![3]]);
    /// assert!(Ragged::<i32>::new(&values, &Segments::from_lengths(&[2])).is_err());
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// There are not as many elements as the segments have.
    #[track_caller]
    pub fn new(values: &T::Values, segments: &Segments) -> Result<Ragged<T>> {
        if !T::is_list(values, segments.total) {
            let has = Shape::of(&[T::count(values)]);
            return Err(Error::of("ragged", Reason::Shapes(has, Shape::of(&[segments.total]))));
        }
        Ok(Ragged { values: values.clone(), segments: segments.clone() })
    }

    /// Copies rows of contents of any kind: elements, pairs, rows again, or records.
    ///
    /// ```
    /// use nestled_array::Ragged;
    /// let rows = Ragged::<(i64, Vec<f32>)>::from_host(vec![vec![(7, vec![0.5, 1.5]), (8, vec![])], vec![]]);
    /// assert_eq!(rows.flatten().1.sum().to_vec()?, [2.0, 0.0]);
    /// assert_eq!(rows.to_host()?[0][0], (7, vec![0.5, 1.5]));
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    #[track_caller]
    pub fn from_host(rows: Vec<Vec<T::Host>>) -> Ragged<T> {
        <Ragged<T> as Content>::from_host(rows)
    }

    /// Copies the contents to the host, as rows.
    ///
    /// # Errors
    /// Errors of evaluation.
    pub fn to_host(&self) -> Result<Vec<Vec<T::Host>>> {
        <Ragged<T> as Content>::to_host(self)
    }

    /// All elements, one segment after another.
    ///
    /// ```
    /// use nestled_array::Ragged;
    /// let rows = Ragged::from_rows(&[vec![1, 2], vec![3]]);
    /// assert_eq!(rows.flatten().to_vec()?, [1, 2, 3]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    pub fn flatten(&self) -> &T::Values {
        &self.values
    }

    /// The segments.
    ///
    /// ```
    /// use nestled_array::Ragged;
    /// let rows = Ragged::from_rows(&[vec![1, 2], vec![3]]);
    /// assert_eq!(rows.segments().lengths().to_vec()?, [2, 1]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// The number of segments.
    ///
    /// ```
    /// use nestled_array::Ragged;
    /// assert_eq!(Ragged::from_rows(&[vec![1, 2], vec![]]).count(), 2);
    /// ```
    pub fn count(&self) -> usize {
        self.segments.count()
    }

    /// Applies a function to all elements at once; it may change their type, not their number.
    ///
    /// ```
    /// use nestled_array::Ragged;
    /// let inner = Ragged::from_rows(&[vec![1.0, 2.0], vec![3.0], vec![4.0, 5.0]]);
    /// let nested: Ragged<Ragged<f64>> = inner.in_segments(&[1, 2])?;
    /// let sums: Ragged<f64> = nested.map_values(|rows| rows.sum());
    /// assert_eq!(sums.to_rows()?, [vec![3.0], vec![3.0, 9.0]]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Panics
    /// The function returns another number of contents.
    #[track_caller]
    pub fn map_values<U: Content>(&self, function: impl FnOnce(&T::Values) -> U::Values) -> Ragged<U> {
        expect(Ragged::new(&function(&self.values), &self.segments))
    }

    /// Pairs elements at the same places.
    ///
    /// ```
    /// use nestled_array::Ragged;
    /// let (keys, weights) = (Ragged::from_rows(&[vec![1, 2], vec![3]]), Ragged::from_rows(&[vec![0.5, 1.5], vec![2.0]]));
    /// let pairs: Ragged<(i32, f64)> = keys.zip(&weights)?;
    /// let products: Ragged<f64> = pairs.map_values(|(keys, weights)| keys.cast::<f64>() * weights);
    /// assert_eq!(products.sum().to_vec()?, [3.5, 6.0]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// The numbers of elements differ. The segments are not compared: those of the first count.
    #[track_caller]
    pub fn zip<U: Content>(&self, other: &Ragged<U>) -> Result<Ragged<(T, U)>> {
        Ragged::new(&(self.values.clone(), other.values.clone()), &self.segments)
    }

    /// Nests these segments in segments: `lengths` has the number in each.
    ///
    /// ```
    /// use nestled_array::Ragged;
    /// let rows = Ragged::from_rows(&[vec!['a' as u8], vec![], vec![98, 99]]);
    /// let words = rows.in_segments(&[2, 1])?;
    /// assert_eq!((words.count(), words.flatten().count()), (2, 3));
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// The lengths do not sum to the number of segments.
    #[track_caller]
    pub fn in_segments(&self, lengths: &[usize]) -> Result<Ragged<Ragged<T>>> {
        Ragged::new(self, &Segments::from_lengths(lengths))
    }

    /// The segments in a range. Computes their position at once.
    ///
    /// ```
    /// use nestled_array::Ragged;
    /// let rows = Ragged::from_rows(&[vec![1], vec![2, 3], vec![4]]);
    /// assert_eq!(rows.slice(1..3)?.to_rows()?, [vec![2, 3], vec![4]]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// The range reaches beyond the segments; and errors of evaluation.
    #[track_caller]
    pub fn slice(&self, range: Range<usize>) -> Result<Ragged<T>> {
        let lengths = self.segments.lengths.to_vec()?;
        let Some(kept) = lengths.get(range.clone()) else {
            return Err(Error::new("slice", format!("{range:?} of {} segments", lengths.len())));
        };
        let begin = lengths[..range.start].iter().sum::<i64>() as usize;
        let lengths: Vec<usize> = kept.iter().map(|&length| length as usize).collect();
        let segments = Segments::from_lengths(&lengths);
        let values = T::slice(&self.values, begin..begin + segments.total)?;
        Ok(Ragged { values, segments })
    }
}

impl<T: Content> Ragged<Ragged<T>> {
    /// Removes one level of nesting: segments of segments become one.
    ///
    /// ```
    /// use nestled_array::Ragged;
    /// let rows = Ragged::from_rows(&[vec![1], vec![2, 3], vec![4]]).in_segments(&[2, 1])?;
    /// assert_eq!(rows.joined().to_rows()?, [vec![1, 2, 3], vec![4]]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    #[track_caller]
    pub fn joined(&self) -> Ragged<T> {
        let inner = &self.values;
        let lengths: Ragged<i64> = expect(Ragged::new(&inner.segments.lengths, &self.segments));
        let segments = Segments { lengths: lengths.sum(), total: inner.segments.total };
        Ragged { values: inner.values.clone(), segments }
    }
}

impl<T: Content, U: Content> Ragged<(T, U)> {
    /// Splits pairs into the first and the second parts.
    ///
    /// ```
    /// use nestled_array::Ragged;
    /// let rows = Ragged::from_rows(&[vec![1, 2], vec![3]]);
    /// let (ones, others) = rows.zip(&rows.map(|x| x * 2))?.unzip();
    /// assert_eq!(others.to_rows()?, [vec![2, 4], vec![6]]);
    /// # let _ = ones;
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    pub fn unzip(&self) -> (Ragged<T>, Ragged<U>) {
        let (first, second) = self.values.clone();
        (
            Ragged { values: first, segments: self.segments.clone() },
            Ragged { values: second, segments: self.segments.clone() },
        )
    }
}

impl<T: Element> Ragged<T> {
    /// Copies rows.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.flatten().to_vec()?, [3, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn from_rows(rows: &[Vec<T>]) -> Ragged<T> {
        let lengths: Vec<usize> = rows.iter().map(Vec::len).collect();
        Ragged { values: Array::from_vec(rows.concat()), segments: Segments::from_lengths(&lengths) }
    }

    /// Copies the elements to the host, as rows.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.to_rows()?, [vec![3, 1], vec![], vec![2]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluation.
    pub fn to_rows(&self) -> Result<Vec<Vec<T>>> {
        let (values, lengths) = (self.values.to_vec()?, self.segments.lengths.to_vec()?);
        let mut rest = values.as_slice();
        let row = |length: i64| {
            let (row, after) = rest.split_at((length.max(0) as usize).min(rest.len()));
            rest = after;
            row.to_vec()
        };
        Ok(lengths.into_iter().map(row).collect())
    }

    /// Applies an elementwise function to all elements; the segments stay.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.map(|x| x * 10).to_rows()?, [vec![30, 10], vec![], vec![20]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// The function returns another number of elements.
    #[track_caller]
    pub fn map<U: Element>(&self, function: impl FnOnce(&Array<T>) -> Array<U>) -> Ragged<U> {
        expect(Ragged::new(&function(&self.values), &self.segments))
    }

    /// Applies an elementwise function to each element and the value of its segment.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// let less = rows.map_with_segment(&rows.max(), |x, greatest| greatest - x);
    /// assert_eq!(less.to_rows()?, [vec![0, 2], vec![], vec![0]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// There is not a value for each segment, or not a result for each element.
    #[track_caller]
    pub fn map_with_segment<U: Element, V: Element>(
        &self,
        values: &Array<U>,
        function: impl FnOnce(&Array<T>, &Array<U>) -> Array<V>,
    ) -> Ragged<V> {
        expect(Ragged::new(&function(&self.values, &self.segments.spread(values)), &self.segments))
    }

    #[track_caller]
    fn segmented(&self, how: Segmented, shape: Shape) -> Array<T> {
        let values = Arc::clone(&self.values.node);
        let lengths = Arc::clone(&self.segments.lengths.node);
        Array::of(Node::lazy(T::TYPE, shape, Op::Segmented { values, lengths, how }))
    }

    /// Reduces each segment; an empty one gives the operator's unit.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.reduce(Operator::Mul).to_vec()?, [3, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// The operator is not for such elements.
    #[track_caller]
    pub fn reduce(&self, operator: MonoidOp) -> Array<T> {
        assert!(combines(operator, T::TYPE), "reduce: `{}` is not for {}", operator.name(), T::TYPE);
        self.segmented(Segmented::Reduce(Fold::Op(operator)), Shape::of(&[self.count()]))
    }

    /// Scans each segment.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// let sums = rows.scan(Operator::Add, Inclusion::Inclusive, Direction::Forward);
    /// assert_eq!(sums.to_rows()?, [vec![3, 4], vec![], vec![2]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// The operator is not for such elements.
    #[track_caller]
    pub fn scan(&self, operator: MonoidOp, inclusion: Inclusion, direction: Direction) -> Ragged<T> {
        assert!(combines(operator, T::TYPE), "scan: `{}` is not for {}", operator.name(), T::TYPE);
        let how = Segmented::Scan(Fold::Op(operator), inclusion, direction);
        Ragged { values: self.segmented(how, *self.values.shape()), segments: self.segments.clone() }
    }

    /// Filters the elements by a mask. Their number is data, so this computes at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.filter(|x| x.gt(1))?.to_rows()?, [vec![3], vec![], vec![2]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The mask has another shape; and those of evaluation.
    #[track_caller]
    pub fn filter(&self, mask: impl FnOnce(&Array<T>) -> Array<bool>) -> Result<Ragged<T>> {
        let mask = mask(&self.values);
        let kept = Ragged::<i64>::new(&mask.cast::<i64>(), &self.segments)?.sum();
        let values = self.values.compress(&mask)?;
        let total = values.size();
        kept.eval()?;
        Ok(Ragged { values, segments: Segments { lengths: kept, total } })
    }

    /// Reduces each segment by an associative closure with a unit.
    ///
    /// ```
    /// use nestled_array::Ragged;
    /// let rows = Ragged::from_rows(&[vec![3, 4], vec![], vec![2]]);
    /// assert_eq!(rows.reduce_with(1, |a, b| a * b)?.to_vec()?, [12, 1, 2]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// The closure does something that cannot be done to one element.
    #[track_caller]
    pub fn reduce_with(&self, unit: T, combine: impl Fn(Array<T>, Array<T>) -> Array<T>) -> Result<Array<T>> {
        let fold = Fold::User(operator(combine)?, unit.scalar());
        Ok(self.segmented(Segmented::Reduce(fold), Shape::of(&[self.count()])))
    }

    /// Scans each segment by an associative closure with a unit.
    ///
    /// ```
    /// use nestled_array::{Direction, Inclusion, Ragged};
    /// let rows = Ragged::from_rows(&[vec![3, 4, 1], vec![2]]);
    /// let greatest = rows.scan_with(0, Inclusion::Inclusive, Direction::Forward, |a, b| a.maximum(b))?;
    /// assert_eq!(greatest.to_rows()?, [vec![3, 4, 4], vec![2]]);
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// The closure does something that cannot be done to one element.
    #[track_caller]
    pub fn scan_with(
        &self,
        unit: T,
        inclusion: Inclusion,
        direction: Direction,
        combine: impl Fn(Array<T>, Array<T>) -> Array<T>,
    ) -> Result<Ragged<T>> {
        let how = Segmented::Scan(Fold::User(operator(combine)?, unit.scalar()), inclusion, direction);
        Ok(Ragged { values: self.segmented(how, *self.values.shape()), segments: self.segments.clone() })
    }
}
