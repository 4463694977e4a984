//! Nested arrays from trees of values and back.

mod build;
mod guess;
mod read;

use crate::fault::{expect, told};
use crate::nested::Nested;
use crate::schema::Schema;
use crate::value::Value;
use nestled_array::Result;

impl Nested {
    /// An array of these values; they say its schema. Integers are `int64` (`uint64` where they must be), floats `float64`; integers among floats are floats. A field that
    /// some records lack is missing there. Values of several kinds are a union. What no value tells, such as the elements of lists that are all empty, is `float64`.
    ///
    /// ```
    /// use nestled_nested::{Nested, Value};
    /// let rows = Nested::from_values([vec![1.into(), Value::Missing], vec![2.5.into()]])?;
    /// assert_eq!(rows.type_string(), "2 * var * ?float64");
    /// let mixed = Nested::from_values([vec![Value::from(1)], vec!["a".into()]])?;
    /// assert_eq!(mixed.type_string(), "2 * var * union[int64, string]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Integers that no type holds together, a record with two fields of one name, or values that nest too deep.
    #[track_caller]
    pub fn from_values<V: Into<Value>>(values: impl IntoIterator<Item = V>) -> Result<Nested> {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        let built = guess::schema(&values)
            .and_then(|schema| build::built(&schema, &values.iter().collect::<Vec<_>>()));
        told("from_values", built)
    }

    /// An array of these values, with a schema.
    ///
    /// ```
    /// use nestled_nested::{Nested, Schema};
    /// let schema = Schema::parse("var * float32").unwrap();
    /// assert_eq!(Nested::from_values_as(&schema, [vec![1, 2], vec![]])?.type_string(), "2 * var * float32");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// A value that is not of the schema, such as an integer that does not fit.
    #[track_caller]
    pub fn from_values_as<V: Into<Value>>(
        schema: &Schema,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Nested> {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        told("from_values_as", build::built(schema, &values.iter().collect::<Vec<_>>()))
    }

    /// The values, as a list. Computes all columns together.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![]]);
    /// assert_eq!(rows.to_list()?.to_string(), "[[1, 2], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluation.
    #[track_caller]
    pub fn to_list(&self) -> Result<Value> {
        Ok(Value::List(self.to_values()?))
    }

    /// The values, one for each element. Computes all columns together.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([1, 2]).to_values()?, [1.into(), 2.into()]);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of evaluation.
    #[track_caller]
    pub fn to_values(&self) -> Result<Vec<Value>> {
        nestled_array::Engine::current().eval(&[self])?;
        self.read()
    }

    /// The only value, such as that of a reduction over everything.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([1, 2]).sum(0)?.item()?, 3.into());
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is not exactly one; and errors of evaluation.
    #[track_caller]
    pub fn item(&self) -> Result<Value> {
        match self.to_values()?.pop() {
            Some(value) if self.length == 1 => Ok(value),
            _ => told("item", crate::fault::fault(format!("there are {} elements, not one", self.length))),
        }
    }
}

/// Collects values; integers that no type holds together panic, [`Nested::from_values`] is the form with an error.
///
/// ```
/// use nestled_nested::Nested;
/// let squares: Nested = (0..3).map(|n| n * n).collect();
/// assert_eq!(squares.to_list()?.to_string(), "[0, 1, 4]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
impl<V: Into<Value>> FromIterator<V> for Nested {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Nested {
        expect(Nested::from_values(values))
    }
}
