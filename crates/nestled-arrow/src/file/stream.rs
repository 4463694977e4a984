//! Streams: tables whose pieces come from elsewhere, once, such as those of another language.

use super::table::{Batches, Part, Table, Wish, roots_without_groups};
use crate::fault::{Outcome, fault};
use arrow_schema::SchemaRef;
use std::sync::{Mutex, PoisonError};

/// Pieces that come once.
pub(crate) struct Stream {
    schema: SchemaRef,
    batches: Mutex<Option<Batches>>,
}

impl Stream {
    pub fn new(schema: SchemaRef, batches: Batches) -> Stream {
        Stream { schema, batches: Mutex::new(Some(batches)) }
    }
}

impl Table for Stream {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    fn parts(&self, _: &Wish) -> Option<Vec<Part>> {
        None
    }

    fn batches(&self, wish: &Wish) -> Outcome<Batches> {
        let roots = roots_without_groups(&self.schema, wish)?;
        let taken = self.batches.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(batches) = taken else { return fault("a stream is read only once") };
        Ok(Box::new(batches.map(move |batch| Ok(batch?.project(&roots)?))))
    }
}
