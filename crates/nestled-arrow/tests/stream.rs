//! Streams: pieces of a table in bounded memory, the next read while the last is computed with.

use crate::Scratch;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use nestled_arrow::{Scan, Writer, scan};
use nestled_nested::{Array, Nested};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory that counts how much of it is alive, and how much was at most.
struct Counted(Arc<Alive>);

#[derive(Default)]
struct Alive {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &ZEROS.0
    }
}

const ROWS: usize = 1000;

#[repr(align(8))]
struct Aligned([u8; 8 * ROWS]);

static ZEROS: Aligned = Aligned([0; 8 * ROWS]);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A reader whose pieces are counted.
struct Pieces {
    left: usize,
    alive: Arc<Alive>,
    schema: SchemaRef,
}

impl Iterator for Pieces {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let now = self.alive.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.alive.most.fetch_max(now, Ordering::SeqCst);
        let buffer = Buffer::from(bytes::Bytes::from_owner(Counted(Arc::clone(&self.alive))));
        let column: ArrayRef = Arc::new(Int64Array::new(ScalarBuffer::new(buffer, 0, ROWS), None));
        Some(RecordBatch::try_new(Arc::clone(&self.schema), vec![column]))
    }
}

impl arrow_array::RecordBatchReader for Pieces {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

fn pieces(count: usize) -> (Pieces, Arc<Alive>) {
    let alive = Arc::new(Alive::default());
    let schema = Arc::new(Schema::new(vec![Field::new("x", DataType::Int64, false)]));
    (Pieces { left: count, alive: Arc::clone(&alive), schema }, alive)
}

#[test]
fn at_most_two_pieces_are_alive() {
    let (reader, alive) = pieces(40);
    let total = Scan::from_reader(reader)
        .map(|piece| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            Array::<i64>::try_from(&piece.field("x")?)?.sum().item()
        })
        .reduce(7, |sum, part| sum + part)
        .unwrap();
    assert_eq!(total, 7);
    assert_eq!(alive.now.load(Ordering::SeqCst), 0);
    assert_eq!(alive.most.load(Ordering::SeqCst), 2);
}

#[test]
fn a_reader_ends_with_those_who_take() {
    let (reader, alive) = pieces(1_000_000_000);
    let scan = Scan::from_reader(reader);
    let mut taken = scan.pieces().unwrap();
    assert_eq!(taken.next().unwrap().unwrap().len(), ROWS);
    drop(taken);
    assert_eq!(alive.now.load(Ordering::SeqCst), 0);
    assert!(scan.pieces().err().unwrap().to_string().ends_with("a stream is read only once"));
}

#[test]
fn an_error_of_the_function_ends_it() {
    let (reader, _) = pieces(1_000_000_000);
    let failed = Scan::from_reader(reader).map(|piece| piece.field("y")).reduce(0, |sum, _| sum + 1);
    assert!(failed.is_err());
}

#[test]
fn groups_of_a_file_one_after_another() {
    let path = Scratch::new("groups.parquet");
    let mut writer = Writer::create(&path.0).unwrap();
    for group in 0..5 {
        let x = Nested::from(Array::<i64>::range(1000) + 1000 * group);
        let text: Nested = (0..1000).map(|n| if n % 3 == 0 { "a" } else { "bc" }).collect();
        writer.write(&Nested::records(&[("x", &x), ("text", &text)]).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let table = scan(&path.0).unwrap();
    assert_eq!(table.row_count(), Some(5000));
    for rows in [usize::MAX, 300, 1000] {
        let sum = table
            .clone()
            .columns(["x"])
            .rows(rows)
            .map(|piece| {
                assert_eq!(piece.fields().len(), 1);
                Array::<i64>::try_from(&piece.field("x")?)?.sum().item()
            })
            .reduce((0, 0), |(sum, pieces), part| (sum + part, pieces + 1))
            .unwrap();
        assert_eq!(sum, (12_497_500, if rows == 300 { 20 } else { 5 }));
    }
}
