//! Reductions and scans of vectors, component by component.

use super::{Vectors, for_each_part};
use crate::array::Array;
use crate::element::Number;

macro_rules! reductions {
    ($($result:ty: $($name:ident $axis:ident)*;)*) => {
        impl<T: Number, const N: usize> Vectors<T, N> {$($(
            #[doc = concat!("[`", stringify!($name), "`](Array::", stringify!($name), ") of each component.")]
            #[track_caller]
            pub fn $name(&self) -> Vectors<$result, N> {
                for_each_part!(k => self.parts[k].$name())
            }

            #[doc = concat!("As `", stringify!($name), "`, along one axis, which goes.")]
            #[track_caller]
            pub fn $axis(&self, axis: usize) -> Vectors<$result, N> {
                for_each_part!(k => self.parts[k].$axis(axis))
            }
        )*)*}
    };
}

reductions! {
    T::Wide: sum sum_axis product product_axis;
    T: max max_axis min min_axis;
    T::Mean: mean mean_axis;
}

macro_rules! scans {
    ($($result:ty: $($name:ident)*;)*) => {
        impl<T: Number, const N: usize> Vectors<T, N> {$($(
            #[doc = concat!("[`", stringify!($name), "`](Array::", stringify!($name), ") of each component, along an axis.")]
            #[track_caller]
            pub fn $name(&self, axis: usize) -> Vectors<$result, N> {
                for_each_part!(k => self.parts[k].$name(axis))
            }
        )*)*}
    };
}

scans! {
    T::Wide: cumsum cumprod;
    T: cummax cummin;
}

impl<const N: usize> Vectors<bool, N> {
    /// True for components that are true in all vectors.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::from_vec(vec![[true, true], [true, false]]).all().item()?, [true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn all(&self) -> Vectors<bool, N> {
        for_each_part!(k => self.parts[k].all())
    }

    /// True for components that are true in any vector.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::from_vec(vec![[false, true], [false, false]]).any().item()?, [false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn any(&self) -> Vectors<bool, N> {
        for_each_part!(k => self.parts[k].any())
    }
}

impl<T: Number, const N: usize> Vectors<T, N> {
    /// The sum of the components of each vector, from the first to the last.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::from_vec(vec![[1, 2, 3], [4, 5, 6]]).sum_of_components().to_vec()?, [6, 15]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn sum_of_components(&self) -> Array<T> {
        let mut sum = self.parts[0].clone();
        for part in &self.parts[1..] {
            sum += part;
        }
        sum
    }
}
