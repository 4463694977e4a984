//! Formats of files, by the extensions of their names.

use crate::fault::{Outcome, fault};
use std::path::Path;

/// A format of files.
///
/// ```
/// use nestled_arrow::Format;
/// assert_eq!(Format::of("run.parquet".as_ref()), Some(Format::Parquet));
/// assert_eq!(Format::of("notes.txt".as_ref()), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Format {
    /// Columns in row groups, compressed: `.parquet`, `.pq`.
    Parquet,
    /// Arrow's memory as a file: `.arrow`, `.feather`, `.ipc`.
    Arrow,
    /// A text with a line for each row, and a first line of names: `.csv`, and `.tsv` with tabs.
    Csv,
    /// An object of JSON in each line: `.jsonl`, `.ndjson`.
    Jsonl,
}

impl Format {
    /// That of a file with this name.
    ///
    /// ```
    /// use nestled_arrow::Format;
    /// assert_eq!(Format::of("A.FEATHER".as_ref()), Some(Format::Arrow));
    /// ```
    pub fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "parquet" | "pq" => Format::Parquet,
            "arrow" | "feather" | "ipc" => Format::Arrow,
            "csv" | "tsv" => Format::Csv,
            "jsonl" | "ndjson" => Format::Jsonl,
            _ => return None,
        })
    }

    pub(super) fn known(path: &Path) -> Outcome<Format> {
        match Format::of(path) {
            Some(format) => Ok(format),
            None => fault("its name should end with .parquet, .arrow, .feather, .csv, .tsv or .jsonl"),
        }
    }

    /// The byte that separates cells in a file of text.
    pub(super) fn separator(path: &Path) -> u8 {
        let is_tabs = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tsv"));
        if is_tabs { b'\t' } else { b',' }
    }
}

/// The error of a format that was left out when this was built.
#[cfg(not(all(feature = "parquet", feature = "ipc")))]
pub(super) fn left_out<T>(format: Format) -> Outcome<T> {
    fault(format!("this was built without the feature for files of {format:?}"))
}
