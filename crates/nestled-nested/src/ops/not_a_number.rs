//! NaN and infinities: replaced, or taken for missing.

use super::functions::mapped;
use super::term::column;
use crate::broadcast::broadcast;
use crate::column::{Column, Typed};
use crate::fault::told;
use crate::nested::Nested;
use crate::schema::Kind;
use nestled_array::{Array, Float, Result};

/// The greatest number of `float16`.
const MOST_F16: f64 = 65504.0;

fn finite<T: Typed + Float>(x: &Array<T>, nan: f64, most: f64) -> Array<T> {
    let number = <T as Float>::of;
    x.is_nan().select(number(nan), x.clamp(number(-most), number(most)))
}

impl Nested {
    /// Another number in the place of each NaN, and the greatest and least numbers of the type in that of infinities: `ak.nan_to_num`. Integers stay.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![f64::NAN, 1.5], vec![f64::INFINITY]]);
    /// assert_eq!(rows.nan_to_num(0.0)?.to_list()?.to_string(), format!("[[0.0, 1.5], [{:?}]]", f64::MAX));
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no numbers.
    #[track_caller]
    pub fn nan_to_num(&self, nan: f64) -> Result<Nested> {
        let made = mapped(self, &mut |column| {
            Ok(match column {
                Column::Float16(x) => {
                    Column::from(finite(&x.cast::<f32>(), nan, MOST_F16)).cast(Kind::Float16)
                }
                Column::Float32(x) => Column::from(finite(x, nan, f32::MAX.into())),
                Column::Float64(x) => Column::from(finite(x, nan, f64::MAX)),
                _ => column.clone(),
            })
        });
        told("nan_to_num", made)
    }

    /// Each NaN as a missing number: `ak.nan_to_none`. Reductions leave it out then: `ak.nansum` and its like.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![f64::NAN, 1.5], vec![]]);
    /// assert_eq!(rows.nan_to_missing()?.to_list()?.to_string(), "[[None, 1.5], []]");
    /// assert_eq!(rows.nan_to_missing()?.max(-1)?.to_list()?.to_string(), "[1.5, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no numbers.
    #[track_caller]
    pub fn nan_to_missing(&self) -> Result<Nested> {
        let made = broadcast(std::slice::from_ref(self), &|_| false, &mut |sides| {
            let numbers = column(&sides[0])?;
            let is_number = match numbers {
                Column::Float16(x) => !x.cast::<f32>().is_nan(),
                Column::Float32(x) => !x.is_nan(),
                Column::Float64(x) => !x.is_nan(),
                _ => return Ok(sides[0].clone()),
            };
            Ok(Nested::present(is_number, sides[0].clone()))
        });
        told("nan_to_missing", made)
    }
}
