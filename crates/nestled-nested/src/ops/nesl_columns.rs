//! Nested arrays as the columns of NESL, and back: records and tuples are tuples there, texts sequences of `char`, integers `int`, floats `float`, decimals too;
//! unions are datatypes with variants, and what may be missing is a datatype of one constant and one variant that holds something.

use super::bytes::decoded;
use super::meant::floats_of;
use crate::column::{Column, each};
use crate::fault::{InField, Outcome, fault};
use crate::nested::{Face, Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, NeslColumn, NeslDatatype, NeslType, NeslVariants, Outside};

/// The type of the elements in NESL, but for which datatypes unions and options are.
pub(super) fn element_type(nested: &Nested) -> Outcome<NeslType> {
    let seq = |element| NeslType::Seq(Box::new(element));
    let pair = |rest, part| NeslType::Pair(Box::new(part), Box::new(rest));
    match &nested.layout {
        Layout::Leaf(column) => Ok(match column {
            Column::Bool(_) => NeslType::Bool,
            Column::Float16(_) | Column::Float32(_) | Column::Float64(_) => NeslType::Float,
            _ => NeslType::Int,
        }),
        Layout::Meant(..) if floats_of(nested).is_some() => Ok(NeslType::Float),
        Layout::Meant(..) => Ok(NeslType::Int),
        Layout::List(Face::List, _, content) | Layout::Fixed(_, content) => Ok(seq(element_type(content)?)),
        Layout::List(Face::String | Face::Bytes, ..) => Ok(seq(NeslType::Char)),
        Layout::Record(fields) => {
            let types = fields.iter().map(|(name, field)| element_type(field).in_field(name));
            paired(types.collect::<Outcome<_>>()?, pair)
        }
        Layout::Tuple(fields) => paired(types_of(fields)?, pair),
        Layout::Category(_, words) => element_type(words),
        Layout::Union(_, variants) => Ok(NeslType::Data(NeslDatatype::union(types_of(variants)?))),
        Layout::Option(_, content) => Ok(NeslType::Data(NeslDatatype::option(element_type(content)?))),
    }
}

fn types_of(parts: &[Nested]) -> Outcome<Vec<NeslType>> {
    parts.iter().enumerate().map(|(place, part)| element_type(part).in_field(&place.to_string())).collect()
}

/// The columns of NESL, of this type.
pub(crate) fn given(nested: &Nested, ty: &NeslType) -> Outcome<NeslColumn> {
    counted(nested, ty, None)
}

/// As [`given`], where only those elements count at which a mask holds: others may be anything, which is no reason to refuse them.
fn counted(nested: &Nested, ty: &NeslType, counts: Option<&Array<bool>>) -> Outcome<NeslColumn> {
    let unfit = || fault(format!("`{}` is no `{ty}`", nested.schema()));
    let seq = |rows: &Rows, content: &Nested, element: &NeslType| {
        let counts = counts.map(|counts| rows.spread(counts));
        let elements = counted(content, element, counts.as_ref())?;
        Ok(NeslColumn::Seq(rows.segments().clone(), Box::new(elements)))
    };
    match (&nested.layout, ty) {
        (Layout::Category(codes, words), NeslType::Data(datatype)) => {
            named(nested, (words, Some(codes)), datatype, counts)
        }
        (Layout::List(..), NeslType::Data(datatype)) => named(nested, (nested, None), datatype, counts),
        (Layout::Category(..), _) => counted(&decoded(nested)?, ty, counts),
        (Layout::Union(tags, variants), NeslType::Data(datatype))
            if variants.len() == datatype.variants.len() =>
        {
            united(tags, variants, datatype, counts)
        }
        (Layout::Option(valid, content), NeslType::Data(datatype)) => match datatype.optional() {
            Some(optional) => {
                let here = also(valid.clone(), counts);
                let mut contents = vec![None; 2];
                contents[optional.something] = Some(counted(content, optional.content, Some(&here))?);
                let tags = valid.select(optional.something as i64, optional.nothing as i64);
                Ok(NeslColumn::Data(NeslVariants::known(datatype, &tags, contents)))
            }
            None => unfit(),
        },
        (Layout::Leaf(Column::Uint8(bytes)), NeslType::Char) => Ok(NeslColumn::Char(bytes.clone())),
        (Layout::Leaf(column), _) => numbers(column, ty, counts)?.map_or_else(unfit, Ok),
        (Layout::Meant(_, column), _) => {
            let column = floats_of(nested).unwrap_or_else(|| column.clone());
            numbers(&column, ty, counts)?.map_or_else(unfit, Ok)
        }
        (Layout::List(_, rows, content), NeslType::Seq(element)) => seq(rows, content, element),
        (Layout::Fixed(size, content), NeslType::Seq(element)) => {
            seq(&Rows::even(nested.length, *size), content, element)
        }
        (Layout::Record(fields), _) => match parts_of(ty, fields.len()) {
            Some(types) => {
                let parts = types.into_iter().zip(fields);
                tupled(parts.map(|(ty, (name, field))| counted(field, ty, counts).in_field(name)))
            }
            None => unfit(),
        },
        (Layout::Tuple(fields), _) => match parts_of(ty, fields.len()) {
            Some(types) => {
                let parts = types.into_iter().zip(fields).enumerate();
                tupled(
                    parts.map(|(place, (ty, field))| counted(field, ty, counts).in_field(&place.to_string())),
                )
            }
            None => unfit(),
        },
        (Layout::Option(..) | Layout::Union(..) | Layout::List(..) | Layout::Fixed(..), _) => unfit(),
    }
}

/// Where both masks hold.
fn also(mask: Array<bool>, counts: Option<&Array<bool>>) -> Array<bool> {
    match counts {
        Some(counts) => mask.and(counts),
        None => mask,
    }
}

fn tupled(columns: impl Iterator<Item = Outcome<NeslColumn>>) -> Outcome<NeslColumn> {
    paired(columns.collect::<Outcome<_>>()?, |rest, part| NeslColumn::Pair(Box::new(part), Box::new(rest)))
}

/// The types of so many parts of a tuple, if it has as many.
fn parts_of(ty: &NeslType, count: usize) -> Option<Vec<&NeslType>> {
    let mut parts = Vec::new();
    let mut rest = ty;
    while parts.len() + 1 < count {
        let NeslType::Pair(first, others) = rest else { return None };
        parts.push(&**first);
        rest = others;
    }
    parts.push(rest);
    Some(parts)
}

/// A union as values of a datatype with as many variants.
fn united(
    tags: &Array<i64>,
    variants: &[Nested],
    datatype: &NeslDatatype,
    counts: Option<&Array<bool>>,
) -> Outcome<NeslColumn> {
    let mut contents = Vec::new();
    for (place, (variant, own)) in variants.iter().zip(&datatype.variants).enumerate() {
        let here = also(tags.eq(place as i64), counts);
        contents.push(match &own.content {
            Some(ty) => Some(counted(variant, ty, Some(&here)).in_field(&place.to_string())?),
            None => {
                let other = !is_text(variant, &own.name)?;
                if (here & other).any().item()? {
                    let message = format!("variant {place} is `{}` in NESL, and has other texts", own.name);
                    return fault(message);
                }
                None
            }
        });
    }
    Ok(NeslColumn::Data(NeslVariants::known(datatype, tags, contents)))
}

/// Texts, or the places of words, as values of a datatype whose constants have these names.
fn named(
    nested: &Nested,
    (words, codes): (&Nested, Option<&Array<i64>>),
    datatype: &NeslDatatype,
    counts: Option<&Array<bool>>,
) -> Outcome<NeslColumn> {
    let mut tags = Array::fill(-1i64, &[words.length]);
    for (place, variant) in datatype.variants.iter().enumerate() {
        tags = is_text(words, &variant.name)?.select(place as i64, &tags);
    }
    if let Some(codes) = codes {
        tags = tags.take(0, codes, Outside::Default(-1));
    }
    let other = also(tags.lt(0), counts);
    if other.any().item()? {
        let place = other.to_vec()?.iter().position(|&other| other).unwrap_or(0);
        return fault(format!("element {place} of `{}` is no name of a `{datatype}`", nested.schema()));
    }
    Ok(NeslColumn::Data(NeslVariants::known(datatype, &tags.maximum(0), vec![None; datatype.variants.len()])))
}

/// True for each text that is this one.
fn is_text(texts: &Nested, text: &str) -> Outcome<Array<bool>> {
    match &decoded(texts)?.eq(text)?.layout {
        Layout::Leaf(Column::Bool(is)) => Ok(is.clone()),
        _ => fault(format!("`{}` are no texts, such as `{text}`", texts.schema())),
    }
}

/// A tuple is a pair of its first part and the tuple of the others.
fn paired<T>(mut parts: Vec<T>, pair: impl Fn(T, T) -> T) -> Outcome<T> {
    let Some(last) = parts.pop() else { return fault("a record has no fields") };
    Ok(parts.into_iter().rev().fold(last, pair))
}

/// Integers as `int`, numbers as `float`; none if they are something else.
fn numbers(column: &Column, ty: &NeslType, counts: Option<&Array<bool>>) -> Outcome<Option<NeslColumn>> {
    let is_float = matches!(column, Column::Float16(_) | Column::Float32(_) | Column::Float64(_));
    Ok(Some(match (column, ty) {
        (Column::Bool(x), NeslType::Bool) => NeslColumn::Bool(x.clone()),
        (Column::Bool(_), _) => return Ok(None),
        (_, NeslType::Float) => NeslColumn::Float(each!(column, x => x.cast())),
        (Column::Uint64(x), NeslType::Int) if also(x.gt(i64::MAX as u64), counts).any().item()? => {
            return fault("a number is greater than an `int` can be");
        }
        (_, NeslType::Int) if !is_float => NeslColumn::Int(each!(column, x => x.cast())),
        _ => return Ok(None),
    }))
}

/// What NESL gave, so many elements. Sequences of `char` are texts, or bytes where those went in; chars alone are their codes.
pub(crate) fn taken(column: &NeslColumn, count: usize, as_bytes: bool) -> Outcome<Nested> {
    Ok(match column {
        NeslColumn::Int(x) => Nested::of(x.clone()),
        NeslColumn::Float(x) => Nested::of(x.clone()),
        NeslColumn::Char(x) => Nested::of(x.clone()),
        NeslColumn::Bool(x) => Nested::of(x.clone()),
        NeslColumn::Pair(..) => {
            let mut parts = Vec::new();
            let mut rest = column;
            while let NeslColumn::Pair(first, others) = rest {
                parts.push(taken(first, count, as_bytes)?);
                rest = others;
            }
            parts.push(taken(rest, count, as_bytes)?);
            Nested { length: count, layout: Layout::Tuple(parts) }
        }
        NeslColumn::Seq(segments, content) => match &**content {
            NeslColumn::Char(x) if as_bytes => Nested::of(x.clone()).in_bytes(segments)?,
            NeslColumn::Char(x) => Nested::of(x.clone()).in_strings(segments)?,
            content => {
                Nested::lists(&Rows::new(segments.clone()), taken(content, segments.total(), as_bytes)?)
            }
        },
        NeslColumn::Data(values) => taken_variants(values, count, as_bytes)?,
    })
}

/// Values of a datatype are a union, in which constants are their names; those of a datatype that has only constants are a category. Where there is one constant, and one variant that
/// holds something, the constant is a missing value.
fn taken_variants(values: &NeslVariants, count: usize, as_bytes: bool) -> Outcome<Nested> {
    let variants = &values.datatype().variants;
    let words = |names: &mut dyn Iterator<Item = &str>| Nested::from_values(names.collect::<Vec<_>>());
    if values.datatype().is_enumeration() {
        let names = words(&mut variants.iter().map(|variant| &*variant.name))?;
        return Ok(Nested::category(values.tags(), &names));
    }
    if let Some(optional) = values.datatype().optional()
        && let Some(content) = &values.contents()[optional.something]
    {
        let valid = values.tags().eq(optional.something as i64);
        return taken(content, count, as_bytes)?.optional(&valid);
    }
    let mut columns = Vec::new();
    for (variant, content) in variants.iter().zip(values.contents()) {
        columns.push(match content {
            Some(content) => taken(content, count, as_bytes)?,
            None => {
                let name = words(&mut std::iter::once(&*variant.name))?;
                Nested::category(&Array::zeros(&[count]), &name)
            }
        });
    }
    Ok(Nested::united(values.tags(), columns))
}

/// True if there are bytes, and no texts.
pub(super) fn has_bytes_only(nested: &Nested) -> bool {
    fn seen(nested: &Nested) -> [bool; 2] {
        let of_fields = |fields: &mut dyn Iterator<Item = &Nested>| {
            fields.map(seen).fold([false; 2], |all, own| [all[0] | own[0], all[1] | own[1]])
        };
        match &nested.layout {
            Layout::List(Face::String, ..) => [true, false],
            Layout::List(Face::Bytes, ..) => [false, true],
            Layout::List(_, _, content)
            | Layout::Fixed(_, content)
            | Layout::Option(_, content)
            | Layout::Category(_, content) => seen(content),
            Layout::Record(fields) => of_fields(&mut fields.iter().map(|(_, field)| field)),
            Layout::Tuple(fields) | Layout::Union(_, fields) => of_fields(&mut fields.iter()),
            Layout::Leaf(_) | Layout::Meant(..) => [false; 2],
        }
    }
    seen(nested) == [false, true]
}

/// An array is what a mask keeps of it, until it is spread again.
pub(super) fn mapped_present(
    nested: &Nested,
    map: &mut dyn FnMut(&Nested) -> Outcome<Nested>,
) -> Outcome<Nested> {
    use nestled_array::{Direction, Inclusion, Operator};
    let Layout::Option(valid, content) = &nested.layout else { return map(nested) };
    let made = map(&content.compress(valid)?)?;
    let before: Array<i64> = valid.cast();
    let before = before.scan(0, Operator::Add, Inclusion::Exclusive, Direction::Forward);
    Ok(made.take(&valid.select(before, -1))?.blank_outside(valid.clone()))
}
