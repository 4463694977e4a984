//! The extension module `nestled._nestled`: what Python needs of Rust, and no more.
//!
//! Arrays of any element type (`any::AnyArray`) with operations by name, nested data, functions in NESL, engines. Names, axes, defaults and protocols of
//! Python are matters of the package beside (`nestled/*.py`), which is made of these parts.
//!
//! **Invariant.** No argument makes anything here panic: what can fail gives an error of the package. The interpreter's lock is released while something is computed.

mod any;
mod array;
mod buffer;
mod elementwise;
mod engine;
mod errors;
mod fold;
mod integers;
mod movement;
mod nesl;
mod nesl_types;
mod nesl_values;
mod nested;
mod nested_operations;
mod operand;
mod values;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _nestled(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<array::Array>()?;
    module.add_class::<buffer::HostBuffer>()?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<nested::Nested>()?;
    module.add_class::<nesl::NeslFunction>()?;
    array::register(module)?;
    elementwise::register(module)?;
    engine::register(module)?;
    nested::register(module)?;
    nested_operations::register(module)
}
