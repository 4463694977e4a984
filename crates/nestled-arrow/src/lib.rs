//! Nested data from and to Apache Arrow, and files of tables: Parquet, Feather, CSV, JSON lines.
//!
//! Numbers, texts and the elements of lists, which both store alike, are not copied in either direction; offsets become lengths, and bits bytes.
//! Everything from outside is checked: what does not fit is an error that names the column.
//!
//! ```
//! use nestled_arrow::{read, write};
//! use nestled_nested::{Nested, Value};
//! let events = Nested::from_iter([
//!     Value::record([("met", 1.5.into()), ("jets", vec![10, 20].into())]),
//!     Value::record([("met", 2.5.into()), ("jets", vec![30].into())]),
//! ]);
//! let path = std::env::temp_dir().join("nestled-arrow-lib.parquet");
//! write(&path, &events)?;
//! let back = read(&path)?;
//! assert_eq!(back.type_string(), "2 * {met: float64, jets: var * int64}");
//! assert_eq!(back.field("jets")?.sum(-1)?.to_list()?.to_string(), "[30, 30]");
//! # Ok::<(), nestled_nested::Error>(())
//! ```
//!
//! - [`from_arrow`], [`to_arrow`], [`from_batch`] and [`to_batch`] convert arrays and tables of the crate `arrow-array`; [`ffi`] those of any other language.
//! - [`read`] and [`write()`] are for files that fit in memory; [`Scan`] reads some columns, and piece after piece in bounded memory; [`Writer`] writes piece after piece.
//! - Features `parquet`, `ipc` and `ffi`, all on by default, leave out what is not wanted.
//!
//! # Files
//!
//! `from_arrow.rs` and `to_arrow.rs` convert level by level, `meaning.rs` dates, times and decimals; `ranges.rs` finds what lists have, `memory.rs` shares numbers, `fault.rs` has errors inside.
//! `file/` has a file for each format behind the trait of `file/table.rs`; `file/scan.rs` is what users read with, `file/ahead.rs` the thread that reads the next piece, `file/progress.rs` counts bytes, `file/bounds.rs` chooses row groups,
//! `file/write.rs` what users write with. `ffi.rs` is Arrow's C interface.

mod fault;
#[cfg(feature = "ffi")]
pub mod ffi;
mod file;
mod from_arrow;
mod meaning;
mod memory;
mod ranges;
mod to_arrow;

pub mod guide {
    #![doc = include_str!("../../../docs/files.md")]
}

pub use file::{Format, Mapped, Pieces, Progress, Scan, Writer, read, scan, scan_with_progress, write};

use arrow_array::{Array as _, ArrayRef, RecordBatch, StructArray};
use fault::told;
use from_arrow::Rules;
use nestled_nested::{Nested, Result};
use std::sync::Arc;

/// A nested array of an array of Arrow's. Numbers, texts and elements of lists are not copied.
///
/// ```
/// use arrow_array::{ArrayRef, Int64Array};
/// use std::sync::Arc;
/// let array: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
/// assert_eq!(nestled_arrow::from_arrow(&array)?.to_list()?.to_string(), "[1, None]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// A type that nested data have not: intervals, runs; a decimal that has more digits than 64 bits.
#[track_caller]
pub fn from_arrow(array: &ArrayRef) -> Result<Nested> {
    let nullable = array.logical_null_count() > 0;
    told("from_arrow", from_arrow::element(array, nullable, Rules::default()))
}

/// An array of Arrow's of a nested one, which is computed if need be. Numbers, texts and elements of lists are not copied from devices whose memory the host reads.
///
/// ```
/// use nestled_nested::Nested;
/// let array = nestled_arrow::to_arrow(&Nested::from_iter([vec![1, 2], vec![]]))?;
/// assert_eq!((array.len(), array.data_type().to_string().contains("List")), (2, true));
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// Those of evaluation.
#[track_caller]
pub fn to_arrow(nested: &Nested) -> Result<ArrayRef> {
    nestled_array::Engine::current().eval(&[nested])?;
    told("to_arrow", to_arrow::array(nested))
}

/// Records of a table of Arrow's: each column is a field, which may be missing where the table says so.
///
/// ```
/// use nestled_nested::Nested;
/// let pairs = Nested::from_iter([1, 2]);
/// let table = nestled_arrow::to_batch(&Nested::records(&[("x", &pairs)])?)?;
/// assert_eq!(nestled_arrow::from_batch(&table)?.type_string(), "2 * {x: int64}");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// A column is of a type that nested data have not; there is no column.
#[track_caller]
pub fn from_batch(batch: &RecordBatch) -> Result<Nested> {
    let rows: ArrayRef = Arc::new(StructArray::from(batch.clone()));
    told("from_batch", from_arrow::element(&rows, false, Rules::default()))
}

/// A table of Arrow's of records or tuples; other elements become its only column, `value`.
///
/// ```
/// use nestled_nested::Nested;
/// let table = nestled_arrow::to_batch(&Nested::from_iter([1.5, 2.5]))?;
/// assert_eq!(table.schema().field(0).name(), "value");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// Those of evaluation.
#[track_caller]
pub fn to_batch(nested: &Nested) -> Result<RecordBatch> {
    told("to_batch", to_arrow::batch(nested))
}
