//! Programs made of functions of Python over arrays: traced once for each combination of types and shapes, called often.

use crate::any::{AnyArray, each};
use crate::array::Array;
use crate::engine::compute;
use crate::errors::OrRaise;
use nestled_array::{Arrays, Jit, Param, jit};
use nestled_fork as fork;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::{Arc, Mutex};

thread_local! {
    /// True while a function is traced in this thread.
    static TRACING: Cell<bool> = const { Cell::new(false) };
}

/// True while a function is traced in this thread: its arguments have no elements.
pub fn is_tracing() -> bool {
    TRACING.get()
}

/// Arrays of any types, and the form of the value of Python that they are the parts of.
struct Parts {
    arrays: Vec<AnyArray>,
    form: Option<Arc<Py<PyAny>>>,
}

impl Arrays for Parts {
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> Parts {
        let arrays = self.arrays.iter().map(|any| each!(any, x => AnyArray::from(x.with(other)))).collect();
        Parts { arrays, form: self.form.clone() }
    }

    /// Types tell traces apart too.
    fn counts(&self, into: &mut Vec<usize>) {
        into.extend(self.arrays.iter().map(|any| any.kind() as usize));
    }
}

type Traced = Box<dyn Fn(Parts) -> Parts + Send + Sync>;

/// A program that is made of a function from a list of arrays to a list of arrays and a form.
#[pyclass(frozen, module = "nestled._nestled")]
pub struct Program {
    function: Py<PyAny>,
    /// Another one after a trace that raised something.
    program: Mutex<Arc<Jit<Traced, (Parts,), Parts>>>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

/// Calls the function with arrays that have no elements yet.
fn traced(function: &Py<PyAny>, given: Parts) -> PyResult<Parts> {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            TRACING.set(self.0);
        }
    }
    let _restore = Restore(TRACING.replace(true));
    Python::attach(|py| {
        let given: Vec<Array> = given.arrays.into_iter().map(Array::from).collect();
        let made = function.bind(py).call1((given,))?;
        let (arrays, form): (Vec<Bound<'_, Array>>, Py<PyAny>) = made.extract()?;
        let arrays = arrays.iter().map(|array| array.get().any.clone()).collect();
        Ok(Parts { arrays, form: Some(Arc::new(form)) })
    })
}

impl Program {
    fn made(function: &Py<PyAny>, raised: &Arc<Mutex<Option<PyErr>>>) -> Arc<Jit<Traced, (Parts,), Parts>> {
        let (function, raised) = (Python::attach(|py| function.clone_ref(py)), Arc::clone(raised));
        Arc::new(jit(Box::new(move |given: Parts| {
            traced(&function, given).unwrap_or_else(|error| {
                *fork::lock(&raised) = Some(error);
                Parts { arrays: Vec::new(), form: None }
            })
        }) as Traced))
    }

    /// An error if the function raised one; the trace is then forgotten.
    fn raised(&self) -> PyResult<()> {
        let Some(error) = fork::lock(&self.raised).take() else { return Ok(()) };
        *fork::lock(&self.program) = Program::made(&self.function, &self.raised);
        Err(error)
    }
}

fn parts(arrays: &[Bound<'_, Array>]) -> Parts {
    Parts { arrays: arrays.iter().map(|array| array.get().any.clone()).collect(), form: None }
}

#[pymethods]
impl Program {
    #[new]
    fn new(function: Py<PyAny>) -> Program {
        let raised = Arc::default();
        Program { program: Mutex::new(Program::made(&function, &raised)), function, raised }
    }

    /// The results for these arrays, and their form.
    fn call(
        &self,
        py: Python<'_>,
        arrays: Vec<Bound<'_, Array>>,
    ) -> PyResult<(Vec<Array>, Option<Py<PyAny>>)> {
        if is_tracing() {
            let parts = traced(&self.function, parts(&arrays))?;
            return Ok((
                parts.arrays.into_iter().map(Array::from).collect(),
                parts.form.map(|form| form.clone_ref(py)),
            ));
        }
        let (given, program) = (parts(&arrays), Arc::clone(&fork::lock(&self.program)));
        let made = compute(py, |_| program.call((&given,)).or_raise());
        self.raised()?;
        let made = made?;
        Ok((made.arrays.into_iter().map(Array::from).collect(), made.form.map(|form| form.clone_ref(py))))
    }

    /// Says how a call with such arrays is computed.
    fn explain(&self, py: Python<'_>, arrays: Vec<Bound<'_, Array>>) -> PyResult<String> {
        if is_tracing() {
            return Err(PyTypeError::new_err("a function that is traced explains nothing"));
        }
        let (given, program) = (parts(&arrays), Arc::clone(&fork::lock(&self.program)));
        let made = compute(py, |_| Ok(program.explain((&given,)).or_raise()?.to_string()));
        self.raised()?;
        made
    }
}
