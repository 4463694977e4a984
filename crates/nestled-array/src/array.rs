//! The lazy array: a typed handle on a graph node.

use crate::element::{Element, Float, Number};
use crate::engine::{Engine, Evaluate, Handle};
use crate::error::{Error, Reason, Result};
use crate::node::{Data, Node, NodeRef, Op, State};
use crate::shape::Shape;
use nestled_ir::Rule;
use std::marker::PhantomData;
use std::sync::Arc;

/// A lazy array of elements of one type.
///
/// An operation adds a node to a graph and returns at once. Data is computed when somebody asks for it, by [`to_vec`](Array::to_vec),
/// [`eval`](Array::eval) or [`item`](Array::item): the whole graph below, as few kernels. Afterwards the array holds its data, on the device, and the graph is let go. Cloning
/// is cheap: clones share the node. An array never changes.
///
/// Operands are broadcast as NumPy does it. Mistakes of shape are found when the node is made: most operations panic with both shapes, the
/// operation and your line, and have a form `try_…` that returns an [`Error`].
///
/// ```
/// # use nestled_array::*;
/// let x = Array::from_vec(vec![1.0, 2.0]);
/// assert_eq!((&x * 2.0 + 1.0).to_vec()?, [3.0, 5.0]);
/// # Ok::<(), Error>(())
/// ```
pub struct Array<T: Element> {
    pub(crate) node: NodeRef,
    elem: PhantomData<T>,
}

impl<T: Element> Clone for Array<T> {
    fn clone(&self) -> Array<T> {
        Array::of(Arc::clone(&self.node))
    }
}

impl<T: Element> Evaluate for Array<T> {
    fn nodes(&self, into: &mut Vec<Handle>) {
        into.push(Handle(Arc::clone(&self.node)));
    }
}

impl<T: Element> Array<T> {
    /// Copies the elements to the host; computes them on an engine if need be.
    fn fetch(&self, engine: &Engine) -> Result<Vec<T>> {
        let buffer = engine.fetch_node(&self.node)?;
        let buffer = Arc::try_unwrap(buffer).unwrap_or_else(|shared| (*shared).clone());
        T::elements(buffer)
            .ok_or_else(|| Error::at("fetch", Reason::Bug("elements of another type".to_owned()), None))
    }

    pub(crate) fn of(node: NodeRef) -> Array<T> {
        debug_assert_eq!(node.elem, T::TYPE);
        Array { node, elem: PhantomData }
    }

    #[track_caller]
    pub(crate) fn lazy(shape: Shape, op: Op) -> Array<T> {
        Array::of(Node::lazy(T::TYPE, shape, op))
    }

    /// The shape.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(**Array::<f32>::zeros(&[2, 3]).shape(), [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn shape(&self) -> &Shape {
        &self.node.shape
    }

    /// The number of axes.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<f32>::zeros(&[2, 3]).rank(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// The number of elements.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<f32>::zeros(&[2, 3]).size(), 6);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn size(&self) -> usize {
        self.shape().size()
    }

    /// The extent of an axis, which must exist.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<f32>::zeros(&[2, 3]).len_of(1), 3);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn len_of(&self, axis: usize) -> usize {
        self.shape()[axis]
    }

    /// True if the data has been computed.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::<i32>::range(3) + 1;
    /// assert!(!x.is_ready());
    /// x.eval()?;
    /// assert!(x.is_ready());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_ready(&self) -> bool {
        matches!(self.node.state(), State::Ready(_))
    }

    /// A vector of rank 1; its elements are moved.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).reverse(&[0]).to_vec()?, [3, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn from_vec(elements: Vec<T>) -> Array<T> {
        let shape = Shape::of(&[elements.len()]);
        Array::of(Node::ready(T::TYPE, shape, Data::Host(Arc::new(T::buffer(elements)))))
    }

    /// The elements of a slice, which are copied: later changes have no effect.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_slice(&[1.5, 2.5]).to_vec()?, [1.5, 2.5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn from_slice(elements: &[T]) -> Array<T> {
        Array::from_vec(elements.to_vec())
    }

    /// A vector of numbers of a narrower type: an `i16` as an `i32`, a `u32` as an `i64`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<i32>::widened([1i16, -2, 3]).sum().item()?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn widened<U: Into<T>>(elements: impl IntoIterator<Item = U>) -> Array<T> {
        elements.into_iter().map(Into::into).collect()
    }

    /// Elements in row-major order, and their shape.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert!(Array::try_new(vec![1, 2, 3], &[2, 2]).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The number of elements is not that of the shape.
    #[track_caller]
    pub fn try_new(elements: Vec<T>, shape: &[usize]) -> Result<Array<T>> {
        let shape = Shape::checked("new", shape)?;
        if shape.size() != elements.len() {
            let message = format!("{} elements do not fill the shape {shape}", elements.len());
            return Err(Error::new("new", message));
        }
        if let ([element], true) = (&elements[..], shape.is_empty()) {
            return Ok(Array::of(Node::ready(T::TYPE, shape, Data::Scalar(element.scalar()))));
        }
        Ok(Array::of(Node::ready(T::TYPE, shape, Data::Host(Arc::new(T::buffer(elements))))))
    }

    /// Elements in row-major order, and their shape.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let m = Array::new(vec![1, 2, 3, 4], &[2, 2]);
    /// assert_eq!(m.t().to_vec()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn new(elements: Vec<T>, shape: &[usize]) -> Array<T> {
        crate::error::expect(Array::try_new(elements, shape))
    }

    /// The same value everywhere.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::fill(7, &[3]).to_vec()?, [7, 7, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn fill(value: T, shape: &[usize]) -> Array<T> {
        Array::filled("fill", value, shape)
    }

    #[track_caller]
    fn filled(name: &'static str, value: T, shape: &[usize]) -> Array<T> {
        Array::lazy(crate::error::expect(Shape::checked(name, shape)), Op::Fill(value.scalar()))
    }

    /// A single number, of rank 0.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::scalar(2.5).item()?, 2.5);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn scalar(value: T) -> Array<T> {
        Array::lazy(Shape::SCALAR, Op::Fill(value.scalar()))
    }

    /// Computes the data on the engine of the thread, so that it is there when it is asked for. Returns the array.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::<i32>::range(1000).sum();
    /// assert_eq!(x.eval()?.item()?, 499_500);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Faults, and lack of memory; arrays that were computed stay valid.
    #[track_caller]
    pub fn eval(&self) -> Result<&Array<T>> {
        match Engine::current().eval(&[self]) {
            Ok(()) => Ok(self),
            Err(error) => Err(error.by_caller()),
        }
    }

    /// The data in row-major order.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<u8>::range(3).to_vec()?, [0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`eval`](Array::eval).
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        match self.fetch(&Engine::current()) {
            Ok(elements) => Ok(elements),
            Err(error) => Err(error.by_caller()),
        }
    }

    /// The only element of an array that has one.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).max().item()?, 3);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`eval`](Array::eval), or there is not just one element.
    #[track_caller]
    pub fn item(&self) -> Result<T> {
        if self.size() != 1 {
            return Err(Error::new(
                "item",
                format!("an array of shape {} has not one element", self.shape()),
            ));
        }
        let elements = self.to_vec()?;
        match elements.first() {
            Some(&element) => Ok(element),
            None => Err(Error::new("item", "there is no element")),
        }
    }
}

impl<T: Number> Array<T> {
    /// Zeros.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<f64>::zeros(&[2]).to_vec()?, [0.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn zeros(shape: &[usize]) -> Array<T> {
        Array::filled("zeros", T::ZERO, shape)
    }

    /// Ones.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<f64>::ones(&[2]).to_vec()?, [1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn ones(shape: &[usize]) -> Array<T> {
        Array::filled("ones", T::ONE, shape)
    }

    /// `0, 1, … n − 1`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<i64>::range(4).to_vec()?, [0, 1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// The type has not so many numbers: a `u8` ends at 255.
    #[track_caller]
    pub fn range(n: usize) -> Array<T> {
        crate::error::expect(Array::indices("range", &[n], 0))
    }

    /// The index along an axis, at each place of a shape.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<i64>::index(&[2, 3], 1).to_vec()?, [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// There is no such axis, or the type cannot hold its indices.
    #[track_caller]
    pub fn index(shape: &[usize], axis: usize) -> Array<T> {
        crate::error::expect(Array::indices("index", shape, axis))
    }

    #[track_caller]
    fn indices(name: &'static str, shape: &[usize], axis: usize) -> Result<Array<T>> {
        let shape = Shape::checked(name, shape)?;
        if axis >= shape.len() {
            return Err(Error::new(name, format!("a shape {shape} has no axis {axis}")));
        }
        if crate::element::naturals(T::TYPE).is_some_and(|most| shape[axis] > most) {
            let message =
                format!("{} has not the {} numbers from 0 to {}", T::TYPE, shape[axis], shape[axis] - 1);
            return Err(Error::new(name, message));
        }
        Ok(Array::lazy(shape, Op::Iota { axis }))
    }

    /// A matrix with ones on the diagonal, and zeros elsewhere.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::<i32>::eye(2, 3).to_vec()?, [1, 0, 0, 0, 1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn eye(rows: usize, columns: usize) -> Array<T> {
        let at = |axis| Array::<i64>::index(&[rows, columns], axis);
        at(0).eq(at(1)).select(T::ONE, T::ZERO)
    }
}

impl<T: Float> Array<T> {
    /// So many numbers at equal distances, from the first to the last.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::linspace(1.0, 3.0, 5).to_vec()?, [1.0, 1.5, 2.0, 2.5, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn linspace(first: T, last: T, n: usize) -> Array<T> {
        let place = Array::<i64>::range(n);
        let end = n.saturating_sub(1).max(1) as i64;
        let step = (Array::scalar(last) - first) / T::of(end as f64);
        let made = place.cast::<T>() * step + first;
        if n < 2 { made } else { place.eq(end).select(last, made) }
    }
}

impl<T: Element> From<Vec<T>> for Array<T> {
    #[track_caller]
    fn from(elements: Vec<T>) -> Array<T> {
        Array::from_vec(elements)
    }
}

impl<T: Element, const N: usize> From<[T; N]> for Array<T> {
    #[track_caller]
    fn from(elements: [T; N]) -> Array<T> {
        Array::from_vec(elements.to_vec())
    }
}

/// Collects the elements of an iterator into a vector.
///
/// ```
/// # use nestled_array::*;
/// let squares: Array<i64> = (0..4).map(|k| k * k).collect();
/// assert_eq!(squares.to_vec()?, [0, 1, 4, 9]);
/// # Ok::<(), Error>(())
/// ```
impl<T: Element> FromIterator<T> for Array<T> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Array<T> {
        Array::from_vec(elements.into_iter().collect())
    }
}

impl<T: Element> From<&[T]> for Array<T> {
    #[track_caller]
    fn from(elements: &[T]) -> Array<T> {
        Array::from_slice(elements)
    }
}

impl<T: Element> From<T> for Array<T> {
    #[track_caller]
    fn from(value: T) -> Array<T> {
        Array::scalar(value)
    }
}

/// The border rule: the elements read outside of an array.
///
/// ```
/// # use nestled_array::*;
/// let x = Array::from_vec(vec![1, 2, 3]);
/// assert_eq!(x.shift(&[1], Border::Default(0)).to_vec()?, [0, 1, 2]);
/// assert_eq!(x.shift(&[1], Border::Clamp).to_vec()?, [1, 1, 2]);
/// assert_eq!(x.shift(&[1], Border::Wrap).to_vec()?, [3, 1, 2]);
/// assert_eq!(x.shift(&[1], Border::Reflect).to_vec()?, [2, 1, 2]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Border<T> {
    /// A value.
    Default(T),
    /// The nearest element.
    Clamp,
    /// The array again from its other end.
    Wrap,
    /// The array backward from its edge, which is not repeated. It reaches less far than the array does.
    Reflect,
}

impl<T: Element> Border<T> {
    pub(crate) fn reflects(self) -> bool {
        matches!(self, Border::Reflect)
    }

    pub(crate) fn rule(self) -> Rule {
        match self {
            Border::Default(_) => Rule::Else,
            Border::Clamp => Rule::Clamp,
            Border::Wrap => Rule::Wrap,
            Border::Reflect => Rule::Proved,
        }
    }

    pub(crate) fn default(self) -> Option<nestled_ir::Scalar> {
        match self {
            Border::Default(value) => Some(value.scalar()),
            Border::Clamp | Border::Wrap | Border::Reflect => None,
        }
    }
}
