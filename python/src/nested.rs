//! The class of nested data: how it comes in and goes out, and what it is made of.

use crate::any::{AnyArray, each, typed};
use crate::array::Array;
use crate::engine::within;
use crate::errors::OrRaise;
use crate::values;
use nestled_array as lazy;
use nestled_array::F16;
use nestled_nested as nested;
use nestled_nested::{Layer, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Nested data of any schema: lists, records, missing values, texts, as columns of lazy arrays. It never changes.
#[pyclass(frozen, weakref, module = "nestled")]
pub struct Nested {
    pub nested: nested::Nested,
}

impl From<nested::Nested> for Nested {
    fn from(nested: nested::Nested) -> Nested {
        Nested { nested }
    }
}

#[pymethods]
impl Nested {
    fn __len__(&self) -> usize {
        self.nested.len()
    }

    /// The names of the fields of its records.
    #[getter]
    fn fields(&self) -> Vec<String> {
        self.nested.fields()
    }

    /// The number of elements and the schema, as Awkward writes a type.
    #[getter]
    fn typestr(&self) -> String {
        self.nested.type_string()
    }

    /// The schema of the elements.
    #[getter]
    fn schema(&self) -> String {
        self.nested.schema().to_string()
    }
}

/// The numbers of nested data that has nothing else.
pub fn numbers(from: &nested::Nested) -> Option<AnyArray> {
    let Layer::Number(kind) = from.layer() else { return None };
    typed!(kind, T => lazy::Array::<T>::try_from(from).ok().map(AnyArray::from))
}

/// Nested data from values, with a schema that is inferred or given.
#[pyfunction]
fn from_values(py: Python<'_>, values: &Bound<'_, PyAny>, schema: Option<&str>) -> PyResult<Nested> {
    let nested::Value::List(values) = values::read(values)? else {
        return Err(PyValueError::new_err("nested data is made of a list"));
    };
    let schema = schema.map(str::parse::<Schema>).transpose();
    let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let made = py.detach(|| match schema {
        None => nested::Nested::from_values(values),
        Some(schema) => nested::Nested::from_values_as(&schema, values),
    });
    Ok(made.or_raise()?.into())
}

/// The elements as objects of Python.
#[pyfunction]
fn to_list<'py>(py: Python<'py>, x: &Nested) -> PyResult<Bound<'py, PyAny>> {
    let value = py.detach(|| within(|_| x.nested.to_list())).or_raise()?;
    values::object(py, &value)
}

/// As text, of so many lines and columns.
#[pyfunction]
fn show(py: Python<'_>, x: &Nested, lines: usize, columns: usize) -> PyResult<String> {
    py.detach(|| within(|_| x.nested.show(lines, columns))).or_raise()
}

/// An array as nested data; axes after the first become lists of one length.
#[pyfunction]
fn from_array(x: &Array) -> PyResult<Nested> {
    if x.any.shape().is_empty() {
        return Err(PyValueError::new_err("an array of no axis is no list"));
    }
    Ok(each!(&x.any, x => nested::Nested::from(x)).into())
}

/// The outermost layer: its name, and its parts.
#[pyfunction]
fn part<'py>(py: Python<'py>, x: &Nested) -> PyResult<Bound<'py, PyTuple>> {
    let new = |nested: &nested::Nested| Bound::new(py, Nested { nested: nested.clone() });
    let array = |any: AnyArray| Bound::new(py, Array::from(any));
    let lists = |name: &'static str, segments: &lazy::Segments, content: &nested::Nested| {
        (name, array(segments.lengths().clone().into())?, new(content)?).into_pyobject(py)
    };
    match x.nested.layer() {
        Layer::Number(_) => {
            let any = numbers(&x.nested).ok_or_else(|| PyValueError::new_err("there are no numbers"))?;
            ("numbers", array(any)?).into_pyobject(py)
        }
        Layer::Union(..) => {
            let what = format!("`{}` is a union, which has no part of its own", x.nested.schema());
            Err(PyValueError::new_err(what))
        }
        Layer::Meant(meaning) => {
            let any = x.nested.as_integers().ok().as_ref().and_then(numbers);
            let any =
                any.ok_or_else(|| PyValueError::new_err(format!("there are no integers of `{meaning}`")))?;
            ("numbers", array(any)?).into_pyobject(py)
        }
        Layer::Lists(segments, content) => lists("lists", segments, content),
        Layer::Strings(segments, content) => lists("strings", segments, content),
        Layer::Bytes(segments, content) => lists("bytes", segments, content),
        Layer::Fixed(size, content) => ("fixed", size, new(content)?).into_pyobject(py),
        Layer::Record(fields) => {
            let dict = PyDict::new(py);
            for (name, field) in fields {
                dict.set_item(name, new(field)?)?;
            }
            ("record", dict).into_pyobject(py)
        }
        Layer::Tuple(fields) => {
            let fields = fields.iter().map(new).collect::<PyResult<Vec<_>>>()?;
            ("tuple", PyTuple::new(py, fields)?).into_pyobject(py)
        }
        Layer::Option(valid, content) => {
            ("option", array(valid.clone().into())?, new(content)?).into_pyobject(py)
        }
        Layer::Category(codes, words) => {
            ("category", array(codes.clone().into())?, new(words)?).into_pyobject(py)
        }
    }
}

/// Lists, strings or bytes of these lengths, whose elements lie one after another.
#[pyfunction]
fn in_lists(py: Python<'_>, face: &str, lengths: &Array, content: &Nested) -> PyResult<Nested> {
    let lengths = lengths.any.typed::<i64>()?;
    let made = py.detach(|| {
        within(|_| {
            let segments = lazy::Segments::of(lengths)?;
            match face {
                "strings" => content.nested.in_strings(&segments),
                "bytes" => content.nested.in_bytes(&segments),
                _ => content.nested.in_lists(&segments),
            }
        })
    });
    Ok(made.or_raise()?.into())
}

/// Lists of one length.
#[pyfunction]
fn in_fixed(content: &Nested, size: usize) -> PyResult<Nested> {
    Ok(content.nested.in_fixed(size).or_raise()?.into())
}

/// Elements that are missing where a mask is false.
#[pyfunction]
fn with_validity(py: Python<'_>, content: &Nested, valid: &Array) -> PyResult<Nested> {
    let valid = valid.any.typed::<bool>()?;
    Ok(py.detach(|| within(|_| content.nested.with_validity(valid))).or_raise()?.into())
}

/// For each code its word.
#[pyfunction]
fn categories(py: Python<'_>, codes: &Array, words: &Nested) -> PyResult<Nested> {
    let codes = codes.any.typed::<i64>()?;
    Ok(py.detach(|| within(|_| nested::Nested::categories(codes, &words.nested))).or_raise()?.into())
}

/// Records of elements at the same places; without names, tuples.
#[pyfunction]
fn records(names: Option<Vec<String>>, parts: Vec<PyRef<'_, Nested>>) -> PyResult<Nested> {
    let parts: Vec<&nested::Nested> = parts.iter().map(|part| &part.nested).collect();
    let made = match &names {
        None => nested::Nested::tuples(&parts),
        Some(names) => {
            let fields: Vec<(&str, &nested::Nested)> = names.iter().map(String::as_str).zip(parts).collect();
            nested::Nested::records(&fields)
        }
    };
    Ok(made.or_raise()?.into())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(from_values, module)?)?;
    module.add_function(wrap_pyfunction!(to_list, module)?)?;
    module.add_function(wrap_pyfunction!(show, module)?)?;
    module.add_function(wrap_pyfunction!(from_array, module)?)?;
    module.add_function(wrap_pyfunction!(part, module)?)?;
    module.add_function(wrap_pyfunction!(in_lists, module)?)?;
    module.add_function(wrap_pyfunction!(in_fixed, module)?)?;
    module.add_function(wrap_pyfunction!(with_validity, module)?)?;
    module.add_function(wrap_pyfunction!(categories, module)?)?;
    module.add_function(wrap_pyfunction!(records, module)?)
}
