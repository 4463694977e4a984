//! File formats of other programs: each is read to NESL values and written from them.

pub mod csv;
pub mod json;
pub mod png;
mod tree;
mod types;

pub use json::parse as parse_json;
pub use tree::Tree;
pub use types::unfit;

use nestled_nesl::Column;
use nestled_nesl::interp::Value;
use std::io;

/// Reads a value from a file in the format of its extension; `None` if the format is not known here.
///
/// # Errors
/// The reason why the file is malformed, in words that follow its name.
pub fn read(
    path: &str,
    bytes: &[u8],
    (room, fits): (u64, &dyn Fn(i64) -> bool),
) -> Option<Result<Column, String>> {
    let text =
        || std::str::from_utf8(bytes).map_err(|error| format!("byte {} is no UTF-8", error.valid_up_to()));
    let (_, form) = path.rsplit_once('.')?;
    let column = match form.to_ascii_lowercase().as_str() {
        "json" => text().and_then(|text| json::read(text, room)),
        "csv" => text().and_then(|text| csv::read(text, room)),
        "png" => png::read(bytes, room),
        _ => return None,
    };
    Some(column.and_then(|column| match tree::first_int(&column, &|value| !fits(value)) {
        Some(value) => Err(format!("{value} in it does not fit into an `int` of 32 bits")),
        None => Ok(column),
    }))
}

/// File extensions of the formats that can be written.
pub const FORMS: [&str; 3] = ["json", "csv", "png"];

/// Writes a value in one of these formats.
///
/// # Errors
/// The form has no room for such values, or they cannot be written there.
pub fn write(out: &mut dyn io::Write, form: &str, value: &Value, ty: &str) -> io::Result<()> {
    match form {
        "json" => crate::nesl::json::write(out, value, ty),
        "csv" => csv::write(out, value, ty),
        "png" => out.write_all(&png::of_value(value).map_err(io::Error::other)?),
        _ => Err(io::Error::other("its name says no form")),
    }
}
