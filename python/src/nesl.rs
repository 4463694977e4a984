//! Functions of a text in NESL as callables of Python.

use crate::engine::compute;
use crate::errors::{OrRaise, exception};
use crate::nesl_results::{Host, kept};
use crate::nesl_types::Type;
use crate::nesl_values::argument;
use nestled_array::{Nesl, NeslDatum, NeslRoutine, NeslType};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A function of a text, for arguments of some types.
type Key = (String, String, Vec<String>);

/// The number of compiled functions that are kept for those who compile the same again.
const KEPT: usize = 4096;

static COMPILED: Mutex<Option<HashMap<Key, Arc<NeslRoutine>>>> = Mutex::new(None);

/// The compiled function, made at most once at a time.
fn compiled(source: &str, entry: &str, types: &[Type]) -> PyResult<Arc<NeslRoutine>> {
    let key = (source.to_owned(), entry.to_owned(), types.iter().map(Type::to_string).collect());
    let lock = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = lock().get_or_insert_default().get(&key) {
        return Ok(Arc::clone(found));
    }
    let plain: Vec<NeslType> = types.iter().map(Type::plain).collect();
    let text = Nesl::compile(source).or_raise()?;
    let made = Arc::new(text.routine(entry, &plain).or_raise()?);
    let mut all = lock();
    let all = all.get_or_insert_default();
    if all.len() >= KEPT {
        all.clear();
    }
    all.insert(key, Arc::clone(&made));
    Ok(made)
}

/// A function of a text in NESL, compiled for arguments of some types.
#[pyclass(frozen, module = "nestled._nestled")]
pub struct NeslFunction {
    source: String,
    entry: String,
    arguments: Vec<Type>,
    result: Type,
    routine: Arc<NeslRoutine>,
}

impl NeslFunction {
    fn given(&self, values: &[Bound<'_, PyAny>]) -> PyResult<Vec<NeslDatum>> {
        if values.len() != self.arguments.len() {
            let message =
                format!("{} takes {} arguments, not {}", self.entry, self.arguments.len(), values.len());
            return Err(pyo3::exceptions::PyTypeError::new_err(message));
        }
        values.iter().zip(&self.arguments).map(|(value, ty)| argument(value, ty)).collect()
    }

    fn run<'py>(
        &self,
        py: Python<'py>,
        values: &[Bound<'py, PyAny>],
        as_python: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = self.given(values)?;
        if !as_python {
            let result = compute(py, |_| self.routine.call(&given).or_raise())?;
            return kept(py, result, &self.result);
        }
        let result = compute(py, |_| Host::of(&self.routine.call(&given).or_raise()?))?;
        let mut objects = result.objects(py, &self.result)?;
        objects.pop().ok_or_else(|| exception("NeslError", "there is no result".to_owned()))
    }
}

/// What a program printed, the title and the SVG of each drawing, and its definitions.
type Outcome = (String, Vec<(String, String)>, String);

/// Runs a program.
#[pyfunction]
fn run_nesl(py: Python<'_>, text: &str) -> PyResult<Outcome> {
    let run = compute(py, |_| Nesl::run(text).or_raise())?;
    Ok((run.printed, run.drawings, run.definitions))
}

/// Adds what is here to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<NeslFunction>()?;
    module.add_function(wrap_pyfunction!(run_nesl, module)?)
}

#[pymethods]
impl NeslFunction {
    /// Compiles the function `entry` of a text. Where the result has tuples of more than two parts, `result_type` says so: `"(int, int, int)"`.
    #[new]
    #[pyo3(signature = (source, entry, arg_types, result_type=None))]
    fn new(
        py: Python<'_>,
        source: String,
        entry: String,
        arg_types: Vec<String>,
        result_type: Option<String>,
    ) -> PyResult<NeslFunction> {
        let arguments: Vec<Type> = arg_types.iter().map(|text| Type::parse(text)).collect::<PyResult<_>>()?;
        let routine = py.detach(|| compiled(&source, &entry, &arguments))?;
        let arguments = arguments.iter().zip(routine.arguments()).map(|(ty, plain)| ty.with(plain));
        let arguments = arguments.collect();
        let result = match result_type {
            None => Type::of(routine.result()),
            Some(text) => Type::parse(&text)?.with(routine.result()),
        };
        if result.plain() != *routine.result() {
            return Err(exception(
                "NeslError",
                format!("`{entry}` gives {}, not {result}", routine.result()),
            ));
        }
        Ok(NeslFunction { source, entry, arguments, result, routine })
    }

    /// Calls the function with the arguments of a list or tuple. With `as_python` the result is made of Python's numbers, lists, tuples and texts; without, sequences are
    /// arrays and nested data that stay on the device.
    #[pyo3(signature = (args, as_python=false))]
    fn call<'py>(
        &self,
        py: Python<'py>,
        args: Vec<Bound<'py, PyAny>>,
        as_python: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.run(py, &args, as_python)
    }

    #[pyo3(signature = (*args, as_python=false))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        as_python: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.run(py, &args.iter().collect::<Vec<_>>(), as_python)
    }

    /// The text.
    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    /// The name of the function.
    #[getter]
    fn entry(&self) -> &str {
        &self.entry
    }

    /// The types of the arguments.
    #[getter]
    fn arg_types(&self) -> Vec<String> {
        self.arguments.iter().map(Type::to_string).collect()
    }

    /// The type of the result.
    #[getter]
    fn result_type(&self) -> String {
        self.result.to_string()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, pyo3::types::PyType>, (String, String, Vec<String>, String)) {
        let own = slf.get();
        let parts = (own.source.clone(), own.entry.clone(), own.arg_types(), own.result_type());
        (slf.get_type(), parts)
    }

    fn __repr__(&self) -> String {
        let arguments: Vec<String> = self.arg_types();
        format!("<NESL function {}({}) -> {}>", self.entry, arguments.join(", "), self.result)
    }
}
