//! Scans: a table in a file, of which some columns are read, at once or piece after piece.

use super::ahead::Ahead;
use super::format::Format;
use super::progress::{Hearer, Progress};
use super::summary;
use super::table::{Batches, Bounds, Table, Wish};
use crate::fault::{Fault, Outcome, guarded, told_of};
use crate::from_arrow::{self, Rules};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader, StructArray, new_empty_array};
use arrow_schema::{DataType, SchemaRef};
use nestled_nested::{Nested, Result, Schema, Value};
use std::ops::{Bound, RangeBounds};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A table in a file. Its schema is known when it is opened; rows are read when they are asked for.
///
/// ```
/// use nestled_arrow::{scan, write};
/// use nestled_nested::{Array, Nested};
/// let path = std::env::temp_dir().join("nestled-arrow-scan.parquet");
/// let (x, y) = (Nested::from(Array::<i64>::range(1000)), Nested::from(Array::<f64>::zeros(&[1000])));
/// write(&path, &Nested::records(&[("x", &x), ("y", &y)])?)?;
///
/// // The sum of `x`, in pieces of at most 300 rows; `y` is not read.
/// let sum = scan(&path)?
///     .columns(["x"])
///     .rows(300)
///     .map(|piece| Array::<i64>::try_from(&piece.field("x")?)?.sum().item())
///     .reduce(0, |sum, part| sum + part)?;
/// assert_eq!(sum, 499_500);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
#[derive(Clone)]
pub struct Scan {
    path: PathBuf,
    table: Arc<dyn Table>,
    wish: Wish,
    rules: Rules,
}

/// Opens the table of a file, whose format its name says.
///
/// ```
/// let error = nestled_arrow::scan("missing.parquet").err().expect("there is none");
/// assert!(error.to_string().contains("missing.parquet: "), "{error}");
/// ```
///
/// # Errors
/// The file cannot be read, or is no table of this format.
#[track_caller]
pub fn scan(path: impl AsRef<Path>) -> Result<Scan> {
    opened(path.as_ref(), Hearer::default())
}

/// As [`scan`], and tells how far it is: files of text are read once when they are opened, for the types of their columns. Tells as well how far reading the rows is, as
/// [`Scan::progress`] does.
///
/// ```
/// # use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
/// # let path = std::env::temp_dir().join("nestled-arrow-scan-progress.jsonl");
/// std::fs::write(&path, "{\"x\": 1}\n").unwrap();
/// let done = Arc::new(AtomicU64::new(0));
/// let heard = Arc::clone(&done);
/// nestled_arrow::scan_with_progress(&path, move |progress| heard.store(progress.done, Ordering::Relaxed))?;
/// assert_eq!(done.load(Ordering::Relaxed), 9);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// Those of [`scan`].
#[track_caller]
pub fn scan_with_progress(
    path: impl AsRef<Path>,
    hear: impl Fn(Progress) + Send + Sync + 'static,
) -> Result<Scan> {
    opened(path.as_ref(), Hearer::new(hear))
}

#[track_caller]
fn opened(path: &Path, hearer: Hearer) -> Result<Scan> {
    let table = Format::known(path).and_then(|format| guarded(|| open(path, format, &hearer)));
    let scan = Scan::of(path, told_of("scan", path, table)?);
    Ok(Scan { wish: Wish { hearer, ..scan.wish }, ..scan })
}

/// All rows of a file.
///
/// ```
/// use nestled_nested::Nested;
/// let path = std::env::temp_dir().join("nestled-arrow-read.jsonl");
/// std::fs::write(&path, "{\"x\": 1, \"jets\": [1.5]}\n{\"x\": 2, \"jets\": []}\n").unwrap();
/// let rows = nestled_arrow::read(&path)?;
/// assert_eq!(rows.field("jets")?.num(1)?.to_list()?.to_string(), "[1, 0]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
///
/// # Errors
/// As [`scan`], or a column is of a type that nested data have not.
#[track_caller]
pub fn read(path: impl AsRef<Path>) -> Result<Nested> {
    scan(path)?.read()
}

fn open(path: &Path, format: Format, hearer: &Hearer) -> Outcome<Arc<dyn Table>> {
    match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => Ok(Arc::new(super::parquet::Parquet::open(path)?)),
        #[cfg(feature = "ipc")]
        Format::Arrow => Ok(Arc::new(super::ipc::Ipc::open(path)?)),
        Format::Csv => Ok(Arc::new(super::csv::Csv::open(path, hearer)?)),
        Format::Jsonl => Ok(Arc::new(super::json::Jsonl::open(path, hearer)?)),
        #[cfg(not(all(feature = "parquet", feature = "ipc")))]
        _ => super::format::left_out(format),
    }
}

impl Scan {
    fn of(path: &Path, table: Arc<dyn Table>) -> Scan {
        Scan { path: path.to_owned(), table, wish: Wish::default(), rules: Rules::default() }
    }

    /// The tables of another reader, which are read once, one after another.
    ///
    /// ```
    /// use arrow_array::RecordBatchIterator;
    /// use nestled_arrow::{Scan, to_batch};
    /// use nestled_nested::Nested;
    /// let piece = to_batch(&Nested::from_iter([1, 2]))?;
    /// let reader = RecordBatchIterator::new([Ok(piece.clone()), Ok(piece.clone())], piece.schema());
    /// assert_eq!(Scan::from_reader(reader).read()?.len(), 4);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    pub fn from_reader(reader: impl RecordBatchReader + Send + 'static) -> Scan {
        let schema = reader.schema();
        Scan::of_batches(schema, Box::new(reader.map(|batch| batch.map_err(Fault::from))))
    }

    pub(crate) fn of_batches(schema: SchemaRef, batches: Batches) -> Scan {
        Scan::of(Path::new("stream"), Arc::new(super::stream::Stream::new(schema, batches)))
    }

    /// The columns that are read, in this order; of Parquet files also fields of records and of lists of them, `muons.pt`. Others are not touched.
    ///
    /// ```
    /// # use nestled_nested::Nested;
    /// # let path = std::env::temp_dir().join("nestled-arrow-columns.parquet");
    /// # let (x, y) = (Nested::from_iter([1]), Nested::from_iter(["a"]));
    /// # nestled_arrow::write(&path, &Nested::records(&[("x", &x), ("y", &y)])?)?;
    /// let y = nestled_arrow::scan(&path)?.columns(["y"]).read()?;
    /// assert_eq!(y.type_string(), "1 * {y: string}");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    #[must_use]
    pub fn columns<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Scan {
        self.wish.columns = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The most rows of a piece. By default a piece is a row group of Parquet, a batch of Arrow, 65 536 lines of text.
    ///
    /// ```
    /// # use nestled_nested::Nested;
    /// # let path = std::env::temp_dir().join("nestled-arrow-rows.parquet");
    /// # nestled_arrow::write(&path, &Nested::from_iter([1, 2, 3]))?;
    /// let lengths: Vec<usize> =
    ///     nestled_arrow::scan(&path)?.rows(2).pieces()?.map(|piece| Ok(piece?.len())).collect::<Result<_, _>>()?;
    /// assert_eq!(lengths, [2, 1]);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    #[must_use]
    pub fn rows(mut self, most: usize) -> Scan {
        self.wish.rows = Some(most.max(1));
        self
    }

    /// The row groups of a Parquet file that are read, by their numbers from 0 on, in this order. Nothing of others is read.
    ///
    /// ```
    /// # use nestled_nested::Nested;
    /// # let path = std::env::temp_dir().join("nestled-arrow-groups.parquet");
    /// let mut writer = nestled_arrow::Writer::create(&path)?;
    /// writer.write(&Nested::from_iter([1, 2]))?;
    /// writer.write(&Nested::from_iter([3]))?;
    /// writer.finish()?;
    /// assert_eq!(nestled_arrow::scan(&path)?.row_groups([1]).read()?.to_list()?.to_string(), "[{value: 3}]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    #[must_use]
    pub fn row_groups(mut self, numbers: impl IntoIterator<Item = usize>) -> Scan {
        self.wish.groups = Some(numbers.into_iter().collect());
        self
    }

    /// Leaves out row groups of a Parquet file that have no value of a column within bounds, as their statistics say: the least and the greatest value of each. A group without such
    /// statistics is read, and all rows of what is read are there, also those beyond the bounds. Bounds of dates and times may be texts. Several bounds hold together; files of
    /// other formats are read whole.
    ///
    /// ```
    /// # use nestled_nested::Nested;
    /// # let path = std::env::temp_dir().join("nestled-arrow-groups-with.parquet");
    /// let mut writer = nestled_arrow::Writer::create(&path)?;
    /// for start in [0, 100, 200] {
    ///     writer.write(&Nested::from_iter(start..start + 100))?;
    /// }
    /// writer.finish()?;
    /// let some = nestled_arrow::scan(&path)?.row_groups_with("value", 150..=180);
    /// assert_eq!(some.row_count(), Some(100));
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    #[must_use]
    pub fn row_groups_with<V: Into<Value> + Clone>(
        mut self,
        column: impl Into<String>,
        bounds: impl RangeBounds<V>,
    ) -> Scan {
        let value = |bound: Bound<&V>| bound.map(|value| value.clone().into());
        let (low, high) = (value(bounds.start_bound()), value(bounds.end_bound()));
        self.wish.bounds.push(Bounds { column: column.into(), low, high });
        self
    }

    /// Tells somebody how far reading the rows is, from whichever thread reads them: often, so that it should not take long.
    ///
    /// ```
    /// # use nestled_nested::Nested;
    /// # let path = std::env::temp_dir().join("nestled-arrow-told.parquet");
    /// # nestled_arrow::write(&path, &Nested::from_iter([1, 2, 3]))?;
    /// let rows = nestled_arrow::scan(&path)?.progress(|now| eprint!("\r{} of {}", now.done, now.of)).read()?;
    /// assert_eq!(rows.len(), 3);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    #[must_use]
    pub fn progress(mut self, hear: impl Fn(Progress) + Send + Sync + 'static) -> Scan {
        self.wish.hearer = Hearer::new(hear);
        self
    }

    /// Reads dates, times and durations as integers of their unit, without what they mean. In files of text they stay texts.
    ///
    /// ```
    /// # use nestled_nested::Nested;
    /// # let path = std::env::temp_dir().join("nestled-arrow-times.parquet");
    /// # nestled_arrow::write(&path, &Nested::from_iter([1, 2, 3]))?;
    /// assert_eq!(nestled_arrow::scan(&path)?.times_as_numbers().read()?.len(), 3);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    #[must_use]
    pub fn times_as_numbers(mut self) -> Scan {
        self.rules.times_as_numbers = true;
        if let Some(table) = self.table.with_texts() {
            self.table = table;
        }
        self
    }

    /// Takes the `?` from columns in which nothing is missing: many programs write all columns as such that may lack values. Of pieces each decides by itself.
    ///
    /// ```
    /// # use nestled_nested::Nested;
    /// # let path = std::env::temp_dir().join("nestled-arrow-tight.csv");
    /// # nestled_arrow::write(&path, &Nested::from_iter([1, 2, 3]))?;
    /// assert_eq!(nestled_arrow::read(&path)?.type_string(), "3 * {value: ?int64}");
    /// assert_eq!(nestled_arrow::scan(&path)?.tight().read()?.type_string(), "3 * {value: int64}");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    #[must_use]
    pub fn tight(mut self) -> Scan {
        self.rules.tight = true;
        self
    }

    /// The schema of the rows that are read.
    ///
    /// ```
    /// # use nestled_nested::Nested;
    /// # let path = std::env::temp_dir().join("nestled-arrow-schema.parquet");
    /// # nestled_arrow::write(&path, &Nested::from_iter(["a"]))?;
    /// assert_eq!(nestled_arrow::scan(&path)?.schema()?.to_string(), "{value: string}");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// A wanted column is not there, or of a type that nested data have not.
    #[track_caller]
    pub fn schema(&self) -> Result<Schema> {
        let schema = self.table.wanted(&self.wish).and_then(|schema| {
            let none = new_empty_array(&DataType::Struct(schema.fields().clone()));
            let rules = Rules { tight: false, ..self.rules };
            Ok(from_arrow::element(&none, false, rules)?.schema())
        });
        told_of("schema", &self.path, schema)
    }

    /// The number of rows that are read, where the file says it.
    ///
    /// ```
    /// # use nestled_nested::Nested;
    /// # let path = std::env::temp_dir().join("nestled-arrow-count.parquet");
    /// # nestled_arrow::write(&path, &Nested::from_iter([1, 2, 3]))?;
    /// assert_eq!(nestled_arrow::scan(&path)?.row_count(), Some(3));
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    pub fn row_count(&self) -> Option<usize> {
        Some(self.table.parts(&self.wish)?.iter().map(|part| part.rows).sum())
    }

    /// A text of the columns, their types and sizes, and of the first rows.
    ///
    /// ```
    /// # use nestled_nested::Nested;
    /// # let path = std::env::temp_dir().join("nestled-arrow-summary.parquet");
    /// # nestled_arrow::write(&path, &Nested::from_iter([1, 2, 3]))?;
    /// assert!(nestled_arrow::scan(&path)?.summary(2)?.contains("value"));
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The file cannot be read.
    #[track_caller]
    pub fn summary(&self, rows: usize) -> Result<String> {
        let text = guarded(|| summary::text(&*self.table, &self.wish, self.rules, rows));
        told_of("summary", &self.path, text)
    }

    /// All rows at once: columns of Parquet on all cores.
    ///
    /// # Errors
    /// A wanted column is not there, or of a type that nested data have not; the file cannot be read, or is malformed.
    #[track_caller]
    pub fn read(&self) -> Result<Nested> {
        let batch = guarded(|| self.table.whole(&self.wish));
        let rows = batch.and_then(|batch| rows_of(batch, self.rules));
        told_of("read", &self.path, rows)
    }

    /// Pieces of the rows, one after another: a thread reads the next while the last is computed with. At most two are in memory.
    ///
    /// # Errors
    /// A wanted column is not there. The pieces have the errors of [`read`](Scan::read).
    #[track_caller]
    pub fn pieces(&self) -> Result<Pieces> {
        let batches = told_of("pieces", &self.path, guarded(|| self.table.batches(&self.wish)))?;
        Ok(Pieces { path: self.path.clone(), ahead: Ahead::of(batches), rules: self.rules })
    }

    /// A function of each piece.
    pub fn map<T, F: FnMut(Nested) -> Result<T>>(self, function: F) -> Mapped<F> {
        Mapped { scan: self, function }
    }
}

fn rows_of(batch: RecordBatch, rules: Rules) -> Outcome<Nested> {
    let rows: ArrayRef = Arc::new(StructArray::from(batch));
    from_arrow::element(&rows, false, rules)
}

/// The pieces of a [`Scan`], one after another. After an error there are no more.
pub struct Pieces {
    path: PathBuf,
    ahead: Ahead,
    rules: Rules,
}

impl Iterator for Pieces {
    type Item = Result<Nested>;

    fn next(&mut self) -> Option<Result<Nested>> {
        let rows = self.ahead.next()?.and_then(|batch| rows_of(batch, self.rules));
        Some(told_of("pieces", &self.path, rows))
    }
}

/// A [`Scan`] with a function of each piece.
#[must_use]
pub struct Mapped<F> {
    scan: Scan,
    function: F,
}

impl<T, F: FnMut(Nested) -> Result<T>> Mapped<F> {
    /// Combines the results of all pieces, in order, from a beginning. What a piece gave should be small, or computed: lazy arrays hold the piece.
    ///
    /// # Errors
    /// Those of the file and of the function.
    #[track_caller]
    pub fn reduce<A>(mut self, start: A, mut combine: impl FnMut(A, T) -> A) -> Result<A> {
        let mut result = start;
        for piece in self.scan.pieces()? {
            result = combine(result, (self.function)(piece?)?);
        }
        Ok(result)
    }
}
