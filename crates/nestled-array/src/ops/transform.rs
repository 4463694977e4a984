//! Coordinate transforms: views of the same elements at other places. None of them copies by itself; they change the way in which elements are read.

use super::fallible;
use super::place::{AxisIndex, AxisRange};
use super::reduce::checked_axes;
use crate::array::{Array, Border};
use crate::element::Element;
use crate::error::{Error, Reason, Result};
use crate::node::{Op, View, ViewAxis, ViewExtent};
use crate::shape::Shape;
use nestled_ir::Rule;
use std::ops::Range;
use std::sync::Arc;

/// A part of an axis: `count` elements from `start`, `stride` apart. A negative stride goes backward.
///
/// ```
/// # use nestled_array::*;
/// let odd = Section { start: 1, count: 3, stride: 2 };
/// assert_eq!(Array::<i32>::range(8).section(&[odd]).to_vec()?, [1, 3, 5]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section {
    /// The first element.
    pub start: usize,
    /// The number of elements.
    pub count: usize,
    /// The distance from one element to the next.
    pub stride: i64,
}

impl From<Range<usize>> for Section {
    fn from(range: Range<usize>) -> Section {
        Section { start: range.start, count: range.end.saturating_sub(range.start), stride: 1 }
    }
}

/// The displacement nearest to 0 with the same result: far beyond an end there is only the border.
fn nearest_equal(by: i128, extent: usize, rule: Rule) -> i64 {
    let extent = extent as i128;
    let by = match rule {
        _ if by.abs() <= extent => by,
        Rule::Wrap if extent > 0 => by % extent,
        _ => by.clamp(-extent, extent),
    };
    by as i64
}

impl Section {
    /// True if all of its places are inside an axis.
    fn is_inside(&self, extent: usize) -> bool {
        let Some(steps) = self.count.checked_sub(1) else { return true };
        let first = self.start as i128;
        let last = first + i128::from(self.stride) * steps as i128;
        [first, last].iter().all(|at| (0..extent as i128).contains(at))
    }
}

impl<T: Element> Array<T> {
    /// The section of an axis for a range of places.
    #[track_caller]
    pub(super) fn part_of(&self, name: &'static str, axis: usize, range: &impl AxisRange) -> Result<Section> {
        let axis = checked_axes(name, &self.node, &[axis])?[0];
        let extent = self.shape()[axis];
        match range.places(extent) {
            Some((start, end)) if start <= extent && end <= extent => Ok((start..end).into()),
            _ => Err(Error::new(name, format!("{range:?} is not inside axis {axis} of {}", self.shape()))),
        }
    }

    /// A section along one axis, everything along the others.
    #[track_caller]
    fn with_part(&self, name: &'static str, axis: usize, part: Section) -> Result<Array<T>> {
        let whole = |&extent: &usize| Section { start: 0, count: extent, stride: 1 };
        let mut parts: Vec<Section> = self.shape().iter().map(whole).collect();
        parts[axis] = part;
        self.sectioned(name, &parts)
    }

    #[track_caller]
    fn sectioned(&self, name: &'static str, parts: &[Section]) -> Result<Array<T>> {
        let extents: Vec<usize> = parts.iter().map(|part| part.count).collect();
        let shape = Shape::checked(name, &extents)?;
        let mut view = View::identity(self.rank());
        for (axis, part) in parts.iter().enumerate() {
            let extent = self.shape()[axis];
            if !part.is_inside(extent) {
                let message = format!("{part:?} is not inside axis {axis} of {}", self.shape());
                return Err(Error::new(name, message));
            }
            // Where there is no second element, nobody sees the stride; where there is no first, nobody sees the start.
            let stride = if part.count > 1 { part.stride } else { 1 };
            let offset = if part.count > 0 { part.start as i64 } else { 0 };
            view.axes[axis] =
                ViewAxis { from: Some(axis), stride, offset, rule: Rule::Proved, reflected: false };
            let whole = offset == 0 && stride == 1 && part.count == extent;
            view.out[axis] = if whole { ViewExtent::Same(axis) } else { ViewExtent::New };
        }
        Ok(self.view(shape, view))
    }

    #[track_caller]
    pub(crate) fn view(&self, shape: Shape, view: View) -> Array<T> {
        debug_assert_eq!(view.axes.len(), self.rank());
        debug_assert_eq!(view.out.len(), shape.len());
        Array::lazy(shape, Op::View { arg: Arc::clone(&self.node), view })
    }

    #[track_caller]
    fn per_axis<A>(&self, name: &'static str, list: &[A]) -> Result<()> {
        if list.len() == self.rank() {
            return Ok(());
        }
        let message = format!("{} entries for the {} axes of {}", list.len(), self.rank(), self.shape());
        Err(Error::new(name, message))
    }

    /// All elements in row-major order.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(m.ravel().to_vec()?, [0, 1, 2, 3, 4, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn ravel(&self) -> Array<T> {
        if self.rank() == 1 { self.clone() } else { self.reshape(&[self.size()]) }
    }

    /// The transpose of a matrix; at other ranks, the axes in opposite order.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(m.t().to_vec()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn t(&self) -> Array<T> {
        let order: Vec<usize> = (0..self.rank()).rev().collect();
        self.transpose(&order)
    }

    #[track_caller]
    fn shifted(&self, name: &'static str, by: &[i64], border: Border<T>) -> Result<Array<T>> {
        let back: Vec<i128> = by.iter().map(|&by| -i128::from(by)).collect();
        self.displaced(name, &back, border)
    }

    /// Element `i` of the result is element `i + by` along each axis.
    #[track_caller]
    pub(super) fn displaced(&self, name: &'static str, by: &[i128], border: Border<T>) -> Result<Array<T>> {
        self.per_axis(name, by)?;
        self.reflected_once(name, border, by.iter().map(|by| by.unsigned_abs()))?;
        let mut view = View::identity(self.rank());
        for (axis, &by) in by.iter().enumerate().filter(|(_, by)| **by != 0) {
            let own = &mut view.axes[axis];
            own.offset = nearest_equal(by, self.shape()[axis], border.rule());
            own.rule = border.rule();
            own.reflected = border.reflects();
        }
        if view.axes.iter().any(|axis| axis.rule == Rule::Else) {
            view.default = border.default();
        }
        Ok(self.view(*self.shape(), view))
    }

    /// An edge reflects what lies within the array: `reach` says for each axis how far beyond an end indices go.
    #[track_caller]
    fn reflected_once(
        &self,
        name: &'static str,
        border: Border<T>,
        reach: impl Iterator<Item = u128>,
    ) -> Result<()> {
        for (axis, reach) in reach.enumerate() {
            let extent = self.shape()[axis] as u128;
            if border.reflects() && reach > 0 && reach >= extent {
                let message = format!(
                    "{reach} beyond an edge of {} along axis {axis} there is nothing to reflect",
                    self.shape()
                );
                return Err(Error::new(name, message));
            }
        }
        Ok(())
    }

    #[track_caller]
    fn padded(
        &self,
        name: &'static str,
        before: &[usize],
        after: &[usize],
        border: Border<T>,
    ) -> Result<Array<T>> {
        self.per_axis(name, before)?;
        self.per_axis(name, after)?;
        let mut extents = self.shape().to_vec();
        for (axis, extent) in extents.iter_mut().enumerate() {
            let (before, own, after) = (before[axis], *extent, after[axis]);
            let Some(sum) = before.checked_add(own).and_then(|sum| sum.checked_add(after)) else {
                let message = format!(
                    "{before} before and {after} after the {own} along axis {axis} of {} are more elements than can be counted",
                    self.shape()
                );
                return Err(Error::new(name, message));
            };
            if own == 0 && sum > 0 && border.default().is_none() {
                let message = format!("{} has nothing along axis {axis} to continue it with", self.shape());
                return Err(Error::new(name, message));
            }
            *extent = sum;
        }
        let shape = Shape::checked(name, &extents)?;
        let mut view = View::identity(self.rank());
        for axis in 0..self.rank() {
            if before[axis] == 0 && after[axis] == 0 {
                continue;
            }
            // The sum fits, and so does this.
            view.axes[axis].offset = -(before[axis] as i64);
            view.axes[axis].rule = border.rule();
            view.axes[axis].reflected = border.reflects();
            view.out[axis] = ViewExtent::New;
        }
        self.reflected_once(name, border, before.iter().zip(after).map(|(&a, &b)| a.max(b) as u128))?;
        if view.axes.iter().any(|axis| axis.rule == Rule::Else) {
            view.default = border.default();
        }
        Ok(self.view(shape, view))
    }
}

fallible! { impl[T: Element] Array<T> {
    /// A section: for each axis the start, the number of elements, and the stride.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// let back = Section { start: 2, count: 3, stride: -1 };
    /// assert_eq!(m.section(&[(0..1).into(), back]).to_vec()?, [2, 1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn section try_section[](&self, parts: &[Section]) -> Array<T> {
        self.per_axis("section", parts)?;
        self.sectioned("section", parts)
    }

    /// The elements in `range` along one axis. Ends may be left out, and count from the end if negative.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(m.slice(1, 0..2).to_vec()?, [0, 1, 3, 4]);
    /// assert_eq!(m.slice(1, 1..).to_vec()?, [1, 2, 4, 5]);
    /// assert_eq!(m.slice(1, ..-2).to_vec()?, [0, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn slice try_slice[](&self, axis: usize, range: impl AxisRange) -> Array<T> {
        let part = self.part_of("slice", axis, &range)?;
        self.with_part("slice", axis, part)
    }

    /// Every `step`-th element along one axis, beginning with `start`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<i32>::range(7).every(0, 1, 3).to_vec()?, [1, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    fn every try_every[](&self, axis: usize, start: usize, step: usize) -> Array<T> {
        let axis = checked_axes("every", &self.node, &[axis])?[0];
        if step == 0 {
            return Err(Error::new("every", "a step of 0"));
        }
        let count = self.shape()[axis].saturating_sub(start).div_ceil(step);
        let stride = i64::try_from(step).unwrap_or(i64::MAX);
        self.with_part("every", axis, Section { start, count, stride })
    }

    /// The elements at one place along an axis, without that axis. A negative place counts from the end.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(m.at(0, 1).to_vec()?, [3, 4, 5]);
    /// assert_eq!(m.at(1, -1).to_vec()?, [2, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn at try_at[](&self, axis: usize, place: impl AxisIndex) -> Array<T> {
        let axis = checked_axes("at", &self.node, &[axis])?[0];
        let extent = self.shape()[axis];
        let Some(place) = place.place(extent).filter(|&place| place < extent) else {
            return Err(Error::new("at", format!("{place:?} is not inside axis {axis} of {}", self.shape())));
        };
        let mut view = View { axes: Vec::new(), out: Vec::new(), default: None };
        for source in 0..self.rank() {
            if source == axis {
                view.axes.push(ViewAxis { from: None, stride: 0, offset: place as i64, rule: Rule::Proved, reflected: false });
            } else {
                view.axes.push(ViewAxis::own(view.out.len()));
                view.out.push(ViewExtent::Same(source));
            }
        }
        Ok(self.view(self.shape().without(&[axis]), view))
    }

    /// Shifts by `by` along each axis, toward higher indices if positive; `border` fills the gap.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).shift(&[1], Border::Default(0)).to_vec()?, [0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn shift try_shift[](&self, by: &[i64], border: Border<T>) -> Array<T> {
        self.shifted("shift", by, border)
    }

    /// Rotates by `by` along each axis: elements that leave at one end come in at the other.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).rotate(&[1]).to_vec()?, [3, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn rotate try_rotate[](&self, by: &[i64]) -> Array<T> {
        self.shifted("rotate", by, Border::Wrap)
    }

    /// Repeats the array until it fills a shape of the same rank.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2]).replicate(&[5]).to_vec()?, [1, 2, 1, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn replicate try_replicate[](&self, shape: &[usize]) -> Array<T> {
        self.per_axis("replicate", shape)?;
        let shape = Shape::checked("replicate", shape)?;
        let mut view = View::identity(self.rank());
        for axis in 0..self.rank() {
            if self.shape()[axis] == 0 && shape[axis] != 0 {
                return Err(Error::of("replicate", Reason::Shapes(*self.shape(), shape)));
            }
            view.axes[axis].rule = Rule::Wrap;
            view.out[axis] = ViewExtent::New;
        }
        Ok(self.view(shape, view))
    }

    /// Extends the array beyond each end of each axis by repeating it.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).expand(&[1], &[1]).to_vec()?, [3, 1, 2, 3, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn expand try_expand[](&self, before: &[usize], after: &[usize]) -> Array<T> {
        self.padded("expand", before, after, Border::Wrap)
    }

    /// Pads the array beyond each end of each axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2]).pad(&[1], &[2], Border::Clamp).to_vec()?, [1, 1, 2, 2, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn pad try_pad[](&self, before: &[usize], after: &[usize], border: Border<T>) -> Array<T> {
        self.padded("pad", before, after, border)
    }

    /// Permutes the axes: axis k of the result is axis `order[k]` of the array.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(m.transpose(&[1, 0]).to_vec()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn transpose try_transpose[](&self, order: &[usize]) -> Array<T> {
        self.per_axis("transpose", order)?;
        checked_axes("transpose", &self.node, order)?;
        let extents: Vec<usize> = order.iter().map(|&axis| self.shape()[axis]).collect();
        let mut view = View::identity(self.rank());
        for (own, &axis) in order.iter().enumerate() {
            view.axes[axis] = ViewAxis::own(own);
            view.out[own] = ViewExtent::Same(axis);
        }
        Ok(self.view(Shape::of(&extents), view))
    }

    /// Reverses some axes.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(m.reverse(&[0]).to_vec()?, [3, 4, 5, 0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn reverse try_reverse[](&self, axes: &[usize]) -> Array<T> {
        let mut view = View::identity(self.rank());
        for axis in checked_axes("reverse", &self.node, axes)? {
            let last = self.shape()[axis] as i64 - 1;
            view.axes[axis] = ViewAxis { from: Some(axis), stride: -1, offset: last, rule: Rule::Proved, reflected: false };
        }
        Ok(self.view(*self.shape(), view))
    }

    /// Reshapes: the same elements in row-major order under another shape.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(**m.reshape(&[3, 2]).shape(), [3, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn reshape try_reshape[](&self, shape: &[usize]) -> Array<T> {
        let shape = Shape::checked("reshape", shape)?;
        if shape.size() != self.size() {
            return Err(Error::of("reshape", Reason::Shapes(*self.shape(), shape)));
        }
        if shape == *self.shape() {
            return Ok(self.clone());
        }
        Ok(Array::lazy(shape, Op::Reshape { arg: Arc::clone(&self.node) }))
    }

    /// Adds an axis of extent 1, before the axis that is now at its place.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(**m.add_dim(1).shape(), [2, 1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn add_dim try_add_dim[](&self, axis: usize) -> Array<T> {
        if axis > self.rank() || self.rank() == Shape::MAX_RANK {
            return Err(Error::new("add_dim", format!("there can be no new axis {axis} in {}", self.shape())));
        }
        let mut extents = self.shape().to_vec();
        extents.insert(axis, 1);
        let mut view = View::identity(self.rank());
        view.out.insert(axis, ViewExtent::New);
        view.axes.iter_mut().enumerate().for_each(|(source, own)| own.from = Some(source + usize::from(source >= axis)));
        Ok(self.view(Shape::of(&extents), view))
    }

    /// Removes an axis of extent 1.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(**m.add_dim(0).drop_dim(0).shape(), [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    fn drop_dim try_drop_dim[](&self, axis: usize) -> Array<T> {
        let axis = checked_axes("drop_dim", &self.node, &[axis])?[0];
        if self.shape()[axis] != 1 {
            return Err(Error::new("drop_dim", format!("axis {axis} of {} has not one element", self.shape())));
        }
        self.try_at(axis, 0usize)
    }

    /// Broadcasts to a shape, as operands are.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2]).broadcast_to(&[2, 2]).to_vec()?, [1, 2, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn broadcast_to try_broadcast_to[](&self, shape: &[usize]) -> Array<T> {
        let shape = Shape::checked("broadcast_to", shape)?;
        if self.shape().broadcast(&shape) != Some(shape) {
            return Err(Error::of("broadcast_to", Reason::Shapes(*self.shape(), shape)));
        }
        let ahead = shape.len() - self.rank();
        let mut view = View { axes: Vec::new(), out: vec![ViewExtent::New; shape.len()], default: None };
        for source in 0..self.rank() {
            if self.shape()[source] == shape[source + ahead] {
                view.axes.push(ViewAxis::own(source + ahead));
                view.out[source + ahead] = ViewExtent::Same(source);
            } else {
                view.axes.push(ViewAxis { from: None, stride: 0, offset: 0, rule: Rule::Proved, reflected: false });
            }
        }
        Ok(self.view(shape, view))
    }
}}
