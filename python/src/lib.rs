//! The extension module `nestled._nestled`: what Python needs of Rust, and no more.
//!
//! Arrays of any element type (`any::AnyArray`) with operations by name, nested data, functions in NESL, engines. Names, axes, defaults and protocols of
//! Python are matters of the package beside (`nestled/*.py`), which is made of these parts.
//!
//! **Invariant.** No argument makes anything here panic: what can fail gives an error of the package. The interpreter's lock is released while something is computed.

mod any;
mod array;
mod arrow;
mod buffer;
mod elementwise;
mod engine;
mod errors;
mod explained;
mod fold;
mod foreign;
mod integers;
mod interpreters;
mod interrupts;
mod jit;
mod movement;
mod nesl;
mod nesl_results;
mod nesl_types;
mod nesl_values;
mod nested;
mod nested_operations;
mod operand;
mod texts;
mod values;

use pyo3::prelude::*;
use std::path::PathBuf;

/// Names the LLVM that the package `llvmlite` brings, wherever Python looks for packages.
fn name_llvmlite(py: Python<'_>) -> PyResult<()> {
    let file = if cfg!(target_os = "macos") { "libllvmlite.dylib" } else { "libllvmlite.so" };
    let folders: Vec<Bound<'_, PyAny>> = PyModule::import(py, "sys")?.getattr("path")?.extract()?;
    // Folders that are not named from the root are other ones in other places.
    let folders = folders
        .iter()
        .filter_map(|folder| folder.extract::<PathBuf>().ok())
        .filter(|folder| folder.is_absolute());
    let files = folders.map(|folder| folder.join("llvmlite").join("binding").join(file)).collect();
    nestled_llvm::also_search(files, "pip install llvmlite");
    Ok(())
}

/// Ends compilations on other threads, such as daemons.
#[pyfunction]
fn end_compilations(py: Python<'_>) {
    py.detach(nestled_llvm::end_compilations);
}

/// Daemon threads run on while Python ends.
fn end_compilations_at_exit(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let end = wrap_pyfunction!(end_compilations, module)?;
    PyModule::import(module.py(), "atexit")?.call_method1("register", (end,)).map(drop)
}

#[pymodule(gil_used = false)]
fn _nestled(module: &Bound<'_, PyModule>) -> PyResult<()> {
    interpreters::refuse_others(module.py())?;
    name_llvmlite(module.py())?;
    end_compilations_at_exit(module)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<array::Array>()?;
    module.add_class::<buffer::HostBuffer>()?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<nested::Nested>()?;
    module.add_function(wrap_pyfunction!(nesl_values::signature, module)?)?;
    module.add_function(wrap_pyfunction!(nesl_values::variants_of, module)?)?;
    array::register(module)?;
    arrow::register(module)?;
    elementwise::register(module)?;
    engine::register(module)?;
    jit::register(module)?;
    nesl::register(module)?;
    nested::register(module)?;
    nested_operations::register(module)?;
    texts::register(module)
}
