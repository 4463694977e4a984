//! Operations on arrays, by kind.

mod classify;
mod compare;
mod convert;
mod distinct;
mod elementwise;
mod gather;
mod join;
mod linear;
mod operators;
mod order_statistics;
mod part;
mod place;
mod random;
mod reduce;
mod remainder;
mod scan;
mod search;
mod sort;
mod stencil;
mod transform;

pub use distinct::Distinct;
pub use gather::{Collision, Outside};
pub use join::{concat, stack, try_concat, try_stack};
pub use place::{AxisIndex, AxisRange};
pub use search::Side;
pub use transform::Section;

pub(crate) use gather::{places_of_segments, total_of};

use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Reason, Result};
use crate::node::{Node, NodeRef, Op};
use crate::shape::Shape;
use nestled_ir::Op as ScalarOp;
use std::sync::Arc;

/// Defines operations that can fail: `name` panics, `try_name` returns the error.
macro_rules! fallible {
    (impl[$($generics:tt)*] $ty:ty {$(
        $(#[$doc:meta])*
        fn $name:ident $try_name:ident [$($own:tt)*] (&$self:ident $(, $arg:ident: $arg_ty:ty)* $(,)?) -> $ret:ty $body:block
    )*}) => {
        impl<$($generics)*> $ty {$(
            $(#[$doc])*
            ///
            /// # Panics
            /// If the arguments do not fit; see the form that begins with `try_`.
            #[track_caller]
            pub fn $name<$($own)*>(&$self $(, $arg: $arg_ty)*) -> $ret {
                crate::error::expect_of(stringify!($name), $self.$try_name($($arg),*))
            }

            #[doc = concat!("As `", stringify!($name), "`, but an error instead of a panic.")]
            ///
            /// # Errors
            /// The arguments do not fit.
            #[track_caller]
            pub fn $try_name<$($own)*>(&$self $(, $arg: $arg_ty)*) -> Result<$ret> $body
        )*}
    };
}
pub(crate) use fallible;

/// The shape to which arguments are broadcast together.
#[track_caller]
pub(crate) fn common_shape(name: &'static str, args: &[&NodeRef]) -> Result<Shape> {
    let mut shape = args[0].shape;
    for arg in &args[1..] {
        // No closure: it would be the caller.
        match shape.broadcast(&arg.shape) {
            Some(both) => shape = both,
            None => return Err(Error::of(name, Reason::Shapes(shape, arg.shape))),
        }
    }
    Ok(shape)
}

/// An elementwise operation, under the user's name for it.
#[track_caller]
pub(crate) fn try_map_as<R: Element>(
    name: &'static str,
    op: ScalarOp,
    args: &[&NodeRef],
) -> Result<Array<R>> {
    let shape = common_shape(name, args)?;
    let args = args.iter().map(|&arg| Arc::clone(arg)).collect();
    Ok(Array::of(Node::lazy(R::TYPE, shape, Op::Map { op, args })))
}

/// As [`try_map_as`], but panics on an error.
#[track_caller]
pub(crate) fn map_as<R: Element>(name: &'static str, op: ScalarOp, args: &[&NodeRef]) -> Array<R> {
    crate::error::expect(try_map_as(name, op, args))
}

/// As [`map_as`] under the name of the scalar operation, on arguments with shapes that are known to broadcast together.
#[track_caller]
pub(crate) fn map<R: Element>(op: ScalarOp, args: &[&NodeRef]) -> Array<R> {
    map_as(op.name(), op, args)
}

/// A scan by a user-defined operator.
#[track_caller]
pub(crate) fn scan_by<T: Element>(
    array: &Array<T>,
    axis: usize,
    fold: crate::node::Fold,
    inclusion: nestled_ir::Inclusion,
    direction: nestled_ir::Direction,
) -> Result<Array<T>> {
    scan::scan(array, axis, fold, inclusion, direction, "scan_with")
}

/// A reduction by a user-defined operator.
#[track_caller]
pub(crate) fn reduce_by<T: Element>(
    array: &Array<T>,
    fold: crate::node::Fold,
    axes: &[usize],
) -> Result<Array<T>> {
    reduce::reduce(array, fold, axes, "reduce_with")
}
