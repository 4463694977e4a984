//! Operations of texts that take more than a text.

use crate::nested::Nested;
use crate::nested_operations::run;
use nestled_nested::{Case, Ends, Letters};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

fn ends(name: &str) -> PyResult<Ends> {
    Ok(match name {
        "left" => Ends::Left,
        "right" => Ends::Right,
        "both" => Ends::Both,
        _ => return Err(PyValueError::new_err(format!("texts have no end `{name}`"))),
    })
}

/// True for each text whose characters are all of a kind.
#[pyfunction]
fn letters_are(py: Python<'_>, name: &str, x: &Nested) -> PyResult<Nested> {
    let letters = match name {
        "alnum" => Letters::Alphanumeric,
        "alpha" => Letters::Alphabetic,
        "ascii" => Letters::Ascii,
        "digit" => Letters::Digits,
        "lower" => Letters::Lower,
        "printable" => Letters::Printable,
        "space" => Letters::Space,
        "title" => Letters::Title,
        "upper" => Letters::Upper,
        _ => return Err(PyValueError::new_err(format!("there is no kind `{name}` of characters"))),
    };
    run(py, || x.nested.letters_are(letters))
}

/// Texts with their letters in other cases.
#[pyfunction]
fn with_case(py: Python<'_>, name: &str, x: &Nested) -> PyResult<Nested> {
    let case = match name {
        "capitalize" => Case::Capital,
        "swapcase" => Case::Swapped,
        "title" => Case::Title,
        _ => return Err(PyValueError::new_err(format!("there is no case `{name}`"))),
    };
    run(py, || x.nested.with_case(case))
}

/// A slice of each text.
#[pyfunction]
fn slice_texts(
    py: Python<'_>,
    x: &Nested,
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
) -> PyResult<Nested> {
    run(py, || x.nested.slice_texts(start, stop, step))
}

/// Texts with another in the place of a slice.
#[pyfunction]
fn replace_slice(py: Python<'_>, x: &Nested, start: i64, stop: i64, by: &str) -> PyResult<Nested> {
    run(py, || x.nested.replace_slice(start, stop, by))
}

/// Texts that have a width at least.
#[pyfunction]
fn pad_texts(py: Python<'_>, x: &Nested, width: i64, filler: &str, at: &str) -> PyResult<Nested> {
    let ends = ends(at)?;
    run(py, || x.nested.pad_texts(width, filler, ends))
}

/// Texts without some characters at their ends.
#[pyfunction]
fn trim_of(py: Python<'_>, x: &Nested, characters: &str, at: &str) -> PyResult<Nested> {
    let ends = ends(at)?;
    run(py, || x.nested.trim_of(characters, ends))
}

/// Texts so many times.
#[pyfunction]
fn repeat_texts(py: Python<'_>, x: &Nested, times: i64) -> PyResult<Nested> {
    run(py, || x.nested.repeat_texts(times))
}

/// The parts of texts around another, or around white space; around the first or last places only with `most`.
#[pyfunction]
fn split_texts(
    py: Python<'_>,
    x: &Nested,
    pattern: Option<&str>,
    most: Option<i64>,
    from_end: bool,
) -> PyResult<Nested> {
    let limit = most.map(|most| (most, if from_end { Ends::Right } else { Ends::Left }));
    run(py, || x.nested.split_texts(pattern, limit))
}

/// The parts of texts around the matches of a regular expression; around the first or last ones only with `most`.
#[pyfunction]
fn split_regex(
    py: Python<'_>,
    x: &Nested,
    pattern: &str,
    most: Option<i64>,
    from_end: bool,
) -> PyResult<Nested> {
    let limit = most.map(|most| (most, if from_end { Ends::Right } else { Ends::Left }));
    run(py, || x.nested.split_regex(pattern, limit))
}

/// The texts with another in the place of each match of a regular expression.
#[pyfunction]
fn replace_regex(py: Python<'_>, x: &Nested, pattern: &str, by: &str) -> PyResult<Nested> {
    run(py, || x.nested.replace_regex(pattern, by))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(letters_are, module)?)?;
    module.add_function(wrap_pyfunction!(with_case, module)?)?;
    module.add_function(wrap_pyfunction!(slice_texts, module)?)?;
    module.add_function(wrap_pyfunction!(replace_slice, module)?)?;
    module.add_function(wrap_pyfunction!(pad_texts, module)?)?;
    module.add_function(wrap_pyfunction!(trim_of, module)?)?;
    module.add_function(wrap_pyfunction!(repeat_texts, module)?)?;
    module.add_function(wrap_pyfunction!(split_regex, module)?)?;
    module.add_function(wrap_pyfunction!(replace_regex, module)?)?;
    module.add_function(wrap_pyfunction!(split_texts, module)?)
}
