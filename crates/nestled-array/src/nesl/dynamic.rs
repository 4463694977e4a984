//! Values of NESL whose types are known at run time only: trees of columns.

use super::blank::blank;
use super::{Kind, NeslType, Piece};
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
            NeslType::Outer(_) => return None,
        })
    }
}

fn scalar<T: Element>(from: &mut dyn Iterator<Item = Piece>) -> Option<T> {
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
            NeslType::Outer(_) => return None,
        })
    }
}

/// An error if there is not one element for each of so many.
fn vector<T: Element>(array: &Array<T>, count: usize) -> Result<()> {
    if **array.shape() != [count] {
        let message = format!("an array of shape {} has not one element for each of {count}", array.shape());
        return Err(Error::at("nesl", Reason::Argument(message), None));
    }
    Ok(())
}

fn give<T: Element>(array: &Array<T>, count: usize, into: &mut Vec<Piece>) -> Result<()> {
    vector(array, count)?;
    into.push(Piece::node(array));
    Ok(())
}

/// Values of a datatype with variants: for each the number of its variant, counted from 0, and as many contents of each variant that has one. Where a value is of another variant,
/// a content may be anything.
///
/// ```
/// use nestled_array::{Array, Nesl, NeslColumn, NeslDatatype, NeslDatum, NeslType, NeslVariants};
/// let text = Nesl::compile(
///     "datatype shape = square(float) | dot;
///      function area(s) = match s with square(a) => a * a | dot => 0.0;
///      function areas(v) = {area(s) : s in v};",
/// )?;
/// let shape = NeslType::Data(NeslDatatype::named("shape", vec![]));
/// let areas = text.routine("areas", &[NeslType::Seq(Box::new(shape))])?;
/// let NeslType::Seq(shape) = &areas.arguments()[0] else { panic!() };
/// let NeslType::Data(shape) = &**shape else { panic!() };
/// let sides = NeslColumn::Float(Array::from_vec(vec![2.0, 0.0, 3.0]));
/// let shapes = NeslVariants::new(shape, &Array::from_vec(vec![0, 1, 0]), vec![Some(sides), None])?;
/// let NeslDatum::Seq(3, NeslColumn::Float(found)) = areas.call(&[NeslDatum::Seq(3, NeslColumn::Data(shapes))])?
/// else { panic!() };
/// assert_eq!(found.to_vec()?, [4.0, 0.0, 9.0]);
/// # Ok::<(), nestled_array::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NeslVariants {
    datatype: Datatype,
    tags: Array<i64>,
    contents: Vec<Option<NeslColumn>>,
}

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::at("nesl", Reason::Argument(message), None))
}

impl NeslVariants {
    /// Values of these variants. Computes at once, for the numbers are checked.
    ///
    /// ```
    /// use nestled_array::{Array, NeslDatatype, NeslType, NeslColumn, NeslVariants};
    /// let union = NeslDatatype::union(vec![NeslType::Int, NeslType::Bool]);
    /// let column = |n: usize| vec![
    ///     Some(NeslColumn::Int(Array::zeros(&[n]))),
    ///     Some(NeslColumn::Bool(Array::from_vec(vec![true; n]))),
    /// ];
    /// assert!(NeslVariants::new(&union, &Array::from_vec(vec![0, 1]), column(2)).is_ok());
    /// assert!(NeslVariants::new(&union, &Array::from_vec(vec![0, 2]), column(2)).is_err());
    /// assert!(NeslVariants::new(&union, &Array::from_vec(vec![0, 1]), column(3)).is_err());
    /// ```
    ///
    /// # Errors
    /// A number is that of no variant, contents are of other types or lengths than they should be; and errors of evaluation.
    pub fn new(
        datatype: &Datatype,
        tags: &Array<i64>,
        contents: Vec<Option<NeslColumn>>,
    ) -> Result<NeslVariants> {
        let variants = &datatype.variants;
        if tags.rank() != 1 || variants.is_empty() || contents.len() != variants.len() {
            return wrong(format!(
                "`{datatype}` has {} variants, there are contents of {} and numbers of shape {}",
                variants.len(),
                contents.len(),
                tags.shape()
            ));
        }
        for (place, (variant, content)) in variants.iter().zip(&contents).enumerate() {
            let given = content.as_ref().map(NeslColumn::element_type);
            if given != variant.content {
                let shown =
                    |ty: &Option<NeslType>| ty.as_ref().map_or("nothing".to_owned(), NeslType::to_string);
                let (wanted, given) = (shown(&variant.content), shown(&given));
                return wrong(format!("variant {place} of `{datatype}` holds {wanted}, not {given}"));
            }
            if let Some(content) = content {
                content.check(tags.size())?;
            }
        }
        let outside = tags.lt(0).or(tags.ge(variants.len() as i64));
        if outside.any().item()? {
            let place = outside.to_vec()?.iter().position(|&outside| outside).unwrap_or(0);
            let (tag, count) = (tags.to_vec()?[place], variants.len());
            return wrong(format!(
                "the number {tag} at {place} is none of the {count} variants of `{datatype}`"
            ));
        }
        Ok(NeslVariants::known(datatype, tags, contents))
    }

    /// As [`new`](NeslVariants::new), of parts that the caller knows to fit: nothing is computed.
    #[doc(hidden)]
    pub fn known(datatype: &Datatype, tags: &Array<i64>, contents: Vec<Option<NeslColumn>>) -> NeslVariants {
        NeslVariants { datatype: datatype.clone(), tags: tags.clone(), contents }
    }

    /// The datatype.
    ///
    /// ```
    /// use nestled_array::{Array, NeslDatatype, NeslColumn, NeslType, NeslVariants};
    /// let union = NeslDatatype::union(vec![NeslType::Int]);
    /// let numbers = NeslColumn::Int(Array::from_vec(vec![7]));
    /// let values = NeslVariants::new(&union, &Array::zeros(&[1]), vec![Some(numbers)])?;
    /// assert_eq!((values.datatype(), values.tags().to_vec()?), (&union, vec![0]));
    /// assert!(matches!(values.contents(), [Some(NeslColumn::Int(numbers))] if numbers.size() == 1));
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    pub fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    /// For each value the number of its variant.
    pub fn tags(&self) -> &Array<i64> {
        &self.tags
    }

    /// For each variant the contents, as many as there are values; none for constants.
    pub fn contents(&self) -> &[Option<NeslColumn>] {
        &self.contents
    }

    pub(super) fn check(&self, count: usize) -> Result<()> {
        vector(&self.tags, count)
    }

    pub(super) fn give(&self, count: usize, into: &mut Vec<Piece>) -> Result<()> {
        give(&self.tags, count, into)?;
        self.contents.iter().flatten().try_for_each(|content| content.give(count, into))
    }

    pub(super) fn take(
        datatype: &Datatype,
        count: usize,
        from: &mut dyn Iterator<Item = Piece>,
    ) -> Option<NeslVariants> {
        let tags = from.next()?.into_array::<i64>(count)?;
        let mut contents = Vec::new();
        for variant in &datatype.variants {
            contents.push(match &variant.content {
                Some(ty) => Some(NeslColumn::take(ty, count, from)?),
                None => None,
            });
        }
        Some(NeslVariants::known(datatype, &tags, contents))
    }
}

/// The pieces of a value of a variant: its number, its content, and zeros for those of the others.
fn give_variant(
    datatype: &Datatype,
    variant: usize,
    content: Option<&NeslDatum>,
    into: &mut Vec<Piece>,
) -> Result<()> {
    let Some(own) = datatype.variants.get(variant) else {
        let count = datatype.variants.len();
        return wrong(format!("{variant} is none of the {count} variants of `{datatype}`"));
    };
    if own.content != content.map(NeslDatum::value_type) {
        return wrong(format!("variant {variant} of `{datatype}` holds something else"));
    }
    into.push(Piece::scalar(variant as i64));
    for (place, other) in datatype.variants.iter().enumerate() {
        match (&other.content, content) {
            (Some(_), Some(content)) if place == variant => content.give(into)?,
            (Some(ty), _) => blank(ty, into),
            (None, _) => {}
        }
    }
    Ok(())
}

/// The variant of a value, and its content.
fn take_variant(datatype: &Datatype, from: &mut dyn Iterator<Item = Piece>) -> Option<NeslDatum> {
    let tag: i64 = scalar(from)?;
    let mut contents = Vec::new();
    for variant in &datatype.variants {
        contents.push(match &variant.content {
            Some(ty) => Some(Box::new(NeslDatum::take(ty, from)?)),
            None => None,
        });
    }
    let variant = usize::try_from(tag).ok().filter(|&tag| tag < contents.len())?;
    Some(NeslDatum::Data(datatype.clone(), variant, contents.swap_remove(variant)))
}

impl Piece {
    pub(super) fn scalar<T: Element>(value: T) -> Piece {
        Piece(Kind::Data(crate::node::Data::Scalar(value.scalar())))
    }
}
