//! Errors: those of arrays as exceptions of the package (`nestled/_errors.py`).

use nestled_array::{Error, Reason};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// An exception of the package, with this message.
pub fn exception(class: &'static str, message: String) -> PyErr {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    Python::attach(|py| {
        let found = MODULE
            .get_or_try_init(py, || PyModule::import(py, "nestled._errors").map(Bound::unbind))
            .and_then(|module| module.bind(py).getattr(class))
            .and_then(|class| class.call1((message,)));
        found.map_or_else(|error| error, PyErr::from_value)
    })
}

/// True if an exception says that a computation was cancelled.
pub fn is_cancelled(py: Python<'_>, error: &PyErr) -> bool {
    error.get_type(py).name().is_ok_and(|name| name == "Cancelled")
}

/// The exception for an error of arrays. Its place would be a line of this crate: Python's own traceback names the caller's.
pub fn raised(error: &Error) -> PyErr {
    let in_words = |text: &str| match error.operation() {
        "nesl" | "eval" => text.to_owned(),
        operation => format!("{operation}: {text}"),
    };
    // Whoever pressed Ctrl-C gets what Python's handler raises.
    if *error.reason() == Reason::Cancelled
        && let Err(wanted) = Python::attach(|py| py.check_signals())
    {
        return wanted;
    }
    let (class, message) = match error.reason() {
        Reason::Shapes(left, right) => {
            ("ShapeError", in_words(&format!("the shapes {left} and {right} do not go together")))
        }
        Reason::Argument(text) if error.operation() == "nesl" => ("NeslError", text.clone()),
        Reason::Argument(text) => ("ShapeError", in_words(text)),
        Reason::Fault(text) => ("Fault", in_words(text)),
        Reason::OutOfMemory(text) => ("OutOfMemory", in_words(text)),
        Reason::Cancelled => ("Cancelled", in_words("cancelled")),
        Reason::Deadline => ("Cancelled", in_words("the deadline has passed")),
        Reason::File(text) => ("FileError", in_words(text)),
        Reason::Device(text) => ("DeviceError", in_words(text)),
        Reason::Bug(text) => return PyRuntimeError::new_err(format!("a bug in Nestled: {}", in_words(text))),
        other => ("Error", in_words(&format!("{other:?}"))),
    };
    exception(class, message)
}

/// Results of arrays as results of Python.
pub trait OrRaise<T> {
    /// The value, or the exception for the error.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for nestled_array::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| raised(&error))
    }
}
