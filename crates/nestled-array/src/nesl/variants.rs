//! Values of datatypes with variants.

use super::dynamic::{NeslColumn, NeslDatum, scalar};
use super::{NeslType, Piece};
use crate::array::Array;
use crate::error::{Error, Reason, Result};
use nestled_nesl::Datatype;

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
        super::dynamic::vector(&self.tags, count)
    }

    pub(super) fn give(&self, count: usize, into: &mut Vec<Piece>) -> Result<()> {
        super::dynamic::give(&self.tags, count, into)?;
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
pub(super) fn give_variant(
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
pub(super) fn take_variant(datatype: &Datatype, from: &mut dyn Iterator<Item = Piece>) -> Option<NeslDatum> {
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

/// The pieces of some value of a type.
pub(super) fn blank(ty: &NeslType, into: &mut Vec<Piece>) {
    match ty {
        NeslType::Int => into.push(Piece::scalar(0i64)),
        NeslType::Float => into.push(Piece::scalar(0f64)),
        NeslType::Char => into.push(Piece::scalar(0u8)),
        NeslType::Bool => into.push(Piece::scalar(false)),
        NeslType::Seq(element) => {
            into.push(Piece::extent(0));
            no_elements(element, into);
        }
        NeslType::Pair(left, right) => {
            blank(left, into);
            blank(right, into);
        }
        NeslType::Data(datatype) => {
            into.push(Piece::scalar(0i64));
            datatype
                .variants
                .iter()
                .filter_map(|variant| variant.content.as_ref())
                .for_each(|ty| blank(ty, into));
        }
    }
}

/// The pieces of no element.
fn no_elements(ty: &NeslType, into: &mut Vec<Piece>) {
    match ty {
        NeslType::Int => into.push(Piece::node(&Array::<i64>::zeros(&[0]))),
        NeslType::Float => into.push(Piece::node(&Array::<f64>::zeros(&[0]))),
        NeslType::Char => into.push(Piece::node(&Array::<u8>::zeros(&[0]))),
        NeslType::Bool => into.push(Piece::node(&Array::<bool>::from_vec(Vec::new()))),
        NeslType::Seq(element) => {
            into.push(Piece::node(&Array::<i64>::zeros(&[0])));
            into.push(Piece::extent(0));
            no_elements(element, into);
        }
        NeslType::Pair(left, right) => {
            no_elements(left, into);
            no_elements(right, into);
        }
        NeslType::Data(datatype) => {
            into.push(Piece::node(&Array::<i64>::zeros(&[0])));
            let contents = datatype.variants.iter().filter_map(|variant| variant.content.as_ref());
            contents.for_each(|ty| no_elements(ty, into));
        }
    }
}
