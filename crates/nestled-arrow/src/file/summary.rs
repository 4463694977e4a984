//! Summaries: a table's columns, their types and sizes, and its first rows, as a text.

use super::table::{Table, Wish, roots};
use crate::fault::Outcome;
use crate::from_arrow::{self, Rules};
use arrow_array::{ArrayRef, StructArray, new_empty_array};
use arrow_schema::Field;
use std::fmt::Write;
use std::sync::Arc;

/// The text of a table.
pub(super) fn text(table: &dyn Table, wish: &Wish, rules: Rules, rows: usize) -> Outcome<String> {
    let mut text = String::new();
    if let Some(parts) = table.parts(wish) {
        let (total, bytes) =
            parts.iter().fold((0, 0), |(rows, bytes), part| (rows + part.rows, bytes + part.bytes));
        let several = |count: u64, name: &str| match count {
            1 => format!("one {name}"),
            _ => format!("{count} {name}s"),
        };
        let _ = write!(text, "{} in {}", several(total as u64, "row"), several(parts.len() as u64, "part"));
        let _ = if bytes > 0 { writeln!(text, ", {}", size(bytes)) } else { writeln!(text) };
    }
    let schema = table.schema();
    let sizes = table.column_bytes();
    let width = schema.fields().iter().map(|field| field.name().chars().count()).max().unwrap_or(0);
    for (place, field) in schema.fields().iter().enumerate() {
        let bytes = sizes.as_ref().and_then(|sizes| sizes.get(place));
        let bytes = bytes.map_or(String::new(), |&bytes| format!("{:>10}", size(bytes)));
        let _ = writeln!(text, "  {:width$} {bytes}  {}", field.name(), type_of(field, rules));
    }
    let columns = readable(table, wish, rules)?;
    if rows > 0 && !columns.is_empty() {
        let wish = Wish { rows: Some(rows), columns: Some(columns), ..wish.clone() };
        let first = table.batches(&wish)?.next().transpose()?;
        if let Some(first) = first {
            let count = first.num_rows().min(rows);
            let first: ArrayRef = Arc::new(StructArray::from(first.slice(0, count)));
            let _ = writeln!(text, "\n{}", from_arrow::element(&first, false, rules)?);
        }
    }
    Ok(text)
}

/// The type of a column: that of nested data, or else Arrow's.
fn type_of(field: &Field, rules: Rules) -> String {
    let none = new_empty_array(field.data_type());
    match from_arrow::element(&none, field.is_nullable(), rules) {
        Ok(nested) => nested.schema().to_string(),
        Err(_) => format!("{} (not read)", field.data_type()),
    }
}

/// The wanted columns whose types are known.
fn readable(table: &dyn Table, wish: &Wish, rules: Rules) -> Outcome<Vec<String>> {
    let schema = table.schema();
    let fields = roots(&schema, wish)?.into_iter().map(|place| schema.field(place));
    let known = |field: &&Field| {
        from_arrow::element(&new_empty_array(field.data_type()), field.is_nullable(), rules).is_ok()
    };
    Ok(fields.filter(known).map(|field| field.name().clone()).collect())
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes() {
        assert_eq!(
            [999, 1_000, 2_500_000, 3_000_000_000].map(super::size),
            ["999 B", "1.0 kB", "2.5 MB", "3.0 GB"]
        );
    }
}
