//! Results of NESL as values of Python: objects are made from the innermost columns outward, or results stay where they were computed.

use crate::any::AnyArray;
use crate::array::Array;
use crate::errors::{OrRaise, exception};
use crate::nesl_types::Type;
use crate::nested::Nested;
use nestled_array::{NeslColumn, NeslDatum, NeslVariants};
use nestled_nested as nested;
use pyo3::BoundObject;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyString, PyTuple};

/// A result on the host: for each scalar of the type its values.
pub enum Host {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Char(Vec<u8>),
    Bool(Vec<bool>),
    Pair(Box<Host>, Box<Host>),
    Seq(Vec<i64>, Box<Host>),
    /// For each value the number of its variant, and as many contents of each variant that has one.
    Data(Vec<i64>, Vec<Option<Host>>),
    /// The number of a variant, and its content.
    Variant(usize, Option<Box<Host>>),
}

impl Host {
    /// Computes a result, and copies it to the host.
    pub fn of(datum: &NeslDatum) -> PyResult<Host> {
        Ok(match datum {
            NeslDatum::Int(value) => Host::Int(vec![*value]),
            NeslDatum::Float(value) => Host::Float(vec![*value]),
            NeslDatum::Char(value) => Host::Char(vec![*value]),
            NeslDatum::Bool(value) => Host::Bool(vec![*value]),
            NeslDatum::Pair(left, right) => Host::Pair(Box::new(Host::of(left)?), Box::new(Host::of(right)?)),
            NeslDatum::Seq(length, elements) => {
                Host::Seq(vec![*length as i64], Box::new(Host::of_column(elements)?))
            }
            NeslDatum::Data(_, variant, content) => {
                let content = content.as_deref().map(Host::of).transpose()?;
                Host::Variant(*variant, content.map(Box::new))
            }
        })
    }

    fn of_column(column: &NeslColumn) -> PyResult<Host> {
        Ok(match column {
            NeslColumn::Int(array) => Host::Int(array.to_vec().or_raise()?),
            NeslColumn::Float(array) => Host::Float(array.to_vec().or_raise()?),
            NeslColumn::Char(array) => Host::Char(array.to_vec().or_raise()?),
            NeslColumn::Bool(array) => Host::Bool(array.to_vec().or_raise()?),
            NeslColumn::Pair(left, right) => {
                Host::Pair(Box::new(Host::of_column(left)?), Box::new(Host::of_column(right)?))
            }
            NeslColumn::Seq(segments, elements) => {
                Host::Seq(segments.lengths().to_vec().or_raise()?, Box::new(Host::of_column(elements)?))
            }
            NeslColumn::Data(values) => Host::of_variants(values)?,
        })
    }

    fn of_variants(values: &NeslVariants) -> PyResult<Host> {
        let content = |content: &Option<NeslColumn>| content.as_ref().map(Host::of_column).transpose();
        let contents = values.contents().iter().map(content).collect::<PyResult<_>>()?;
        Ok(Host::Data(values.tags().to_vec().or_raise()?, contents))
    }

    /// The values as objects, in order; constants as their names; pairs as the type says, which has as many parts.
    pub fn objects<'py>(&self, py: Python<'py>, ty: &Type) -> PyResult<Vec<Bound<'py, PyAny>>> {
        fn all<'py, T: Copy + IntoPyObject<'py>>(
            py: Python<'py>,
            values: &[T],
        ) -> PyResult<Vec<Bound<'py, PyAny>>> {
            values
                .iter()
                .map(|&value| {
                    value.into_pyobject(py).map_err(Into::into).map(|made| made.into_any().into_bound())
                })
                .collect()
        }
        Ok(match (self, ty) {
            (Host::Int(values), _) => all(py, values)?,
            (Host::Float(values), _) => all(py, values)?,
            (Host::Bool(values), _) => {
                values.iter().map(|&value| PyBool::new(py, value).to_owned().into_any()).collect()
            }
            (Host::Char(bytes), _) => bytes.iter().map(|&byte| text(py, &[byte]).into_any()).collect(),
            (Host::Seq(lengths, elements), Type::Seq(element)) => match &**elements {
                Host::Char(bytes) => cut(lengths, bytes).map(|bytes| text(py, bytes).into_any()).collect(),
                elements => {
                    let elements = elements.objects(py, element)?;
                    let lists =
                        cut(lengths, &elements).map(|list| PyList::new(py, list).map(Bound::into_any));
                    lists.collect::<PyResult<_>>()?
                }
            },
            (Host::Pair(..), Type::Tuple(types)) => {
                let mut columns = Vec::new();
                self.parts(py, types, &mut columns)?;
                let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
                let mut tuples = Vec::new();
                while let Some(first) = columns[0].next() {
                    let rest: Vec<_> = columns[1..].iter_mut().filter_map(Iterator::next).collect();
                    tuples.push(
                        PyTuple::new(py, std::iter::once(first).chain(rest).collect::<Vec<_>>())?.into_any(),
                    );
                }
                tuples
            }
            (Host::Data(tags, contents), Type::Data(datatype)) => {
                let mut columns = Vec::new();
                for (content, variant) in contents.iter().zip(&datatype.variants) {
                    columns.push(match (content, &variant.content) {
                        (Some(content), Some(ty)) => content.objects(py, ty)?,
                        _ => vec![PyString::new(py, &variant.name).into_any(); tags.len()],
                    });
                }
                let of = |(place, &tag): (usize, &i64)| columns[tag as usize][place].clone();
                tags.iter().enumerate().map(of).collect()
            }
            (Host::Variant(variant, content), Type::Data(datatype)) => {
                let variant = &datatype.variants[*variant];
                match (content, &variant.content) {
                    (Some(content), Some(ty)) => content.objects(py, ty)?,
                    _ => vec![PyString::new(py, &variant.name).into_any()],
                }
            }
            _ => return Err(exception("NeslError", format!("the result is no {ty}"))),
        })
    }

    fn parts<'py>(
        &self,
        py: Python<'py>,
        types: &[Type],
        into: &mut Vec<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<()> {
        match (self, types) {
            (_, [last]) => into.push(self.objects(py, last)?),
            (Host::Pair(left, right), [first, rest @ ..]) => {
                into.push(left.objects(py, first)?);
                right.parts(py, rest, into)?;
            }
            _ => return Err(exception("NeslError", "the result has not so many parts".to_owned())),
        }
        Ok(())
    }
}

/// A text of bytes, each of which is a letter.
fn text<'py>(py: Python<'py>, bytes: &[u8]) -> Bound<'py, PyString> {
    PyString::new(py, &bytes.iter().map(|&byte| char::from(byte)).collect::<String>())
}

/// Consecutive parts of these lengths.
fn cut<'e, T>(lengths: &'e [i64], elements: &'e [T]) -> impl Iterator<Item = &'e [T]> {
    let mut rest = elements;
    lengths.iter().map(move |&length| {
        let (part, after) = rest.split_at((length.max(0) as usize).min(rest.len()));
        rest = after;
        part
    })
}

/// A result that stays where it was computed: a number, an array, nested data, or a tuple of these.
pub fn kept<'py>(py: Python<'py>, datum: NeslDatum, ty: &Type) -> PyResult<Bound<'py, PyAny>> {
    match (datum, ty) {
        (NeslDatum::Seq(length, elements), Type::Seq(element)) if **element != Type::Char => {
            let any = match elements {
                NeslColumn::Int(array) => AnyArray::from(array),
                NeslColumn::Float(array) => AnyArray::from(array),
                NeslColumn::Bool(array) => AnyArray::from(array),
                other => {
                    let nested = nested_of(&other, element, length)?;
                    return Ok(Bound::new(py, Nested { nested })?.into_any());
                }
            };
            Ok(Bound::new(py, Array::from(any))?.into_any())
        }
        (NeslDatum::Pair(left, right), Type::Tuple(types)) => {
            let [first, rest @ ..] = types.as_slice() else { unreachable!("a tuple has parts") };
            let mut parts = vec![kept(py, *left, first)?];
            match rest {
                [last] => parts.push(kept(py, *right, last)?),
                _ => {
                    let others = kept(py, *right, &Type::Tuple(rest.to_vec()))?;
                    parts.extend(others.cast::<PyTuple>()?.iter());
                }
            }
            Ok(PyTuple::new(py, parts)?.into_any())
        }
        (datum, ty) => {
            let mut objects = Host::of(&datum)?.objects(py, ty)?;
            objects.pop().ok_or_else(|| exception("NeslError", "there is no result".to_owned()))
        }
    }
}

/// A column of so many elements as nested data.
fn nested_of(column: &NeslColumn, ty: &Type, count: usize) -> PyResult<nested::Nested> {
    Ok(match (column, ty) {
        (NeslColumn::Int(array), _) => nested::Nested::from(array),
        (NeslColumn::Float(array), _) => nested::Nested::from(array),
        (NeslColumn::Char(array), _) => nested::Nested::from(array),
        (NeslColumn::Bool(array), _) => nested::Nested::from(array),
        (NeslColumn::Seq(segments, elements), Type::Seq(element)) => {
            let content = nested_of(elements, element, segments.total())?;
            match **element {
                Type::Char => {
                    content.in_strings(segments).or_else(|_| content.in_bytes(segments)).or_raise()?
                }
                _ => content.in_lists(segments).or_raise()?,
            }
        }
        (NeslColumn::Pair(left, right), Type::Tuple(types)) => {
            let mut parts = vec![nested_of(left, &types[0], count)?];
            let mut rest = &**right;
            for (place, ty) in types.iter().enumerate().skip(1) {
                match rest {
                    NeslColumn::Pair(first, others) if place + 1 < types.len() => {
                        parts.push(nested_of(first, ty, count)?);
                        rest = others;
                    }
                    other => parts.push(nested_of(other, ty, count)?),
                }
            }
            nested::Nested::tuples(&parts.iter().collect::<Vec<_>>()).or_raise()?
        }
        (NeslColumn::Data(_), Type::Data(_)) => nested::Nested::of_nesl_column(column, count).or_raise()?,
        _ => return Err(exception("NeslError", format!("the result is no {ty}"))),
    })
}
