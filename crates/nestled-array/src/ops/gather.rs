//! Gather, scatter and histogram: elements at places that are data; compress and repeat.

use super::reduce::checked_axes;
use super::{common_shape, fallible};
use crate::array::Array;
use crate::element::{Element, Integer, Number};
use crate::engine::Engine;
use crate::error::{Error, Reason, Result};
use crate::node::{Clash, GatherAxis, Node, NodeRef, Op, View, ViewAxis, ViewExtent};
use crate::plan::Graph;
use crate::shape::Shape;
use nestled_ir::{MonoidOp, Rule};
use std::sync::Arc;

/// The rule for an index outside of an array.
///
/// ```
/// # use nestled_array::*;
/// let x = Array::from_vec(vec![10, 20, 30]);
/// let places = Array::from_vec(vec![-1, 1]);
/// assert_eq!(x.take(0, &places, Outside::Default(0)).to_vec()?, [0, 20]);
/// assert_eq!(x.take(0, &places, Outside::Wrap).to_vec()?, [30, 20]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Outside<T> {
    /// A value.
    Default(T),
    /// The nearest element.
    Clamp,
    /// The element at the index modulo the extent.
    Wrap,
    /// An error of the evaluation.
    Fault,
}

impl<T: Element> Outside<T> {
    fn rule(self) -> Rule {
        match self {
            Outside::Default(_) => Rule::Else,
            Outside::Clamp => Rule::Clamp,
            Outside::Wrap => Rule::Wrap,
            Outside::Fault => Rule::Fault,
        }
    }

    fn default(self) -> Option<nestled_ir::Scalar> {
        match self {
            Outside::Default(value) => Some(value.scalar()),
            Outside::Clamp | Outside::Wrap | Outside::Fault => None,
        }
    }
}

/// The rule for several elements that a scatter writes to one place. The result never depends on timing.
///
/// ```
/// # use nestled_array::*;
/// let places = Array::from_vec(vec![0, 0]);
/// let values = Array::from_vec(vec![5, 6]);
/// let add = Collision::Combine(Operator::Add);
/// assert_eq!(Array::zeros(&[1]).scatter(&[&places], &values, Collision::First).to_vec()?, [5]);
/// assert_eq!(Array::zeros(&[1]).scatter(&[&places], &values, add).to_vec()?, [11]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Collision {
    /// The first in row-major order stays.
    First,
    /// The last in row-major order stays.
    Last,
    /// All of them are combined, together with the element that was there.
    Combine(MonoidOp),
}

fallible! { impl[T: Element] Array<T> {
    /// Gathers elements: one index array for each axis. The index arrays are broadcast together; the result has their shape.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// let (y, x) = (Array::from_vec(vec![0, 1]), Array::from_vec(vec![2, 0]));
    /// assert_eq!(m.gather(&[&y, &x], Outside::Clamp).to_vec()?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn gather try_gather[I: Integer](&self, indices: &[&Array<I>], outside: Outside<T>) -> Array<T> {
        gathered("gather", self, indices, outside)
    }

    /// Gathers elements from places with coordinates along the last axis of one index array.
    fn gather_packed try_gather_packed[I: Integer](&self, places: &Array<I>, outside: Outside<T>) -> Array<T> {
        let last = places.rank().checked_sub(1).filter(|&last| places.shape()[last] == self.rank());
        let Some(last) = last else {
            return Err(Error::of("gather_packed", Reason::Shapes(*self.shape(), *places.shape())));
        };
        let indices = places.try_unstack(last)?;
        gathered("gather_packed", self, &indices.iter().collect::<Vec<_>>(), outside)
    }

    /// Gathers elements along one axis. The axis becomes those of the index array.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::from_vec(vec![10, 20, 30]);
    /// assert_eq!(x.take(0, &Array::from_vec(vec![2, 0, 2]), Outside::Clamp).to_vec()?, [30, 10, 30]);
    /// # Ok::<(), Error>(())
    /// ```
    fn take try_take[I: Integer](&self, axis: usize, indices: &Array<I>, outside: Outside<T>) -> Array<T> {
        let axis = checked_axes("take", &self.node, &[axis])?[0];
        let (before, after) = (&self.shape()[..axis], &self.shape()[axis + 1..]);
        let shape = Shape::checked("take", &[before, indices.shape(), after].concat())?;
        // The index array, with an axis of extent 1 for each axis that comes after.
        let mut view = View::identity(indices.rank());
        view.out.extend(after.iter().map(|_| ViewExtent::New));
        let extents = [indices.shape(), &vec![1; after.len()][..]].concat();
        let index = indices.view(Shape::of(&extents), view);
        let ahead = axis + indices.rank();
        let axes = (0..self.rank())
            .map(|source| match source {
                _ if source < axis => GatherAxis::Own(source),
                _ if source == axis => GatherAxis::Index(0, outside.rule()),
                _ => GatherAxis::Own(source - axis - 1 + ahead),
            })
            .collect();
        let source = Arc::clone(&self.node);
        Ok(Array::lazy(shape, Op::Gather { source, indices: vec![index.node], axes, default: outside.default(), name: "take" }))
    }

    /// Gathers along one axis within rows: at each place of the index array, the element of the same row at that index.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// let best = m.argmax_axis(1).add_dim(1);
    /// assert_eq!(m.take_along(1, &best, Outside::Clamp).to_vec()?, [2, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn take_along try_take_along[I: Integer](&self, axis: usize, indices: &Array<I>, outside: Outside<T>) -> Array<T> {
        let axis = checked_axes("take_along", &self.node, &[axis])?[0];
        if indices.rank() != self.rank() || indices.shape().without(&[axis]) != self.shape().without(&[axis]) {
            return Err(Error::of("take_along", Reason::Shapes(*self.shape(), *indices.shape())));
        }
        let own = |source| if source == axis { GatherAxis::Index(0, outside.rule()) } else { GatherAxis::Own(source) };
        let axes = (0..self.rank()).map(own).collect();
        let (source, indices) = (Arc::clone(&self.node), vec![Arc::clone(&indices.node)]);
        let shape = indices[0].shape;
        Ok(Array::lazy(shape, Op::Gather { source, indices, axes, default: outside.default(), name: "take_along" }))
    }

    /// Scatters `values` into a copy: one index array for each axis. Places outside are dropped.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let places = Array::from_vec(vec![2, 0]);
    /// let made = Array::zeros(&[3]).scatter(&[&places], &Array::from_vec(vec![7, 8]), Collision::Last);
    /// assert_eq!(made.to_vec()?, [8, 0, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    fn scatter try_scatter[I: Integer](&self, indices: &[&Array<I>], values: &Array<T>, collision: Collision) -> Array<T> {
        if indices.len() != self.rank() || indices.is_empty() {
            let message = format!("{} index arrays for the {} axes of {}", indices.len(), self.rank(), self.shape());
            return Err(Error::new("scatter", message));
        }
        let mut nodes: Vec<&NodeRef> = indices.iter().map(|index| &index.node).collect();
        nodes.push(&values.node);
        let mut shape = common_shape("scatter", &nodes)?;
        if shape.is_empty() {
            shape = Shape::of(&[1]);
        }
        let clash = match collision {
            Collision::First => Clash::First,
            Collision::Last => Clash::Last,
            Collision::Combine(op) if crate::element::combines(op, T::TYPE) => Clash::Combine(op),
            Collision::Combine(op) => {
                return Err(Error::new("scatter", format!("`{}` is not for {}", op.name(), T::TYPE)));
            }
        };
        let indices =
            indices.iter().map(|index| Ok(index.try_broadcast_to(&shape)?.node)).collect::<Result<_>>()?;
        let source = values.try_broadcast_to(&shape)?.node;
        let base = Arc::clone(&self.node);
        Ok(Array::lazy(*self.shape(), Op::Scatter { base, indices, source, clash }))
    }
}}

impl<I: Integer> Array<I> {
    /// Counts how often each of the numbers `0..bins` appears; other numbers are not counted.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 0, 1, 9]).histogram(2).to_vec()?, [1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn histogram(&self, bins: usize) -> Array<i64> {
        self.histogram_of(bins, &Array::scalar(1))
    }

    /// A weighted histogram: for each of the numbers `0..bins` the sum of the weights at its places.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 0, 1]).histogram_of(2, &Array::from_vec(vec![0.5, 1.0, 0.25])).to_vec()?, [1.0, 0.75]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn histogram_of<W: Number>(&self, bins: usize, weights: &Array<W>) -> Array<W> {
        Array::zeros(&[bins]).scatter(&[self], weights, Collision::Combine(MonoidOp::Add))
    }
}

#[track_caller]
fn gathered<T: Element, I: Integer>(
    name: &'static str,
    array: &Array<T>,
    indices: &[&Array<I>],
    outside: Outside<T>,
) -> Result<Array<T>> {
    if indices.len() != array.rank() || indices.is_empty() {
        let message =
            format!("{} index arrays for the {} axes of {}", indices.len(), array.rank(), array.shape());
        return Err(Error::new(name, message));
    }
    let nodes: Vec<&NodeRef> = indices.iter().map(|index| &index.node).collect();
    let shape = common_shape(name, &nodes)?;
    let axes = (0..array.rank()).map(|axis| GatherAxis::Index(axis, outside.rule())).collect();
    let indices = nodes.into_iter().map(Arc::clone).collect();
    let source = Arc::clone(&array.node);
    Ok(Array::lazy(shape, Op::Gather { source, indices, axes, default: outside.default(), name }))
}

/// Packs the elements of a vector where a mask holds. The number of them is data, so it is computed at once.
#[track_caller]
pub(crate) fn pack<T: Element>(mask: &Array<bool>, source: &Array<T>) -> Result<Array<T>> {
    let engine = Engine::current();
    let write = || {
        let op = Op::Filter { mask: Arc::clone(&mask.node), source: Arc::clone(&source.node) };
        Graph::of(&[Node::lazy(T::TYPE, Shape::of(&[0]), op)])
    };
    let mut graph = write();
    if engine.join_many(&graph)? {
        graph = write();
    }
    if graph.n_lazy() > engine.config().part {
        engine.eval(&[mask, source])?;
        graph = write();
    }
    let (count, kept) = engine.pack(graph)?;
    Ok(Array::of(Node::ready(T::TYPE, Shape::of(&[count]), engine.resident(kept))))
}

impl<T: Element> Array<T> {
    /// Packs the elements where a mask of the same shape holds, in row-major order. Their number is data, so this computes at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::from_vec(vec![10, 20, 30]);
    /// assert_eq!(x.compress(&x.gt(15))?.to_vec()?, [20, 30]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The mask has another shape; and errors of evaluation.
    #[track_caller]
    pub fn compress(&self, mask: &Array<bool>) -> Result<Array<T>> {
        if mask.shape() != self.shape() {
            return Err(Error::of("compress", Reason::Shapes(*self.shape(), *mask.shape())));
        }
        pack(&mask.ravel(), &self.ravel())
    }

    /// Keeps the places along one axis where a mask holds. Computes the places at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// let odd = Array::from_vec(vec![false, true, false]);
    /// assert_eq!(m.compress_axis(1, &odd)?.to_vec()?, [1, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The mask is no vector as long as the axis; and those of evaluation.
    #[track_caller]
    pub fn compress_axis(&self, axis: usize, mask: &Array<bool>) -> Result<Array<T>> {
        let axis = checked_axes("compress_axis", &self.node, &[axis])?[0];
        if **mask.shape() != [self.shape()[axis]] {
            return Err(Error::of("compress_axis", Reason::Shapes(*self.shape(), *mask.shape())));
        }
        if self.rank() == 1 {
            return pack(mask, self);
        }
        let places = pack(mask, &Array::<i64>::range(mask.size()))?;
        self.try_take(axis, &places, Outside::Clamp)
    }

    /// APL's replicate: repeats the elements at each place along an axis `counts[place]` times. Computes the counts at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::from_vec(vec![10, 20, 30]);
    /// assert_eq!(x.repeat(0, &Array::from_vec(vec![2, 0, 1]))?.to_vec()?, [10, 10, 30]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The counts are no vector as long as the axis; and those of evaluation.
    #[track_caller]
    pub fn repeat<I: Integer>(&self, axis: usize, counts: &Array<I>) -> Result<Array<T>> {
        let axis = checked_axes("repeat", &self.node, &[axis])?[0];
        if **counts.shape() != [self.shape()[axis]] {
            return Err(Error::of("repeat", Reason::Shapes(*self.shape(), *counts.shape())));
        }
        let counts = counts.cast::<i64>().maximum(0);
        let total = total_of("repeat", &counts)?;
        self.try_take(axis, &places_of_segments(&counts, total), Outside::Clamp)
    }
}

/// Returns the sum of lengths, and checks that none is negative and that the sum can be counted.
#[track_caller]
pub(crate) fn total_of(name: &'static str, lengths: &Array<i64>) -> Result<usize> {
    let (total, least, most) = (lengths.sum(), lengths.min(), lengths.max());
    Engine::current().eval(&[lengths, &total, &least, &most])?;
    if lengths.size() == 0 {
        return Ok(0);
    }
    if least.item()? < 0 {
        return Err(Error::new(name, format!("{} is no length", least.item()?)));
    }
    // The sum may have wrapped only where this does.
    let total = match most.item()?.checked_mul(lengths.size() as i64) {
        Some(_) => Some(total.item()?),
        None => lengths.to_vec()?.iter().try_fold(0i64, |sum, &length| sum.checked_add(length)),
    };
    match total.and_then(|total| usize::try_from(total).ok()) {
        Some(total) => Ok(total),
        None => Err(Error::new(name, "the lengths come to more elements than can be counted")),
    }
}

/// For each of `total` elements the index of its segment.
#[track_caller]
pub(crate) fn places_of_segments(lengths: &Array<i64>, total: usize) -> Array<i64> {
    Array::lazy(Shape::of(&[total]), Op::Owners { lengths: Arc::clone(&lengths.node) })
}

/// The view of a single axis that has the place `from`.
pub(crate) fn stretched(rank: usize, from: &[Option<usize>], extents: &[ViewExtent]) -> View {
    debug_assert_eq!(rank, from.len());
    let axis = |from: &Option<usize>| match from {
        Some(own) => ViewAxis::own(*own),
        None => ViewAxis { from: None, stride: 0, offset: 0, rule: Rule::Proved, reflected: false },
    };
    View { axes: from.iter().map(axis).collect(), out: extents.to_vec(), default: None }
}
