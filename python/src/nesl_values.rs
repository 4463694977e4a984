//! Values of Python as arguments of NESL, and results back.
//!
//! On the way in, elements are appended to one vector for each scalar of the type ([`Builder`]); arrays and nested data of the package go in as they are. On the way out,
//! objects are made from the innermost columns outward.

use crate::any::AnyArray;
use crate::array::Array;
use crate::errors::{OrRaise, exception};
use crate::nesl_types::Type;
use crate::nested::Nested;
use nestled_array::{Array as Lazy, NeslColumn, NeslDatum, Segments};
use nestled_nested as nested;
use nestled_nested::Layer;
use pyo3::BoundObject;
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
            _ => return Err(of_another_type(value, ty)),
        }
        Ok(())
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
            Builder::Bool(_) | Builder::Seq(..) | Builder::Tuple(..) => Ok(None),
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
        }
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

/// A result on the host: for each scalar of the type its values.
pub enum Host {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Char(Vec<u8>),
    Bool(Vec<bool>),
    Pair(Box<Host>, Box<Host>),
    Seq(Vec<i64>, Box<Host>),
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
        })
    }

    /// The values as objects, in order; pairs as the type says, which has as many parts.
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
        (NeslDatum::Seq(_, elements), Type::Seq(element)) if **element != Type::Char => {
            let any = match elements {
                NeslColumn::Int(array) => AnyArray::from(array),
                NeslColumn::Float(array) => AnyArray::from(array),
                NeslColumn::Bool(array) => AnyArray::from(array),
                other => {
                    let nested = nested_of(&other, element)?;
                    return Ok(Bound::new(py, Nested { nested })?.into_any());
                }
            };
            Ok(Bound::new(py, Array { any })?.into_any())
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

/// A column as nested data.
fn nested_of(column: &NeslColumn, ty: &Type) -> PyResult<nested::Nested> {
    Ok(match (column, ty) {
        (NeslColumn::Int(array), _) => nested::Nested::from(array),
        (NeslColumn::Float(array), _) => nested::Nested::from(array),
        (NeslColumn::Char(array), _) => nested::Nested::from(array),
        (NeslColumn::Bool(array), _) => nested::Nested::from(array),
        (NeslColumn::Seq(segments, elements), Type::Seq(element)) => {
            let content = nested_of(elements, element)?;
            match **element {
                Type::Char => {
                    content.in_strings(segments).or_else(|_| content.in_bytes(segments)).or_raise()?
                }
                _ => content.in_lists(segments).or_raise()?,
            }
        }
        (NeslColumn::Pair(left, right), Type::Tuple(types)) => {
            let mut parts = vec![nested_of(left, &types[0])?];
            let mut rest = &**right;
            for (place, ty) in types.iter().enumerate().skip(1) {
                match rest {
                    NeslColumn::Pair(first, others) if place + 1 < types.len() => {
                        parts.push(nested_of(first, ty)?);
                        rest = others;
                    }
                    other => parts.push(nested_of(other, ty)?),
                }
            }
            nested::Nested::tuples(&parts.iter().collect::<Vec<_>>()).or_raise()?
        }
        _ => return Err(exception("NeslError", format!("the result is no {ty}"))),
    })
}
