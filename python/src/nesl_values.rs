//! Values of Python as arguments of NESL.
//!
//! Elements are appended to one vector for each scalar of the type ([`Builder`]); arrays and nested data of the package go in as they are.

use crate::any::AnyArray;
use crate::array::Array;
use crate::errors::OrRaise;
use crate::nesl_types::{Datatype, Type, Variant};
use crate::nested::Nested;
use nestled_array::{Array as Lazy, NeslColumn, NeslDatatype, NeslDatum, NeslVariants, Segments};
use nestled_nested as nested;
use nestled_nested::Layer;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Values of one type, a vector for each scalar of it.
enum Builder {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Char(Vec<u8>),
    Bool(Vec<bool>),
    Seq(Vec<usize>, Box<Builder>),
    Tuple(Vec<Builder>),
    /// The number of the variant of each value, and as many contents of each variant that has one.
    Data(Box<NeslDatatype>, Vec<i64>, Vec<Option<Builder>>),
}

/// The argument of this type that a value is.
pub fn argument(value: &Bound<'_, PyAny>, ty: &Type) -> PyResult<NeslDatum> {
    if let Type::Seq(element) = ty {
        if let Ok(array) = value.cast::<Array>() {
            return of_array(&array.get().any, element, ty);
        }
        if let Ok(nested) = value.cast::<Nested>() {
            let nested = &nested.get().nested;
            return Ok(NeslDatum::Seq(nested.len(), column_of(nested, element)?));
        }
        if let Some(array) = of_numpy(value)? {
            return of_array(&array.get().any, element, ty);
        }
    }
    let mut builder = Builder::new(ty);
    builder.push(value, ty)?;
    Ok(builder.datum())
}

/// The types of arguments as a number, four bits for each: numbers, and lists of numbers of one type. 0 if there are others, or integers beyond 64 bits, or lists without elements.
#[pyfunction]
pub fn signature(args: &Bound<'_, PyTuple>) -> u64 {
    let code = args.iter().try_fold(0u64, |code, value| {
        let own = match value.cast_exact::<PyList>() {
            Ok(list) => common_scalar(list)? | 8,
            Err(_) => scalar(&value)?,
        };
        (code >> 60 == 0).then_some(code << 4 | own)
    });
    code.unwrap_or(0)
}

/// The columns of the variants of a union; none of other nested data.
#[pyfunction]
pub fn variants_of(x: &Nested) -> Option<Vec<Nested>> {
    match x.nested.layer() {
        Layer::Union(_, variants) => {
            Some(variants.iter().map(|variant| Nested { nested: variant.clone() }).collect())
        }
        _ => None,
    }
}

fn common_scalar(list: &Bound<'_, PyList>) -> Option<u64> {
    let mut kinds = list.iter().map(|value| scalar(&value));
    let first = kinds.next()??;
    kinds.all(|kind| kind == Some(first)).then_some(first)
}

fn scalar(value: &Bound<'_, PyAny>) -> Option<u64> {
    if value.is_exact_instance_of::<PyInt>() {
        value.extract::<i64>().ok().map(|_| 1)
    } else if value.is_exact_instance_of::<PyFloat>() {
        Some(2)
    } else {
        value.is_exact_instance_of::<PyBool>().then_some(3)
    }
}

/// An array of NumPy's as one of the package.
fn of_numpy<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Array>>> {
    let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyString>();
    if is_list || !value.hasattr("__array_interface__")? {
        return Ok(None);
    }
    let creation = PyModule::import(value.py(), "nestled._creation")?;
    Ok(Some(creation.getattr("from_numpy")?.call1((value,))?.cast_into::<Array>()?))
}

fn unfit(given: impl std::fmt::Display, ty: &Type) -> PyErr {
    PyTypeError::new_err(format!("{given} is no {ty}"))
}

/// An array of the package as a sequence, each axis a level.
fn of_array(any: &AnyArray, element: &Type, ty: &Type) -> PyResult<NeslDatum> {
    if any.shape().is_empty() {
        return Err(unfit("an array of no axis", ty));
    }
    let nested = crate::any::each!(any, x => nested::Nested::from(x));
    Ok(NeslDatum::Seq(nested.len(), column_of(&nested, element)?))
}

/// Nested data as a column of this type.
fn column_of(from: &nested::Nested, ty: &Type) -> PyResult<NeslColumn> {
    let wrong = || unfit(format!("`{}`", from.schema()), ty);
    let rows = |segments: &Segments, content: &nested::Nested, element: &Type| {
        Ok(NeslColumn::Seq(segments.clone(), Box::new(column_of(content, element)?)))
    };
    match (from.layer(), ty) {
        (Layer::Lists(segments, content) | Layer::Strings(segments, content), Type::Seq(element)) => {
            rows(segments, content, element)
        }
        (Layer::Bytes(segments, content), Type::Seq(element)) => rows(segments, content, element),
        (Layer::Fixed(size, content), Type::Seq(element)) => {
            let segments = Segments::with_total(&Lazy::fill(size as i64, &[from.len()]), content.len());
            rows(&segments, content, element)
        }
        (Layer::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
            let columns = parts.iter().zip(types).map(|(part, ty)| column_of(part, ty));
            joined(columns.collect::<PyResult<_>>()?).ok_or_else(wrong)
        }
        (Layer::Record(fields), Type::Tuple(types)) if fields.len() == types.len() => {
            let columns = fields.iter().zip(types).map(|((_, part), ty)| column_of(part, ty));
            joined(columns.collect::<PyResult<_>>()?).ok_or_else(wrong)
        }
        (Layer::Number(_), _) => numbers(from, ty).ok_or_else(wrong),
        (Layer::Category(..), _) | (Layer::Union(..) | Layer::Strings(..), Type::Data(_)) => {
            from.nesl_column(&ty.plain()).or_raise()
        }
        _ => Err(wrong()),
    }
}

/// Numbers as a column: integers of any width as `int`, numbers as `float`, bytes as `char`.
fn numbers(from: &nested::Nested, ty: &Type) -> Option<NeslColumn> {
    let any = crate::nested::numbers(from)?;
    let is_float = matches!(any, AnyArray::Float16(_) | AnyArray::Float32(_) | AnyArray::Float64(_));
    let is_bool = matches!(any, AnyArray::Bool(_));
    Some(match ty {
        Type::Int if !is_float => NeslColumn::Int(crate::any::each!(&any, x => x.cast())),
        Type::Float if !is_bool => NeslColumn::Float(crate::any::each!(&any, x => x.cast())),
        Type::Bool if is_bool => NeslColumn::Bool(crate::any::each!(&any, x => x.cast())),
        Type::Char => match any {
            AnyArray::Uint8(x) => NeslColumn::Char(x),
            _ => return None,
        },
        _ => return None,
    })
}

/// The parts of a tuple as pairs.
fn joined(mut columns: Vec<NeslColumn>) -> Option<NeslColumn> {
    let last = columns.pop()?;
    Some(columns.into_iter().rev().fold(last, |rest, part| NeslColumn::Pair(Box::new(part), Box::new(rest))))
}

/// A letter as the byte that NESL has for it.
fn letters(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    let text = text.to_cow()?;
    let byte = |letter: char| u8::try_from(u32::from(letter));
    text.chars().map(byte).collect::<Result<_, _>>().map_err(|_| {
        PyValueError::new_err(
            "a text has a letter beyond U+00FF, for which NESL has no char: give its code points as [int]",
        )
    })
}

/// Appends the elements of a buffer, if it holds such elements.
fn append<T: pyo3::buffer::Element>(into: &mut Vec<T>, value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let Ok(buffer) = PyBuffer::<T>::get(value) else { return Ok(None) };
    if buffer.dimensions() != 1 {
        return Ok(None);
    }
    let elements = buffer.to_vec(value.py())?;
    let count = elements.len();
    if into.is_empty() {
        *into = elements
    } else {
        into.extend_from_slice(&elements)
    }
    Ok(Some(count))
}

impl Builder {
    fn new(ty: &Type) -> Builder {
        match ty {
            Type::Int => Builder::Int(Vec::new()),
            Type::Float => Builder::Float(Vec::new()),
            Type::Char => Builder::Char(Vec::new()),
            Type::Bool => Builder::Bool(Vec::new()),
            Type::Seq(element) => Builder::Seq(Vec::new(), Box::new(Builder::new(element))),
            Type::Tuple(parts) => Builder::Tuple(parts.iter().map(Builder::new).collect()),
            Type::Data(datatype) => {
                let contents = datatype.variants.iter().map(|variant| variant.content.as_ref());
                let contents = contents.map(|content| content.map(Builder::new)).collect();
                Builder::Data(Box::new(datatype.plain()), Vec::new(), contents)
            }
        }
    }

    fn push(&mut self, value: &Bound<'_, PyAny>, ty: &Type) -> PyResult<()> {
        match (&mut *self, ty) {
            (Builder::Int(into), _) => into.push(integer(value, ty)?),
            (Builder::Float(into), _) => into.push(value.extract().map_err(|_| of_another_type(value, ty))?),
            (Builder::Bool(into), _) => into.push(value.extract().map_err(|_| of_another_type(value, ty))?),
            (Builder::Char(into), _) => {
                let text = value.cast::<PyString>().map_err(|_| of_another_type(value, ty))?;
                match letters(text)?.as_slice() {
                    [letter] => into.push(*letter),
                    _ => return Err(of_another_type(value, ty)),
                }
            }
            (Builder::Seq(lengths, elements), Type::Seq(element)) => {
                lengths.push(elements.push_all(value, element, ty)?);
            }
            (Builder::Tuple(parts), Type::Tuple(types)) => {
                let tuple = value.cast::<PyTuple>().map_err(|_| of_another_type(value, ty))?;
                if tuple.len() != types.len() {
                    return Err(of_another_type(value, ty));
                }
                for ((part, ty), value) in parts.iter_mut().zip(types).zip(tuple) {
                    part.push(&value, ty)?;
                }
            }
            (Builder::Data(_, tags, contents), Type::Data(datatype)) => {
                let own = variant_of(value, datatype, ty)?;
                tags.push(own as i64);
                for (place, (content, variant)) in contents.iter_mut().zip(&datatype.variants).enumerate() {
                    match (content, &variant.content) {
                        (Some(content), Some(ty)) if place == own => content.push(value, ty)?,
                        (Some(content), _) => content.push_blank(),
                        (None, _) => {}
                    }
                }
            }
            _ => return Err(of_another_type(value, ty)),
        }
        Ok(())
    }

    /// Appends some value.
    fn push_blank(&mut self) {
        match self {
            Builder::Int(into) => into.push(0),
            Builder::Float(into) => into.push(0.0),
            Builder::Char(into) => into.push(0),
            Builder::Bool(into) => into.push(false),
            Builder::Seq(lengths, _) => lengths.push(0),
            Builder::Tuple(parts) => parts.iter_mut().for_each(Builder::push_blank),
            Builder::Data(_, tags, contents) => {
                tags.push(0);
                contents.iter_mut().flatten().for_each(Builder::push_blank);
            }
        }
    }

    /// Appends the elements of a sequence, and returns how many they are.
    fn push_all(&mut self, value: &Bound<'_, PyAny>, element: &Type, whole: &Type) -> PyResult<usize> {
        if let Some(count) = self.push_buffer(value)? {
            return Ok(count);
        }
        if let (Builder::Char(into), Ok(text)) = (&mut *self, value.cast::<PyString>()) {
            let letters = letters(text)?;
            into.extend_from_slice(&letters);
            return Ok(letters.len());
        }
        if value.is_instance_of::<PyString>() {
            return Err(of_another_type(value, whole));
        }
        if let Ok(list) = value.cast::<PyList>() {
            list.iter().try_for_each(|value| self.push(&value, element))?;
            return Ok(list.len());
        }
        let mut count = 0;
        for value in value.try_iter().map_err(|_| of_another_type(value, whole))? {
            self.push(&value?, element)?;
            count += 1;
        }
        Ok(count)
    }

    fn push_buffer(&mut self, value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        match self {
            // Lists are what there is most often, and no buffers.
            _ if value.is_instance_of::<PyList>() => Ok(None),
            Builder::Int(into) => append(into, value),
            Builder::Float(into) => append(into, value),
            Builder::Char(into) => match value.cast::<PyBytes>() {
                Ok(bytes) => {
                    into.extend_from_slice(bytes.as_bytes());
                    Ok(Some(bytes.as_bytes().len()))
                }
                Err(_) => Ok(None),
            },
            Builder::Bool(_) | Builder::Seq(..) | Builder::Tuple(..) | Builder::Data(..) => Ok(None),
        }
    }

    /// The only value, as a datum.
    fn datum(self) -> NeslDatum {
        match self {
            Builder::Int(values) => NeslDatum::Int(values[0]),
            Builder::Float(values) => NeslDatum::Float(values[0]),
            Builder::Char(values) => NeslDatum::Char(values[0]),
            Builder::Bool(values) => NeslDatum::Bool(values[0]),
            Builder::Seq(lengths, elements) => NeslDatum::Seq(lengths[0], elements.column()),
            Builder::Data(datatype, tags, mut contents) => {
                let own = tags[0] as usize;
                let content = contents.swap_remove(own).map(|content| Box::new(content.datum()));
                NeslDatum::Data(*datatype, own, content)
            }
            Builder::Tuple(parts) => {
                let mut data: Vec<NeslDatum> = parts.into_iter().map(Builder::datum).collect();
                let last = data.pop().expect("a tuple has parts");
                data.into_iter()
                    .rev()
                    .fold(last, |rest, part| NeslDatum::Pair(Box::new(part), Box::new(rest)))
            }
        }
    }

    fn column(self) -> NeslColumn {
        match self {
            Builder::Int(values) => NeslColumn::Int(Lazy::from_vec(values)),
            Builder::Float(values) => NeslColumn::Float(Lazy::from_vec(values)),
            Builder::Char(values) => NeslColumn::Char(Lazy::from_vec(values)),
            Builder::Bool(values) => NeslColumn::Bool(Lazy::from_vec(values)),
            Builder::Seq(lengths, elements) => {
                NeslColumn::Seq(Segments::from_lengths(&lengths), Box::new(elements.column()))
            }
            Builder::Tuple(parts) => {
                joined(parts.into_iter().map(Builder::column).collect()).expect("a tuple has parts")
            }
            Builder::Data(datatype, tags, contents) => {
                let contents = contents.into_iter().map(|content| content.map(Builder::column)).collect();
                NeslColumn::Data(NeslVariants::known(&datatype, &Lazy::from_vec(tags), contents))
            }
        }
    }
}

/// The only variant of a datatype that a value can be: a constant by its name, others by what they hold. Numbers of another type count where there is nothing else.
fn variant_of(value: &Bound<'_, PyAny>, datatype: &Datatype, ty: &Type) -> PyResult<usize> {
    let all = |fits: fn(&Bound<'_, PyAny>, &Variant) -> bool| {
        let all = datatype.variants.iter().enumerate();
        all.filter(|(_, variant)| fits(value, variant)).map(|(place, _)| place).collect::<Vec<_>>()
    };
    let mut fitting = all(is_variant);
    if fitting.is_empty() {
        fitting = all(|value, variant| {
            variant.content.as_ref().is_some_and(|ty| Builder::new(ty).push(value, ty).is_ok())
        });
    }
    match fitting.as_slice() {
        [own] => Ok(*own),
        [] => Err(of_another_type(value, ty)),
        [one, other, ..] => {
            let (one, other) = (&datatype.variants[*one].name, &datatype.variants[*other].name);
            let message = format!("a value of {ty} could be `{one}` or `{other}`: give nested data instead");
            Err(PyTypeError::new_err(message))
        }
    }
}

fn is_variant(value: &Bound<'_, PyAny>, variant: &Variant) -> bool {
    match &variant.content {
        Some(ty) => is_exactly(value, ty),
        None => value.cast::<PyString>().is_ok_and(|text| *text == *variant.name),
    }
}

/// True if a value is of this type as it is.
fn is_exactly(value: &Bound<'_, PyAny>, ty: &Type) -> bool {
    match ty {
        Type::Int => value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>(),
        Type::Float => value.is_instance_of::<PyFloat>(),
        Type::Bool => value.is_instance_of::<PyBool>(),
        Type::Char => value.cast::<PyString>().is_ok_and(|text| text.len().is_ok_and(|length| length == 1)),
        Type::Seq(element) => match value.cast::<PyList>() {
            Ok(list) => list.iter().all(|value| is_exactly(&value, element)),
            Err(_) => **element == Type::Char && value.is_instance_of::<PyString>(),
        },
        Type::Tuple(types) => value.cast::<PyTuple>().is_ok_and(|tuple| {
            tuple.len() == types.len() && tuple.iter().zip(types).all(|(value, ty)| is_exactly(&value, ty))
        }),
        Type::Data(datatype) => datatype.variants.iter().any(|variant| is_variant(value, variant)),
    }
}

fn of_another_type(value: &Bound<'_, PyAny>, ty: &Type) -> PyErr {
    let shown = value.repr().map_or_else(|_| "a value".to_owned(), |text| text.to_string());
    let short: String = shown.chars().take(60).collect();
    let dots = if short.len() < shown.len() { "…" } else { "" };
    unfit(format!("{short}{dots}"), ty)
}

/// An integer of 64 bits. A float is none, though it may have the same value.
fn integer(value: &Bound<'_, PyAny>, ty: &Type) -> PyResult<i64> {
    value.extract().map_err(|error: PyErr| match error.is_instance_of::<PyOverflowError>(value.py()) {
        true => PyOverflowError::new_err(format!("an {ty} has 64 bits, and an argument does not fit")),
        false => of_another_type(value, ty),
    })
}
