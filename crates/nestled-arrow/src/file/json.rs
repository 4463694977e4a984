//! JSON lines: an object in each line, whose values are the columns. Their types are those of all values.

use super::json_text::{Json, parse};
use super::progress::{Counted, Hearer};
use super::table::{Batches, Part, Table, Wish, roots_without_groups};
use super::times;
use crate::fault::{InColumn, Outcome, fault};
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, NullArray, RecordBatch,
    StringArray, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of a piece, if nobody says how many.
const ROWS: usize = 1 << 16;

/// A file of JSON lines.
pub(super) struct Jsonl {
    path: PathBuf,
    schema: SchemaRef,
}

impl Jsonl {
    /// Reads the file once for the types of its columns.
    pub fn open(path: &Path, hearer: &Hearer) -> Outcome<Jsonl> {
        let (mut ty, mut lines) = (DataType::Null, Objects::new(path, hearer)?);
        while let Some(object) = lines.read()? {
            ty = joined(ty, type_of(&object)).or_else(|why| fault(format!("line {}: {why}", lines.line)))?;
        }
        let DataType::Struct(fields) = ty else { return fault("it has no object") };
        Ok(Jsonl { path: path.to_owned(), schema: Arc::new(Schema::new(fields)) })
    }
}

/// The objects of a file.
struct Objects {
    lines: Lines<BufReader<Counted<File>>>,
    line: usize,
}

impl Objects {
    fn new(path: &Path, hearer: &Hearer) -> Outcome<Objects> {
        Ok(Objects { lines: BufReader::new(hearer.file(path)?).lines(), line: 0 })
    }

    fn read(&mut self) -> Outcome<Option<Json>> {
        for line in self.lines.by_ref() {
            self.line += 1;
            let line = line?;
            // Some programs begin a file with a mark.
            let text = if self.line == 1 { line.trim_start_matches('\u{feff}') } else { &line };
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            return match parse(text) {
                Ok(object @ Json::Object(_)) => Ok(Some(object)),
                Ok(_) => fault(format!("line {}: it is no object", self.line)),
                Err(why) => fault(format!("line {}: {why}", self.line)),
            };
        }
        Ok(None)
    }
}

/// The type of a value, as far as it tells. All values may be missing.
fn type_of(value: &Json) -> DataType {
    match value {
        Json::Null => DataType::Null,
        Json::Bool(_) => DataType::Boolean,
        Json::Int(_) => DataType::Int64,
        Json::Float(_) => DataType::Float64,
        Json::Text(text) => times::of_text(text).unwrap_or(DataType::Utf8),
        Json::List(values) => {
            let all = values.iter().map(type_of).try_fold(DataType::Null, joined);
            // What is wrong is found when the values are read.
            DataType::List(Arc::new(Field::new("item", all.unwrap_or(DataType::Utf8), true)))
        }
        Json::Object(members) => {
            let field = |(name, value): &(String, Json)| Field::new(name, type_of(value), true);
            DataType::Struct(members.iter().map(field).collect())
        }
    }
}

/// The type that has the values of both.
fn joined(one: DataType, other: DataType) -> Result<DataType, String> {
    use DataType::{Float64, Int64, List, Null, Struct};
    Ok(match (one, other) {
        (Null, ty) | (ty, Null) => ty,
        (Int64, Float64) | (Float64, Int64) => Float64,
        (List(one), List(other)) => {
            let item = joined(one.data_type().clone(), other.data_type().clone())?;
            List(Arc::new(Field::new("item", item, true)))
        }
        (Struct(one), Struct(other)) => Struct(joined_fields(&one, &other)?),
        (one, other) if one == other => one,
        (one, other) if times::is_text(&one) && times::is_text(&other) => {
            times::common(&one, &other).unwrap_or(DataType::Utf8)
        }
        (one, other) => return Err(format!("a value of `{other}` where others are of `{one}`")),
    })
}

fn joined_fields(one: &Fields, other: &Fields) -> Result<Fields, String> {
    let mut fields: Vec<Field> = one.iter().map(|field| (**field).clone()).collect();
    for field in other {
        match fields.iter_mut().find(|known| known.name() == field.name()) {
            Some(known) => {
                let ty = joined(known.data_type().clone(), field.data_type().clone());
                let ty = ty.map_err(|why| format!("column `{}`: {why}", field.name()))?;
                *known = Field::new(field.name(), ty, true);
            }
            None => fields.push((**field).clone()),
        }
    }
    Ok(fields.into())
}

/// Values of a type.
fn array(ty: &DataType, values: &[&Json]) -> Outcome<ArrayRef> {
    fn every<'v, T>(values: &[&'v Json], part: fn(&'v Json) -> Option<T>) -> Outcome<Vec<Option<T>>> {
        let one = |value: &&'v Json| match (value, part(value)) {
            (Json::Null, _) => Ok(None),
            (_, Some(part)) => Ok(Some(part)),
            (_, None) => fault("values are of several types"),
        };
        values.iter().map(one).collect()
    }
    Ok(match ty {
        DataType::Null => Arc::new(NullArray::new(values.len())),
        DataType::Boolean => Arc::new(BooleanArray::from(every(values, Json::bool)?)),
        DataType::Int64 => Arc::new(Int64Array::from(every(values, Json::int)?)),
        DataType::Float64 => Arc::new(Float64Array::from(every(values, Json::float)?)),
        DataType::List(field) => {
            let lists = every(values, Json::list)?;
            let all: Vec<&Json> = lists.iter().flatten().flat_map(|list| list.iter()).collect();
            let nulls = NullBuffer::from_iter(lists.iter().map(Option::is_some));
            let offsets = OffsetBuffer::from_lengths(lists.iter().map(|list| list.map_or(0, Vec::len)));
            let content = array(field.data_type(), &all)?;
            Arc::new(ListArray::try_new(Arc::clone(field), offsets, content, Some(nulls))?)
        }
        DataType::Struct(fields) => {
            let objects = every(values, Json::members)?;
            let column = |field: &Arc<Field>| {
                array(field.data_type(), &members(&objects, field.name())).in_column(field.name())
            };
            let columns = fields.iter().map(column).collect::<Outcome<Vec<_>>>()?;
            let nulls = NullBuffer::from_iter(objects.iter().map(Option::is_some));
            Arc::new(StructArray::try_new(fields.clone(), columns, Some(nulls))?)
        }
        _ => {
            let texts = every(values, Json::text)?;
            match times::meaning(ty) {
                Some(meaning) => times::array(&meaning, &texts)?,
                None => Arc::new(StringArray::from(texts)),
            }
        }
    })
}

/// The values of a name.
fn members<'v>(objects: &[Option<&'v Vec<(String, Json)>>], name: &str) -> Vec<&'v Json> {
    let of = |members: &'v Vec<(String, Json)>| {
        members.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    };
    objects.iter().map(|object| object.and_then(of).unwrap_or(&Json::Null)).collect()
}

/// Pieces of a file.
struct Pieces {
    objects: Objects,
    schema: SchemaRef,
    most: usize,
}

impl Iterator for Pieces {
    type Item = Outcome<RecordBatch>;

    fn next(&mut self) -> Option<Outcome<RecordBatch>> {
        self.read().transpose()
    }
}

impl Pieces {
    fn read(&mut self) -> Outcome<Option<RecordBatch>> {
        let mut objects = Vec::new();
        while objects.len() < self.most
            && let Some(object) = self.objects.read()?
        {
            objects.push(object);
        }
        if objects.is_empty() {
            return Ok(None);
        }
        let ty = DataType::Struct(self.schema.fields().clone());
        let rows = array(&ty, &objects.iter().collect::<Vec<_>>())?;
        let columns = rows.as_any().downcast_ref::<StructArray>().map(|rows| rows.columns().to_vec());
        Ok(Some(RecordBatch::try_new(Arc::clone(&self.schema), columns.unwrap_or_default())?))
    }
}

impl Table for Jsonl {
    fn with_texts(&self) -> Option<Arc<dyn Table>> {
        Some(Arc::new(Jsonl { path: self.path.clone(), schema: times::as_texts(&self.schema) }))
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn parts(&self, _: &Wish) -> Option<Vec<Part>> {
        None
    }

    fn batches(&self, wish: &Wish) -> Outcome<Batches> {
        // Values of other columns are passed over.
        let schema = Arc::new(self.schema.project(&roots_without_groups(&self.schema, wish)?)?);
        let objects = Objects::new(&self.path, &wish.hearer)?;
        Ok(Box::new(Pieces { objects, schema, most: wish.rows.unwrap_or(ROWS) }))
    }
}
