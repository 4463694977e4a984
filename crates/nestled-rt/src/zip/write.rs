//! ZIP writer, file after file, uncompressed.

use super::{CENTRAL, Crc, ELSEWHERE, END, END_64, LOCAL, LOCATOR_64};
use std::io::{Error, Write};

/// Writes an archive, file after file.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    written: u64,
    directory: Vec<u8>,
    count: u64,
}

/// Computes the checksum and length of the bytes written to it.
#[derive(Default)]
struct Summed {
    crc: Crc,
    size: u64,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        self.crc = self.crc.over(bytes);
        self.size += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// The fields common to both headers of a file: version, flags, method, the date 1 January 1980, checksum, sizes, length of the name.
fn entry(crc: u32, size: u64, name: &str) -> Vec<u8> {
    let large = size >= ELSEWHERE;
    let size = (size.min(ELSEWHERE) as u32).to_le_bytes();
    let mut entry = vec![if large { 45 } else { 20 }, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
    entry.extend(crc.to_le_bytes());
    entry.extend([size, size].concat());
    entry.extend((name.len() as u16).to_le_bytes());
    entry
}

/// The field of ZIP64 with these numbers, if there are any.
fn extra(numbers: &[u64]) -> Vec<u8> {
    if numbers.is_empty() {
        return Vec::new();
    }
    let length = (numbers.len() as u16 * 8).to_le_bytes();
    let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    [&[1, 0][..], &length, &numbers].concat()
}

impl<W: Write> Writer<W> {
    /// An archive without files.
    pub fn new(out: W) -> Writer<W> {
        Writer { out, written: 0, directory: Vec::new(), count: 0 }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Adds a file. `content` is called twice: first for the checksum and length, then to write the bytes.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn add(
        &mut self,
        name: &str,
        content: &dyn Fn(&mut dyn Write) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut summed = Summed::default();
        content(&mut summed)?;
        let Summed { crc, size } = summed;
        self.add_summed(name, (crc, size), content)
    }

    pub(super) fn add_summed(
        &mut self,
        name: &str,
        (crc, size): (Crc, u64),
        content: &dyn Fn(&mut dyn Write) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let start = self.written;
        let entry = entry(crc.value(), size, name);
        let sizes: &[u64] = if size >= ELSEWHERE { &[size, size] } else { &[] };
        let more = extra(sizes);
        self.put(&[LOCAL, &entry, &(more.len() as u16).to_le_bytes(), name.as_bytes(), &more].concat())?;
        content(&mut self.out)?;
        self.written += size;
        let far = if start >= ELSEWHERE { &[start][..] } else { &[] };
        let more = extra(&[sizes, far].concat());
        let length = (more.len() as u16).to_le_bytes();
        // No comment, the first disk, no attributes.
        let place = [&length[..], &[0; 10], &(start.min(ELSEWHERE) as u32).to_le_bytes()].concat();
        self.directory.extend([CENTRAL, &[45, 0], &entry, &place, name.as_bytes(), &more].concat());
        self.count += 1;
        Ok(())
    }

    /// Writes the directory.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> Result<(), Error> {
        let (start, size, count) = (self.written, self.directory.len() as u64, self.count);
        let directory = std::mem::take(&mut self.directory);
        self.put(&directory)?;
        if start >= ELSEWHERE || size >= ELSEWHERE || count >= 0xffff {
            let at = self.written;
            let numbers = [count, count, size, start].map(u64::to_le_bytes).concat();
            self.put(&[END_64, &44u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8], &numbers].concat())?;
            self.put(&[LOCATOR_64, &[0; 4], &at.to_le_bytes(), &1u32.to_le_bytes()].concat())?;
        }
        let count = (count.min(0xffff) as u16).to_le_bytes();
        let place = [size, start].map(|number| (number.min(ELSEWHERE) as u32).to_le_bytes()).concat();
        self.put(&[END, &[0; 4], &count, &count, &place, &[0, 0]].concat())?;
        self.out.flush()
    }
}
