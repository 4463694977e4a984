//! ZIP archives: files under names in one file, stored or deflated, of any size (ZIP64).
//!
//! Of an archive its directory at the end counts: it says where each file begins, how long it is, and how it is packed. What is written here is stored
//! as it is; the fields of ZIP64 are written only where a size or a place does not fit into 32 bits.

use std::io::{Error, Write};

/// A number that does not fit: it stands in a field of ZIP64.
const ELSEWHERE: u64 = u32::MAX as u64;
const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";

/// Whether a file begins as these do; one that holds no files is only an end.
pub fn is_one(file: &[u8]) -> bool {
    file.starts_with(LOCAL) || file.starts_with(END)
}

/// Writes an archive, file after file.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    written: u64,
    directory: Vec<u8>,
    count: u64,
}

/// What both headers of a file say first: version, flags, method, the first of January 1980, check sum, sizes, length of the name.
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

    /// Adds a file, which comes in parts.
    ///
    /// # Errors
    /// Those of the one who writes.
    pub fn add(&mut self, name: &str, parts: &[&[u8]]) -> Result<(), Error> {
        let crc = parts.iter().fold(Crc::default(), |crc, part| crc.over(part));
        self.add_summed(name, parts, crc)
    }

    fn add_summed(&mut self, name: &str, parts: &[&[u8]], crc: Crc) -> Result<(), Error> {
        let (start, size) = (self.written, parts.iter().map(|part| part.len() as u64).sum::<u64>());
        let entry = entry(crc.value(), size, name);
        let sizes: &[u64] = if size >= ELSEWHERE { &[size, size] } else { &[] };
        let more = extra(sizes);
        self.put(&[LOCAL, &entry, &(more.len() as u16).to_le_bytes(), name.as_bytes(), &more].concat())?;
        parts.iter().try_for_each(|part| self.put(part))?;
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
    /// Those of the one who writes.
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

/// A file of an archive.
#[derive(Debug)]
pub struct Entry<'f> {
    /// Its name.
    pub name: String,
    /// How many bytes it has unpacked.
    pub size: u64,
    packed: &'f [u8],
    deflated: bool,
    crc: u32,
}

/// The files of an archive, as its directory lists them.
///
/// # Errors
/// What is wrong with it, in words that follow its name.
pub fn read(file: &[u8]) -> Result<Vec<Entry<'_>>, String> {
    let (count, mut directory) = directory(file).ok_or("it is a broken archive: it has no directory")?;
    let mut entries = Vec::new();
    for _ in 0..count {
        let (entry, rest) = listed(file, directory)?;
        entries.push(entry);
        directory = rest;
    }
    Ok(entries)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?)))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?)))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The bytes from one place on, so many of them.
fn part(bytes: &[u8], start: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(start).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(length).ok()?)?)
}

/// How many files the directory has, and its bytes.
fn directory(file: &[u8]) -> Option<(u64, &[u8])> {
    // A comment of up to 65535 bytes may follow the end.
    let from = file.len().saturating_sub(22 + 0xffff);
    let end = (from..=file.len().checked_sub(22)?).rev().find(|&at| file[at..].starts_with(END))?;
    let (mut count, mut size, mut start) =
        (u16_at(file, end + 10)?, u32_at(file, end + 12)?, u32_at(file, end + 16)?);
    if let Some(locator) = end.checked_sub(20).filter(|&at| file[at..].starts_with(LOCATOR_64)) {
        let end = usize::try_from(u64_at(file, locator + 8)?).ok()?;
        if !file.get(end..)?.starts_with(END_64) {
            return None;
        }
        (count, size, start) =
            (u64_at(file, end.checked_add(32)?)?, u64_at(file, end + 40)?, u64_at(file, end + 48)?);
    }
    Some((count, part(file, start, size)?))
}

/// The first file that a directory lists, and the rest of the directory.
fn listed<'f>(file: &'f [u8], directory: &'f [u8]) -> Result<(Entry<'f>, &'f [u8]), String> {
    let (entry, method, rest) = entry_of(file, directory).ok_or("it is a broken archive")?;
    match method {
        Method::Known => Ok((entry, rest)),
        Method::Encrypted => Err(format!("`{}` in it is encrypted", entry.name)),
        Method::Other(method) => {
            Err(format!("`{}` in it is packed by method {method}; stored and deflated are known", entry.name))
        }
    }
}

enum Method {
    Known,
    Encrypted,
    Other(u64),
}

fn entry_of<'f>(file: &'f [u8], directory: &'f [u8]) -> Option<(Entry<'f>, Method, &'f [u8])> {
    if !directory.starts_with(CENTRAL) {
        return None;
    }
    let [flags, method] = [8, 10].map(|at| u16_at(directory, at));
    let [crc, packed, size, start] = [16, 20, 24, 42].map(|at| u32_at(directory, at));
    let [name, extra, comment] = [28, 30, 32].map(|at| u16_at(directory, at));
    let (name, extra, comment) = (name?, extra?, comment?);
    let fields = part(directory, 46 + name, extra)?;
    let rest = directory.get(usize::try_from(46 + name + extra + comment).ok()?..)?;
    let name = String::from_utf8_lossy(part(directory, 46, name)?).into_owned();
    let mut numbers = zip64(fields);
    // Those that do not fit stand there in this order.
    let mut whole = |number: u64| if number == ELSEWHERE { numbers.next() } else { Some(number) };
    let (size, packed, start) = (whole(size?)?, whole(packed?)?, whole(start?)?);
    let local = file.get(usize::try_from(start).ok()?..)?;
    if !local.starts_with(LOCAL) {
        return None;
    }
    let before = 30 + u16_at(local, 26)? + u16_at(local, 28)?;
    let method = match (flags? & 1, method?) {
        (1, _) => Method::Encrypted,
        (_, 0 | 8) => Method::Known,
        (_, other) => Method::Other(other),
    };
    let deflated = u16_at(directory, 10)? == 8;
    let entry = Entry { name, size, packed: part(local, before, packed)?, deflated, crc: crc? as u32 };
    Some((entry, method, rest))
}

/// The numbers of the field of ZIP64, if there is one among these.
fn zip64(mut fields: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let mut found: &[u8] = &[];
    while let (Some(kind), Some(length)) = (u16_at(fields, 0), u16_at(fields, 2)) {
        let Some(body) = part(fields, 4, length) else { break };
        if kind == 1 {
            found = body;
            break;
        }
        fields = &fields[4 + body.len()..];
    }
    found.chunks_exact(8).filter_map(|number| u64_at(number, 0))
}

impl Entry<'_> {
    /// The bytes of the file.
    ///
    /// # Errors
    /// It is damaged.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        let damaged = || format!("`{}` in it is damaged", self.name);
        let size = usize::try_from(self.size).map_err(|_| damaged())?;
        let bytes = match self.deflated {
            // Never more than the directory says.
            true => miniz_oxide::inflate::decompress_to_vec_with_limit(self.packed, size)
                .map_err(|_| damaged())?,
            false => self.packed.to_vec(),
        };
        if bytes.len() == size && Crc::default().over(&bytes).value() == self.crc {
            Ok(bytes)
        } else {
            Err(damaged())
        }
    }
}

/// The check sum of ZIP, and of PNG.
#[derive(Clone, Copy, Debug)]
pub struct Crc(u32);

impl Default for Crc {
    fn default() -> Crc {
        Crc(!0)
    }
}

/// What a byte adds, so many bytes before the end of a chunk of eight.
static TABLES: [[u32; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut at = 1;
    while at < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[at - 1][byte];
            tables[at][byte] = before >> 8 ^ tables[0][before as usize & 255];
            byte += 1;
        }
        at += 1;
    }
    tables
};

impl Crc {
    /// The sum also of these bytes.
    #[must_use]
    pub fn over(self, bytes: &[u8]) -> Crc {
        let (chunks, rest) = bytes.as_chunks::<8>();
        let crc = chunks.iter().fold(self.0, |crc, chunk| {
            let word = u64::from_le_bytes(*chunk) ^ u64::from(crc);
            (0..8).fold(0, |sum, at| sum ^ TABLES[7 - at][(word >> (8 * at)) as usize & 255])
        });
        Crc(rest.iter().fold(crc, |crc, byte| crc >> 8 ^ TABLES[0][(crc as u8 ^ byte) as usize]))
    }

    /// The sum.
    #[must_use]
    pub fn value(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out);
        files.iter().for_each(|(name, bytes)| writer.add(name, &[bytes]).unwrap());
        writer.finish().unwrap();
        out
    }

    #[test]
    fn check_sums() {
        assert_eq!(Crc::default().over(b"123456789").value(), 0xcbf4_3926);
        assert_eq!(Crc::default().over(b"1234").over(b"56789").value(), 0xcbf4_3926);
        assert_eq!(Crc::default().value(), 0);
    }

    #[test]
    fn files_come_back() {
        let files: &[(&str, &[u8])] = &[("a.npy", b"first"), ("b.npy", b""), ("c", &[7; 1000])];
        let archive = archive(files);
        for file in [archive.clone(), [&archive[..archive.len() - 2], b"\x03\x00end"].concat()] {
            let read = read(&file).unwrap();
            let found: Vec<(String, Vec<u8>)> =
                read.iter().map(|entry| (entry.name.clone(), entry.bytes().unwrap())).collect();
            assert!(found.iter().map(|(name, bytes)| (&**name, &**bytes)).eq(files.iter().copied()));
        }
        assert!(read(&self::archive(&[])).unwrap().is_empty());
    }

    #[test]
    fn no_damage_goes_unseen() {
        let whole = archive(&[("a.npy", b"the bytes of a file")]);
        let bytes =
            |file: &[u8]| -> Result<Vec<Vec<u8>>, String> { read(file)?.iter().map(Entry::bytes).collect() };
        let right = bytes(&whole).unwrap();
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                // Names, times and versions may change; the bytes may not.
                if let Ok(found) = bytes(&damaged) {
                    assert!(found == right || found.is_empty(), "bit {bit} of byte {at}");
                }
            }
        }
        (0..whole.len()).for_each(|length| assert!(bytes(&whole[..length]).is_err(), "{length}"));
    }

    /// A disk that remembers nothing but the last bytes, for archives of many gigabytes.
    #[derive(Default)]
    struct Tail(Vec<u8>);

    impl Write for &mut Tail {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if bytes.len() < 1 << 16 {
                self.0.extend(bytes);
            } else {
                self.0.clear();
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn sizes_and_places_beyond_32_bits() {
        let megabyte = vec![0; 1 << 20];
        let parts = vec![&megabyte[..]; 4096];
        let mut tail = Tail::default();
        let mut writer = Writer::new(&mut tail);
        // Nobody looks at the sum of so many bytes.
        writer.add_summed("big", &parts, Crc::default()).unwrap();
        writer.add("late", &[b"x"]).unwrap();
        writer.finish().unwrap();
        let end = tail.0;
        // The file `late`, then the directory with its two entries, each with a field of ZIP64.
        let at = end.windows(4).position(|four| four == CENTRAL).unwrap();
        let directory = &end[at..];
        assert_eq!(
            [u32_at(directory, 20), u32_at(directory, 24), u32_at(directory, 42)],
            [Some(ELSEWHERE), Some(ELSEWHERE), Some(0)]
        );
        assert!(zip64(&directory[49..69]).eq([1 << 32, 1 << 32]));
        let second = &directory[69..];
        assert_eq!([u32_at(second, 24), u32_at(second, 42)], [Some(1), Some(ELSEWHERE)]);
        let header = (30 + 3 + 20) as u64;
        assert!(zip64(&second[50..62]).eq([(1 << 32) + header]));
        let last = &second[62..];
        assert!(last.starts_with(END_64));
        assert_eq!(u64_at(last, 48), Some((1 << 32) + header + 30 + 4 + 1));
        assert!(last[56..].starts_with(LOCATOR_64) && last[76..].starts_with(END));
    }
}
