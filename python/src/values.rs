//! Values of Python as trees of values, and back.

use nestled_nested::Value;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Reads a value: numbers, texts, bytes, `None`, lists, tuples, dicts as records; what has `tolist()` as its list, and what can be iterated as a list.
pub fn read(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Missing);
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Value::Bool(value.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        let value = value.extract().map_err(|_| PyOverflowError::new_err(format!("{value} has no 64 bits")));
        return value.map(Value::Int);
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(value.extract()?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_cow()?.into_owned()));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Value::Bytes(bytes.as_bytes().to_vec()));
    }
    if let Ok(list) = value.cast::<PyList>() {
        return Ok(Value::List(list.iter().map(|value| read(&value)).collect::<PyResult<_>>()?));
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return read_tuple(tuple);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return record(dict);
    }
    if let Ok(listed) = value.call_method0("tolist") {
        return read(&listed);
    }
    match value.try_iter() {
        Ok(values) => Ok(Value::List(values.map(|value| read(&value?)).collect::<PyResult<_>>()?)),
        Err(_) => Err(PyTypeError::new_err(format!("{} is no value of nested data", value.get_type()))),
    }
}

/// A tuple; a named one is a record.
fn read_tuple(tuple: &Bound<'_, PyTuple>) -> PyResult<Value> {
    let values = tuple.iter().map(|value| read(&value)).collect::<PyResult<Vec<_>>>()?;
    match tuple.getattr("_fields").and_then(|fields| fields.extract::<Vec<String>>()) {
        Ok(names) => Ok(Value::Record(names.into_iter().zip(values).collect())),
        Err(_) => Ok(Value::Tuple(values)),
    }
}

fn record(dict: &Bound<'_, PyDict>) -> PyResult<Value> {
    let field = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = name.cast::<PyString>().map_err(|_| PyTypeError::new_err("names of fields are texts"))?;
        Ok((name.to_cow()?.into_owned(), read(&value)?))
    };
    Ok(Value::Record(dict.iter().map(field).collect::<PyResult<_>>()?))
}

/// The value as an object of Python.
pub fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let all = |values: &[Value]| values.iter().map(|value| object(py, value)).collect::<PyResult<Vec<_>>>();
    Ok(match value {
        Value::Missing => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Int(value) => value.into_pyobject(py)?.into_any(),
        Value::Float(value) => PyFloat::new(py, *value).into_any(),
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Value::Meant(..) => PyString::new(py, &value.to_string()).into_any(),
        Value::List(values) => PyList::new(py, all(values)?)?.into_any(),
        Value::Tuple(values) => PyTuple::new(py, all(values)?)?.into_any(),
        Value::Record(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, object(py, value)?)?;
            }
            dict.into_any()
        }
    })
}
