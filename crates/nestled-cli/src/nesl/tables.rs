//! Tables of other programs: Parquet, Arrow and JSON lines as values and back. Rows are tuples of their columns; one column alone is a sequence of its cells.

use super::numpy;
use crate::exit_codes::Failure;
use crate::explain::bytes;
use crate::files;
use crate::progress::Line;
use nestled_arrow::{Format, Progress, Scan, scan_with_progress};
use nestled_ir::value::{AxisValue, Buffer, Value};
use nestled_nesl::types::{Base, Type, TypeId};
use nestled_nesl::{Column, Dialect, Elements, Session};
use nestled_nested::{Array, Kind, Layer, Meaning, Nested, Segments};
use nestled_rt::npy::Npy;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// True if a file of this name is written as a table.
pub fn is_written(path: &Path) -> bool {
    let form = path.extension().and_then(|form| form.to_str());
    form.is_some_and(|form| ["parquet", "arrow", "feather", "jsonl"].contains(&form))
}

/// A table's file and the columns that are wanted of it: `run.parquet`, `run.parquet:met,muons.pt`.
pub fn split(path: &str) -> Option<(&str, Option<Vec<&str>>)> {
    // Tables of text are read by themselves.
    let is_table = |path: &str| Format::of(Path::new(path)).is_some_and(|format| format != Format::Csv);
    match path.rsplit_once(':') {
        Some((file, columns)) if is_table(file) => Some((file, Some(columns.split(',').collect()))),
        _ => is_table(path).then_some((path, None)),
    }
}

/// The rows of a file as one value.
pub fn read(
    (path, columns): (&str, Option<Vec<&str>>),
    dialect: Dialect,
    room: u64,
) -> Result<Column, String> {
    let (_, size) = files::open(path.as_ref())?;
    if size.is_some_and(|size| size > room) {
        return Err(format!("it takes more than the {room} bytes that there is room for"));
    }
    let mut table = watched(path.as_ref()).map_err(|error| reason(&error))?.tight().times_as_numbers();
    if let Some(columns) = columns {
        table = table.columns(columns);
    }
    let rows = table.read().map_err(|error| reason(&error))?;
    let elements = Reader { dialect }.column(&rows)?;
    Ok(Column::Rows { lengths: vec![rows.len()], elements: Box::new(elements) })
}

/// A table, of which a terminal shows how far reading is, if that takes long.
fn watched(path: &Path) -> nestled_nested::Result<Scan> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let line = Mutex::new(Line::if_long(format!("reading {name}")));
    scan_with_progress(path, move |Progress { done, of }| {
        let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
        line.tell(|| format!("{} of {}", bytes(done as f64), bytes(of as f64)));
    })
}

/// The text that is shown of a file.
pub fn summary(path: &Path, rows: usize) -> Result<String, Failure> {
    let table = watched(path).and_then(|table| table.summary(rows));
    table.map_err(|error| Failure::usage(format!("cannot read `{}`: {}", path.display(), reason(&error))))
}

/// The message of an error, without the operation, the place and the file, which the command says itself.
fn reason(error: &nestled_nested::Error) -> String {
    use nestled_array::Reason;
    match error.reason() {
        Reason::File(message) => message.split_once(": ").map_or(message.as_str(), |(_, why)| why).to_owned(),
        Reason::Argument(message) | Reason::Fault(message) => message.clone(),
        _ => error.to_string(),
    }
}

/// Reader of columns, level by level.
struct Reader {
    dialect: Dialect,
}

impl Reader {
    /// Several values.
    fn column(&self, nested: &Nested) -> Result<Column, String> {
        Ok(match nested.layer() {
            Layer::Number(kind) => self.numbers(nested, kind)?,
            Layer::Union(..) => {
                return Err(format!("`{}` is a union, for which NESL has no type", nested.schema()));
            }
            Layer::Meant(Meaning::Decimal(..)) => self.numbers(&floats(nested)?, Kind::Float64)?,
            Layer::Meant(_) => self.column(&nested.as_integers().map_err(|error| reason(&error))?)?,
            Layer::Lists(segments, content) => rows(segments, self.column(content)?)?,
            Layer::Strings(segments, bytes) | Layer::Bytes(segments, bytes) => {
                let Column::Elements { count, shape, .. } = self.column(bytes)? else {
                    return Err("a text is not of bytes".to_owned());
                };
                let chars = Elements::Chars(fetched(bytes)?);
                rows(segments, Column::Elements { count, shape, elements: chars })?
            }
            Layer::Fixed(size, content) => {
                Column::Rows { lengths: vec![size; nested.len()], elements: Box::new(self.column(content)?) }
            }
            Layer::Record(fields) => {
                let parts = fields
                    .iter()
                    .map(|(name, field)| self.column(field).map_err(|why| format!("column `{name}`: {why}")));
                pairs(parts.collect::<Result<_, _>>()?)?
            }
            Layer::Tuple(parts) => {
                pairs(parts.iter().map(|part| self.column(part)).collect::<Result<_, _>>()?)?
            }
            Layer::Option(valid, content) => {
                self.optional(&valid.to_vec().map_err(|error| reason(&error))?, content)?
            }
            Layer::Category(codes, words) => {
                let codes = codes.to_vec().map_err(|error| reason(&error))?;
                chosen(&self.column(words)?, codes.into_iter().map(|code| usize::try_from(code).ok()))?
            }
        })
    }

    fn numbers(&self, nested: &Nested, kind: Kind) -> Result<Column, String> {
        let elements = match kind {
            Kind::Bool => Buffer::Bool(fetched(nested)?),
            Kind::Float16 | Kind::Float32 | Kind::Float64 => Buffer::F64(cast(nested, Kind::Float64)?),
            Kind::Uint64 => {
                let numbers: Vec<u64> = fetched(nested)?;
                let int = |number: u64| {
                    i64::try_from(number).map_err(|_| format!("{number} in it is beyond `int`"))
                };
                Buffer::I64(numbers.into_iter().map(int).collect::<Result<_, _>>()?)
            }
            _ => Buffer::I64(cast(nested, Kind::Int64)?),
        };
        let elements = numpy::elements(Npy { shape: vec![nested.len() as u64], elements }, self.dialect)?;
        Ok(Column::Elements { count: nested.len(), shape: Vec::new(), elements })
    }

    /// Values of which some are missing: numbers are not a number there, texts and lists are empty.
    fn optional(&self, valid: &[bool], content: &Nested) -> Result<Column, String> {
        if let Layer::Category(codes, words) = content.layer() {
            let codes = codes.to_vec().map_err(|error| reason(&error))?;
            let code = |(code, valid): (i64, &bool)| usize::try_from(code).ok().filter(|_| *valid);
            return chosen(&self.column(words)?, codes.into_iter().zip(valid).map(code));
        }
        let column = self.column(content)?;
        let missing = |value: f64, valid: &bool| if *valid { value } else { f64::NAN };
        let floats = match column {
            Column::Elements { elements: Elements::Ints(values), .. } => {
                values.into_iter().zip(valid).map(|(value, valid)| missing(value as f64, valid)).collect()
            }
            Column::Elements { elements: Elements::Floats(values), .. } => {
                values.into_iter().zip(valid).map(|(value, valid)| missing(value, valid)).collect()
            }
            Column::Rows { .. } => return Ok(column),
            _ => {
                let what = content.schema();
                return Err(format!("some `{what}` are missing, and NESL has no value for that"));
            }
        };
        Ok(Column::Elements { count: valid.len(), shape: Vec::new(), elements: Elements::Floats(floats) })
    }
}

fn floats(decimals: &Nested) -> Result<Nested, String> {
    decimals.cast(Kind::Float64).map_err(|error| reason(&error))
}

/// The numbers of an array that has nothing else.
fn fetched<T: nestled_nested::Typed>(nested: &Nested) -> Result<Vec<T>, String> {
    Array::<T>::try_from(nested).and_then(|array| array.to_vec()).map_err(|error| reason(&error))
}

/// The numbers of an array, as another type if they are not of it.
fn cast<T: nestled_nested::Typed>(nested: &Nested, kind: Kind) -> Result<Vec<T>, String> {
    match nested.layer() {
        Layer::Number(own) if own == kind => fetched(nested),
        _ => fetched(&nested.cast(kind).map_err(|error| reason(&error))?),
    }
}

/// The words at some places; where there is none, an empty text.
fn chosen(words: &Column, places: impl Iterator<Item = Option<usize>>) -> Result<Column, String> {
    let Column::Rows { lengths, elements } = words else { return Err(NO_WORDS.to_owned()) };
    let Column::Elements { elements: Elements::Chars(chars), .. } = &**elements else {
        return Err(NO_WORDS.to_owned());
    };
    let ends: Vec<usize> = lengths
        .iter()
        .scan(0, |end, length| {
            *end += length;
            Some(*end)
        })
        .collect();
    let (mut lengths, mut text) = (Vec::new(), Vec::new());
    for place in places {
        let word = place.and_then(|place| {
            let begin = place.checked_sub(1).map_or(0, |before| ends[before]);
            chars.get(begin..*ends.get(place)?)
        });
        lengths.push(word.map_or(0, <[u8]>::len));
        text.extend_from_slice(word.unwrap_or_default());
    }
    let elements = Column::Elements { count: text.len(), shape: Vec::new(), elements: Elements::Chars(text) };
    Ok(Column::Rows { lengths, elements: Box::new(elements) })
}

/// A dictionary of something else than texts.
const NO_WORDS: &str = "a dictionary of other things than texts has no counterpart in NESL";

fn rows(segments: &Segments, elements: Column) -> Result<Column, String> {
    let lengths = segments.lengths().to_vec().map_err(|error| reason(&error))?;
    let lengths = lengths.into_iter().map(|length| length as usize).collect();
    Ok(Column::Rows { lengths, elements: Box::new(elements) })
}

/// The parts of tuples: all to the right of one form its partner.
fn pairs(parts: Vec<Column>) -> Result<Column, String> {
    let joined = parts.into_iter().rev().reduce(|right, left| Column::Pairs(Box::new(left), Box::new(right)));
    joined.ok_or_else(|| "it has no columns".to_owned())
}

/// Writes the last value of an expression: its elements are rows, if it is a sequence, and their parts columns.
pub fn write(path: &Path, session: &mut Session) -> Result<(), Failure> {
    let Some((shapes, arrays, ty)) = session.flat_value("it") else {
        return Err(Failure::usage("there is no value to write: no statement was an expression"));
    };
    let mut writer = Writer { session, shapes: shapes.into_iter(), arrays: arrays.into_iter() };
    let failed = |why: String| Failure::usage(format!("cannot write `{}`: {why}", path.display()));
    let rows = writer.table(ty).map_err(failed)?;
    nestled_arrow::write(path, &rows).map_err(|error| failed(reason(&error)))
}

/// Writer that traverses a value in flat arrays.
struct Writer<'s> {
    session: &'s mut Session,
    shapes: std::vec::IntoIter<AxisValue>,
    arrays: std::vec::IntoIter<Value>,
}

impl Writer<'_> {
    fn table(&mut self, ty: TypeId) -> Result<Nested, String> {
        let parts = self.session.parts_of(ty);
        match self.session.type_node(ty) {
            Type::Record(..) => self.table(parts[0]),
            Type::Seq(_) => match self.shapes.next() {
                Some(AxisValue::Extent(count)) => self.column(parts[0], count),
                Some(AxisValue::Seg(_)) | None => Err("its shape is not that of one sequence".to_owned()),
            },
            _ => self.column(ty, 1),
        }
    }

    /// So many values of a type.
    fn column(&mut self, ty: TypeId, count: u64) -> Result<Nested, String> {
        let parts = self.session.parts_of(ty);
        match self.session.type_node(ty) {
            Type::Base(_) => match self.arrays.next() {
                Some(Value::Array(array)) => Ok(numbers(array.to_dense().data.as_ref())),
                Some(Value::Scalar(scalar)) => Ok(numbers(&Buffer::from_scalars(scalar.ty(), &[scalar]))),
                _ => Err("it has fewer parts than its type".to_owned()),
            },
            Type::Pair(..) => {
                let mut columns = vec![self.column(parts[0], count)?];
                let mut rest = parts[1];
                while let Type::Pair(..) = self.session.type_node(rest) {
                    let parts = self.session.parts_of(rest);
                    columns.push(self.column(parts[0], count)?);
                    rest = parts[1];
                }
                columns.push(self.column(rest, count)?);
                Nested::tuples(&columns.iter().collect::<Vec<_>>()).map_err(|error| reason(&error))
            }
            Type::Seq(_) => self.lists(parts[0], count),
            Type::Record(..) => self.column(parts[0], count),
            _ => Err("a function cannot be written".to_owned()),
        }
    }

    fn lists(&mut self, element: TypeId, count: u64) -> Result<Nested, String> {
        let lengths: Vec<usize> = match self.shapes.next() {
            Some(AxisValue::Seg(seg)) => {
                (0..seg.n_segments()).map(|row| seg.lengths.length(row) as usize).collect()
            }
            Some(AxisValue::Extent(extent)) => vec![extent as usize; count as usize],
            None => return Err("it has fewer sequences than its type".to_owned()),
        };
        let content = self.column(element, lengths.iter().sum::<usize>() as u64)?;
        let segments = Segments::from_lengths(&lengths);
        let lists = match self.session.type_node(element) {
            // What is no UTF-8 is written as bytes.
            Type::Base(Base::Char) => content.in_strings(&segments).or_else(|_| content.in_bytes(&segments)),
            _ => content.in_lists(&segments),
        };
        lists.map_err(|error| reason(&error))
    }
}

fn numbers(data: &Buffer) -> Nested {
    match data.clone() {
        Buffer::Bool(values) => Nested::from(Array::from_vec(values)),
        Buffer::I8(values) => Nested::from(Array::from_vec(values)),
        Buffer::U8(values) => Nested::from(Array::from_vec(values)),
        Buffer::I16(values) => Nested::from(Array::from_vec(values)),
        Buffer::U16(values) => Nested::from(Array::from_vec(values)),
        Buffer::I32(values) => Nested::from(Array::from_vec(values)),
        Buffer::U32(values) => Nested::from(Array::from_vec(values)),
        Buffer::I64(values) | Buffer::Idx(values) => Nested::from(Array::from_vec(values)),
        Buffer::U64(values) => Nested::from(Array::from_vec(values)),
        Buffer::F16(bits) => {
            let halves = bits.into_iter().map(nestled_array::F16::from_bits).collect();
            Nested::from(Array::<nestled_array::F16>::from_vec(halves))
        }
        Buffer::F32(values) => Nested::from(Array::from_vec(values)),
        Buffer::F64(values) => Nested::from(Array::from_vec(values)),
    }
}
