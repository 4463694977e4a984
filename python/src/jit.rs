//! Programs made of functions of Python over arrays: traced once for each combination of types and shapes, called often.

use crate::any::{AnyArray, each, typed};
use crate::array::Array;
use crate::engine::compute;
use crate::errors::OrRaise;
use crate::explained::{Explained, explained};
use nestled_array::{Array as Lazy, Arrays, Carried, Error, F16, Jit, NodeHandle, Param, jit, while_of};
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

/// This thread traces until this is dropped.
struct Tracing(bool);

impl Tracing {
    fn begin() -> Tracing {
        Tracing(TRACING.replace(true))
    }
}

impl Drop for Tracing {
    fn drop(&mut self) {
        TRACING.set(self.0);
    }
}

/// Calls the function with arrays that have no elements yet.
fn traced(function: &Py<PyAny>, given: Parts) -> PyResult<Parts> {
    let _tracing = Tracing::begin();
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
    fn explain(&self, py: Python<'_>, arrays: Vec<Bound<'_, Array>>) -> PyResult<Explained> {
        if is_tracing() {
            return Err(PyTypeError::new_err("a function that is traced explains nothing"));
        }
        let (given, program) = (parts(&arrays), Arc::clone(&fork::lock(&self.program)));
        let made = compute(py, |_| Ok(explained(&program.explain((&given,)).or_raise()?)));
        self.raised()?;
        made
    }
}

/// An exception of a closure, or an error of a loop.
struct Failure(PyErr);

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure(Err::<(), _>(error).or_raise().err().unwrap_or_else(|| PyTypeError::new_err("a loop failed")))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure(error)
    }
}

fn handles(arrays: &[AnyArray]) -> Vec<NodeHandle> {
    arrays.iter().flat_map(|any| each!(any, x => (x.clone(),).nodes())).collect()
}

/// Repeats `step` on arrays, for each element by itself, as long as `going` holds. Both get a list of arrays of no axis; one gives a boolean, the other a list.
#[pyfunction]
#[pyo3(name = "while_loop")]
fn repeated<'py>(
    going: &Bound<'py, PyAny>,
    step: &Bound<'py, PyAny>,
    start: Vec<Bound<'py, Array>>,
) -> PyResult<Vec<Array>> {
    let start = parts(&start).arrays;
    let kinds: Vec<_> = start.iter().map(AnyArray::kind).collect();
    let types: Vec<_> =
        kinds.iter().map(|&kind| typed!(kind, T => <T as nestled_array::Element>::TYPE)).collect();
    let arrays = |nodes: Vec<NodeHandle>| -> Result<Vec<AnyArray>, Failure> {
        let lost = || Failure(PyTypeError::new_err("a carried array is missing"));
        let of = |(node, &kind)| typed!(kind, T => <(Lazy<T>,)>::of(vec![node]).map(|(x,)| AnyArray::from(x)).ok_or_else(lost));
        nodes.into_iter().zip(&kinds).map(of).collect()
    };
    let called = |function: &Bound<'py, PyAny>, nodes| -> Result<Bound<'py, PyAny>, Failure> {
        let given: Vec<Array> = arrays(nodes)?.into_iter().map(Array::from).collect();
        Ok(function.call1((given,))?)
    };
    let _tracing = Tracing::begin();
    let made = while_of(
        &types,
        handles(&start),
        |nodes| {
            let made: Bound<'_, Array> = called(going, nodes)?.extract().map_err(PyErr::from)?;
            handles(&[made.get().any.clone()]).pop().ok_or_else(|| Failure(PyTypeError::new_err("no array")))
        },
        |nodes| {
            let made: Vec<Bound<'_, Array>> = called(step, nodes)?.extract()?;
            Ok(handles(&parts(&made).arrays))
        },
    );
    let made = made.and_then(arrays).map_err(|failure| failure.0)?;
    Ok(made.into_iter().map(Array::from).collect())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Program>()?;
    module.add_function(wrap_pyfunction!(repeated, module)?)
}
