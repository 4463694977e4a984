//! Progress of reading: the bytes that were read of those that are there, as whoever wants to know hears them.
//!
//! The numbers never go down, though several threads read.

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The progress of reading a file.
///
/// ```
/// use nestled_arrow::scan;
/// use nestled_nested::Nested;
/// use std::sync::{Arc, Mutex};
/// let path = std::env::temp_dir().join("nestled-arrow-progress.parquet");
/// nestled_arrow::write(&path, &Nested::from_iter(0..1000))?;
/// let last = Arc::new(Mutex::new(None));
/// let heard = Arc::clone(&last);
/// scan(&path)?.progress(move |progress| *heard.lock().unwrap() = Some(progress)).read()?;
/// let last = last.lock().unwrap().expect("it was heard");
/// assert_eq!(last.done, last.of);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The bytes that were read: of Parquet those of the wanted columns and row groups, of other formats those of the file.
    pub done: u64,
    /// The bytes that there are.
    pub of: u64,
}

/// Pieces, one after another.
type Pieces<T> = Box<dyn Iterator<Item = T> + Send>;

/// What hears.
type Hear = Arc<dyn Fn(Progress) + Send + Sync>;

/// Whoever hears of progress, if anybody does.
#[derive(Clone, Default)]
pub(crate) struct Hearer(Option<Hear>);

impl Hearer {
    pub fn new(hear: impl Fn(Progress) + Send + Sync + 'static) -> Hearer {
        Hearer(Some(Arc::new(hear)))
    }

    /// A file whose bytes are counted.
    pub fn file(&self, path: &Path) -> std::io::Result<Counted<File>> {
        let from = File::open(path)?;
        let counter = self.counter(from.metadata()?.len());
        Ok(Counted { from, counter })
    }

    /// Counts up to so many bytes.
    pub fn counter(&self, of: u64) -> Arc<Counter> {
        Arc::new(Counter { hear: self.0.clone(), of, done: Mutex::new(0) })
    }
}

impl fmt::Debug for Hearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Hearer(..)" } else { "Hearer" })
    }
}

/// A count of bytes, of which somebody may hear.
pub(crate) struct Counter {
    hear: Option<Hear>,
    of: u64,
    done: Mutex<u64>,
}

impl Counter {
    /// So many more bytes were read. Files may say less than they have.
    pub fn add(&self, bytes: u64) {
        let Some(hear) = &self.hear else { return };
        // Told while nobody else counts, so that the numbers come in order.
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let after = done.saturating_add(bytes).min(self.of);
        if after > *done {
            *done = after;
            hear(Progress { done: after, of: self.of });
        }
    }

    /// All was read.
    pub fn finish(&self) {
        self.add(self.of);
    }

    /// Pieces, after the last of which all was read.
    pub fn finished_after<T: 'static>(self: Arc<Counter>, pieces: Pieces<T>) -> Pieces<T> {
        let end = std::iter::from_fn(move || {
            self.finish();
            None
        });
        Box::new(pieces.chain(end))
    }
}

/// A reader whose bytes are counted. What is read again, at an earlier place, counts once more, up to the whole.
pub(crate) struct Counted<R> {
    from: R,
    counter: Arc<Counter>,
}

impl<R> Counted<R> {
    pub fn counter(&self) -> Arc<Counter> {
        Arc::clone(&self.counter)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.from.read(into)?;
        match count == 0 && !into.is_empty() {
            true => self.counter.finish(),
            false => self.counter.add(count as u64),
        }
        Ok(count)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.from.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_go_up_to_the_whole() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&heard);
        let counter = Hearer::new(move |progress| told.lock().unwrap().push(progress)).counter(1000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..50).for_each(|_| counter.add(7)));
            }
        });
        counter.finish();
        let heard = heard.lock().unwrap();
        assert!(heard.windows(2).all(|two| two[0].done < two[1].done), "{heard:?}");
        assert_eq!(heard.last(), Some(&Progress { done: 1000, of: 1000 }));
        Hearer::default().counter(1).add(1);
    }
}
