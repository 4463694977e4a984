//! Computed columns as values.

use crate::column::{Column, each};
use crate::nested::{Face, Layout, Nested};
use crate::schema::Kind;
use crate::value::Value;
use nestled_array::Result;

impl Nested {
    /// The values of computed columns.
    pub(super) fn read(&self) -> Result<Vec<Value>> {
        match &self.layout {
            Layout::Leaf(column) => numbers(column),
            Layout::Union(tags, variants) => {
                let columns = variants.iter().map(Nested::read).collect::<Result<Vec<_>>>()?;
                let chosen = |(tag, mut values): (i64, Vec<Value>)| values.swap_remove(tag as usize);
                Ok(tags.to_vec()?.into_iter().zip(across(columns, self.length)).map(chosen).collect())
            }
            Layout::Meant(meaning, column) => {
                let Column::Int64(x) = column.cast(Kind::Int64) else { unreachable!("it was converted") };
                Ok(x.to_vec()?.into_iter().map(|value| Value::Meant(meaning.clone(), value)).collect())
            }
            Layout::List(Face::List, rows, content) => {
                Ok(cut(content.read()?, &rows.lengths().to_vec()?).into_iter().map(Value::List).collect())
            }
            Layout::List(face, rows, content) => {
                let text = |bytes: Vec<u8>| match face {
                    Face::String => Value::String(String::from_utf8_lossy(&bytes).into_owned()),
                    Face::Bytes | Face::List => Value::Bytes(bytes),
                };
                Ok(cut(bytes(content)?, &rows.lengths().to_vec()?).into_iter().map(text).collect())
            }
            Layout::Fixed(size, content) => {
                let lengths = vec![*size as i64; self.length];
                Ok(cut(content.read()?, &lengths).into_iter().map(Value::List).collect())
            }
            Layout::Record(fields) => {
                let columns = fields.iter().map(|(_, field)| field.read()).collect::<Result<Vec<_>>>()?;
                let named = |values: Vec<Value>| {
                    Value::record(fields.iter().map(|(name, _)| name.to_string()).zip(values))
                };
                Ok(across(columns, self.length).into_iter().map(named).collect())
            }
            Layout::Tuple(fields) => {
                let columns = fields.iter().map(Nested::read).collect::<Result<Vec<_>>>()?;
                Ok(across(columns, self.length).into_iter().map(Value::Tuple).collect())
            }
            Layout::Option(valid, content) => {
                let kept = |(valid, value)| if valid { value } else { Value::Missing };
                Ok(valid.to_vec()?.into_iter().zip(content.read()?).map(kept).collect())
            }
            Layout::Category(codes, words) => {
                let words = words.read()?;
                let word = |code: i64| words.get(code as usize).cloned().unwrap_or(Value::Missing);
                Ok(codes.to_vec()?.into_iter().map(word).collect())
            }
        }
    }
}

fn numbers(column: &Column) -> Result<Vec<Value>> {
    each!(column, x => Ok(x.to_vec()?.into_iter().map(Value::from).collect()))
}

fn bytes(content: &Nested) -> Result<Vec<u8>> {
    match &content.layout {
        Layout::Leaf(Column::Uint8(bytes)) => bytes.to_vec(),
        _ => unreachable!("texts are lists of bytes"),
    }
}

/// The elements in lists of these lengths.
fn cut<T>(elements: Vec<T>, lengths: &[i64]) -> Vec<Vec<T>> {
    let mut rest = elements.into_iter();
    lengths.iter().map(|&length| rest.by_ref().take(length.max(0) as usize).collect()).collect()
}

/// The elements of several columns at each place.
fn across(columns: Vec<Vec<Value>>, length: usize) -> Vec<Vec<Value>> {
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    (0..length).map(|_| columns.iter_mut().filter_map(Iterator::next).collect()).collect()
}
