//! Elementwise comparisons; their results are masks.

use super::{fallible, try_map_as};
use crate::array::Array;
use crate::element::Ordered;
use crate::error::Result;
use crate::operand::Operand;
use nestled_ir::Op as ScalarOp;

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident $try_name:ident $op:ident;)*) => {
        fallible! { impl[T: Ordered] Array<T> {$(
            $(#[$doc])*
            fn $name $try_name[](&self, other: impl Operand<T>) -> Array<bool> {
                try_map_as(stringify!($try_name).trim_start_matches("try_"), ScalarOp::$op, &[&self.node, &other.array().node])
            }
        )*}}
    };
}

comparisons! {
    /// True where elements are equal; a NaN never is.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).eq(2).to_vec()?, [false, true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    eq try_eq Eq;
    /// True where elements differ; a NaN always does.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).ne(2).to_vec()?, [true, false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    ne try_ne Ne;
    /// True where elements are less.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).lt(2).to_vec()?, [true, false, false]);
    /// # Ok::<(), Error>(())
    /// ```
    lt try_lt Lt;
    /// True where elements are less or equal.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).le(2).to_vec()?, [true, true, false]);
    /// # Ok::<(), Error>(())
    /// ```
    le try_le Le;
    /// True where elements are greater.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).gt(2).to_vec()?, [false, false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    gt try_gt Gt;
    /// True where elements are greater or equal.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Array::from_vec(vec![1, 2, 3]).ge(2).to_vec()?, [false, true, true]);
    /// # Ok::<(), Error>(())
    /// ```
    ge try_ge Ge;
}
