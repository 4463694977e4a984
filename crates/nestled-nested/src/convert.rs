//! Typed arrays as nested ones, and back.

use crate::column::Typed;
use crate::fault::{Outcome, expect, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Error, Ragged};

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

/// Rows become lists.
///
/// ```
/// use nestled_nested::{Nested, Ragged};
/// assert_eq!(Nested::from(&Ragged::from_rows(&[vec![1u8], vec![]])).type_string(), "2 * var * uint8");
/// ```
impl<T: Typed> From<&Ragged<T>> for Nested {
    fn from(ragged: &Ragged<T>) -> Nested {
        Nested::lists(&Rows::new(ragged.segments().clone()), Nested::of(ragged.flatten().clone()))
    }
}

impl<T: Typed> From<Ragged<T>> for Nested {
    fn from(ragged: Ragged<T>) -> Nested {
        Nested::from(&ragged)
    }
}

/// Rows of rows become lists of lists.
///
/// ```
/// use nestled_nested::{Nested, Ragged};
/// let rows = Ragged::from_rows(&[vec![1u8], vec![]]).in_segments(&[2])?;
/// assert_eq!(Nested::from(&rows).type_string(), "1 * var * var * uint8");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
impl<T: Typed> From<&Ragged<Ragged<T>>> for Nested {
    fn from(ragged: &Ragged<Ragged<T>>) -> Nested {
        Nested::lists(&Rows::new(ragged.segments().clone()), Nested::from(ragged.flatten()))
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

fn rows<T: Typed>(nested: &Nested) -> Outcome<Ragged<T>> {
    match nested.rows() {
        Some((rows, content)) => Ok(rows.ragged(&vector(content)?)),
        None => fault(format!("`{}` is not `var * {}`", nested.schema(), T::KIND)),
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

/// The rows of lists of numbers.
///
/// ```
/// use nestled_nested::{Nested, Ragged};
/// let rows: Ragged<i64> = Ragged::try_from(&Nested::from_iter([vec![1, 2], vec![]]))?;
/// assert_eq!(rows.to_rows()?, [vec![1, 2], vec![]]);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
impl<T: Typed> TryFrom<&Nested> for Ragged<T> {
    type Error = Error;

    #[track_caller]
    fn try_from(nested: &Nested) -> Result<Ragged<T>, Error> {
        told("try_from", rows(nested))
    }
}
