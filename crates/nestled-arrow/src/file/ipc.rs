//! Arrow's own files: batches of columns as they lie in memory, in files with an index of them (Feather), or in streams.

use super::ipc_sizes;
use super::ipc_zstd::{Place, Unpacked};
use super::table::{Batches, Part, Table, Wish, roots_without_groups};
use crate::fault::Outcome;
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::SchemaRef;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

/// An Arrow file or stream.
pub(super) struct Ipc {
    path: PathBuf,
    schema: SchemaRef,
    is_stream: bool,
    /// The places of its messages, if zstd has compressed some.
    packed: Option<Vec<Place>>,
}

/// The first bytes of a file with an index.
const MAGIC: &[u8] = b"ARROW1";

impl Ipc {
    pub fn open(path: &Path) -> Outcome<Ipc> {
        let mut file = File::open(path)?;
        let mut start = Vec::new();
        file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start)?;
        let is_stream = start != MAGIC;
        let packed = match is_stream {
            true => ipc_sizes::check_stream(&mut file)?,
            false => ipc_sizes::check_file(&mut file)?,
        };
        file.rewind()?;
        let file = BufReader::new(file);
        let schema = match (&packed, is_stream) {
            (Some(places), _) => StreamReader::try_new(Unpacked::new(file, places.clone()), None)?.schema(),
            (None, true) => StreamReader::try_new(file, None)?.schema(),
            (None, false) => FileReader::try_new(file, None)?.schema(),
        };
        Ok(Ipc { path: path.to_owned(), schema, is_stream, packed })
    }
}

impl Table for Ipc {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    fn parts(&self, _: &Wish) -> Option<Vec<Part>> {
        None
    }

    fn batches(&self, wish: &Wish) -> Outcome<Batches> {
        // The reader gives columns in the order of the file.
        let roots = roots_without_groups(&self.schema, wish)?;
        let mut sorted = roots.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let order: Vec<usize> = roots.iter().filter_map(|root| sorted.binary_search(root).ok()).collect();
        let file = wish.hearer.file(&self.path)?;
        let (counter, file) = (file.counter(), BufReader::new(file));
        let batches: Batches = match (&self.packed, self.is_stream) {
            (Some(places), _) => {
                let file = Unpacked::new(file, places.clone());
                Box::new(StreamReader::try_new(file, Some(sorted))?.map(|batch| Ok(batch?)))
            }
            (None, true) => Box::new(StreamReader::try_new(file, Some(sorted))?.map(|batch| Ok(batch?))),
            (None, false) => Box::new(FileReader::try_new(file, Some(sorted))?.map(|batch| Ok(batch?))),
        };
        let most = wish.rows.unwrap_or(usize::MAX);
        let cut = move |batch: Outcome<RecordBatch>| -> Batches {
            match batch.and_then(|batch| Ok(batch.project(&order)?)) {
                Ok(batch) => {
                    let starts = (0..batch.num_rows()).step_by(most.min(batch.num_rows()).max(1));
                    Box::new(
                        starts.map(move |start| Ok(batch.slice(start, most.min(batch.num_rows() - start)))),
                    )
                }
                Err(fault) => Box::new(std::iter::once(Err(fault))),
            }
        };
        Ok(counter.finished_after(Box::new(batches.flat_map(cut))))
    }
}
