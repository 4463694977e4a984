//! Elementwise functions, comparisons and choices of ragged arrays; the segments stay.

use super::{Ragged, RaggedOperand};
use crate::array::Array;
use crate::element::{Element, Float, Number, Ordered};
use crate::error::Result;
use crate::ops::fallible;

fallible! { impl[T: Element] Ragged<T> {
    /// Applies an elementwise function to the elements of two at the same places: of rows of the same lengths, or an array with a value for each row.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let (keys, weights) = (Ragged::from_rows(&[vec![1, 2], vec![3]]), Ragged::from_rows(&[vec![0.5, 1.5], vec![2.0]]));
    /// let products = keys.zip_with(&weights, |keys, weights| keys.cast::<f64>() * weights);
    /// assert_eq!(products.to_rows()?, [vec![0.5, 3.0], vec![6.0]]);
    /// # Ok::<(), Error>(())
    /// ```
    fn zip_with try_zip_with[U: Element, V: Element](&self, other: impl RaggedOperand<U>, function: impl FnOnce(&Array<T>, &Array<U>) -> Array<V>) -> Ragged<V> {
        let other = other.beside(&self.segments, "zip_with")?;
        Ragged::new(&function(&self.values, &other), &self.segments)
    }
}}

impl<T: Element> Ragged<T> {
    /// Elements as another type, as [`Array::cast`] has them.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![1.5, -2.5], vec![]]).cast::<i32>().to_rows()?, [vec![1, -2], vec![]]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn cast<U: Element>(&self) -> Ragged<U> {
        Ragged { values: self.values.cast(), segments: self.segments.clone() }
    }

    /// The elements for which a mask of the same segments holds. Their number is data, so this computes at once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.compress(&rows.gt(1))?.to_rows()?, [vec![3], vec![], vec![2]]);
    /// assert_eq!(rows.compress(&Array::from([true, true, false]))?.to_rows()?, [vec![3, 1], vec![], vec![]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The segments of the mask have other lengths, or there is not a value for each; and errors of evaluation.
    #[track_caller]
    pub fn compress(&self, mask: impl RaggedOperand<bool>) -> Result<Ragged<T>> {
        let mask = mask.beside(&self.segments, "compress")?.try_broadcast_to(self.values.shape())?;
        self.filter(|_| mask)
    }
}

macro_rules! functions {
    ($class:ident: $($name:ident)*) => {
        impl<T: $class> Ragged<T> {$(
            #[doc = concat!("[`", stringify!($name), "`](Array::", stringify!($name), ") of each element.")]
            #[track_caller]
            pub fn $name(&self) -> Ragged<T> {
                Ragged { values: self.values.$name(), segments: self.segments.clone() }
            }
        )*}
    };
}

functions! { Number: abs square }
functions! { Float:
    sqrt rsqrt exp exp2 expm1 ln log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf floor ceil trunc round round_even
}

macro_rules! binary {
    ($class:ident $result:ty: $($(#[$doc:meta])* $name:ident $try_name:ident;)*) => {
        fallible! { impl[T: $class] Ragged<T> {$(
            $(#[$doc])*
            fn $name $try_name[](&self, other: impl RaggedOperand<T>) -> Ragged<$result> {
                let other = other.beside(&self.segments, stringify!($name))?;
                Ok(Ragged { values: self.values.$name(&other), segments: self.segments.clone() })
            }
        )*}}
    };
}

binary! { Number T:
    /// The greater of two elements; NaN if one is.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![2]]);
    /// assert_eq!(rows.maximum(&Array::from([2, 5])).to_rows()?, [vec![3, 2], vec![5]]);
    /// # Ok::<(), Error>(())
    /// ```
    maximum try_maximum;
    /// The less of two elements; NaN if one is.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![2]]);
    /// assert_eq!(rows.minimum(2).to_rows()?, [vec![2, 1], vec![2]]);
    /// # Ok::<(), Error>(())
    /// ```
    minimum try_minimum;
}

binary! { Float T:
    /// Powers.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![3.0, 1.0], vec![2.0]]).pow(2.0).to_rows()?, [vec![9.0, 1.0], vec![4.0]]);
    /// # Ok::<(), Error>(())
    /// ```
    pow try_pow;
}

binary! { Ordered bool:
    /// True where elements are equal; a NaN never is.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1, 3], vec![2]]);
    /// assert_eq!(rows.eq(&rows.max()).to_rows()?, [vec![true, false, true], vec![true]]);
    /// # Ok::<(), Error>(())
    /// ```
    eq try_eq;
    /// True where elements differ; a NaN always does.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![3, 1], vec![2]]).ne(1).to_rows()?, [vec![true, false], vec![true]]);
    /// # Ok::<(), Error>(())
    /// ```
    ne try_ne;
    /// True where elements are less.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![3, 1], vec![2]]).lt(2).to_rows()?, [vec![false, true], vec![false]]);
    /// # Ok::<(), Error>(())
    /// ```
    lt try_lt;
    /// True where elements are less or equal.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![3, 1], vec![2]]).le(2).to_rows()?, [vec![false, true], vec![true]]);
    /// # Ok::<(), Error>(())
    /// ```
    le try_le;
    /// True where elements are greater.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![3, 1], vec![2]]).gt(2).to_rows()?, [vec![true, false], vec![false]]);
    /// # Ok::<(), Error>(())
    /// ```
    gt try_gt;
    /// True where elements are greater or equal.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![3, 1], vec![2]]).ge(2).to_rows()?, [vec![true, false], vec![true]]);
    /// # Ok::<(), Error>(())
    /// ```
    ge try_ge;
}

fallible! { impl[T: Number] Ragged<T> {
    /// Limits each element to the range between two bounds.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![-1, 2, 9], vec![5]]);
    /// assert_eq!(rows.clamp(0, &Array::from([4, 3])).to_rows()?, [vec![0, 2, 4], vec![3]]);
    /// # Ok::<(), Error>(())
    /// ```
    fn clamp try_clamp[](&self, low: impl RaggedOperand<T>, high: impl RaggedOperand<T>) -> Ragged<T> {
        let (low, high) = (low.beside(&self.segments, "clamp")?, high.beside(&self.segments, "clamp")?);
        Ok(Ragged { values: self.values.clamp(&low, &high), segments: self.segments.clone() })
    }
}}

fallible! { impl[] Ragged<bool> {
    /// Elements of `yes` where the mask is true, else those of `no`.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![2]]);
    /// let chosen = rows.gt(1).select(&rows * 10, &Array::from([-1, -2]));
    /// assert_eq!(chosen.to_rows()?, [vec![30, -1], vec![20]]);
    /// # Ok::<(), Error>(())
    /// ```
    fn select try_select[T: Element](&self, yes: impl RaggedOperand<T>, no: impl RaggedOperand<T>) -> Ragged<T> {
        let (yes, no) = (yes.beside(&self.segments, "select")?, no.beside(&self.segments, "select")?);
        Ok(Ragged { values: self.values.select(yes, no), segments: self.segments.clone() })
    }
}}
