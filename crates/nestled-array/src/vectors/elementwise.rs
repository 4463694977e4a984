//! Elementwise functions, comparisons and choices of vectors, component by component.

use super::{VectorOperand, Vectors, for_each_part};
use crate::array::Array;
use crate::element::{Element, Float, Number, Ordered};

macro_rules! functions {
    ($class:ident: $($name:ident)*) => {
        impl<T: $class, const N: usize> Vectors<T, N> {$(
            #[doc = concat!("[`", stringify!($name), "`](Array::", stringify!($name), ") of each component.")]
            #[track_caller]
            pub fn $name(&self) -> Vectors<T, N> {
                for_each_part!(k => self.parts[k].$name())
            }
        )*}
    };
}

functions! { Number: abs }
functions! { Float: sqrt rsqrt exp exp2 ln log2 log10 sin cos tan floor ceil trunc round }

macro_rules! binary {
    ($class:ident $result:ty: $($name:ident)*) => {
        impl<T: $class, const N: usize> Vectors<T, N> {$(
            #[doc = concat!("[`", stringify!($name), "`](Array::", stringify!($name), ") of each component and its counterpart.")]
            #[track_caller]
            pub fn $name(&self, other: impl VectorOperand<T, N>) -> Vectors<$result, N> {
                let other = other.vectors();
                for_each_part!(k => self.parts[k].$name(&other.parts[k]))
            }
        )*}
    };
}

binary! { Number T: maximum minimum }
binary! { Float T: pow }
binary! { Ordered bool: eq ne lt le gt ge }

impl<T: Number, const N: usize> Vectors<T, N> {
    /// Each component between those of two others.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([-1.0, 0.5, 3.0]).clamp(0.0, [1.0, 1.0, 2.0]).item()?, [0.0, 0.5, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn clamp(&self, low: impl VectorOperand<T, N>, high: impl VectorOperand<T, N>) -> Vectors<T, N> {
        let (low, high) = (low.vectors(), high.vectors());
        for_each_part!(k => self.parts[k].clamp(&low.parts[k], &high.parts[k]))
    }
}

impl<T: Element, const N: usize> Vectors<T, N> {
    /// A function of arrays on each component.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([1.0, 2.0]).map(|x| x.tanh() * 0.0).item()?, [0.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn map<R: Element>(&self, function: impl Fn(&Array<T>) -> Array<R>) -> Vectors<R, N> {
        for_each_part!(k => function(&self.parts[k]))
    }

    /// Components as another type.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([1.5, -2.5]).cast::<i32>().item()?, [1, -2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn cast<R: Element>(&self) -> Vectors<R, N> {
        for_each_part!(k => self.parts[k].cast::<R>())
    }
}

impl<const N: usize> Vectors<bool, N> {
    /// True where all components are.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let inside = Vectors::from_vec(vec![[0.5, 0.5], [0.5, 1.5]]).lt(1.0).all_components();
    /// assert_eq!(inside.to_vec()?, [true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn all_components(&self) -> Array<bool> {
        let mut all = self.parts[0].clone();
        for part in &self.parts[1..] {
            all &= part;
        }
        all
    }

    /// True where any component is.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::from_vec(vec![[1, 2], [3, 4]]).eq(2).any_component().to_vec()?, [true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn any_component(&self) -> Array<bool> {
        let mut any = self.parts[0].clone();
        for part in &self.parts[1..] {
            any |= part;
        }
        any
    }

    /// Selects components of `yes` where those of the mask are true, else those of `no`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Vectors::constant([true, false]).select([1, 2], 0).item()?, [1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn select<T: Element>(
        &self,
        yes: impl VectorOperand<T, N>,
        no: impl VectorOperand<T, N>,
    ) -> Vectors<T, N> {
        let (yes, no) = (yes.vectors(), no.vectors());
        for_each_part!(k => self.parts[k].select(&yes.parts[k], &no.parts[k]))
    }
}

impl Array<bool> {
    /// Selects vectors of `yes` where the mask is true, else of `no`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let mask = Array::from_vec(vec![true, false]);
    /// assert_eq!(mask.select_vectors([1, 2], [3, 4]).to_vec()?, [[1, 2], [3, 4]]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn select_vectors<T: Element, const N: usize>(
        &self,
        yes: impl VectorOperand<T, N>,
        no: impl VectorOperand<T, N>,
    ) -> Vectors<T, N> {
        Vectors::splat(self).select(yes, no)
    }
}
