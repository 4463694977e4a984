//! Conversion between Rust values and NESL values.

use super::host_columns::unfit_columns;
use super::nodes::{Giving, Taking};
use crate::array::Array;
use crate::element::{Element, Ordered};
use crate::engine::Engine;
use crate::error::{Error, Reason, Result};
use crate::node::{Data, Node, NodeRef, State};
use crate::ragged::{Content, Ragged, Segments};
use crate::shape::Shape;
use nestled_ir::Scalar;
use nestled_nesl::Plain;
use std::fmt::Display;
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

    pub(super) fn as_extent(&self) -> Option<u64> {
        if let Kind::Extent(extent) = self.0 { Some(extent) } else { None }
    }

    /// An array or scalar as a node.
    pub(super) fn as_node(&self) -> Option<NodeRef> {
        match &self.0 {
            Kind::Extent(_) => None,
            Kind::Node(node) => Some(Arc::clone(node)),
            Kind::Data(Data::Scalar(scalar)) => {
                Some(Node::ready(scalar.ty(), Shape::SCALAR, Data::Scalar(*scalar)))
            }
            // Its extent is not known here: arguments are nodes, or scalars.
            Kind::Data(_) => None,
        }
    }

    /// The node that is to be computed for it, if there is one.
    pub(super) fn to_compute(&self) -> Option<NodeRef> {
        match &self.0 {
            Kind::Node(node) if node.op().is_some() => Some(Arc::clone(node)),
            Kind::Node(_) | Kind::Extent(_) | Kind::Data(_) => None,
        }
    }

    pub(super) fn is_lazy(&self) -> bool {
        self.to_compute().is_some()
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
            Kind::Node(node) => (node.elem == T::TYPE && *node.shape == [extent]).then(|| Array::of(node)),
            Kind::Extent(_) => None,
        }
    }
}

/// Arguments and results of functions in NESL: scalars, arrays of rank 1, ragged arrays, and tuples of these. Integers of all widths are `int` to NESL, but `u8`, which is `char`;
/// floats of all widths are `float`. A result that does not fit a narrower integer is an error, for arrays found at once; one that is too exact for a narrower float is rounded.
///
/// ```
/// use nestled_array::{Array, Nesl, Ragged};
/// let text = Nesl::compile("function parts(v) = (#v, {[x] : x in v});")?;
/// let parts = text.function::<(Array<i64>,), (i64, Ragged<i64>)>("parts")?;
/// let (count, single) = parts.call((Array::from_vec(vec![7, 8]),))?;
/// assert_eq!((count, single.to_rows()?), (2, vec![vec![7], vec![8]]));
/// let narrow = text.function::<(Array<i16>,), (u32, Ragged<i8>)>("parts")?;
/// assert_eq!(narrow.call((Array::from_vec(vec![7, 8]),))?.1.to_rows()?, [vec![7i8], vec![8]]);
/// let error = narrow.call((Array::from_vec(vec![7, 300]),)).unwrap_err();
/// assert!(error.to_string().contains("300 does not fit `i8`"), "{error}");
/// # Ok::<(), nestled_array::Error>(())
/// ```
pub trait NeslValue: Sized {
    #[doc(hidden)]
    fn plain() -> Plain;
    #[doc(hidden)]
    fn give<'a>(&'a self, ty: &Plain, into: &mut Giving<'a>) -> Result<()>;
    #[doc(hidden)]
    fn take(ty: &Plain, from: &mut Taking) -> Result<Self>;
}

/// The types of the parts of a pair.
fn halves(ty: &Plain) -> Result<(&Plain, &Plain)> {
    match ty {
        Plain::Pair(left, right) => Ok((left, right)),
        _ => unfit_columns(),
    }
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
    fn give<'a>(&'a self, types: &[Plain], into: &mut Giving<'a>) -> Result<()>;
}

/// Element types of NESL, and contents of segments made of them.
#[doc(hidden)]
pub trait NeslContent: Content {
    fn plain() -> Plain;
    fn give(values: &Self::Values, into: &mut Vec<Piece>) -> Result<()>;
    fn take(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Result<Self::Values>;
}

/// The part of the next piece of a result.
fn next<T>(from: &mut dyn Iterator<Item = Piece>, part: impl FnOnce(Piece) -> Option<T>) -> Result<T> {
    match from.next().and_then(part) {
        Some(found) => Ok(found),
        None => Err(Error::of("nesl", Reason::Bug("a result is missing".to_owned()))),
    }
}

fn scalar<T: Element>(from: &mut dyn Iterator<Item = Piece>) -> Result<T> {
    next(from, |piece| T::from_scalar(piece.into_scalar()?))
}

fn array<T: Element>(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Result<Array<T>> {
    next(from, |piece| piece.into_array(count))
}

/// The error of a number that a type does not hold.
pub(super) fn unfit<T>(number: impl Display, ty: &str) -> Result<T> {
    Err(Error::at("nesl", Reason::Argument(format!("{number} does not fit `{ty}`")), None))
}

/// An error if one of the numbers changes on its way through another type.
fn kept<T: Ordered + Display>(before: &Array<T>, after: &Array<T>, ty: &str) -> Result<()> {
    let changed = before.ne(after);
    if !changed.any().item()? {
        return Ok(());
    }
    let place = changed.to_vec()?.iter().position(|&changed| changed).unwrap_or(0);
    unfit(before.to_vec()?[place], ty)
}

macro_rules! scalars {
    ($($ty:ident $plain:ident),*) => {$(
        impl NeslValue for $ty {
            fn plain() -> Plain {
                Plain::$plain
            }
            fn give<'a>(&'a self, _: &Plain, into: &mut Giving<'a>) -> Result<()> {
                into.pieces.push(Piece::scalar(*self));
                Ok(())
            }
            fn take(_: &Plain, from: &mut Taking) -> Result<$ty> {
                scalar(from)
            }
        }

        impl NeslContent for $ty {
            fn plain() -> Plain {
                Plain::$plain
            }
            fn give(values: &Array<$ty>, into: &mut Vec<Piece>) -> Result<()> {
                into.push(Piece::node(values));
                Ok(())
            }
            fn take(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Result<Array<$ty>> {
                array(count, from)
            }
        }
    )*};
}

scalars!(i64 Int, f64 Float, u8 Char, bool Bool);

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl NeslValue for $ty {
            fn plain() -> Plain {
                Plain::Int
            }
            fn give<'a>(&'a self, _: &Plain, into: &mut Giving<'a>) -> Result<()> {
                let Ok(number) = i64::try_from(i128::from(*self)) else { return unfit(self, "int") };
                into.pieces.push(Piece::scalar(number));
                Ok(())
            }
            fn take(_: &Plain, from: &mut Taking) -> Result<$ty> {
                let number: i64 = scalar(from)?;
                $ty::try_from(i128::from(number)).or_else(|_| unfit(number, stringify!($ty)))
            }
        }

        impl NeslContent for $ty {
            fn plain() -> Plain {
                Plain::Int
            }
            fn give(values: &Array<$ty>, into: &mut Vec<Piece>) -> Result<()> {
                let wide = values.cast::<i64>();
                // Only the widest type without a sign has greater numbers.
                if i128::from($ty::MAX) > i128::from(i64::MAX) {
                    kept(values, &wide.maximum(0).cast(), "int")?;
                }
                into.push(Piece::node(&wide));
                Ok(())
            }
            fn take(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Result<Array<$ty>> {
                let wide: Array<i64> = array(count, from)?;
                let narrow = wide.cast::<$ty>();
                let back = if $ty::MIN == 0 { narrow.cast::<i64>().maximum(0) } else { narrow.cast::<i64>() };
                kept(&wide, &back, stringify!($ty))?;
                Ok(narrow)
            }
        }
    )*};
}

integers!(i8 i16 u16 i32 u32 u64);

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl NeslValue for $ty {
            fn plain() -> Plain {
                Plain::Float
            }
            fn give<'a>(&'a self, _: &Plain, into: &mut Giving<'a>) -> Result<()> {
                into.pieces.push(Piece::scalar(f64::from(*self)));
                Ok(())
            }
            fn take(_: &Plain, from: &mut Taking) -> Result<$ty> {
                Ok(scalar::<f64>(from)? as $ty)
            }
        }

        impl NeslContent for $ty {
            fn plain() -> Plain {
                Plain::Float
            }
            fn give(values: &Array<$ty>, into: &mut Vec<Piece>) -> Result<()> {
                into.push(Piece::node(&values.cast::<f64>()));
                Ok(())
            }
            fn take(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Result<Array<$ty>> {
                Ok(array::<f64>(count, from)?.cast())
            }
        }
    )*};
}

floats!(f32);

impl<T: NeslContent + Element + Content<Values = Array<T>>> NeslValue for Array<T> {
    fn plain() -> Plain {
        Plain::Seq(Box::new(<T as NeslContent>::plain()))
    }

    fn give<'a>(&'a self, _: &Plain, into: &mut Giving<'a>) -> Result<()> {
        if self.rank() != 1 {
            return Err(Error::new("nesl", format!("an array of shape {} is no sequence", self.shape())));
        }
        into.pieces.push(Piece::extent(self.size()));
        <T as NeslContent>::give(self, &mut into.pieces)
    }

    fn take(_: &Plain, from: &mut Taking) -> Result<Array<T>> {
        let extent = next(from, Piece::into_extent)?;
        <T as NeslContent>::take(extent, from)
    }
}

impl<T: NeslContent> NeslValue for Ragged<T> {
    fn plain() -> Plain {
        Plain::Seq(Box::new(<Ragged<T> as NeslContent>::plain()))
    }

    fn give<'a>(&'a self, _: &Plain, into: &mut Giving<'a>) -> Result<()> {
        into.pieces.push(Piece::extent(self.count()));
        <Ragged<T> as NeslContent>::give(self, &mut into.pieces)
    }

    fn take(_: &Plain, from: &mut Taking) -> Result<Ragged<T>> {
        let count = next(from, Piece::into_extent)?;
        <Ragged<T> as NeslContent>::take(count, from)
    }
}

impl<T: NeslContent> NeslContent for Ragged<T> {
    fn plain() -> Plain {
        Plain::Seq(Box::new(T::plain()))
    }

    fn give(values: &Ragged<T>, into: &mut Vec<Piece>) -> Result<()> {
        into.push(Piece::node(&values.segments.lengths));
        into.push(Piece::extent(values.segments.total));
        T::give(&values.values, into)
    }

    fn take(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Result<Ragged<T>> {
        let lengths = array::<i64>(count, from)?;
        let total = next(from, Piece::into_extent)?;
        Ok(Ragged { values: T::take(total, from)?, segments: Segments { lengths, total } })
    }
}

impl<T: NeslContent> NeslContent for Vec<T> {
    fn plain() -> Plain {
        <Ragged<T> as NeslContent>::plain()
    }

    fn give(values: &Ragged<T>, into: &mut Vec<Piece>) -> Result<()> {
        <Ragged<T> as NeslContent>::give(values, into)
    }

    fn take(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Result<Ragged<T>> {
        <Ragged<T> as NeslContent>::take(count, from)
    }
}

impl<A: NeslContent, B: NeslContent> NeslContent for (A, B) {
    fn plain() -> Plain {
        Plain::Pair(Box::new(A::plain()), Box::new(B::plain()))
    }

    fn give(values: &Self::Values, into: &mut Vec<Piece>) -> Result<()> {
        A::give(&values.0, into)?;
        B::give(&values.1, into)
    }

    fn take(count: usize, from: &mut dyn Iterator<Item = Piece>) -> Result<Self::Values> {
        let first = A::take(count, from)?;
        Ok((first, B::take(count, from)?))
    }
}

impl<A: NeslValue, B: NeslValue> NeslValue for (A, B) {
    fn plain() -> Plain {
        Plain::Pair(Box::new(A::plain()), Box::new(B::plain()))
    }

    fn give<'a>(&'a self, ty: &Plain, into: &mut Giving<'a>) -> Result<()> {
        let (left, right) = halves(ty)?;
        self.0.give(left, into)?;
        self.1.give(right, into)
    }

    fn take(ty: &Plain, from: &mut Taking) -> Result<(A, B)> {
        let (left, right) = halves(ty)?;
        let first = A::take(left, from)?;
        Ok((first, B::take(right, from)?))
    }
}

/// Tuples of three are pairs of the first and a pair, as in NESL.
impl<A: NeslValue, B: NeslValue, C: NeslValue> NeslValue for (A, B, C) {
    fn plain() -> Plain {
        <(A, (B, C))>::plain()
    }

    fn give<'a>(&'a self, ty: &Plain, into: &mut Giving<'a>) -> Result<()> {
        let (first, others) = halves(ty)?;
        let (second, third) = halves(others)?;
        self.0.give(first, into)?;
        self.1.give(second, into)?;
        self.2.give(third, into)
    }

    fn take(ty: &Plain, from: &mut Taking) -> Result<(A, B, C)> {
        let (first, (second, third)) = <(A, (B, C))>::take(ty, from)?;
        Ok((first, second, third))
    }
}

macro_rules! arguments {
    ($($name:ident $ty:ident $at:tt),*) => {
        impl<$($name: NeslValue),*> NeslArguments for ($($name,)*) {
            fn types() -> Vec<Plain> {
                vec![$($name::plain()),*]
            }
            fn give<'a>(&'a self, types: &[Plain], into: &mut Giving<'a>) -> Result<()> {
                let [$($ty),*] = types else { return unfit_columns() };
                $(self.$at.give($ty, into)?;)*
                Ok(())
            }
        }
    };
}

arguments!(A a 0);
arguments!(A a 0, B b 1);
arguments!(A a 0, B b 1, C c 2);
arguments!(A a 0, B b 1, C c 2, D d 3);
arguments!(A a 0, B b 1, C c 2, D d 3, E e 4);
arguments!(A a 0, B b 1, C c 2, D d 3, E e 4, F f 5);
