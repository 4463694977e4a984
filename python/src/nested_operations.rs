//! Operations on nested data, by the names that `nestled_nested` has for them.
//!
//! Each function here takes operations of one form: along an axis, of one array, of two operands …

use crate::any::{self, AnyArray, each};
use crate::elementwise;
use crate::engine::within;
use crate::errors::OrRaise;
use crate::nested::{Nested, numbers};
use crate::operand;
use nestled_nested as nested;
use nestled_nested::{Binary, Join, Slice, Term};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

/// Runs an operation, some of which compute at once, with the interpreter's lock released.
pub fn run(
    py: Python<'_>,
    action: impl FnOnce() -> nested::Result<nested::Nested> + Send,
) -> PyResult<Nested> {
    Ok(py.detach(|| within(|_| action())).or_raise()?.into())
}

/// An operand: nested data, a number, a boolean or a text.
fn term(value: &Bound<'_, PyAny>) -> PyResult<Option<Term>> {
    Ok(Some(if let Ok(nested) = value.cast::<Nested>() {
        Term::Nested(nested.get().nested.clone())
    } else if let Ok(value) = value.cast::<PyBool>() {
        Term::Bool(value.is_true())
    } else if value.is_instance_of::<PyInt>() {
        Term::Int(value.extract()?)
    } else if value.is_instance_of::<PyFloat>() {
        Term::Float(value.extract()?)
    } else if let Ok(text) = value.cast::<PyString>() {
        Term::String(text.to_cow()?.into_owned())
    } else {
        return Ok(None);
    }))
}

fn wanted(value: &Bound<'_, PyAny>) -> PyResult<Term> {
    term(value)?.ok_or_else(|| {
        PyTypeError::new_err(format!("nested data, a number or a text is wanted, not {}", value.get_type()))
    })
}

/// An operation along an axis, by its name; `ddof` is for variances only.
fn by_axis(name: &str, x: &nested::Nested, axis: isize, ddof: usize) -> nested::Result<nested::Nested> {
    macro_rules! by_name {
        ($($known:ident)*) => {
            match name {
                $(stringify!($known) => x.$known(axis),)*
                "var" => x.var(axis, ddof),
                "std" => x.std(axis, ddof),
                _ => Err(nested::Error::argument("along", format!("nested data has no operation {name}"))),
            }
        };
    }
    by_name! {
        add_axis all any argmax argmin count count_nonzero cummax cummin cumprod cumsum drop_missing firsts flatten to_ragged is_missing local_index max mean median min
        missing_as_empty num prod ptp reversed run_lengths singletons softmax sum to_regular unique value_counts
    }
}

/// An operation along an axis.
#[pyfunction]
fn along(py: Python<'_>, name: &str, x: &Nested, axis: isize) -> PyResult<Nested> {
    run(py, || by_axis(name, &x.nested, axis, 0))
}

/// A reduction that leaves its axis behind, with lists of one element.
#[pyfunction]
fn kept(py: Python<'_>, name: &str, x: &Nested, axis: isize, ddof: usize) -> PyResult<Nested> {
    run(py, || x.nested.keep_axis(axis, &|x, axis| by_axis(name, x, axis, ddof)))
}

/// An operation without arguments: of structure or texts, or elementwise.
#[pyfunction]
fn mapped(py: Python<'_>, name: &str, x: &Nested) -> PyResult<Nested> {
    let x = &x.nested;
    macro_rules! by_name {
        ($($known:ident)*) => {
            match name {
                $(stringify!($known) => run(py, || x.$known()),)*
                _ => of_numbers(&[x], &mut |parts| elementwise::unary(name, &parts[0])),
            }
        };
    }
    by_name! { from_categorical nan_to_missing ravel text_length to_categorical to_lower to_text to_tuples to_upper trim }
}

/// An elementwise function of arrays, by the numbers in them.
fn of_numbers(
    parts: &[&nested::Nested],
    function: &mut dyn FnMut(&[AnyArray]) -> PyResult<AnyArray>,
) -> PyResult<Nested> {
    let mut raised = None;
    let mut of_parts = |parts: &[nested::Nested]| {
        let found = parts.iter().map(|part| {
            numbers(part).ok_or_else(|| PyTypeError::new_err(format!("`{}` is no number", part.schema())))
        });
        let made = found.collect::<PyResult<Vec<_>>>().and_then(|parts| function(&parts));
        match made {
            Ok(made) => Ok(each!(&made, x => nested::Nested::from(x))),
            Err(error) => {
                raised = Some(error);
                Err(nested::Error::argument("elementwise", "there is no such operation"))
            }
        }
    };
    let made = within(|_| nested::elementwise(parts, &mut of_parts));
    match raised {
        Some(error) => Err(error),
        None => Ok(made.or_raise()?.into()),
    }
}

/// The operations that know texts and missing values by themselves.
fn known(name: &str) -> Option<Binary> {
    Some(match name {
        "add" => Binary::Add,
        "subtract" => Binary::Sub,
        "multiply" => Binary::Mul,
        "divide" => Binary::Div,
        "bitwise_and" => Binary::And,
        "bitwise_or" => Binary::Or,
        "bitwise_xor" => Binary::Xor,
        "equal" => Binary::Eq,
        "not_equal" => Binary::Ne,
        "less" => Binary::Lt,
        "less_equal" => Binary::Le,
        "greater" => Binary::Gt,
        "greater_equal" => Binary::Ge,
        "minimum" => Binary::Min,
        "maximum" => Binary::Max,
        _ => return None,
    })
}

/// An operation of two operands, one of which is nested data; `NotImplemented` if the other is no operand.
#[pyfunction]
fn combined<'py>(
    py: Python<'py>,
    name: &str,
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (Some(one), Some(other)) = (term(left)?, term(right)?) else {
        return Ok(py.NotImplemented().into_bound(py));
    };
    let made = match (known(name), &one, &other) {
        (Some(operation), ..) => run(py, || nested::combine(operation, one, other))?,
        (None, Term::Nested(one), Term::Nested(other)) => of_numbers(&[one, other], &mut |parts| {
            let kind = parts[0].kind().common(parts[1].kind());
            elementwise::binary(name, &parts[0].cast(kind), &parts[1].cast(kind))
        })?,
        (None, Term::Nested(one), _) => of_numbers(&[one], &mut |parts| {
            let (one, other) = operand::with_number(&parts[0], right)?;
            elementwise::binary(name, &one, &other)
        })?,
        (None, _, Term::Nested(other)) => of_numbers(&[other], &mut |parts| {
            let (other, one) = operand::with_number(&parts[0], left)?;
            elementwise::binary(name, &one, &other)
        })?,
        _ => return Ok(py.NotImplemented().into_bound(py)),
    };
    Ok(Bound::new(py, made)?.into_any())
}

/// The elements of one operand where a mask holds, and those of another elsewhere.
#[pyfunction]
fn choose(py: Python<'_>, mask: &Nested, yes: &Bound<'_, PyAny>, no: &Bound<'_, PyAny>) -> PyResult<Nested> {
    let (yes, no) = (wanted(yes)?, wanted(no)?);
    run(py, || mask.nested.choose(yes, no))
}

/// An operation of two arrays.
#[pyfunction]
fn with_other(py: Python<'_>, name: &str, x: &Nested, other: &Nested) -> PyResult<Nested> {
    let (x, other) = (&x.nested, &other.nested);
    run(py, || match name {
        "filter" => x.filter(other),
        "followed_by" => x.followed_by(other),
        "index_in" => x.index_in(other),
        "is_in" => x.is_in(other),
        "mask" => x.mask(other),
        "pick" => x.pick(other),
        _ => Err(nested::Error::argument("with_other", format!("nested data has no operation {name}"))),
    })
}

/// An operation of the lists of two arrays along an axis.
#[pyfunction]
fn with_other_along(py: Python<'_>, name: &str, x: &Nested, other: &Nested, axis: isize) -> PyResult<Nested> {
    let (x, other) = (&x.nested, &other.nested);
    run(py, || match name {
        "group_by" => x.group_by_along(other, axis),
        "merge_sorted" => x.merge_sorted(other, axis),
        "nearest" => x.nearest(other, axis),
        "places_in" => x.places_in(other, axis),
        "set_difference" => x.set_difference(other, axis),
        "set_intersection" => x.set_intersection(other, axis),
        "set_union" => x.set_union(other, axis),
        _ => Err(nested::Error::argument("with_other_along", format!("nested data has no operation {name}"))),
    })
}

/// One element of each list; with `missing`, a missing one where there is none.
#[pyfunction]
fn element(
    py: Python<'_>,
    x: &Nested,
    place: &Bound<'_, PyAny>,
    axis: isize,
    missing: bool,
) -> PyResult<Nested> {
    let place = wanted(place)?;
    run(py, || if missing { x.nested.get(place, axis) } else { x.nested.at(place, axis) })
}

/// A slice of each list.
#[pyfunction]
fn slice(
    py: Python<'_>,
    x: &Nested,
    start: Option<isize>,
    stop: Option<isize>,
    step: isize,
    axis: isize,
) -> PyResult<Nested> {
    let range = match (start, stop) {
        (None, None) => Slice::from(..),
        (Some(start), None) => Slice::from(start..),
        (None, Some(stop)) => Slice::from(..stop),
        (Some(start), Some(stop)) => Slice::from(start..stop),
    };
    run(py, || x.nested.slice(range.step(step), axis))
}

/// A field of the records.
#[pyfunction]
fn field(x: &Nested, name: &str) -> PyResult<Nested> {
    Ok(x.nested.field(name).or_raise()?.into())
}

/// The records with one more field, or another one of that name.
#[pyfunction]
fn with_field(py: Python<'_>, x: &Nested, name: &str, value: &Nested) -> PyResult<Nested> {
    run(py, || x.nested.with_field(name, &value.nested))
}

/// The records with some of their fields.
#[pyfunction]
fn select_fields(x: &Nested, names: Vec<String>) -> PyResult<Nested> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok(x.nested.select_fields(&names).or_raise()?.into())
}

/// The outermost records or tuples as records with other names of fields.
#[pyfunction]
fn rename_fields(x: &Nested, names: Vec<String>) -> PyResult<Nested> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok(x.nested.rename_fields(&names).or_raise()?.into())
}

/// Lists of these lengths, cut out of those along an axis.
#[pyfunction]
fn unflatten(py: Python<'_>, x: &Nested, lengths: &Nested, axis: isize) -> PyResult<Nested> {
    run(py, || x.nested.unflatten_along(&lengths.nested, axis))
}

/// The same lists, with one number everywhere.
#[pyfunction]
fn nested_full_like(py: Python<'_>, x: &Nested, value: &Bound<'_, PyAny>) -> PyResult<Nested> {
    let value = wanted(value)?;
    run(py, || x.nested.full_like(value))
}

/// A number in place of NaN, and the greatest ones in place of infinities.
#[pyfunction]
fn nan_to_num(py: Python<'_>, x: &Nested, nan: f64) -> PyResult<Nested> {
    run(py, || x.nested.nan_to_num(nan))
}

/// Records of arrays that go together, as deep as lists go.
#[pyfunction]
fn zip(py: Python<'_>, names: Vec<String>, parts: Vec<PyRef<'_, Nested>>) -> PyResult<Nested> {
    let parts = all(&parts);
    run(py, || {
        let fields: Vec<(&str, &nested::Nested)> = names.iter().map(String::as_str).zip(&parts).collect();
        nested::zip(&fields)
    })
}

fn all(parts: &[PyRef<'_, Nested>]) -> Vec<nested::Nested> {
    parts.iter().map(|part| part.nested.clone()).collect()
}

/// An operation of several arrays along an axis.
#[pyfunction]
fn of_several(py: Python<'_>, name: &str, parts: Vec<PyRef<'_, Nested>>, axis: isize) -> PyResult<Nested> {
    let parts = all(&parts);
    let parts: Vec<&nested::Nested> = parts.iter().collect();
    run(py, || match name {
        "concatenate" => nested::concatenate(&parts, axis),
        "cartesian" => nested::cartesian(&parts, axis),
        "arg_cartesian" => nested::arg_cartesian(&parts, axis),
        _ => Err(nested::Error::argument("of_several", format!("nested data has no operation {name}"))),
    })
}

/// Arrays of one structure, that of all of them together.
#[pyfunction]
fn broadcast_arrays(py: Python<'_>, parts: Vec<PyRef<'_, Nested>>) -> PyResult<Vec<Nested>> {
    let parts = all(&parts);
    let made = py.detach(|| within(|_| nested::broadcast_arrays(&parts.iter().collect::<Vec<_>>())));
    Ok(made.or_raise()?.into_iter().map(Nested::from).collect())
}

/// An operation with a count along an axis.
#[pyfunction]
fn counted(py: Python<'_>, name: &str, x: &Nested, count: usize, axis: isize) -> PyResult<Nested> {
    let x = &x.nested;
    run(py, || match name {
        "combinations" => x.combinations(count, axis),
        "arg_combinations" => x.arg_combinations(count, axis),
        "combinations_with_replacement" => x.combinations_with_replacement(count, axis),
        "arg_combinations_with_replacement" => x.arg_combinations_with_replacement(count, axis),
        "pad" => x.pad(count, axis),
        "pad_clip" => x.pad_clip(count, axis),
        "top" => x.top(count, axis),
        "var" => x.var(axis, count),
        "std" => x.std(axis, count),
        _ => Err(nested::Error::argument("counted", format!("nested data has no operation {name}"))),
    })
}

/// A sort, or the places or ranks of one.
#[pyfunction]
fn sorted(py: Python<'_>, name: &str, x: &Nested, axis: isize, ascending: bool) -> PyResult<Nested> {
    let x = &x.nested;
    run(py, || match name {
        "sort" => x.sort(axis, ascending),
        "argsort" => x.argsort(axis, ascending),
        _ => x.rank(axis, ascending),
    })
}

/// The records of each list along an axis in the order of fields, or the places of them.
#[pyfunction]
fn sorted_by(
    py: Python<'_>,
    places: bool,
    x: &Nested,
    fields: Vec<(String, bool)>,
    axis: isize,
) -> PyResult<Nested> {
    let fields: Vec<(&str, bool)> =
        fields.iter().map(|(name, ascending)| (name.as_str(), *ascending)).collect();
    run(py, || if places { x.nested.argsort_by(&fields, axis) } else { x.nested.sort_by(&fields, axis) })
}

/// A value in place of what is missing.
#[pyfunction]
fn fill_missing(py: Python<'_>, x: &Nested, value: &Bound<'_, PyAny>) -> PyResult<Nested> {
    let value = wanted(value)?;
    run(py, || x.nested.fill_missing(value))
}

/// The numbers as those of another type.
#[pyfunction]
fn nested_cast(py: Python<'_>, x: &Nested, dtype: &str, parse: bool) -> PyResult<Nested> {
    let kind = any::kind(dtype)?;
    run(py, || if parse { x.nested.parse(kind) } else { x.nested.cast(kind) })
}

/// A quantile along an axis.
#[pyfunction]
fn quantile(py: Python<'_>, x: &Nested, q: f64, axis: isize) -> PyResult<Nested> {
    run(py, || x.nested.quantile(q, axis))
}

/// The counts of equal bins along an axis.
#[pyfunction]
fn nested_histogram(py: Python<'_>, x: &Nested, bins: (usize, f64, f64), axis: isize) -> PyResult<Nested> {
    run(py, || x.nested.histogram(bins.0, bins.1, bins.2, axis))
}

/// Joins tables by the fields of a key.
#[pyfunction]
fn join(py: Python<'_>, x: &Nested, other: &Nested, on: Vec<String>, how: &str) -> PyResult<Nested> {
    let how = match how {
        "inner" => Join::Inner,
        "left" => Join::Left,
        "semi" => Join::Semi,
        "anti" => Join::Anti,
        _ => return Err(PyValueError::new_err(format!("there is no join {how}: inner, left, semi or anti"))),
    };
    let on: Vec<&str> = on.iter().map(String::as_str).collect();
    run(py, || x.nested.join(&other.nested, &on, how))
}

/// An operation on texts with a pattern.
#[pyfunction]
fn text(py: Python<'_>, name: &str, x: &Nested, pattern: &str) -> PyResult<Nested> {
    let x = &x.nested;
    run(py, || match name {
        "contains" => x.contains(pattern),
        "count_regex" => x.count_regex(pattern),
        "count_text" => x.count_text(pattern),
        "ends_with" => x.ends_with(pattern),
        "find" => x.find(pattern),
        "find_regex" => x.find_regex(pattern),
        "join_texts" => x.join_texts(pattern, -1),
        "matches_regex" => x.matches_regex(pattern),
        "split" => x.split(pattern),
        "starts_with" => x.starts_with(pattern),
        _ => Err(nested::Error::argument("text", format!("texts have no operation {name}"))),
    })
}

/// The texts with one part in place of another.
#[pyfunction]
fn replace(py: Python<'_>, x: &Nested, pattern: &str, by: &str) -> PyResult<Nested> {
    run(py, || x.nested.replace(pattern, by))
}

/// True if schemas and elements are the same.
#[pyfunction]
fn is_equal(py: Python<'_>, x: &Nested, other: &Nested) -> PyResult<bool> {
    py.detach(|| within(|_| x.nested.is_equal(&other.nested))).or_raise()
}

/// A function in NESL of each row.
#[pyfunction]
fn map_rows(py: Python<'_>, x: &Nested, source: &str, function: &str) -> PyResult<Nested> {
    run(py, || x.nested.map_rows(source, function))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(along, module)?)?;
    module.add_function(wrap_pyfunction!(kept, module)?)?;
    module.add_function(wrap_pyfunction!(select_fields, module)?)?;
    module.add_function(wrap_pyfunction!(rename_fields, module)?)?;
    module.add_function(wrap_pyfunction!(unflatten, module)?)?;
    module.add_function(wrap_pyfunction!(nested_full_like, module)?)?;
    module.add_function(wrap_pyfunction!(nan_to_num, module)?)?;
    module.add_function(wrap_pyfunction!(mapped, module)?)?;
    module.add_function(wrap_pyfunction!(combined, module)?)?;
    module.add_function(wrap_pyfunction!(choose, module)?)?;
    module.add_function(wrap_pyfunction!(with_other, module)?)?;
    module.add_function(wrap_pyfunction!(with_other_along, module)?)?;
    module.add_function(wrap_pyfunction!(element, module)?)?;
    module.add_function(wrap_pyfunction!(slice, module)?)?;
    module.add_function(wrap_pyfunction!(field, module)?)?;
    module.add_function(wrap_pyfunction!(with_field, module)?)?;
    module.add_function(wrap_pyfunction!(zip, module)?)?;
    module.add_function(wrap_pyfunction!(of_several, module)?)?;
    module.add_function(wrap_pyfunction!(broadcast_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(counted, module)?)?;
    module.add_function(wrap_pyfunction!(sorted, module)?)?;
    module.add_function(wrap_pyfunction!(sorted_by, module)?)?;
    module.add_function(wrap_pyfunction!(fill_missing, module)?)?;
    module.add_function(wrap_pyfunction!(nested_cast, module)?)?;
    module.add_function(wrap_pyfunction!(quantile, module)?)?;
    module.add_function(wrap_pyfunction!(nested_histogram, module)?)?;
    module.add_function(wrap_pyfunction!(join, module)?)?;
    module.add_function(wrap_pyfunction!(text, module)?)?;
    module.add_function(wrap_pyfunction!(replace, module)?)?;
    module.add_function(wrap_pyfunction!(is_equal, module)?)?;
    module.add_function(wrap_pyfunction!(map_rows, module)?)
}
