//! Reductions, prefixes, places of extremes, and products of matrices.

use crate::any::{AnyArray, floats, integers, numbers};
use crate::array::Array;
use crate::errors::OrRaise;
use nestled_array as lazy;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

fn unknown(name: &str) -> PyErr {
    PyTypeError::new_err(format!("there is no operation {name}"))
}

/// A reduction along axes, which go.
#[pyfunction]
fn reduce(name: &str, x: &Array, axes: Vec<usize>) -> PyResult<Array> {
    let kind = x.any.kind();
    let x = x.any.wide();
    let made: PyResult<AnyArray> = match name {
        "sum" => numbers!(name, &x, x => Ok(x.try_sum_axes(&axes).or_raise()?.into())),
        "prod" => numbers!(name, &x, x => Ok(x.try_product_axes(&axes).or_raise()?.into())),
        "max" => numbers!(name, &x, x => Ok(x.try_max_axes(&axes).or_raise()?.into())),
        "min" => numbers!(name, &x, x => Ok(x.try_min_axes(&axes).or_raise()?.into())),
        "all" | "any" => quantified(name, x.typed()?, axes).map(AnyArray::from),
        _ => Err(unknown(name)),
    };
    Ok(made?.narrowed(kind).into())
}

/// A reduction of booleans, one axis after another.
fn quantified(name: &str, mask: &lazy::Array<bool>, mut axes: Vec<usize>) -> PyResult<lazy::Array<bool>> {
    axes.sort_unstable();
    let step = |mask: lazy::Array<bool>, axis: &usize| {
        if name == "all" { mask.try_all_axis(*axis) } else { mask.try_any_axis(*axis) }
    };
    axes.iter().rev().try_fold(mask.clone(), step).or_raise()
}

/// The prefixes along an axis.
#[pyfunction]
fn scan(name: &str, x: &Array, axis: usize) -> PyResult<Array> {
    let kind = x.any.kind();
    let x = x.any.wide();
    let made: PyResult<AnyArray> = match name {
        "sum" => numbers!(name, &x, x => Ok(x.try_cumsum(axis).or_raise()?.into())),
        "wrapping_sum" => integers!(name, &x, x => Ok(x.try_wrapping_cumsum(axis).or_raise()?.into())),
        "prod" => numbers!(name, &x, x => Ok(x.try_cumprod(axis).or_raise()?.into())),
        "max" => numbers!(name, &x, x => Ok(x.try_cummax(axis).or_raise()?.into())),
        "min" => numbers!(name, &x, x => Ok(x.try_cummin(axis).or_raise()?.into())),
        _ => Err(unknown(name)),
    };
    Ok(made?.narrowed(kind).into())
}

/// The place of the first greatest or least element along an axis.
#[pyfunction]
fn arg_reduce(name: &str, x: &Array, axis: usize) -> PyResult<Array> {
    if x.any.shape().get(axis) == Some(&0) {
        return Err(PyValueError::new_err(format!("{name} of no elements")));
    }
    numbers!(name, &x.any.wide(), x => {
        let found = if name == "argmax" { x.try_argmax_axis(axis) } else { x.try_argmin_axis(axis) };
        Ok(AnyArray::from(found.or_raise()?).into())
    })
}

/// The product of matrices of one type.
#[pyfunction]
fn matmul(x1: &Array, x2: &Array) -> PyResult<Array> {
    let kind = x1.any.kind();
    let other = x2.any.wide();
    let made: PyResult<AnyArray> =
        numbers!("matmul", &x1.any.wide(), x => Ok(x.try_matmul(other.typed()?).or_raise()?.into()));
    Ok(made?.narrowed(kind).into())
}

/// `x · y + z`, rounded once.
#[pyfunction]
fn fused_multiply_add(x: &Array, y: &Array, z: &Array) -> PyResult<Array> {
    floats!("fma", &x.any, x => {
        Ok(AnyArray::from(x.try_mul_add(y.any.typed()?, z.any.typed()?).or_raise()?).into())
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(reduce, module)?)?;
    module.add_function(wrap_pyfunction!(scan, module)?)?;
    module.add_function(wrap_pyfunction!(arg_reduce, module)?)?;
    module.add_function(wrap_pyfunction!(matmul, module)?)?;
    module.add_function(wrap_pyfunction!(fused_multiply_add, module)?)
}
