//! A file that several threads read at places of their own. Clones of a file share one cursor: between a move of it and a read no other thread may come.

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// A file, and its length when it was opened.
#[derive(Clone)]
pub(super) struct Positioned {
    file: Arc<Mutex<File>>,
    length: u64,
}

impl Positioned {
    pub fn new(file: File) -> std::io::Result<Positioned> {
        let length = file.metadata()?.len();
        Ok(Positioned { file: Arc::new(Mutex::new(file)), length })
    }

    /// Reads bytes from a place on, as many as one call gives.
    fn read_at(&self, place: u64, into: &mut [u8]) -> std::io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(place))?;
        file.read(into)
    }
}

/// The bytes of a file from a place on. Past the end there is an error, not nothing: the crate `parquet` skips what a header claims to have, element by element, and would do so
/// two thousand million times where nothing is.
pub(super) struct Reader {
    file: Positioned,
    place: u64,
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read_at(self.place, into)?;
        if count == 0 && !into.is_empty() {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        self.place += count as u64;
        Ok(count)
    }
}

impl Length for Positioned {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Positioned {
    type T = BufReader<Reader>;

    fn get_read(&self, start: u64) -> Result<BufReader<Reader>> {
        Ok(BufReader::new(Reader { file: self.clone(), place: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let mut bytes = Vec::new();
        Reader { file: self.clone(), place: start }.take(length as u64).read_to_end(&mut bytes)?;
        match bytes.len() == length {
            true => Ok(bytes.into()),
            false => Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_read_what_is_at_their_places() {
        let path = std::env::temp_dir().join(format!("nestled-positioned-{}", std::process::id()));
        let numbers: Vec<u8> = (0..20_000u32).flat_map(u32::to_le_bytes).collect();
        std::fs::write(&path, &numbers).unwrap();
        let file = Positioned::new(File::open(&path).unwrap()).unwrap();
        let (file, numbers) = (&file, &numbers);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                scope.spawn(move || {
                    for round in 0..500 {
                        let start = (round * 4 + thread) * 7;
                        let found = file.get_bytes(start, 1000).unwrap();
                        assert_eq!(found[..], numbers[start as usize..start as usize + 1000]);
                        let mut few = [0; 16];
                        file.get_read(start).unwrap().read_exact(&mut few).unwrap();
                        assert_eq!(few[..], numbers[start as usize..start as usize + 16]);
                    }
                });
            }
        });
        assert!(file.get_bytes(79_999, 2).is_err());
        assert_eq!(file.get_bytes(79_999, 1).unwrap().len(), 1);
        assert_eq!(file.get_bytes(80_000, 0).unwrap().len(), 0);
        // Whoever copies what is left learns that it is not all.
        let copied = std::io::copy(&mut file.get_read(79_999).unwrap().take(8), &mut std::io::sink());
        assert!(copied.is_err());
        std::fs::remove_file(path).unwrap();
    }
}
