//! Tables of text: a line for each row, a first line of names. The types of columns are those of all their cells.

use super::cells::Cells;
use super::format::Format;
use super::progress::{Counted, Hearer};
use super::table::{Batches, Part, Table, Wish, roots_without_groups};
use super::times;
use crate::fault::{InColumn, Outcome, fault};
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use nestled_nested::{Meaning, Value};
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of a piece, if nobody says how many.
const ROWS: usize = 1 << 16;

/// A CSV file.
pub(super) struct Csv {
    path: PathBuf,
    schema: SchemaRef,
    separator: u8,
}

impl Csv {
    /// Reads the file once for the types of its columns.
    pub fn open(path: &Path, hearer: &Hearer) -> Outcome<Csv> {
        let separator = Format::separator(path);
        let mut rows = Rows::new(path, separator, hearer)?;
        let mut types = vec![DataType::Null; rows.width];
        while rows.next()? {
            for (ty, cell) in types.iter_mut().zip(rows.cells.iter()) {
                *ty = joined(ty, cell);
            }
        }
        let field = |(name, ty): (&String, DataType)| {
            let ty = if ty == DataType::Null { DataType::Float64 } else { ty };
            Field::new(name, ty, true)
        };
        let fields: Vec<Field> = rows.names.iter().zip(types).map(field).collect();
        Ok(Csv { path: path.to_owned(), schema: Arc::new(Schema::new(fields)), separator })
    }
}

/// The type of a column with one more cell; nothing is known of one whose cells are all empty.
fn joined(ty: &DataType, (text, quoted): (&str, bool)) -> DataType {
    if text.is_empty() && !quoted || *ty == DataType::Utf8 {
        return ty.clone();
    }
    let own = match text {
        _ if quoted => DataType::Utf8,
        _ if text.parse::<i64>().is_ok() => DataType::Int64,
        _ if truth(text).is_some() => DataType::Boolean,
        _ if text.parse::<f64>().is_ok() => DataType::Float64,
        _ => times::of_text(text).unwrap_or(DataType::Utf8),
    };
    match (ty, own) {
        (DataType::Null, own) => own,
        (one, own) if *one == own => own,
        (DataType::Int64 | DataType::Float64, DataType::Int64 | DataType::Float64) => DataType::Float64,
        (one, own) => times::common(one, &own).unwrap_or(DataType::Utf8),
    }
}

fn truth(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// The rows of a file after the first, of which each has as many cells.
struct Rows {
    cells: Cells<BufReader<Counted<File>>>,
    names: Vec<String>,
    width: usize,
}

impl Rows {
    fn new(path: &Path, separator: u8, hearer: &Hearer) -> Outcome<Rows> {
        let mut cells = Cells::new(BufReader::new(hearer.file(path)?), separator);
        if !cells.next()? {
            return fault("it is empty: a first line of names is wanted");
        }
        let names: Vec<String> = cells.iter().map(|(name, _)| name.to_owned()).collect();
        Ok(Rows { cells, width: names.len(), names })
    }

    /// Goes to the next row that has cells; `false` at the end.
    fn next(&mut self) -> Outcome<bool> {
        while self.cells.next()? {
            let count = self.cells.count();
            if count == self.width {
                return Ok(true);
            }
            // An empty line is no row.
            if count != 1 || self.cells.iter().any(|(text, _)| !text.is_empty()) {
                let (line, width) = (self.cells.line(), self.width);
                return fault(format!("line {line} has {count} cells, the first has {width}"));
            }
        }
        Ok(false)
    }
}

/// The cells of a column while rows are read.
enum Column {
    Bools(Vec<Option<bool>>),
    Ints(Vec<Option<i64>>),
    Floats(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
    Times(Meaning, Vec<Option<i64>>),
}

impl Column {
    fn new(ty: &DataType) -> Column {
        match ty {
            DataType::Boolean => Column::Bools(Vec::new()),
            DataType::Int64 => Column::Ints(Vec::new()),
            DataType::Float64 => Column::Floats(Vec::new()),
            _ => match times::meaning(ty) {
                Some(meaning) => Column::Times(meaning, Vec::new()),
                None => Column::Texts(Vec::new()),
            },
        }
    }

    /// Appends a cell; `None` if it is not of the type, for the file has changed.
    fn push(&mut self, (text, quoted): (&str, bool)) -> Option<()> {
        let text = (!text.is_empty() || quoted).then_some(text);
        match self {
            Column::Bools(cells) => cells.push(text.map(|text| truth(text).ok_or(())).transpose().ok()?),
            Column::Ints(cells) => cells.push(text.map(str::parse).transpose().ok()?),
            Column::Floats(cells) => cells.push(text.map(str::parse).transpose().ok()?),
            Column::Texts(cells) => cells.push(text.map(str::to_owned)),
            Column::Times(meaning, cells) => {
                cells.push(text.map(|text| meaning.read(text).ok_or(())).transpose().ok()?);
            }
        }
        Some(())
    }

    fn finish(self) -> Outcome<ArrayRef> {
        Ok(match self {
            Column::Bools(cells) => Arc::new(BooleanArray::from(cells)),
            Column::Ints(cells) => Arc::new(Int64Array::from(cells)),
            Column::Floats(cells) => Arc::new(Float64Array::from(cells)),
            Column::Texts(cells) => Arc::new(StringArray::from_iter(cells)),
            Column::Times(meaning, cells) => crate::meaning::of_values(&meaning, cells)?,
        })
    }
}

/// Pieces of a file.
struct Pieces {
    rows: Rows,
    schema: SchemaRef,
    roots: Vec<usize>,
    most: usize,
}

impl Pieces {
    fn read(&mut self) -> Outcome<Option<RecordBatch>> {
        let mut columns: Vec<Column> =
            self.schema.fields().iter().map(|field| Column::new(field.data_type())).collect();
        let mut count = 0;
        while count < self.most && self.rows.next()? {
            for ((column, &root), field) in columns.iter_mut().zip(&self.roots).zip(self.schema.fields()) {
                let cell = self.rows.cells.get(root);
                if column.push(cell).is_none() {
                    let what =
                        format!("line {}: `{}` is no {}", self.rows.cells.line(), cell.0, field.data_type());
                    return fault(what).in_column(field.name());
                }
            }
            count += 1;
        }
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let arrays = columns.into_iter().map(Column::finish).collect::<Outcome<_>>()?;
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)?;
        Ok((count > 0).then_some(batch))
    }
}

impl Iterator for Pieces {
    type Item = Outcome<RecordBatch>;

    fn next(&mut self) -> Option<Outcome<RecordBatch>> {
        self.read().transpose()
    }
}

impl Table for Csv {
    fn with_texts(&self) -> Option<Arc<dyn Table>> {
        let schema = times::as_texts(&self.schema);
        Some(Arc::new(Csv { path: self.path.clone(), schema, separator: self.separator }))
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn parts(&self, _: &Wish) -> Option<Vec<Part>> {
        None
    }

    fn batches(&self, wish: &Wish) -> Outcome<Batches> {
        let (rows, roots) =
            (Rows::new(&self.path, self.separator, &wish.hearer)?, roots_without_groups(&self.schema, wish)?);
        let schema = Arc::new(self.schema.project(&roots)?);
        Ok(Box::new(Pieces { rows, schema, roots, most: wish.rows.unwrap_or(ROWS) }))
    }
}

/// Writes the line of names.
pub(super) fn write_names(out: &mut impl Write, names: &[String], separator: u8) -> Outcome<()> {
    let names = names.iter().map(|name| Value::String(name.clone()));
    write_line(out, names, separator)
}

/// Writes the cells of a row.
pub(super) fn write_line(
    out: &mut impl Write,
    cells: impl IntoIterator<Item = Value>,
    separator: u8,
) -> Outcome<()> {
    for (place, cell) in cells.into_iter().enumerate() {
        if place > 0 {
            out.write_all(&[separator])?;
        }
        match cell {
            Value::Missing => {}
            Value::String(text) if is_plain(&text, separator) => out.write_all(text.as_bytes())?,
            Value::String(text) => write!(out, "\"{}\"", text.replace('"', "\"\""))?,
            Value::Float(number) => write!(out, "{number:?}")?,
            Value::Meant(..) => write!(out, "{cell}")?,
            other => write!(out, "{}", other.to_string().to_lowercase())?,
        }
    }
    Ok(out.write_all(b"\n")?)
}

/// True if a text needs no quotation marks to be read as it is.
fn is_plain(text: &str, separator: u8) -> bool {
    let is_special = |byte: u8| byte == separator || matches!(byte, b'"' | b'\n' | b'\r');
    !text.bytes().any(is_special) && joined(&DataType::Null, (text, false)) == DataType::Utf8
}
