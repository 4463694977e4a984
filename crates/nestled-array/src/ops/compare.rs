//! Comparisons.

use super::{fallible, try_map};
use crate::array::Array;
use crate::element::Element;
use crate::error::Result;
use crate::operand::Operand;
use nestled_ir::Op as ScalarOp;

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident $try_name:ident $op:ident;)*) => {
        fallible! { impl[T: Element] Array<T> {$(
            $(#[$doc])*
            fn $name $try_name[](&self, other: impl Operand<T>) -> Array<bool> {
                try_map(ScalarOp::$op, &[&self.node, &other.array().node])
            }
        )*}}
    };
}

comparisons! {
    /// Where elements are equal; a NaN never is.
    eq try_eq Eq;
    /// Where elements differ; a NaN always does.
    ne try_ne Ne;
    /// Where elements are less.
    lt try_lt Lt;
    /// Where elements are less or equal.
    le try_le Le;
    /// Where elements are greater.
    gt try_gt Gt;
    /// Where elements are greater or equal.
    ge try_ge Ge;
}
