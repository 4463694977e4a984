//! Movements: the same elements at other places.

use crate::any::{AnyArray, Typed, each, integers, ordered};
use crate::array::Array;
use crate::engine::{compute, within};
use crate::errors::OrRaise;
use crate::operand;
use nestled_array as lazy;
use nestled_array::{Border, Collision, Operator, Outside, Side};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

/// An array of any type of something that is made of an array of each.
macro_rules! moved {
    ($any:expr, $x:ident => $made:expr) => {
        each!($any, $x => Ok(AnyArray::from($made.or_raise()?).into()))
    };
}

#[pyfunction]
fn reshape(x: &Array, shape: Vec<usize>) -> PyResult<Array> {
    moved!(&x.any, x => x.try_reshape(&shape))
}

#[pyfunction]
fn permute(x: &Array, order: Vec<usize>) -> PyResult<Array> {
    moved!(&x.any, x => x.try_transpose(&order))
}

#[pyfunction]
fn broadcast(x: &Array, shape: Vec<usize>) -> PyResult<Array> {
    moved!(&x.any, x => x.try_broadcast_to(&shape))
}

#[pyfunction]
fn flip(x: &Array, axes: Vec<usize>) -> PyResult<Array> {
    moved!(&x.any, x => x.try_reverse(&axes))
}

#[pyfunction]
fn roll(x: &Array, by: Vec<i64>) -> PyResult<Array> {
    moved!(&x.any, x => x.try_rotate(&by))
}

/// The elements further along axes; the mode says what comes in at the border, by NumPy's names.
#[pyfunction]
fn shift(x: &Array, by: Vec<i64>, mode: &str, value: &Bound<'_, PyAny>) -> PyResult<Array> {
    fn of<T: Typed>(_: &lazy::Array<T>, mode: &str, value: &Bound<'_, PyAny>) -> PyResult<Border<T>> {
        Ok(match mode {
            "edge" => Border::Clamp,
            "reflect" => Border::Reflect,
            "wrap" => Border::Wrap,
            "constant" => Border::Default(element(value)?),
            _ => return Err(PyValueError::new_err(format!("there is no border {mode}"))),
        })
    }
    moved!(&x.any, x => x.try_shift(&by, of(x, mode, value)?))
}

/// A number of Python as an element.
fn element<T: Typed>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let one = operand::scalar(value, <T as nestled_nested::Typed>::KIND)?;
    within(|_| one.typed::<T>()?.item().or_raise())
}

/// Adds an axis of extent 1.
#[pyfunction]
fn add_axis(x: &Array, axis: usize) -> PyResult<Array> {
    moved!(&x.any, x => x.try_add_dim(axis))
}

/// Drops an axis of extent 1.
#[pyfunction]
fn drop_axis(x: &Array, axis: usize) -> PyResult<Array> {
    moved!(&x.any, x => x.try_drop_dim(axis))
}

/// The elements at one place of an axis, which goes.
#[pyfunction]
fn at(x: &Array, axis: usize, place: i64) -> PyResult<Array> {
    moved!(&x.any, x => x.try_at(axis, place))
}

/// `count` elements along an axis, from a place on in steps that may be negative.
#[pyfunction]
fn section(x: &Array, axis: usize, start: usize, count: usize, step: i64) -> PyResult<Array> {
    fn of<T: lazy::Element>(
        x: &lazy::Array<T>,
        axis: usize,
        (start, count, step): (usize, usize, i64),
    ) -> lazy::Result<lazy::Array<T>> {
        if count == 0 {
            return x.try_slice(axis, 0..0usize);
        }
        let stride = step.unsigned_abs() as usize;
        let reach = (count - 1).saturating_mul(stride);
        if step > 0 {
            return x
                .try_slice(axis, start..start.saturating_add(reach).saturating_add(1))?
                .try_every(axis, 0, stride);
        }
        let part = x.try_slice(axis, start.saturating_sub(reach)..start + 1)?;
        part.try_reverse(&[axis])?.try_every(axis, 0, stride)
    }
    if step == 0 {
        return Err(PyValueError::new_err("the step of a slice is not 0"));
    }
    moved!(&x.any, x => of(x, axis, (start, count, step)))
}

/// The elements at places along an axis. Places count from 0; others are a fault when it is computed.
#[pyfunction]
fn take(x: &Array, axis: usize, places: &Array) -> PyResult<Array> {
    integers!("take", &places.any, places => moved!(&x.any, x => x.try_take(axis, places, Outside::Fault)))
}

/// For each element the one at the place along an axis that an array of the same rank has.
#[pyfunction]
fn take_along(x: &Array, axis: usize, places: &Array) -> PyResult<Array> {
    integers!("take_along_axis", &places.any, places => {
        moved!(&x.any, x => x.try_take_along(axis, places, Outside::Fault))
    })
}

/// Arrays of places, one for each axis.
fn places(arrays: &[PyRef<'_, Array>]) -> PyResult<Vec<lazy::Array<i64>>> {
    let place = |array: &PyRef<'_, Array>| integers!("places", &array.any, x => Ok(x.cast::<i64>()));
    arrays.iter().map(place).collect()
}

/// The elements at places that have an index along each axis; the mode says what stands for those outside.
#[pyfunction]
fn gather(
    x: &Array,
    indices: Vec<PyRef<'_, Array>>,
    mode: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<Array> {
    fn of<T: Typed>(_: &lazy::Array<T>, mode: &str, value: &Bound<'_, PyAny>) -> PyResult<Outside<T>> {
        Ok(match mode {
            "raise" => Outside::Fault,
            "clip" => Outside::Clamp,
            "wrap" => Outside::Wrap,
            "constant" => Outside::Default(element(value)?),
            _ => return Err(PyValueError::new_err(format!("there is no mode {mode}"))),
        })
    }
    // Narrow indices are computed with in their own type, if all have it.
    if let Some(narrow) = all_of::<i32>(&indices) {
        return moved!(&x.any, x => x.try_gather(&narrow, of(x, mode, value)?));
    }
    let indices = places(&indices)?;
    let indices: Vec<&lazy::Array<i64>> = indices.iter().collect();
    moved!(&x.any, x => x.try_gather(&indices, of(x, mode, value)?))
}

/// Arrays of one type of elements, if all are.
fn all_of<'a, T: Typed>(arrays: &'a [PyRef<'_, Array>]) -> Option<Vec<&'a lazy::Array<T>>> {
    arrays.iter().map(|array| T::in_any(&array.any)).collect()
}

/// The array with elements written to places; `how` says what becomes of several at one place.
#[pyfunction]
fn scatter(x: &Array, indices: Vec<PyRef<'_, Array>>, values: &Array, how: &str) -> PyResult<Array> {
    let collision = match how {
        "first" => Collision::First,
        "last" => Collision::Last,
        "add" => Collision::Combine(Operator::Add),
        "multiply" => Collision::Combine(Operator::Mul),
        "maximum" => Collision::Combine(Operator::Max),
        "minimum" => Collision::Combine(Operator::Min),
        _ => return Err(PyValueError::new_err(format!("there is no way {how} to write several elements"))),
    };
    if let Some(narrow) = all_of::<i32>(&indices) {
        return moved!(&x.any, x => x.try_scatter(&narrow, values.any.typed()?, collision));
    }
    let indices = places(&indices)?;
    let indices: Vec<&lazy::Array<i64>> = indices.iter().collect();
    moved!(&x.any, x => x.try_scatter(&indices, values.any.typed()?, collision))
}

/// The elements where a mask of the same shape holds; computes which at once.
#[pyfunction]
fn compress(py: Python<'_>, x: &Array, mask: &Array) -> PyResult<Array> {
    let mask = mask.any.typed()?;
    if mask.shape().as_ref() as &[usize] != x.any.shape() {
        return Err(PyIndexError::new_err(format!(
            "a mask of shape {} is not for an array of shape {:?}",
            mask.shape(),
            x.any.shape()
        )));
    }
    compute(py, |_| moved!(&x.any, x => x.compress(mask)))
}

/// The parts along an axis where a vector of booleans holds; computes which at once.
#[pyfunction]
fn compress_axis(py: Python<'_>, x: &Array, axis: usize, mask: &Array) -> PyResult<Array> {
    let mask = mask.any.typed()?;
    compute(py, |_| moved!(&x.any, x => x.compress_axis(axis, mask)))
}

/// Each part along an axis as often as an array says; computes the extent at once.
#[pyfunction]
fn repeat(py: Python<'_>, x: &Array, axis: usize, counts: &Array) -> PyResult<Array> {
    let counts = integers!("repeat", &counts.any, x => Ok(x.cast::<i64>()))?;
    compute(py, |_| moved!(&x.any, x => x.repeat(axis, &counts)))
}

/// Sorted along an axis, NaN last.
#[pyfunction]
fn sort(x: &Array, axis: usize, descending: bool) -> PyResult<Array> {
    ordered!("sort", &x.any, x => {
        let sorted = if descending { x.try_sort_descending(axis) } else { x.try_sort(axis) };
        Ok(AnyArray::from(sorted.or_raise()?).into())
    })
}

/// The places of the elements in sorted order.
#[pyfunction]
fn argsort(x: &Array, axis: usize) -> PyResult<Array> {
    ordered!("argsort", &x.any, x => Ok(AnyArray::from(x.try_argsort(axis).or_raise()?).into()))
}

/// The places in a sorted vector before or after which elements of the same type belong.
#[pyfunction]
fn search_sorted(vector: &Array, wanted: &Array, after: bool) -> PyResult<Array> {
    let side = if after { Side::After } else { Side::Before };
    ordered!("searchsorted", &vector.any, x => {
        let wanted = wanted.any.typed()?;
        Ok(AnyArray::from(x.try_search_sorted(wanted, side).or_raise()?).into())
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(reshape, module)?)?;
    module.add_function(wrap_pyfunction!(permute, module)?)?;
    module.add_function(wrap_pyfunction!(broadcast, module)?)?;
    module.add_function(wrap_pyfunction!(flip, module)?)?;
    module.add_function(wrap_pyfunction!(roll, module)?)?;
    module.add_function(wrap_pyfunction!(shift, module)?)?;
    module.add_function(wrap_pyfunction!(add_axis, module)?)?;
    module.add_function(wrap_pyfunction!(drop_axis, module)?)?;
    module.add_function(wrap_pyfunction!(at, module)?)?;
    module.add_function(wrap_pyfunction!(section, module)?)?;
    module.add_function(wrap_pyfunction!(take, module)?)?;
    module.add_function(wrap_pyfunction!(take_along, module)?)?;
    module.add_function(wrap_pyfunction!(gather, module)?)?;
    module.add_function(wrap_pyfunction!(scatter, module)?)?;
    module.add_function(wrap_pyfunction!(compress, module)?)?;
    module.add_function(wrap_pyfunction!(compress_axis, module)?)?;
    module.add_function(wrap_pyfunction!(repeat, module)?)?;
    module.add_function(wrap_pyfunction!(sort, module)?)?;
    module.add_function(wrap_pyfunction!(argsort, module)?)?;
    module.add_function(wrap_pyfunction!(search_sorted, module)?)
}
