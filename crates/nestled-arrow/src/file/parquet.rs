//! Parquet files: columns by need, row group after row group, or all at once, a column for each thread.

use super::bounds;
use super::headers::look_at_footer;
use super::pages::Groups;
use super::positioned::Positioned;
use super::progress::{Counter, Hearer};
use super::table::{Batches, Part, Table, Wish, joined, no_column};
use crate::fault::{Fault, InColumn, Outcome, fault, guarded};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, new_empty_array};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use parquet::errors::ParquetError;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

impl From<ParquetError> for Fault {
    fn from(error: ParquetError) -> Fault {
        Fault::Outside(Vec::new(), error.to_string())
    }
}

/// A Parquet file.
pub(super) struct Parquet {
    file: Arc<Positioned>,
    metadata: ArrowReaderMetadata,
}

/// The most bytes of a column that are read as one array, for offsets of 32 bits must reach.
const MOST: u64 = 1 << 30;

impl Parquet {
    pub fn open(path: &Path) -> Outcome<Parquet> {
        let file = Positioned::new(File::open(path)?)?;
        look_at_footer(&file)?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
        Ok(Parquet { file: Arc::new(file), metadata })
    }

    fn schema_ref(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// The columns of numbers and texts below each column, in order: the file has one column for each.
    fn leaves(&self) -> Vec<(usize, String)> {
        let leaves = leaves(self.schema_ref());
        leaves.into_iter().map(|leaf| (leaf.root, leaf.name)).collect()
    }

    /// The wanted row groups.
    fn groups(&self, wish: &Wish) -> Outcome<Vec<usize>> {
        let metadata = self.metadata.metadata();
        let count = metadata.num_row_groups();
        let mut groups = wish.groups.clone().unwrap_or_else(|| (0..count).collect());
        if let Some(group) = groups.iter().find(|&&group| group >= count) {
            return fault(format!("there is no row group {group}; it has {count}, from 0 on"));
        }
        for bounds in &wish.bounds {
            let leaf = self.bounded(&bounds.column)?;
            bounds::keep(&mut groups, bounds, metadata, (leaf.0, &leaf.1))?;
        }
        Ok(groups)
    }

    /// The leaf of a column with bounds, and the type that its values have in the file: programs may want another unit of time.
    fn bounded(&self, name: &str) -> Outcome<(usize, DataType)> {
        let column = Wish { columns: Some(vec![name.to_owned()]), ..Wish::default() };
        let [leaf] = self.wanted_leaves(&column)?.concat()[..] else {
            return fault("it is made of several columns, each of which has bounds").in_column(name);
        };
        let own = parquet_to_arrow_schema(self.metadata.parquet_schema(), None)?;
        let type_in = |schema: &Schema| leaves(schema).get(leaf).map(|leaf| leaf.ty.clone());
        match (type_in(&own), type_in(self.schema_ref())) {
            // Parquet has no durations.
            (Some(DataType::Int64), Some(wanted @ DataType::Duration(_))) => Ok((leaf, wanted)),
            (Some(ty), _) => Ok((leaf, ty)),
            (None, _) => fault("it has no type").in_column(name),
        }
    }

    /// For each wanted name the leaves that it means, which lie in one column.
    fn wanted_leaves(&self, wish: &Wish) -> Outcome<Vec<Vec<usize>>> {
        let leaves = self.leaves();
        if leaves.len() != self.metadata.parquet_schema().num_columns() {
            return fault("its columns are not those of its schema");
        }
        let Some(names) = &wish.columns else {
            let of_root = |root| (0..leaves.len()).filter(|&leaf| leaves[leaf].0 == root).collect();
            return Ok((0..self.schema_ref().fields().len()).map(of_root).collect());
        };
        if names.is_empty() {
            return fault("no column is wanted");
        }
        let of_name = |name: &String| {
            let below = format!("{name}.");
            let is_meant = |own: &str| own == name || own.starts_with(&below);
            let meant: Vec<usize> = (0..leaves.len()).filter(|&leaf| is_meant(&leaves[leaf].1)).collect();
            match meant.is_empty() {
                true => no_column(name, leaves.iter().map(|(_, own)| own.clone()).collect()),
                false => Ok(meant),
            }
        };
        names.iter().map(of_name).collect()
    }

    /// The columns of leaves. Those of one column of the file become one, at the place of the first.
    fn columns(&self, wish: &Wish) -> Outcome<Vec<Vec<usize>>> {
        let leaves = self.leaves();
        let mut columns: Vec<Vec<usize>> = Vec::new();
        for wanted in self.wanted_leaves(wish)? {
            let same = |column: &&mut Vec<usize>| leaves[column[0]].0 == leaves[wanted[0]].0;
            match columns.iter_mut().find(same) {
                Some(column) => column.extend(wanted),
                None => columns.push(wanted),
            }
        }
        Ok(columns)
    }

    /// The levels by which some leaves become a column.
    fn levels(&self, leaves: &[usize]) -> Outcome<FieldLevels> {
        let schema = self.metadata.parquet_schema();
        let mask = ProjectionMask::leaves(schema, leaves.iter().copied());
        Ok(parquet_to_arrow_field_levels(schema, mask, Some(self.schema_ref().fields()))?)
    }

    fn field(&self, leaves: &[usize]) -> Outcome<FieldRef> {
        let reader = self.reader(&self.levels(leaves)?, Vec::new(), 1, &Hearer::default().counter(0))?;
        match arrow_array::RecordBatchReader::schema(&reader).fields().first() {
            Some(field) => Ok(Arc::clone(field)),
            None => fault("a column has no type"),
        }
    }

    fn reader(
        &self,
        levels: &FieldLevels,
        groups: Vec<usize>,
        rows: usize,
        counter: &Arc<Counter>,
    ) -> Outcome<ParquetRecordBatchReader> {
        let (file, metadata) = (Arc::clone(&self.file), Arc::clone(self.metadata.metadata()));
        let groups = Groups { file, metadata, groups, counter: Arc::clone(counter) };
        Ok(ParquetRecordBatchReader::try_new_with_row_groups(levels, &groups, rows.max(1), None)?)
    }

    /// Counts the bytes of some columns in some groups.
    fn counter(&self, leaves: &[usize], groups: &[usize], hearer: &Hearer) -> Arc<Counter> {
        let groups = groups.iter().map(|&group| self.metadata.metadata().row_group(group));
        let chunks = groups.flat_map(|group| leaves.iter().map(|&leaf| group.column(leaf)));
        hearer.counter(chunks.map(|chunk| u64::try_from(chunk.compressed_size()).unwrap_or(0)).sum())
    }

    /// The rows of some groups of a column, in as few arrays as offsets of 32 bits allow.
    fn column(&self, leaves: &[usize], groups: &[usize], counter: &Arc<Counter>) -> Outcome<Vec<ArrayRef>> {
        let metadata = self.metadata.metadata();
        let (mut rows, mut bytes) = (0u64, 0u64);
        for group in groups.iter().map(|&group| metadata.row_group(group)) {
            rows += u64::try_from(group.num_rows()).unwrap_or(0);
            let sizes =
                leaves.iter().map(|&leaf| u64::try_from(group.column(leaf).uncompressed_size()).unwrap_or(0));
            bytes += sizes.max().unwrap_or(0);
        }
        let pieces = bytes / MOST + 1;
        let rows = usize::try_from(rows.div_ceil(pieces)).unwrap_or(usize::MAX);
        let reader = self.reader(&self.levels(leaves)?, groups.to_vec(), rows, counter)?;
        reader.map(|batch| Ok(Arc::clone(batch?.column(0)))).collect()
    }
}

/// A leaf of the schema, which has a column of its own in the file.
struct Leaf {
    /// The place of the column that it is part of.
    root: usize,
    /// The name, with those of the records around it. Lists add nothing to it.
    name: String,
    ty: DataType,
}

/// All leaves, in the order of the file.
fn leaves(schema: &Schema) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (root, field) in schema.fields().iter().enumerate() {
        leaves_below(field, (root, ""), &mut leaves);
    }
    leaves
}

fn leaves_below(field: &Field, (root, above): (usize, &str), into: &mut Vec<Leaf>) {
    let name = if above.is_empty() { field.name().clone() } else { format!("{above}.{}", field.name()) };
    leaves_of(field.data_type(), (root, name), into);
}

fn leaves_of(ty: &DataType, (root, name): (usize, String), into: &mut Vec<Leaf>) {
    match ty {
        DataType::Struct(fields) => {
            fields.iter().for_each(|field| leaves_below(field, (root, &name), into));
        }
        DataType::List(element)
        | DataType::LargeList(element)
        | DataType::ListView(element)
        | DataType::LargeListView(element)
        | DataType::FixedSizeList(element, _)
        | DataType::Map(element, _) => leaves_of(element.data_type(), (root, name), into),
        _ => into.push(Leaf { root, name, ty: ty.clone() }),
    }
}

impl Table for Parquet {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.schema_ref())
    }

    fn parts(&self, wish: &Wish) -> Option<Vec<Part>> {
        let metadata = self.metadata.metadata();
        let groups = self.groups(wish).ok()?.into_iter().map(|group| metadata.row_group(group));
        let part = |rows: i64, bytes: i64| Part {
            rows: usize::try_from(rows).unwrap_or(0),
            bytes: u64::try_from(bytes).unwrap_or(0),
        };
        Some(groups.map(|group| part(group.num_rows(), group.compressed_size())).collect())
    }

    fn column_bytes(&self) -> Option<Vec<u64>> {
        let mut sizes = vec![0u64; self.schema_ref().fields().len()];
        let leaves = self.leaves();
        for group in self.metadata.metadata().row_groups() {
            for (chunk, (root, _)) in group.columns().iter().zip(&leaves) {
                sizes[*root] += u64::try_from(chunk.compressed_size()).unwrap_or(0);
            }
        }
        Some(sizes)
    }

    fn wanted(&self, wish: &Wish) -> Outcome<SchemaRef> {
        let fields =
            self.columns(wish)?.iter().map(|leaves| self.field(leaves)).collect::<Outcome<Vec<_>>>()?;
        Ok(Arc::new(Schema::new(fields)))
    }

    /// A piece for each row group, or for a part of one.
    fn batches(&self, wish: &Wish) -> Outcome<Batches> {
        let columns = self.columns(wish)?;
        let (leaves, groups) = (columns.concat(), self.groups(wish)?);
        let (levels, counter) = (self.levels(&leaves)?, self.counter(&leaves, &groups, &wish.hearer));
        let schema = self.wanted(wish)?;
        // The file has its own order of columns.
        let own = arrow_array::RecordBatchReader::schema(&self.reader(&levels, Vec::new(), 1, &counter)?);
        let order = schema.fields().iter().map(|field| own.index_of(field.name()));
        let order = order.collect::<Result<Vec<usize>, _>>()?;
        let (file, metadata) = (Arc::clone(&self.file), self.metadata.clone());
        let table = Parquet { file, metadata };
        let most = wish.rows.unwrap_or(usize::MAX);
        let of_groups = Arc::clone(&counter);
        let readers = groups.into_iter().map(move |group| {
            let rows = usize::try_from(table.metadata.metadata().row_group(group).num_rows()).unwrap_or(0);
            table.reader(&levels, vec![group], rows.min(most), &of_groups)
        });
        let batches = readers.flat_map(|reader| -> Batches {
            match reader {
                Ok(reader) => Box::new(reader.map(|batch| Ok(batch?))),
                Err(fault) => Box::new(std::iter::once(Err(fault))),
            }
        });
        Ok(counter.finished_after(Box::new(batches.map(move |batch| Ok(batch?.project(&order)?)))))
    }

    fn whole(&self, wish: &Wish) -> Outcome<RecordBatch> {
        let (schema, columns, groups) = (self.wanted(wish)?, self.columns(wish)?, self.groups(wish)?);
        let counter = self.counter(&columns.concat(), &groups, &wish.hearer);
        let arrays = on_all_cores(columns.len(), |place| {
            let name = schema.field(place).name();
            guarded(|| self.column(&columns[place], &groups, &counter)).in_column(name)
        })?;
        counter.finish();
        let rows = self.parts(wish).unwrap_or_default().iter().map(|part| part.rows).sum();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let mut whole = Vec::with_capacity(arrays.len());
        for (field, pieces) in schema.fields().iter().zip(arrays) {
            whole.push(match pieces.as_slice() {
                [] => new_empty_array(field.data_type()),
                [one] => Arc::clone(one),
                several => {
                    let one = Arc::new(Schema::new(vec![Arc::clone(field)]));
                    let batch =
                        |array: &ArrayRef| RecordBatch::try_new(Arc::clone(&one), vec![Arc::clone(array)]);
                    let batches = several.iter().map(batch).collect::<Result<Vec<_>, _>>()?;
                    Arc::clone(joined(&one, batches)?.column(0))
                }
            });
        }
        Ok(RecordBatch::try_new_with_options(schema, whole, &options)?)
    }
}

/// The results of a function of the first places, computed by as many threads as there are cores.
fn on_all_cores<T: Send>(count: usize, one: impl Fn(usize) -> Outcome<T> + Sync) -> Outcome<Vec<T>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Outcome<T>>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = results.get(place) else { return };
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(one(place));
        }
    };
    std::thread::scope(|scope| {
        (1..cores.min(count)).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let taken = |result: Mutex<Option<Outcome<T>>>| {
        result
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .unwrap_or_else(|| fault("a column was not read"))
    };
    results.into_iter().map(taken).collect()
}
