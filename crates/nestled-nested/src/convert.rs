//! Typed arrays as nested ones, and back.

use crate::column::Typed;
use crate::fault::{Outcome, expect, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Content, Error, Ragged};

/// A vector; further axes become lists of one length. A number becomes a vector of one.
///
/// ```
/// use nestled_nested::{Array, Nested};
/// let matrix = Array::<f32>::ones(&[2, 3]);
/// assert_eq!(Nested::from(&matrix).type_string(), "2 * 3 * float32");
/// ```
impl<T: Typed> From<&Array<T>> for Nested {
    #[track_caller]
    fn from(array: &Array<T>) -> Nested {
        let mut nested = Nested::of(array.ravel());
        let shape: &[usize] = array.shape();
        for axis in (1..shape.len()).rev() {
            let count = shape[..axis].iter().product();
            nested = expect(told("from", Nested::fixed(count, shape[axis], nested)));
        }
        nested
    }
}

impl<T: Typed> From<Array<T>> for Nested {
    #[track_caller]
    fn from(array: Array<T>) -> Nested {
        Nested::from(&array)
    }
}

/// Contents of segments whose columns are those of nested arrays: numbers, pairs, rows, and structs of `#[derive(Record)]` with `#[record(columns = …)]`.
///
/// ```
/// use nestled_nested::{Columns, Nested, Ragged};
/// fn read<T: Columns>(nested: &Nested) -> nestled_nested::Result<Ragged<T>> {
///     Ragged::try_from(nested)
/// }
/// let rows = read::<i64>(&Nested::from_iter([vec![1], vec![]]))?;
/// assert_eq!(rows.to_rows()?, [vec![1], vec![]]);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
pub trait Columns: Content {
    /// A list of contents as a nested array.
    #[doc(hidden)]
    fn into_nested(values: &Self::Values) -> Nested;
    /// The list that a nested array is.
    #[doc(hidden)]
    fn from_nested(nested: &Nested) -> Result<Self::Values, Error>;
}

impl<T: Typed> Columns for T {
    fn into_nested(values: &Array<T>) -> Nested {
        Nested::of(values.clone())
    }

    #[track_caller]
    fn from_nested(nested: &Nested) -> Result<Array<T>, Error> {
        told("try_from", vector(nested))
    }
}

impl<A: Columns, B: Columns> Columns for (A, B) {
    fn into_nested(values: &(A::Values, B::Values)) -> Nested {
        expect(Nested::tuples(&[&A::into_nested(&values.0), &B::into_nested(&values.1)]))
    }

    #[track_caller]
    fn from_nested(nested: &Nested) -> Result<(A::Values, B::Values), Error> {
        Ok((A::from_nested(&nested.field("0")?)?, B::from_nested(&nested.field("1")?)?))
    }
}

impl<T: Columns> Columns for Ragged<T> {
    fn into_nested(values: &Ragged<T>) -> Nested {
        Nested::lists(&Rows::new(values.segments().clone()), T::into_nested(values.flatten()))
    }

    #[track_caller]
    fn from_nested(nested: &Nested) -> Result<Ragged<T>, Error> {
        match nested.rows() {
            Some((rows, content)) => Ragged::new(&T::from_nested(content)?, rows.segments()),
            None => told("try_from", fault(format!("`{}` is no array of lists", nested.schema()))),
        }
    }
}

impl<T: Columns> Columns for Vec<T> {
    fn into_nested(values: &Ragged<T>) -> Nested {
        <Ragged<T> as Columns>::into_nested(values)
    }

    #[track_caller]
    fn from_nested(nested: &Nested) -> Result<Ragged<T>, Error> {
        <Ragged<T> as Columns>::from_nested(nested)
    }
}

/// Rows become lists, rows of rows lists of lists, and records records. No element is copied.
///
/// ```
/// use nestled_nested::{Nested, Ragged};
/// let rows = Ragged::from_rows(&[vec![1u8], vec![]]);
/// assert_eq!(Nested::from(&rows).type_string(), "2 * var * uint8");
/// assert_eq!(Nested::from(&rows.in_segments(&[2])?).type_string(), "1 * var * var * uint8");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
impl<T: Columns> From<&Ragged<T>> for Nested {
    fn from(ragged: &Ragged<T>) -> Nested {
        <Ragged<T> as Columns>::into_nested(ragged)
    }
}

impl<T: Columns> From<Ragged<T>> for Nested {
    fn from(ragged: Ragged<T>) -> Nested {
        Nested::from(&ragged)
    }
}

fn vector<T: Typed>(nested: &Nested) -> Outcome<Array<T>> {
    let found = match &nested.layout {
        Layout::Leaf(column) => T::of(column).cloned(),
        _ => None,
    };
    match found {
        Some(array) => Ok(array),
        None => fault(format!("`{}` is not `{}`", nested.schema(), T::KIND)),
    }
}

/// The numbers of a nested array that has nothing else.
///
/// ```
/// use nestled_nested::{Array, Nested};
/// let numbers: Array<i64> = Array::try_from(&Nested::from_iter([1, 2]))?;
/// assert_eq!(numbers.to_vec()?, [1, 2]);
/// let error = Array::<f32>::try_from(&Nested::from_iter([1, 2])).unwrap_err();
/// assert!(error.to_string().ends_with("`int64` is not `float32`"));
/// # Ok::<(), nestled_nested::Error>(())
/// ```
impl<T: Typed> TryFrom<&Nested> for Array<T> {
    type Error = Error;

    #[track_caller]
    fn try_from(nested: &Nested) -> Result<Array<T>, Error> {
        told("try_from", vector(nested))
    }
}

/// The rows of lists of numbers, pairs, lists, or records with at least the fields of a struct. No element is copied.
///
/// ```
/// use nestled_nested::{Nested, Ragged};
/// let rows: Ragged<i64> = Ragged::try_from(&Nested::from_iter([vec![1, 2], vec![]]))?;
/// assert_eq!(rows.to_rows()?, [vec![1, 2], vec![]]);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
impl<T: Columns> TryFrom<&Nested> for Ragged<T> {
    type Error = Error;

    #[track_caller]
    fn try_from(nested: &Nested) -> Result<Ragged<T>, Error> {
        <Ragged<T> as Columns>::from_nested(nested)
    }
}
