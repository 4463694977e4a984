//! Writers: nested data to a file, at once or piece after piece; a file is replaced only when all of it is written.

use super::format::Format;
use super::{csv, json_text};
use crate::fault::{Fault, InColumn, Outcome, fault, told_of};
use crate::to_arrow;
use nestled_cache::Aside;
use nestled_nested::{Layer, Nested, Result, Schema, Value};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file whose format its name says. Fields of records become columns; other elements are a column `value`.
///
/// ```
/// use nestled_nested::Nested;
/// let path = std::env::temp_dir().join("nestled-arrow-write.feather");
/// nestled_arrow::write(&path, &Nested::from_iter([vec!["a", "b"], vec![]]))?;
/// assert_eq!(nestled_arrow::read(&path)?.type_string(), "2 * {value: var * string}");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// The file cannot be written, or the format has no place for a column; and those of evaluation.
#[track_caller]
pub fn write(path: impl AsRef<Path>, nested: &Nested) -> Result<()> {
    let path = path.as_ref();
    let written = Open::new(path).and_then(|mut open| {
        open.write(nested)?;
        open.finish()
    });
    told_of("write", path, written)
}

/// Writes a file piece after piece: each is a row group of Parquet, a batch of Arrow. All have one schema.
///
/// ```
/// use nestled_arrow::{Writer, scan};
/// use nestled_nested::Nested;
/// let path = std::env::temp_dir().join("nestled-arrow-writer.parquet");
/// let mut writer = Writer::create(&path)?;
/// writer.write(&Nested::from_iter([1, 2]))?;
/// writer.write(&Nested::from_iter([3]))?;
/// writer.finish()?;
/// assert_eq!(scan(&path)?.pieces()?.count(), 2);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
pub struct Writer {
    path: PathBuf,
    open: Open,
}

impl Writer {
    /// Begins a file whose format its name says. An older one stays until [`finish`](Writer::finish).
    ///
    /// # Errors
    /// No file can be made there.
    #[track_caller]
    pub fn create(path: impl AsRef<Path>) -> Result<Writer> {
        let path = path.as_ref();
        let open = told_of("create", path, Open::new(path))?;
        Ok(Writer { path: path.to_owned(), open })
    }

    /// Writes a piece.
    ///
    /// # Errors
    /// Its schema is another than that of the first; and those of [`write()`].
    #[track_caller]
    pub fn write(&mut self, piece: &Nested) -> Result<()> {
        told_of("write", &self.path, self.open.write(piece))
    }

    /// Ends the file, which takes its place.
    ///
    /// # Errors
    /// Nothing was written, or the file cannot be.
    #[track_caller]
    pub fn finish(self) -> Result<()> {
        told_of("finish", &self.path, self.open.finish())
    }
}

/// The file while it is written.
type Out = BufWriter<Aside>;

/// A file before and after its schema is known.
enum Open {
    New(Format, Box<Path>, Out),
    Begun(Schema, Sink),
    /// A piece was not written whole.
    Broken,
}

/// The writer of pieces of one schema.
enum Sink {
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::arrow::ArrowWriter<Out>>),
    #[cfg(feature = "ipc")]
    Arrow(Box<arrow_ipc::writer::FileWriter<Out>>),
    /// With what separates cells.
    Csv(Out, u8),
    Jsonl(Out),
}

impl Open {
    fn new(path: &Path) -> Outcome<Open> {
        let format = Format::known(path)?;
        Ok(Open::New(format, path.into(), BufWriter::new(Aside::new(path)?)))
    }

    fn write(&mut self, piece: &Nested) -> Outcome<()> {
        let piece = to_arrow::rows(piece)?;
        let (schema, mut sink) = match std::mem::replace(self, Open::Broken) {
            Open::New(format, path, out) => {
                fits(format, &piece)?;
                (piece.schema(), Sink::new((format, &path), out, &piece)?)
            }
            Open::Begun(schema, sink) => (schema, sink),
            Open::Broken => return fault("an earlier piece was not written"),
        };
        if schema != piece.schema() {
            let why = format!("a piece is of `{}`, and the first is of `{schema}`", piece.schema());
            *self = Open::Begun(schema, sink);
            return fault(why);
        }
        sink.write(&piece)?;
        *self = Open::Begun(schema, sink);
        Ok(())
    }

    fn finish(self) -> Outcome<()> {
        let Open::Begun(_, sink) = self else { return fault("nothing was written") };
        let mut out = sink.finish()?;
        out.flush()?;
        let mut aside = out.into_inner().map_err(|error| Fault::from(error.into_error()))?;
        Ok(aside.finish()?)
    }
}

/// Refuses columns that a format has no place for.
fn fits(format: Format, rows: &Nested) -> Outcome<()> {
    fn is_cell(schema: &Schema) -> bool {
        match schema {
            Schema::Number(_) | Schema::String | Schema::Meant(_) => true,
            Schema::Option(inner) | Schema::Category(inner) => is_cell(inner),
            _ => false,
        }
    }
    fn has_union(schema: &Schema) -> bool {
        match schema {
            Schema::Union(_) => true,
            Schema::List(inner)
            | Schema::Fixed(_, inner)
            | Schema::Option(inner)
            | Schema::Category(inner) => has_union(inner),
            Schema::Record(fields) => fields.iter().any(|(_, field)| has_union(field)),
            Schema::Tuple(fields) => fields.iter().any(has_union),
            _ => false,
        }
    }
    if format == Format::Parquet
        && let Some((name, _)) = columns(rows).iter().find(|(_, column)| has_union(&column.schema()))
    {
        return fault("Parquet has no unions; .arrow has them").in_column(name);
    }
    if format == Format::Csv {
        for (name, column) in columns(rows) {
            if !is_cell(&column.schema()) {
                let why = "a table of text has cells of numbers, times and texts only; .jsonl has lists and records";
                return fault(why).in_column(&name);
            }
        }
    }
    Ok(())
}

/// The columns of rows.
fn columns(rows: &Nested) -> Vec<(String, Nested)> {
    match rows.layer() {
        Layer::Record(fields) => {
            fields.into_iter().map(|(name, field)| (name.to_owned(), field.clone())).collect()
        }
        Layer::Tuple(parts) => {
            parts.iter().enumerate().map(|(at, part)| (at.to_string(), part.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// The rows as records, whatever they are.
fn records(rows: &Nested) -> Outcome<Vec<Value>> {
    let columns = columns(rows);
    let fields: Vec<(&str, &Nested)> = columns.iter().map(|(name, column)| (name.as_str(), column)).collect();
    Ok(Nested::records(&fields)?.to_values()?)
}

impl Sink {
    fn new((format, path): (Format, &Path), mut out: Out, rows: &Nested) -> Outcome<Sink> {
        Ok(match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let properties = parquet::file::properties::WriterProperties::builder()
                    .set_compression(parquet::basic::Compression::SNAPPY)
                    .build();
                let schema = to_arrow::batch(rows)?.schema();
                Sink::Parquet(Box::new(parquet::arrow::ArrowWriter::try_new(out, schema, Some(properties))?))
            }
            #[cfg(feature = "ipc")]
            Format::Arrow => {
                let schema = to_arrow::batch(rows)?.schema();
                Sink::Arrow(Box::new(arrow_ipc::writer::FileWriter::try_new(out, &schema)?))
            }
            Format::Csv => {
                let names: Vec<String> = columns(rows).into_iter().map(|(name, _)| name).collect();
                let separator = Format::separator(path);
                csv::write_names(&mut out, &names, separator)?;
                Sink::Csv(out, separator)
            }
            Format::Jsonl => Sink::Jsonl(out),
            #[cfg(not(all(feature = "parquet", feature = "ipc")))]
            _ => return super::format::left_out(format),
        })
    }

    fn write(&mut self, rows: &Nested) -> Outcome<()> {
        match self {
            #[cfg(feature = "parquet")]
            Sink::Parquet(writer) => {
                writer.write(&to_arrow::batch(rows)?)?;
                writer.flush()?;
            }
            #[cfg(feature = "ipc")]
            Sink::Arrow(writer) => writer.write(&to_arrow::batch(rows)?)?,
            Sink::Csv(out, separator) => {
                for row in records(rows)? {
                    let Value::Record(cells) = row else { return fault("rows are no records") };
                    csv::write_line(out, cells.into_iter().map(|(_, cell)| cell), *separator)?;
                }
            }
            Sink::Jsonl(out) => {
                for row in records(rows)? {
                    json_text::write(out, &row)?;
                    out.write_all(b"\n")?;
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Outcome<Out> {
        Ok(match self {
            #[cfg(feature = "parquet")]
            Sink::Parquet(writer) => writer.into_inner()?,
            #[cfg(feature = "ipc")]
            Sink::Arrow(mut writer) => {
                writer.finish()?;
                writer.into_inner()?
            }
            Sink::Csv(out, _) | Sink::Jsonl(out) => out,
        })
    }
}
