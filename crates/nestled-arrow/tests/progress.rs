//! Progress: whoever listens hears numbers that go up to all that is read, of every format, at once and in pieces.

use crate::{Scratch, data};
use nestled_arrow::{Progress, Writer, scan, scan_with_progress};
use nestled_nested::{Array, Nested};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What was told.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<Progress>>>);

impl Told {
    fn hear(&self) -> impl Fn(Progress) + Send + Sync + 'static {
        let told = Arc::clone(&self.0);
        move |progress| told.lock().unwrap().push(progress)
    }

    /// Checks that the numbers go up to the whole, and gives them.
    #[track_caller]
    fn whole(&self) -> Vec<Progress> {
        let told = std::mem::take(&mut *self.0.lock().unwrap());
        let last = *told.last().expect("somebody told");
        assert_eq!(last.done, last.of);
        assert!(told.windows(2).all(|two| two[0].done < two[1].done && two[0].of == two[1].of), "{told:?}");
        told
    }
}

/// Two columns of random numbers in four groups.
fn groups(path: &Path) -> u64 {
    let mut writer = Writer::create(path).unwrap();
    for group in 0..4 {
        let x = Nested::from(Array::<i64>::random_integers(&[30_000], 0..=i64::MAX, group));
        let y = Nested::from(Array::<i64>::random_integers(&[30_000], 0..=1000, group));
        writer.write(&Nested::records(&[("x", &x), ("y", &y)]).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    std::fs::metadata(path).unwrap().len()
}

#[test]
fn columns_of_parquet() {
    let path = Scratch::new("progress.parquet");
    let size = groups(&path.0);
    let told = Told::default();
    let all = scan(&path.0).unwrap().progress(told.hear());
    assert_eq!(all.read().unwrap().len(), 120_000);
    let numbers = told.whole();
    // Every group of each column has two pages of numbers at least.
    assert!(numbers.len() >= 16, "{numbers:?}");
    let whole = numbers[0].of;
    assert!(whole > size / 2 && whole < size, "{whole} of {size}");
    let pieces = all.pieces().unwrap().map(|piece| piece.unwrap().len()).collect::<Vec<_>>();
    assert_eq!(pieces, [30_000; 4]);
    assert_eq!(told.whole()[0].of, whole);
    // A column alone is less, and both are all.
    let parts: u64 = ["x", "y"]
        .into_iter()
        .map(|name| {
            all.clone().columns([name]).read().unwrap();
            told.whole()[0].of
        })
        .sum();
    assert_eq!(parts, whole);
}

#[test]
fn other_formats() {
    let rows = Nested::from(Array::<i64>::range(100_000));
    for name in ["p.csv", "p.jsonl", "p.arrow"] {
        let path = Scratch::new(name);
        nestled_arrow::write(&path.0, &rows).unwrap();
        let size = std::fs::metadata(&path.0).unwrap().len();
        let told = Told::default();
        let table = scan_with_progress(&path.0, told.hear()).unwrap();
        if name != "p.arrow" {
            // Files of text are read for the types of their columns.
            assert!(told.whole().len() > 10, "{name}");
        }
        assert_eq!(table.read().unwrap().len(), 100_000);
        assert_eq!(told.whole()[0].of, size, "{name}");
    }
}

#[test]
fn nothing_is_told_of_what_is_not_read() {
    let told = Told::default();
    let table = scan_with_progress(data("kinds.parquet"), told.hear()).unwrap();
    table.schema().unwrap();
    assert_eq!(table.row_count(), Some(5));
    let mut pieces = table.pieces().unwrap();
    pieces.next().unwrap().unwrap();
    drop(pieces);
    table.columns(["no such column"]).read().unwrap_err();
    let told = told.0.lock().unwrap();
    assert!(told.iter().all(|one| one.done <= one.of), "{told:?}");
}
