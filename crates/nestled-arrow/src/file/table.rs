//! Tables: what a file has to give, whatever its format.

use super::progress::Hearer;
use crate::fault::{Outcome, fault};
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use nestled_nested::Value;
use std::ops::Bound;
use std::sync::Arc;

/// Pieces of a table, one after another.
pub(crate) type Batches = Box<dyn Iterator<Item = Outcome<RecordBatch>> + Send>;

/// The columns and the pieces that are wanted of a table.
#[derive(Clone, Default, Debug)]
pub(crate) struct Wish {
    /// The columns, by their names; all if there is nothing.
    pub columns: Option<Vec<String>>,
    /// The most rows of a piece, if not as many as the file has in its own.
    pub rows: Option<usize>,
    /// The row groups of Parquet, if not all.
    pub groups: Option<Vec<usize>>,
    /// Row groups without values in these are left out.
    pub bounds: Vec<Bounds>,
    /// Who hears how far reading is.
    pub hearer: Hearer,
}

/// Wanted values of a column.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub column: String,
    pub low: Bound<Value>,
    pub high: Bound<Value>,
}

/// A part of a file: its rows, and the bytes that they take there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub rows: usize,
    pub bytes: u64,
}

/// A table in a file.
pub(crate) trait Table: Send + Sync {
    /// All columns.
    fn schema(&self) -> SchemaRef;

    /// The wanted parts of the file, where it says so: their number of rows, and their bytes.
    fn parts(&self, wish: &Wish) -> Option<Vec<Part>>;

    /// The bytes of each column, where the file says so.
    fn column_bytes(&self) -> Option<Vec<u64>> {
        None
    }

    /// The wanted columns of it.
    fn wanted(&self, wish: &Wish) -> Outcome<SchemaRef> {
        let schema = self.schema();
        Ok(SchemaRef::new(schema.project(&roots(&schema, wish)?)?))
    }

    /// The same with texts where texts said dates and times, if it is a table of texts.
    fn with_texts(&self) -> Option<Arc<dyn Table>> {
        None
    }

    /// Its pieces.
    fn batches(&self, wish: &Wish) -> Outcome<Batches>;

    /// All of it as one piece.
    fn whole(&self, wish: &Wish) -> Outcome<RecordBatch> {
        let schema = self.wanted(wish)?;
        joined(&schema, self.batches(wish)?.collect::<Outcome<Vec<_>>>()?)
    }
}

/// Several pieces as one.
pub(crate) fn joined(schema: &SchemaRef, batches: Vec<RecordBatch>) -> Outcome<RecordBatch> {
    match <[RecordBatch; 1]>::try_from(batches) {
        Ok([batch]) => Ok(batch),
        Err(batches) => Ok(arrow_select::concat::concat_batches(schema, &batches)?),
    }
}

/// The places of the wanted columns of a table that is no Parquet file. Bounds leave nothing out there.
pub(crate) fn roots_without_groups(schema: &Schema, wish: &Wish) -> Outcome<Vec<usize>> {
    match wish.groups {
        None => roots(schema, wish),
        Some(_) => fault("only Parquet files have row groups"),
    }
}

/// The places of the wanted columns.
pub(crate) fn roots(schema: &Schema, wish: &Wish) -> Outcome<Vec<usize>> {
    let Some(names) = &wish.columns else { return Ok((0..schema.fields().len()).collect()) };
    if names.is_empty() {
        return fault("no column is wanted");
    }
    names.iter().map(|name| root(schema, name)).collect()
}

fn root(schema: &Schema, name: &str) -> Outcome<usize> {
    match schema.fields().iter().position(|field| field.name() == name) {
        Some(place) => Ok(place),
        None => no_column(name, schema.fields().iter().map(|field| field.name().clone()).collect()),
    }
}

/// The error of a column that is not there.
pub(crate) fn no_column<T>(name: &str, names: Vec<String>) -> Outcome<T> {
    const MOST: usize = 20;
    let more = if names.len() > MOST { ", …" } else { "" };
    let names: Vec<String> = names.into_iter().take(MOST).map(|name| format!("`{name}`")).collect();
    fault(format!("there is no column `{name}`; it has {}{more}", names.join(", ")))
}
