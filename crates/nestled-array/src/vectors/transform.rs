//! Movements of vectors: sections, borders, permutations of axes, gathers and scatters, which move all components alike.

use super::{Vectors, for_each_part};
use crate::array::{Array, Border};
use crate::element::{Element, Integer};
use crate::error::{Result, expect};
use crate::ops::{AxisIndex, AxisRange, Collision, Outside, Section};

impl<T: Copy, const N: usize> Border<[T; N]> {
    /// The rule for a component.
    fn of_part(self, k: usize) -> Border<T> {
        match self {
            Border::Default(vector) => Border::Default(vector[k]),
            Border::Clamp => Border::Clamp,
            Border::Wrap => Border::Wrap,
            Border::Reflect => Border::Reflect,
        }
    }
}

impl<T: Copy, const N: usize> Outside<[T; N]> {
    /// The rule for a component.
    fn of_part(self, k: usize) -> Outside<T> {
        match self {
            Outside::Default(vector) => Outside::Default(vector[k]),
            Outside::Clamp => Outside::Clamp,
            Outside::Wrap => Outside::Wrap,
            Outside::Fault => Outside::Fault,
        }
    }
}

/// Defines movements: each is that of an array, of every component.
macro_rules! movements {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        impl<T: Element, const N: usize> Vectors<T, N> {$(
            #[doc = concat!("[`", stringify!($name), "`](Array::", stringify!($name), ") of vectors.")]
            ///
            /// # Panics
            /// As for arrays.
            #[track_caller]
            pub fn $name(&self $(, $arg: $ty)*) -> Vectors<T, N> {
                for_each_part!(k => self.parts[k].$name($($arg.clone()),*))
            }
        )*}
    };
}

movements! {
    section(parts: &[Section]);
    slice(axis: usize, range: impl AxisRange + Clone);
    every(axis: usize, start: usize, step: usize);
    at(axis: usize, place: impl AxisIndex + Clone);
    rotate(by: &[i64]);
    replicate(shape: &[usize]);
    expand(before: &[usize], after: &[usize]);
    transpose(order: &[usize]);
    reverse(axes: &[usize]);
    reshape(shape: &[usize]);
    add_dim(axis: usize);
    drop_dim(axis: usize);
    broadcast_to(shape: &[usize]);
}

impl<T: Element, const N: usize> Vectors<T, N> {
    /// Moves vectors, with a rule for those from outside.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let v = Vectors::from_vec(vec![[1, 2], [3, 4]]);
    /// assert_eq!(v.shift(&[1], Border::Default([8, 9])).to_vec()?, [[8, 9], [1, 2]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// As for arrays.
    #[track_caller]
    pub fn shift(&self, by: &[i64], border: Border<[T; N]>) -> Vectors<T, N> {
        for_each_part!(k => self.parts[k].shift(by, border.of_part(k)))
    }

    /// Adds vectors at the ends of each axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let v = Vectors::from_vec(vec![[1, 2]]);
    /// assert_eq!(v.pad(&[1], &[0], Border::Clamp).to_vec()?, [[1, 2], [1, 2]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// As for arrays.
    #[track_caller]
    pub fn pad(&self, before: &[usize], after: &[usize], border: Border<[T; N]>) -> Vectors<T, N> {
        for_each_part!(k => self.parts[k].pad(before, after, border.of_part(k)))
    }

    /// Takes vectors from places, an array of indices for each axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let v = Vectors::from_vec(vec![[1, 2], [3, 4]]);
    /// let at = Array::from_vec(vec![1, 5, 0]);
    /// assert_eq!(v.gather(&[&at], Outside::Default([0, 9])).to_vec()?, [[3, 4], [0, 9], [1, 2]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// As for arrays.
    #[track_caller]
    pub fn gather<I: Integer>(&self, indices: &[&Array<I>], outside: Outside<[T; N]>) -> Vectors<T, N> {
        for_each_part!(k => self.parts[k].gather(indices, outside.of_part(k)))
    }

    /// Takes slices along an axis.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let v = Vectors::from_vec(vec![[1, 2], [3, 4]]);
    /// assert_eq!(v.take(0, &Array::from_vec(vec![1, 1]), Outside::Clamp).to_vec()?, [[3, 4], [3, 4]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// As for arrays.
    #[track_caller]
    pub fn take<I: Integer>(
        &self,
        axis: usize,
        indices: &Array<I>,
        outside: Outside<[T; N]>,
    ) -> Vectors<T, N> {
        for_each_part!(k => self.parts[k].take(axis, indices, outside.of_part(k)))
    }

    /// Writes vectors to places.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let forces = Vectors::constant([0.0, 0.0]).broadcast_to(&[3]);
    /// let at = Array::from_vec(vec![2, 0, 2]);
    /// let values = Vectors::from_vec(vec![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// let added = forces.scatter(&[&at], &values, Collision::Combine(Operator::Add));
    /// assert_eq!(added.to_vec()?, [[3.0, 4.0], [0.0, 0.0], [6.0, 8.0]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// As for arrays.
    #[track_caller]
    pub fn scatter<I: Integer>(
        &self,
        indices: &[&Array<I>],
        values: &Vectors<T, N>,
        collision: Collision,
    ) -> Vectors<T, N> {
        for_each_part!(k => self.parts[k].scatter(indices, &values.parts[k], collision))
    }

    /// The vectors for which a mask is true, in order.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let v = Vectors::from_vec(vec![[1, 2], [3, 4]]);
    /// assert_eq!(v.compress(&v.x().gt(1))?.to_vec()?, [[3, 4]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As for arrays.
    #[track_caller]
    pub fn compress(&self, mask: &Array<bool>) -> Result<Vectors<T, N>> {
        let mut parts = Vec::with_capacity(N);
        for part in &self.parts {
            parts.push(part.compress(mask)?);
        }
        Ok(Vectors::of(parts))
    }
}

/// Joins vectors along an axis.
///
/// ```
/// # use nestled_array::*;
/// let (a, b) = (Vectors::from_vec(vec![[1, 2]]), Vectors::from_vec(vec![[3, 4], [5, 6]]));
/// assert_eq!(concat_vectors(&[&a, &b], 0).to_vec()?, [[1, 2], [3, 4], [5, 6]]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Panics
/// As [`concat`](crate::concat).
#[track_caller]
pub fn concat_vectors<T: Element, const N: usize>(vectors: &[&Vectors<T, N>], axis: usize) -> Vectors<T, N> {
    let mut parts = Vec::with_capacity(N);
    for k in 0..N {
        let of: Vec<&Array<T>> = vectors.iter().map(|vectors| &vectors.parts[k]).collect();
        parts.push(expect(crate::ops::try_concat(&of, axis)));
    }
    Vectors::of(parts)
}
