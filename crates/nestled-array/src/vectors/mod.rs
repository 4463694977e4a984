//! Vectors of a few numbers as elements, such as points, velocities and colours: an array for each component, which go through operations as one.
//!
//! **Invariant.** All components have one shape. An operation on vectors makes a node for each component; the nodes are fused into one kernel, which goes over the
//! components side by side in full SIMD width. A component that nobody asks for is not computed.

mod elementwise;
mod fold;
mod geometry;
mod operators;
mod transform;

pub use transform::concat_vectors;

use crate::array::Array;
use crate::element::Element;
use crate::engine::{Engine, Evaluate, Handle};
use crate::error::{Error, Reason, Result, expect};
use crate::jit::{Arrays, Param};
use crate::ops::try_stack;
use crate::shape::Shape;

/// An array of vectors of `N` numbers.
///
/// Operators take vectors, one vector, arrays and numbers; the last two go with each component. [`components`](Vectors::components) are arrays like any.
///
/// ```
/// use nestled_array::{Array, Vectors};
/// let positions = Vectors::from_vec(vec![[0.0f32, 0.0, 3.0], [4.0, 3.0, 0.0]]);
/// let velocities = Vectors::constant([1.0, 0.0, 0.0]);
/// let masses = Array::from_vec(vec![2.0, 10.0]);
/// let moved = &positions + &velocities * 0.5;
/// assert_eq!(moved.to_vec()?, [[0.5, 0.0, 3.0], [4.5, 3.0, 0.0]]);
/// assert_eq!(positions.length().to_vec()?, [3.0, 5.0]);
/// assert_eq!(((&positions * &masses).sum() / 12.0).item()?, [40.0 / 12.0, 2.5, 0.5]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Vectors<T: Element, const N: usize> {
    parts: [Array<T>; N],
}

/// Vectors, one vector, or an array or a number for each component.
///
/// ```
/// # use nestled_array::*;
/// let x = Vectors::from_vec(vec![[1, 5], [4, 2]]);
/// assert_eq!(x.maximum([3, 3]).maximum(&x + 1).to_vec()?, [[3, 6], [5, 3]]);
/// # Ok::<(), Error>(())
/// ```
pub trait VectorOperand<T: Element, const N: usize> {
    /// Converts it to vectors.
    fn vectors(self) -> Vectors<T, N>;
}

impl<T: Element, const N: usize> VectorOperand<T, N> for Vectors<T, N> {
    fn vectors(self) -> Vectors<T, N> {
        self
    }
}

impl<T: Element, const N: usize> VectorOperand<T, N> for &Vectors<T, N> {
    fn vectors(self) -> Vectors<T, N> {
        self.clone()
    }
}

impl<T: Element, const N: usize> VectorOperand<T, N> for [T; N] {
    #[track_caller]
    fn vectors(self) -> Vectors<T, N> {
        Vectors::constant(self)
    }
}

impl<T: Element, const N: usize> VectorOperand<T, N> for Array<T> {
    fn vectors(self) -> Vectors<T, N> {
        Vectors::splat(&self)
    }
}

impl<T: Element, const N: usize> VectorOperand<T, N> for &Array<T> {
    fn vectors(self) -> Vectors<T, N> {
        Vectors::splat(self)
    }
}

impl<T: Element, const N: usize> VectorOperand<T, N> for T {
    #[track_caller]
    fn vectors(self) -> Vectors<T, N> {
        Vectors::splat(&Array::scalar(self))
    }
}

/// Vectors whose component `$k` is an expression. A loop and no closure, whose body would be the place that errors tell.
macro_rules! for_each_part {
    ($k:ident => $part:expr) => {{
        let mut parts = Vec::with_capacity(N);
        for $k in 0..N {
            parts.push($part);
        }
        $crate::vectors::Vectors::of(parts)
    }};
}
pub(crate) use for_each_part;

impl<T: Element, const N: usize> Vectors<T, N> {
    /// Components of one shape.
    pub(crate) fn of(parts: Vec<Array<T>>) -> Vectors<T, N> {
        match parts.try_into() {
            Ok(parts) => Vectors { parts },
            Err(parts) => unreachable!("{} components of vectors of {N}", Vec::<Array<T>>::len(&parts)),
        }
    }

    /// Combines components, which are broadcast together.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let v = Vectors::new([Array::from_vec(vec![1.0, 2.0]), Array::scalar(9.0)]);
    /// assert_eq!(v.to_vec()?, [[1.0, 9.0], [2.0, 9.0]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// If the shapes cannot be broadcast together; see [`try_new`](Vectors::try_new).
    #[track_caller]
    pub fn new(components: [Array<T>; N]) -> Vectors<T, N> {
        expect(Vectors::try_new(components))
    }

    /// Returns an error where [`new`](Vectors::new) panics.
    ///
    /// # Errors
    /// The shapes cannot be broadcast together.
    #[track_caller]
    pub fn try_new(components: [Array<T>; N]) -> Result<Vectors<T, N>> {
        let mut shape = Shape::of(&[]);
        for part in &components {
            match shape.broadcast(part.shape()) {
                Some(both) => shape = both,
                None => return Err(Error::of("Vectors::new", Reason::Shapes(shape, *part.shape()))),
            }
        }
        let mut parts = Vec::with_capacity(N);
        for part in components {
            parts.push(if *part.shape() == shape { part } else { part.try_broadcast_to(&shape)? });
        }
        Ok(Vectors::of(parts))
    }

    /// Vectors whose components are all the same.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::<i32, 3>::splat(&Array::range(2)).to_vec()?, [[0; 3], [1; 3]]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn splat(array: &Array<T>) -> Vectors<T, N> {
        for_each_part!(_k => array.clone())
    }

    /// One vector, of no axes; it is broadcast to any shape.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([1, 2, 3]).item()?, [1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn constant(vector: [T; N]) -> Vectors<T, N> {
        for_each_part!(k => Array::scalar(vector[k]))
    }

    /// Vectors along one axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::from_vec(vec![[1, 2], [3, 4]]).y().to_vec()?, [2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn from_vec(vectors: Vec<[T; N]>) -> Vectors<T, N> {
        for_each_part!(k => Array::from_vec(vectors.iter().map(|vector| vector[k]).collect()))
    }

    /// Takes the last axis of an array, which has an extent of `N`, as components. The way back is [`interleaved`](Vectors::interleaved).
    ///
    /// ```
    /// # use nestled_array::*;
    /// let pixels = Array::<u8>::range(12).reshape(&[2, 2, 3]);
    /// let colours = Vectors::<u8, 3>::of_last_axis(&pixels)?;
    /// assert_eq!((colours.shape().len(), colours.at(0, 1).to_vec()?), (2, vec![[6, 7, 8], [9, 10, 11]]));
    /// assert_eq!(colours.interleaved().to_vec()?, pixels.to_vec()?);
    /// assert!(Vectors::<u8, 4>::of_last_axis(&pixels).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The last axis has another extent.
    #[track_caller]
    pub fn of_last_axis(array: &Array<T>) -> Result<Vectors<T, N>> {
        let [.., last] = **array.shape() else {
            return Err(Error::new("of_last_axis", format!("a number is no vector of {N} components")));
        };
        if last != N {
            let why = format!("{} has {last} elements along its last axis, not {N}", array.shape());
            return Err(Error::new("of_last_axis", why));
        }
        Ok(for_each_part!(k => array.at(array.rank() - 1, k)))
    }

    /// An array with the components along one more axis, the last.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::from_vec(vec![[1, 2], [3, 4]]).interleaved().to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn interleaved(&self) -> Array<T> {
        expect(try_stack(&self.parts.each_ref(), self.shape().len()))
    }

    /// The components.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let [x, y] = Vectors::from_vec(vec![[1, 2], [3, 4]]).components().clone();
    /// assert_eq!((x * y).to_vec()?, [2, 12]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn components(&self) -> &[Array<T>; N] {
        &self.parts
    }

    /// One component.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([1, 2]).component(1).item()?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is none of this number.
    #[track_caller]
    pub fn component(&self, number: usize) -> &Array<T> {
        &self.parts[number]
    }

    /// The same vectors with another component, which is broadcast together with them.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([1, 2]).with_component(1, 7).item()?, [1, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is none of this number, or the shapes cannot be broadcast together.
    #[track_caller]
    pub fn with_component(&self, number: usize, component: impl crate::Operand<T>) -> Vectors<T, N> {
        let mut parts = self.parts.clone();
        parts[number] = component.array();
        Vectors::new(parts)
    }

    /// Vectors of some of the components, in any order and number.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([1, 2, 3]).swizzle([2, 0, 0, 1]).item()?, [3, 1, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no component of one of the numbers.
    #[track_caller]
    pub fn swizzle<const M: usize>(&self, numbers: [usize; M]) -> Vectors<T, M> {
        let mut parts = Vec::with_capacity(M);
        for number in numbers {
            parts.push(self.parts[number].clone());
        }
        Vectors::of(parts)
    }

    /// The shape; components are no axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(**Vectors::from_vec(vec![[1, 2, 3]; 5]).shape(), [5]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// If `N` is 0.
    pub fn shape(&self) -> &Shape {
        self.parts[0].shape()
    }

    /// Computes the vectors and copies them out, row by row.
    ///
    /// # Errors
    /// Errors of evaluation.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<[T; N]>> {
        Engine::current().eval(&[self])?;
        let mut columns = Vec::with_capacity(N);
        for part in &self.parts {
            columns.push(part.to_vec()?);
        }
        let size = columns.first().map_or(0, Vec::len);
        Ok((0..size).map(|at| std::array::from_fn(|k| columns[k][at])).collect())
    }

    /// Computes the only vector.
    ///
    /// # Errors
    /// Errors of evaluation, or there are more vectors, or none.
    #[track_caller]
    pub fn item(&self) -> Result<[T; N]> {
        Engine::current().eval(&[self])?;
        let mut numbers = Vec::with_capacity(N);
        for part in &self.parts {
            numbers.push(part.item()?);
        }
        Ok(std::array::from_fn(|k| numbers[k]))
    }
}

/// Defines the names of components.
macro_rules! names {
    ($($n:literal: $($name:ident $number:literal),*;)*) => {$(
        impl<T: Element> Vectors<T, $n> {$(
            #[doc = concat!("Component ", stringify!($number), ".")]
            pub fn $name(&self) -> &Array<T> {
                &self.parts[$number]
            }
        )*}
    )*};
}

names! {
    1: x 0;
    2: x 0, y 1;
    3: x 0, y 1, z 2;
    4: x 0, y 1, z 2, w 3;
}

impl<T: Element, const N: usize> From<[Array<T>; N]> for Vectors<T, N> {
    #[track_caller]
    fn from(components: [Array<T>; N]) -> Vectors<T, N> {
        Vectors::new(components)
    }
}

impl<T: Element, const N: usize> FromIterator<[T; N]> for Vectors<T, N> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = [T; N]>>(vectors: I) -> Vectors<T, N> {
        Vectors::from_vec(vectors.into_iter().collect())
    }
}

impl<T: Element, const N: usize> Evaluate for Vectors<T, N> {
    fn nodes(&self, into: &mut Vec<Handle>) {
        self.parts.iter().for_each(|part| part.nodes(into));
    }
}

impl<T: Element, const N: usize> Arrays for Vectors<T, N> {
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> Vectors<T, N> {
        Vectors { parts: self.parts.with(other) }
    }

    fn counts(&self, _: &mut Vec<usize>) {}
}
