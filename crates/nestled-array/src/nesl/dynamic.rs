//! Functions in NESL whose types are known at run time only: arguments and results are trees of columns.

use super::variants::{give_variant, take_variant};
use super::{Kind, Nesl, NeslRoutine, NeslType, NeslVariants, Piece};
use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Reason, Result};
use crate::ragged::Segments;
use nestled_nesl::Datatype;

/// A value of a type that is known at run time.
///
/// ```
/// use nestled_array::{Array, Nesl, NeslColumn, NeslDatum, NeslType};
/// let text = Nesl::compile("function squares(v) = {x * x : x in v};")?;
/// let squares = text.routine("squares", &[NeslType::Seq(Box::new(NeslType::Int))])?;
/// let given = NeslDatum::Seq(2, NeslColumn::Int(Array::from_vec(vec![3, 4])));
/// let NeslDatum::Seq(2, NeslColumn::Int(found)) = squares.call(&[given])? else { panic!() };
/// assert_eq!(found.to_vec()?, [9, 16]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum NeslDatum {
    /// An `int`.
    Int(i64),
    /// A `float`.
    Float(f64),
    /// A `char`.
    Char(u8),
    /// A `bool`.
    Bool(bool),
    /// A pair.
    Pair(Box<NeslDatum>, Box<NeslDatum>),
    /// A sequence: its length and its elements.
    Seq(usize, NeslColumn),
    /// A value of a datatype with variants: the number of its variant, counted from 0, and what that holds.
    Data(Datatype, usize, Option<Box<NeslDatum>>),
}

/// The elements of a sequence, or of all sequences of a level, one after another.
///
/// ```
/// use nestled_array::{Array, NeslColumn, Segments};
/// let column = NeslColumn::Int(Array::from_vec(vec![1, 2, 3]));
/// let rows = NeslColumn::Seq(Segments::from_lengths(&[2, 1]), Box::new(column));
/// assert_eq!(rows.element_type().to_string(), "[int]");
/// ```
#[derive(Clone, Debug)]
pub enum NeslColumn {
    /// Elements of type `int`.
    Int(Array<i64>),
    /// Elements of type `float`.
    Float(Array<f64>),
    /// Elements of type `char`.
    Char(Array<u8>),
    /// Elements of type `bool`.
    Bool(Array<bool>),
    /// Pairs.
    Pair(Box<NeslColumn>, Box<NeslColumn>),
    /// Sequences, with the elements of all of them.
    Seq(Segments, Box<NeslColumn>),
    /// Values of a datatype with variants.
    Data(NeslVariants),
}

fn seq(element: NeslType) -> NeslType {
    NeslType::Seq(Box::new(element))
}

fn pair(left: NeslType, right: NeslType) -> NeslType {
    NeslType::Pair(Box::new(left), Box::new(right))
}

impl NeslDatum {
    /// The type of the value.
    ///
    /// ```
    /// use nestled_array::NeslDatum;
    /// let both = NeslDatum::Pair(Box::new(NeslDatum::Int(1)), Box::new(NeslDatum::Bool(true)));
    /// assert_eq!(both.value_type().to_string(), "(int, bool)");
    /// ```
    pub fn value_type(&self) -> NeslType {
        match self {
            NeslDatum::Int(_) => NeslType::Int,
            NeslDatum::Float(_) => NeslType::Float,
            NeslDatum::Char(_) => NeslType::Char,
            NeslDatum::Bool(_) => NeslType::Bool,
            NeslDatum::Pair(left, right) => pair(left.value_type(), right.value_type()),
            NeslDatum::Seq(_, elements) => seq(elements.element_type()),
            NeslDatum::Data(datatype, ..) => NeslType::Data(datatype.clone()),
        }
    }

    pub(super) fn give(&self, into: &mut Vec<Piece>) -> Result<()> {
        match self {
            NeslDatum::Int(value) => into.push(Piece::scalar(*value)),
            NeslDatum::Float(value) => into.push(Piece::scalar(*value)),
            NeslDatum::Char(value) => into.push(Piece::scalar(*value)),
            NeslDatum::Bool(value) => into.push(Piece::scalar(*value)),
            NeslDatum::Pair(left, right) => {
                left.give(into)?;
                right.give(into)?;
            }
            NeslDatum::Seq(length, elements) => {
                into.push(Piece::extent(*length));
                elements.give(*length, into)?;
            }
            NeslDatum::Data(datatype, variant, content) => {
                give_variant(datatype, *variant, content.as_deref(), into)?;
            }
        }
        Ok(())
    }

    pub(super) fn take(ty: &NeslType, from: &mut dyn Iterator<Item = Piece>) -> Option<NeslDatum> {
        Some(match ty {
            NeslType::Int => NeslDatum::Int(scalar(from)?),
            NeslType::Float => NeslDatum::Float(scalar(from)?),
            NeslType::Char => NeslDatum::Char(scalar(from)?),
            NeslType::Bool => NeslDatum::Bool(scalar(from)?),
            NeslType::Pair(left, right) => {
                let left = Box::new(NeslDatum::take(left, from)?);
                NeslDatum::Pair(left, Box::new(NeslDatum::take(right, from)?))
            }
            NeslType::Seq(element) => {
                let length = from.next()?.into_extent()?;
                NeslDatum::Seq(length, NeslColumn::take(element, length, from)?)
            }
            NeslType::Data(datatype) => take_variant(datatype, from)?,
        })
    }
}

pub(super) fn scalar<T: Element>(from: &mut dyn Iterator<Item = Piece>) -> Option<T> {
    T::from_scalar(from.next()?.into_scalar()?)
}

impl NeslColumn {
    /// The type of the elements.
    ///
    /// ```
    /// use nestled_array::{Array, NeslColumn, NeslType};
    /// assert_eq!(NeslColumn::Float(Array::zeros(&[2])).element_type(), NeslType::Float);
    /// ```
    pub fn element_type(&self) -> NeslType {
        match self {
            NeslColumn::Int(_) => NeslType::Int,
            NeslColumn::Float(_) => NeslType::Float,
            NeslColumn::Char(_) => NeslType::Char,
            NeslColumn::Bool(_) => NeslType::Bool,
            NeslColumn::Pair(left, right) => pair(left.element_type(), right.element_type()),
            NeslColumn::Seq(_, elements) => seq(elements.element_type()),
            NeslColumn::Data(values) => NeslType::Data(values.datatype().clone()),
        }
    }

    /// An error if there are not so many elements.
    pub(super) fn check(&self, count: usize) -> Result<()> {
        match self {
            NeslColumn::Int(array) => vector(array, count),
            NeslColumn::Float(array) => vector(array, count),
            NeslColumn::Char(array) => vector(array, count),
            NeslColumn::Bool(array) => vector(array, count),
            NeslColumn::Pair(left, right) => {
                left.check(count)?;
                right.check(count)
            }
            NeslColumn::Seq(segments, elements) => {
                vector(segments.lengths(), count)?;
                elements.check(segments.total())
            }
            NeslColumn::Data(values) => values.check(count),
        }
    }

    pub(super) fn give(&self, count: usize, into: &mut Vec<Piece>) -> Result<()> {
        match self {
            NeslColumn::Int(array) => give(array, count, into),
            NeslColumn::Float(array) => give(array, count, into),
            NeslColumn::Char(array) => give(array, count, into),
            NeslColumn::Bool(array) => give(array, count, into),
            NeslColumn::Pair(left, right) => {
                left.give(count, into)?;
                right.give(count, into)
            }
            NeslColumn::Seq(segments, elements) => {
                give(segments.lengths(), count, into)?;
                into.push(Piece::extent(segments.total()));
                elements.give(segments.total(), into)
            }
            NeslColumn::Data(values) => values.give(count, into),
        }
    }

    pub(super) fn take(
        ty: &NeslType,
        count: usize,
        from: &mut dyn Iterator<Item = Piece>,
    ) -> Option<NeslColumn> {
        Some(match ty {
            NeslType::Int => NeslColumn::Int(from.next()?.into_array(count)?),
            NeslType::Float => NeslColumn::Float(from.next()?.into_array(count)?),
            NeslType::Char => NeslColumn::Char(from.next()?.into_array(count)?),
            NeslType::Bool => NeslColumn::Bool(from.next()?.into_array(count)?),
            NeslType::Pair(left, right) => {
                let left = Box::new(NeslColumn::take(left, count, from)?);
                NeslColumn::Pair(left, Box::new(NeslColumn::take(right, count, from)?))
            }
            NeslType::Seq(element) => {
                let lengths = from.next()?.into_array::<i64>(count)?;
                let total = from.next()?.into_extent()?;
                let elements = NeslColumn::take(element, total, from)?;
                NeslColumn::Seq(Segments::with_total(&lengths, total), Box::new(elements))
            }
            NeslType::Data(datatype) => NeslColumn::Data(NeslVariants::take(datatype, count, from)?),
        })
    }
}

/// An error if there is not one element for each of so many.
pub(super) fn vector<T: Element>(array: &Array<T>, count: usize) -> Result<()> {
    if **array.shape() != [count] {
        let message = format!("an array of shape {} has not one element for each of {count}", array.shape());
        return Err(Error::at("nesl", Reason::Argument(message), None));
    }
    Ok(())
}

pub(super) fn give<T: Element>(array: &Array<T>, count: usize, into: &mut Vec<Piece>) -> Result<()> {
    vector(array, count)?;
    into.push(Piece::node(array));
    Ok(())
}

impl Nesl {
    /// A function of the text, for arguments of types that are known at run time. Unions are the datatypes that the function takes in their places, and
    /// [`arguments`](NeslRoutine::arguments) says which.
    ///
    /// ```
    /// use nestled_array::{Nesl, NeslDatum, NeslType};
    /// let next = Nesl::compile("function next(n) = n + 1;")?.routine("next", &[NeslType::Int])?;
    /// assert!(matches!(next.call(&[NeslDatum::Int(41)])?, NeslDatum::Int(42)));
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such function, it is for others, nothing tells which datatype a union is, or it may hold itself; or the function acts on the world.
    #[track_caller]
    pub fn routine(&self, name: &str, arguments: &[NeslType]) -> Result<NeslRoutine> {
        NeslRoutine::new(self, name, arguments)
    }
}

impl NeslRoutine {
    /// Calls the function. Arrays that it is given and gives stay on the device.
    ///
    /// ```
    /// use nestled_array::{Nesl, NeslDatum, NeslType};
    /// let next = Nesl::compile("function next(n) = n + 1;")?.routine("next", &[NeslType::Int])?;
    /// assert!(next.call(&[NeslDatum::Float(0.5)]).is_err());
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// The arguments are of other types, or columns that belong together differ in length; faults of the program, and those of evaluation.
    #[track_caller]
    pub fn call(&self, arguments: &[NeslDatum]) -> Result<NeslDatum> {
        let given: Vec<NeslType> = arguments.iter().map(NeslDatum::value_type).collect();
        if given != self.arguments() {
            let listed = |types: &[NeslType]| {
                let texts: Vec<String> = types.iter().map(NeslType::to_string).collect();
                texts.join(", ")
            };
            let message =
                format!("arguments ({}) are wanted, not ({})", listed(self.arguments()), listed(&given));
            return Err(Error::new("nesl", message));
        }
        let mut pieces = Vec::new();
        arguments.iter().try_for_each(|argument| argument.give(&mut pieces))?;
        let mut results = self.call_pieces(pieces)?.into_iter();
        match NeslDatum::take(self.result(), &mut results) {
            Some(result) => Ok(result),
            None => Err(Error::of("nesl", Reason::Bug("a result is missing".to_owned()))),
        }
    }
}

impl Piece {
    pub(super) fn scalar<T: Element>(value: T) -> Piece {
        Piece(Kind::Data(crate::node::Data::Scalar(value.scalar())))
    }
}
