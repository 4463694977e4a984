//! Conversion between Rust values and NESL values.

use crate::array::Array;
use crate::element::Element;
use crate::engine::Engine;
use crate::error::{Error, Reason, Result};
use crate::node::{Data, Node, NodeRef, State};
use crate::ragged::{Content, Ragged, Segments};
use crate::shape::Shape;
use nestled_ir::Scalar;
use nestled_nesl::Plain;
use std::sync::Arc;

/// A component of a value, listed from the outside to the inside.
#[doc(hidden)]
#[derive(Clone)]
pub struct Piece(pub(crate) Kind);

/// The kind of a piece, with its content.
#[derive(Clone)]
pub(crate) enum Kind {
    /// The extent of a sequence, or of all sequences of a level.
    Extent(u64),
    /// An array, or a scalar, that may have to be computed.
    Node(NodeRef),
    /// The data of an array or scalar on the engine.
    Data(Data),
}

impl Piece {
    pub(super) fn extent(extent: usize) -> Piece {
        Piece(Kind::Extent(extent as u64))
    }

    pub(super) fn node<T: Element>(array: &Array<T>) -> Piece {
        Piece(Kind::Node(Arc::clone(&array.node)))
    }

    /// Computes it, and brings it to the engine.
    pub(super) fn bring(&mut self, engine: &Engine) -> Result<()> {
        let Kind::Node(node) = &self.0 else { return Ok(()) };
        engine.eval_nodes(std::slice::from_ref(node))?;
        let State::Ready(data) = node.state() else {
            return Err(Error::at("nesl", Reason::Bug("an argument is not there".to_owned()), None));
        };
        self.0 = Kind::Data(engine.bring_one(node, &data)?);
        Ok(())
    }

    pub(super) fn into_extent(self) -> Option<usize> {
        match self.0 {
            Kind::Extent(extent) => usize::try_from(extent).ok(),
            Kind::Node(_) | Kind::Data(_) => None,
        }
    }

    pub(super) fn into_scalar(self) -> Option<Scalar> {
        match self.0 {
            Kind::Data(Data::Scalar(scalar)) => Some(scalar),
            Kind::Extent(_) | Kind::Node(_) | Kind::Data(_) => None,
        }
    }

    pub(super) fn into_array<T: Element>(self, extent: usize) -> Option<Array<T>> {
        match self.0 {
            Kind::Data(data) => Some(Array::of(Node::ready(T::TYPE, Shape::of(&[extent]), data))),
            Kind::Extent(_) | Kind::Node(_) => None,
        }
    }
}

/// Arguments and results of functions in NESL: scalars, arrays of rank 1, ragged arrays, and pairs of these.
///
/// ```
/// use nestled_array::{Array, Nesl, Ragged};
/// let text = Nesl::compile("function parts(v) = (#v, {[x] : x in v});")?;
/// let parts = text.function::<(Array<i64>,), (i64, Ragged<i64>)>("parts")?;
/// let (count, single) = parts.call((Array::from_vec(vec![7, 8]),))?;
/// assert_eq!((count, single.to_rows()?), (2, vec![vec![7], vec![8]]));
/// # Ok::<(), nestled_array::Error>(())
/// ```
pub trait NeslValue: Sized {
    #[doc(hidden)]
    fn plain() -> Plain;
    #[doc(hidden)]
    fn give(&self, into: &mut Vec<Piece>) -> Result<()>;
    #[doc(hidden)]
    fn take(from: &mut dyn Iterator<Item = Piece>) -> Option<Self>;
}

/// A tuple of arguments: one for each parameter of the function.
///
/// ```
/// use nestled_array::Nesl;
/// let text = Nesl::compile("function power(a, b, n) = a * b + n;")?;
/// assert_eq!(text.function::<(i64, i64, i64), i64>("power")?.call((2, 3, 4))?, 10);
/// # Ok::<(), nestled_array::Error>(())
/// ```
pub trait NeslArguments {
    #[doc(hidden)]
    fn types() -> Vec<Plain>;
    #[doc(hidden)]
    fn give(&self, into: &mut Vec<Piece>) -> Result<()>;
}

/// Element types of NESL, and contents of segments made of them.
#[doc(hidden)]
pub trait NeslContent: Content {
    fn plain() -> Plain;
    fn give(values: &Self::Values, into: &mut Vec<Piece>);
    fn take(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Option<Self::Values>;
}

macro_rules! scalars {
    ($($ty:ident $plain:ident $scalar:ident),*) => {$(
        impl NeslValue for $ty {
            fn plain() -> Plain {
                Plain::$plain
            }
            fn give(&self, into: &mut Vec<Piece>) -> Result<()> {
                into.push(Piece(Kind::Data(Data::Scalar(Scalar::$scalar(*self)))));
                Ok(())
            }
            fn take(from: &mut dyn Iterator<Item = Piece>) -> Option<$ty> {
                <$ty as Element>::from_scalar(from.next()?.into_scalar()?)
            }
        }

        impl NeslContent for $ty {
            fn plain() -> Plain {
                Plain::$plain
            }
            fn give(values: &Array<$ty>, into: &mut Vec<Piece>) {
                into.push(Piece::node(values));
            }
            fn take(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Option<Array<$ty>> {
                from.next()?.into_array(count)
            }
        }
    )*};
}

scalars!(i64 Int I64, f64 Float F64, u8 Char U8, bool Bool Bool);

impl<T: NeslContent + Element + Content<Values = Array<T>>> NeslValue for Array<T> {
    fn plain() -> Plain {
        Plain::Seq(Box::new(<T as NeslContent>::plain()))
    }

    fn give(&self, into: &mut Vec<Piece>) -> Result<()> {
        if self.rank() != 1 {
            return Err(Error::new("nesl", format!("an array of shape {} is no sequence", self.shape())));
        }
        into.push(Piece::extent(self.size()));
        into.push(Piece::node(self));
        Ok(())
    }

    fn take(from: &mut dyn Iterator<Item = Piece>) -> Option<Array<T>> {
        let extent = from.next()?.into_extent()?;
        from.next()?.into_array(extent)
    }
}

impl<T: NeslContent> NeslValue for Ragged<T> {
    fn plain() -> Plain {
        Plain::Seq(Box::new(<Ragged<T> as NeslContent>::plain()))
    }

    fn give(&self, into: &mut Vec<Piece>) -> Result<()> {
        into.push(Piece::extent(self.count()));
        <Ragged<T> as NeslContent>::give(self, into);
        Ok(())
    }

    fn take(from: &mut dyn Iterator<Item = Piece>) -> Option<Ragged<T>> {
        let count = from.next()?.into_extent()?;
        <Ragged<T> as NeslContent>::take(count, from)
    }
}

impl<T: NeslContent> NeslContent for Ragged<T> {
    fn plain() -> Plain {
        Plain::Seq(Box::new(T::plain()))
    }

    fn give(values: &Ragged<T>, into: &mut Vec<Piece>) {
        into.push(Piece::node(&values.segments.lengths));
        into.push(Piece::extent(values.segments.total));
        T::give(&values.values, into);
    }

    fn take(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Option<Ragged<T>> {
        let lengths = from.next()?.into_array::<i64>(count)?;
        let total = from.next()?.into_extent()?;
        Some(Ragged { values: T::take(total, from)?, segments: Segments { lengths, total } })
    }
}

impl<A: NeslContent, B: NeslContent> NeslContent for (A, B) {
    fn plain() -> Plain {
        Plain::Pair(Box::new(A::plain()), Box::new(B::plain()))
    }

    fn give(values: &Self::Values, into: &mut Vec<Piece>) {
        A::give(&values.0, into);
        B::give(&values.1, into);
    }

    fn take(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Option<Self::Values> {
        let first = A::take(count, from)?;
        Some((first, B::take(count, from)?))
    }
}

impl<A: NeslValue, B: NeslValue> NeslValue for (A, B) {
    fn plain() -> Plain {
        Plain::Pair(Box::new(A::plain()), Box::new(B::plain()))
    }

    fn give(&self, into: &mut Vec<Piece>) -> Result<()> {
        self.0.give(into)?;
        self.1.give(into)
    }

    fn take(from: &mut dyn Iterator<Item = Piece>) -> Option<(A, B)> {
        let first = A::take(from)?;
        Some((first, B::take(from)?))
    }
}

macro_rules! arguments {
    ($($name:ident $at:tt),*) => {
        impl<$($name: NeslValue),*> NeslArguments for ($($name,)*) {
            fn types() -> Vec<Plain> {
                vec![$($name::plain()),*]
            }
            fn give(&self, into: &mut Vec<Piece>) -> Result<()> {
                $(self.$at.give(into)?;)*
                Ok(())
            }
        }
    };
}

arguments!(A 0);
arguments!(A 0, B 1);
arguments!(A 0, B 1, C 2);
arguments!(A 0, B 1, C 2, D 3);
arguments!(A 0, B 1, C 2, D 3, E 4);
arguments!(A 0, B 1, C 2, D 3, E 4, F 5);
