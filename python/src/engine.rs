//! Engines: what computes, and on which device.

use crate::errors::{OrRaise, is_cancelled};
use crate::interrupts::{self, watched};
use crate::jit::is_tracing;
use nestled_array::{DeviceChoice, Engine as Lazy, EngineConfig};
use nestled_fork as fork;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// An engine, and the name of its device as it was asked for; `None` for that of the environment.
type Named = (Lazy, Option<String>);

thread_local! {
    /// The engines that this thread has entered, the innermost last.
    static ENTERED: RefCell<Vec<Named>> = const { RefCell::new(Vec::new()) };
}

/// The engine of threads that have entered none, if it is not that of the process.
static CHOSEN: Mutex<Option<Named>> = Mutex::new(None);

/// True if one is chosen, which is read without the lock.
static IS_CHOSEN: AtomicBool = AtomicBool::new(false);

/// The engine that this thread has entered, or that was chosen for all.
fn named() -> Option<Named> {
    let entered = ENTERED.with(|entered| entered.borrow().last().cloned());
    entered.or_else(|| IS_CHOSEN.load(Ordering::Acquire).then(|| fork::lock(&CHOSEN).clone()).flatten())
}

/// Computes something on the engine that this thread has entered, or that of the process.
pub fn within<R>(action: impl FnOnce(&Lazy) -> R) -> R {
    // A signal from before is Python's matter.
    interrupts::was_noted();
    guarded(action)
}

fn guarded<R>(action: impl FnOnce(&Lazy) -> R) -> R {
    match named() {
        Some((engine, _)) => watched(&engine, || engine.run(|| action(&engine))),
        None => {
            let engine = Lazy::current();
            watched(&engine, || action(&engine))
        }
    }
}

/// Computes something, as [`within`], without the interpreter's lock. After Ctrl-C Python's handler acts; if it raises nothing, everything is computed anew.
pub fn compute<R: Send>(py: Python<'_>, action: impl Fn(&Lazy) -> PyResult<R> + Send + Sync) -> PyResult<R> {
    if is_tracing() {
        let message = "a function that nd.jit traces wants elements of an array, which are not there yet: choose by nd.where(), or compute this outside";
        return Err(PyTypeError::new_err(message));
    }
    loop {
        if interrupts::was_noted() {
            py.check_signals()?;
        }
        let outcome = py.detach(|| guarded(&action));
        let was_stopped = interrupts::was_stopped();
        match outcome {
            Err(error) if was_stopped && is_cancelled(py, &error) => py.check_signals()?,
            outcome => return outcome,
        }
    }
}

/// An engine, which computes arrays on a device. `with engine:` computes on it.
#[pyclass(frozen, module = "nestled")]
pub struct Engine {
    engine: Lazy,
    name: Option<String>,
}

#[pymethods]
impl Engine {
    /// Opens an engine: `device` is `cpu`, `cuda:0`, `wgpu:1`, `auto` …, `threads` and `memory` are limits.
    #[new]
    #[pyo3(signature = (device=None, threads=None, memory=None))]
    fn new(
        py: Python<'_>,
        device: Option<&str>,
        threads: Option<usize>,
        memory: Option<u64>,
    ) -> PyResult<Engine> {
        let choice = device.map(str::parse::<DeviceChoice>).transpose();
        let device = choice.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let name = device.as_ref().map(DeviceChoice::to_string);
        let config = EngineConfig { device, threads, memory, ..EngineConfig::default() };
        let engine = py.detach(|| Lazy::try_new(config)).or_raise()?;
        Ok(Engine { engine, name })
    }

    /// The device that computes.
    #[getter]
    fn device(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.engine.device_name()).or_raise()
    }

    /// Ends all computations on this engine, in whatever thread.
    fn cancel(&self) {
        self.engine.cancel();
    }

    /// Waits for a GPU that still computes.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.engine.wait()).or_raise()
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        ENTERED.with(|entered| {
            entered.borrow_mut().push((slf.get().engine.clone(), slf.get().name.clone()));
        });
        slf
    }

    fn __exit__(&self, _kind: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>, _trace: &Bound<'_, PyAny>) {
        ENTERED.with(|entered| entered.borrow_mut().pop());
    }
}

/// The device that computes in this thread.
#[pyfunction]
fn device_name(py: Python<'_>) -> PyResult<String> {
    py.detach(|| within(Lazy::device_name)).or_raise()
}

/// The name by which the device was asked for that computes in this thread; `None` if nobody asked for one.
#[pyfunction]
fn chosen_device() -> Option<String> {
    named().and_then(|(_, name)| name)
}

/// Lets an engine compute in all threads that have entered none; `None` is that of the process again.
#[pyfunction]
#[pyo3(signature = (engine))]
fn set_default_engine(engine: Option<&Engine>) {
    let mut chosen = fork::lock(&CHOSEN);
    *chosen = engine.map(|engine| (engine.engine.clone(), engine.name.clone()));
    IS_CHOSEN.store(chosen.is_some(), Ordering::Release);
}

/// The devices of this machine, by the names that `Engine` takes.
#[pyfunction]
fn devices(py: Python<'_>) -> Vec<String> {
    py.detach(|| nestled_devices::present().iter().map(DeviceChoice::to_string).collect())
}

/// The number of threads of the CPU that a process takes unless an engine is told otherwise.
#[pyfunction]
fn threads(py: Python<'_>) -> usize {
    py.detach(|| nestled_pool::Pool::global().threads())
}

/// Counts of what the engine of this thread has done: evaluations, plans that were made, and kernels that were compiled.
#[pyfunction]
fn counts() -> (u64, u64, u64) {
    let counts = within(Lazy::counts);
    (counts.evaluations, counts.plans, counts.kernels)
}

/// True while a function is traced in this thread.
#[pyfunction]
#[pyo3(name = "is_tracing")]
fn traces() -> bool {
    is_tracing()
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(device_name, module)?)?;
    module.add_function(wrap_pyfunction!(chosen_device, module)?)?;
    module.add_function(wrap_pyfunction!(set_default_engine, module)?)?;
    module.add_function(wrap_pyfunction!(devices, module)?)?;
    module.add_function(wrap_pyfunction!(threads, module)?)?;
    module.add_function(wrap_pyfunction!(traces, module)?)?;
    module.add_function(wrap_pyfunction!(counts, module)?)
}
