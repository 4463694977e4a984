//! Coordinate transforms: the same elements at other places. None of them copies anything by itself; they become the way in which elements are read.

use super::fallible;
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
    /// How many.
    pub count: usize,
    /// From one to the next.
    pub stride: i64,
}

impl From<Range<usize>> for Section {
    fn from(range: Range<usize>) -> Section {
        Section { start: range.start, count: range.end.saturating_sub(range.start), stride: 1 }
    }
}

impl<T: Element> Array<T> {
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

    /// A matrix with rows and columns exchanged; of any rank: axes in the opposite order.
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
        self.per_axis(name, by)?;
        let mut view = View::identity(self.rank());
        view.default = border.default();
        for (axis, &by) in view.axes.iter_mut().zip(by) {
            axis.offset = by.wrapping_neg();
            if by != 0 {
                axis.rule = border.rule();
                axis.reflected = border.reflects();
            }
        }
        self.reflected_once(name, border, by.iter().map(|by| by.unsigned_abs()))?;
        if view.axes.iter().all(|axis| axis.rule != Rule::Else) {
            view.default = None;
        }
        Ok(self.view(*self.shape(), view))
    }

    /// An edge reflects what lies within the array: `reach` says for each axis how far beyond an end indices go.
    fn reflected_once(
        &self,
        name: &'static str,
        border: Border<T>,
        reach: impl Iterator<Item = u64>,
    ) -> Result<()> {
        for (axis, reach) in reach.enumerate() {
            let extent = self.shape()[axis] as u64;
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
        let extents: Vec<usize> =
            (0..self.rank()).map(|axis| before[axis] + self.shape()[axis] + after[axis]).collect();
        let shape = Shape::new(&extents)?;
        let mut view = View::identity(self.rank());
        for axis in 0..self.rank() {
            if before[axis] == 0 && after[axis] == 0 {
                continue;
            }
            view.axes[axis].offset = -(before[axis] as i64);
            view.axes[axis].rule = border.rule();
            view.axes[axis].reflected = border.reflects();
            view.out[axis] = ViewExtent::New;
        }
        self.reflected_once(name, border, before.iter().zip(after).map(|(&a, &b)| a.max(b) as u64))?;
        if view.axes.iter().any(|axis| axis.rule == Rule::Else) {
            view.default = border.default();
        }
        Ok(self.view(shape, view))
    }
}

fallible! { impl[T: Element] Array<T> {
    /// A part: for each axis where it starts, how many elements it has, and how far apart they are.
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
        let extents: Vec<usize> = parts.iter().map(|part| part.count).collect();
        let shape = Shape::new(&extents)?;
        let mut view = View::identity(self.rank());
        for (axis, part) in parts.iter().enumerate() {
            let extent = self.shape()[axis];
            let steps = i64::try_from(part.count).unwrap_or(i64::MAX).saturating_sub(1);
            let last = part.stride.checked_mul(steps).and_then(|far| far.checked_add(part.start as i64));
            let inside = |at: i64| at >= 0 && at < extent as i64;
            if part.count > 0 && !(inside(part.start as i64) && last.is_some_and(inside)) {
                let message = format!("{part:?} is not inside axis {axis} of {}", self.shape());
                return Err(Error::new("section", message));
            }
            view.axes[axis] =
                ViewAxis { from: Some(axis), stride: part.stride, offset: part.start as i64, rule: Rule::Proved, reflected: false };
            let whole = part.start == 0 && part.stride == 1 && part.count == extent;
            view.out[axis] = if whole { ViewExtent::Same(axis) } else { ViewExtent::New };
        }
        Ok(self.view(shape, view))
    }

    /// The elements `range` along one axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(m.slice(1, 0..2).to_vec()?, [0, 1, 3, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    fn slice try_slice[](&self, axis: usize, range: Range<usize>) -> Array<T> {
        let axis = checked_axes("slice", &self.node, &[axis])?[0];
        let whole = |&extent: &usize| Section { start: 0, count: extent, stride: 1 };
        let mut parts: Vec<Section> = self.shape().iter().map(whole).collect();
        parts[axis] = range.into();
        self.try_section(&parts)
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
        let whole = |&extent: &usize| Section { start: 0, count: extent, stride: 1 };
        let mut parts: Vec<Section> = self.shape().iter().map(whole).collect();
        let count = self.shape()[axis].saturating_sub(start).div_ceil(step);
        parts[axis] = Section { start: if count == 0 { 0 } else { start }, count, stride: step as i64 };
        self.try_section(&parts)
    }

    /// What is at one place along an axis, which goes.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(m.at(0, 1).to_vec()?, [3, 4, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn at try_at[](&self, axis: usize, place: usize) -> Array<T> {
        let axis = checked_axes("at", &self.node, &[axis])?[0];
        if place >= self.shape()[axis] {
            return Err(Error::new("at", format!("{place} is not inside axis {axis} of {}", self.shape())));
        }
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

    /// Moved by `by` along each axis, toward higher indices where positive; `border` shows in the gap.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).shift(&[1], Border::Default(0)).to_vec()?, [0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn shift try_shift[](&self, by: &[i64], border: Border<T>) -> Array<T> {
        self.shifted("shift", by, border)
    }

    /// Moved by `by` along each axis; what leaves at one end comes in at the other.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).rotate(&[1]).to_vec()?, [3, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn rotate try_rotate[](&self, by: &[i64]) -> Array<T> {
        self.shifted("rotate", by, Border::Wrap)
    }

    /// Repeated until it fills a shape of the same rank.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2]).replicate(&[5]).to_vec()?, [1, 2, 1, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn replicate try_replicate[](&self, shape: &[usize]) -> Array<T> {
        self.per_axis("replicate", shape)?;
        let shape = Shape::new(shape)?;
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

    /// Continued beyond each end of each axis by the array itself.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).expand(&[1], &[1]).to_vec()?, [3, 1, 2, 3, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn expand try_expand[](&self, before: &[usize], after: &[usize]) -> Array<T> {
        self.padded("expand", before, after, Border::Wrap)
    }

    /// Continued beyond each end of each axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2]).pad(&[1], &[2], Border::Clamp).to_vec()?, [1, 1, 2, 2, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn pad try_pad[](&self, before: &[usize], after: &[usize], border: Border<T>) -> Array<T> {
        self.padded("pad", before, after, border)
    }

    /// Axes in another order: axis k of the result is axis `order[k]` of the array.
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

    /// Backward along some axes.
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

    /// The same elements in row-major order under another shape.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::<i32>::range(6).reshape(&[2, 3]);
    /// assert_eq!(**m.reshape(&[3, 2]).shape(), [3, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn reshape try_reshape[](&self, shape: &[usize]) -> Array<T> {
        let shape = Shape::new(shape)?;
        if shape.size() != self.size() {
            return Err(Error::of("reshape", Reason::Shapes(*self.shape(), shape)));
        }
        if shape == *self.shape() {
            return Ok(self.clone());
        }
        Ok(Array::lazy(shape, Op::Reshape { arg: Arc::clone(&self.node) }))
    }

    /// A new axis of extent 1, before the axis that has its place now.
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

    /// Without an axis of extent 1.
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
        self.try_at(axis, 0)
    }

    /// Stretched to a shape, as operands are.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2]).broadcast_to(&[2, 2]).to_vec()?, [1, 2, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn broadcast_to try_broadcast_to[](&self, shape: &[usize]) -> Array<T> {
        let shape = Shape::new(shape)?;
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
