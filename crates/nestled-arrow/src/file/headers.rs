//! Headers of Parquet, looked at before the crate `parquet` reads them. They are in Thrift's compact protocol. The crate takes the booleans of lists and maps that it skips to have no
//! bytes, so that it would count through two thousand million of them for a few bytes of a file; it makes room for as many children as a group of the schema says that it has; and it
//! reads a field that it knows by its own type, whatever type the header says.

use super::positioned::{Positioned, Reader};
use super::progress::Counter;
use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::io::{BufReader, Read};
use std::sync::Arc;

/// The most booleans in the lists and maps of a header. Parquet has none there, and the crate loses its place after the first.
const MOST: u64 = 1000;
/// The number of levels that the crate skips.
const DEEPEST: u8 = 64;
/// More than the levels of a footer and those that are skipped in the innermost.
const DEEPEST_IN_FOOTER: u8 = 100;

/// Pages up to this many bytes may say of themselves what they want: the crate makes room for as many bytes as a page says that it has when decompressed. Larger ones have at most so
/// many for each compressed byte: zstd repeats a byte 2^17 times in four.
const LARGE: u64 = 1 << 26;
const MOST_COMPRESSED: u64 = 1 << 15;

/// Types of Thrift.
const BOOLEANS: [u8; 2] = [1, 2];
const BYTE: u8 = 3;
const INT32: u8 = 5;
const INT64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// A field that the crate knows: its number, its type, and the fields that it knows in it.
struct Field(i16, u8, &'static [Field]);

const fn number(id: i16) -> Field {
    Field(id, INT32, &[])
}

/// The header of a page.
const PAGE: &[Field] = &[
    number(1),
    number(2),
    number(3),
    number(4),
    Field(5, STRUCT, &[number(1), number(2), number(3), number(4)]),
    Field(6, STRUCT, &[]),
    Field(7, STRUCT, &[number(1), number(2), Field(3, BOOLEANS[0], &[])]),
    Field(
        8,
        STRUCT,
        &[number(1), number(2), number(3), number(4), number(5), number(6), Field(7, BOOLEANS[0], &[])],
    ),
];

/// A footer.
const FOOTER: &[Field] = &[
    number(1),
    Field(2, LIST, &[]),
    Field(3, INT64, &[]),
    Field(4, LIST, &[]),
    Field(5, LIST, &[]),
    Field(6, BINARY, &[]),
    Field(7, LIST, &[]),
];

/// An element of the schema in a footer.
const ELEMENT: &[Field] = &[
    number(1),
    number(2),
    number(3),
    Field(4, BINARY, &[]),
    number(5),
    number(6),
    number(7),
    number(8),
    number(9),
    Field(10, STRUCT, LOGICAL),
];

/// The logical type of an element.
const LOGICAL: &[Field] = &[
    empty(1),
    empty(2),
    empty(3),
    empty(4),
    Field(5, STRUCT, &[number(1), number(2)]),
    empty(6),
    Field(7, STRUCT, OF_TIME),
    Field(8, STRUCT, OF_TIME),
    Field(10, STRUCT, &[Field(1, BYTE, &[]), Field(2, BOOLEANS[0], &[])]),
    empty(11),
    empty(12),
    empty(13),
    empty(14),
    empty(15),
    Field(16, STRUCT, &[Field(1, BYTE, &[])]),
    Field(17, STRUCT, &[Field(1, BINARY, &[])]),
    Field(18, STRUCT, &[Field(1, BINARY, &[]), number(2)]),
];
const OF_TIME: &[Field] = &[Field(1, BOOLEANS[0], &[]), Field(2, STRUCT, &[empty(1), empty(2), empty(3)])];

const fn empty(id: i16) -> Field {
    Field(id, STRUCT, &[])
}

/// A file that is read where page headers begin, each of which is looked at before. The bytes of pages are counted.
pub(super) struct Headed {
    pub file: Positioned,
    pub counter: Arc<Counter>,
}

/// A place where a header begins if anything is read: the crate also asks for places behind headers that it has read before, where anything may stand, and reads nothing there.
pub(super) struct Begin {
    header: Option<BufReader<Reader>>,
    from: BufReader<Reader>,
}

impl Read for Begin {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        if let Some(from) = self.header.take() {
            told(Walk { from, booleans: 0, deepest: DEEPEST }.page()).map_err(std::io::Error::other)?;
        }
        self.from.read(bytes)
    }
}

impl Length for Headed {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Headed {
    type T = Begin;

    fn get_read(&self, start: u64) -> Result<Begin> {
        Ok(Begin { header: Some(self.file.get_read(start)?), from: self.file.get_read(start)? })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.file.get_bytes(start, length)?;
        self.counter.add(length as u64);
        Ok(bytes)
    }
}

/// Looks at the footer of a file: what it says of its columns.
pub(super) fn look_at_footer(file: &Positioned) -> Result<()> {
    // The length of the footer and a word of four letters come last.
    const END: u64 = 8;
    let Some(end) = file.len().checked_sub(END) else { return Ok(()) };
    let last = file.get_bytes(end, END as usize)?;
    let length = u64::from(u32::from_le_bytes([last[0], last[1], last[2], last[3]]));
    let Some(begin) = end.checked_sub(length) else { return Ok(()) };
    let from = file.get_read(begin)?.take(length);
    told(Walk { from, booleans: 0, deepest: DEEPEST_IN_FOOTER }.footer())
}

/// The reason to go no further.
enum Stop {
    /// It ends, or is malformed: the crate says so at the same place.
    Malformed,
    /// The crate would not come to an end, or would read something else than was looked at.
    Refused(String),
}

fn told(walked: std::result::Result<(), Stop>) -> Result<()> {
    match walked {
        Ok(()) | Err(Stop::Malformed) => Ok(()),
        Err(Stop::Refused(why)) => Err(ParquetError::General(why)),
    }
}

impl From<std::io::Error> for Stop {
    fn from(_: std::io::Error) -> Stop {
        Stop::Malformed
    }
}

type Walked<T> = std::result::Result<T, Stop>;

/// A walk through a header, as the crate takes it.
struct Walk<R> {
    from: R,
    /// The number of booleans that lists and maps had so far.
    booleans: u64,
    deepest: u8,
}

impl<R: Read> Walk<R> {
    fn byte(&mut self) -> Walked<u8> {
        let mut byte = [0];
        self.from.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    /// A number, seven bits in each byte.
    fn number(&mut self) -> Walked<u64> {
        let (mut number, mut shift) = (0, 0u32);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).wrapping_shl(shift);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift = shift.wrapping_add(7);
        }
    }

    /// A number of elements: the crate has 31 bits for it.
    fn count(&mut self) -> Walked<u64> {
        let count = self.number()?;
        i32::try_from(count).map(|_| count).map_err(|_| Stop::Malformed)
    }

    fn pass(&mut self, bytes: u64) -> Walked<()> {
        match std::io::copy(&mut self.from.by_ref().take(bytes), &mut std::io::sink())? == bytes {
            true => Ok(()),
            false => Err(Stop::Malformed),
        }
    }

    /// The type of the next field, and its number; none at the end.
    fn field(&mut self, last: i16) -> Walked<Option<(u8, i16)>> {
        let first = self.byte()?;
        let (ty, step) = (first & 0xf, first >> 4);
        if ty == 0 {
            return Ok(None);
        }
        let id = match step {
            0 => {
                let number = self.number()?;
                ((number >> 1) as i64 ^ -((number & 1) as i64)) as i16
            }
            _ => last.checked_add(i16::from(step)).ok_or(Stop::Malformed)?,
        };
        Ok(Some((ty, id)))
    }

    /// Goes through the fields of a structure, each of which is gone over, given its type and number.
    fn fields(&mut self, mut each: impl FnMut(&mut Self, u8, i16) -> Walked<()>) -> Walked<()> {
        let mut last = 0;
        while let Some((ty, id)) = self.field(last)? {
            each(self, ty, id)?;
            last = id;
        }
        Ok(())
    }

    /// Goes through a structure of which the crate knows some fields.
    fn structure(&mut self, known: &[Field]) -> Walked<()> {
        self.fields(|walk, ty, id| walk.known(known, ty, id))
    }

    /// Goes over a field of a structure of which the crate knows some fields.
    fn known(&mut self, known: &[Field], ty: u8, id: i16) -> Walked<()> {
        match known.iter().find(|field| field.0 == id) {
            Some(Field(_, STRUCT, fields)) if ty == STRUCT => self.structure(fields),
            Some(field) if kind(ty) != field.1 => {
                let why = format!("field {id} of a header has type {ty} of Thrift, not {}", field.1);
                Err(Stop::Refused(why))
            }
            _ => self.skip(ty, self.deepest),
        }
    }

    /// Goes through the header of a page.
    fn page(&mut self) -> Walked<()> {
        const UNCOMPRESSED: i16 = 2;
        const COMPRESSED: i16 = 3;
        let (mut uncompressed, mut compressed) = (0, 0);
        self.fields(|walk, ty, id| match id {
            UNCOMPRESSED if ty == INT32 => walk.number().map(|number| uncompressed = number >> 1),
            COMPRESSED if ty == INT32 => walk.number().map(|number| compressed = number >> 1),
            _ => walk.known(PAGE, ty, id),
        })?;
        if uncompressed > compressed.saturating_mul(MOST_COMPRESSED).saturating_add(LARGE) {
            let why =
                format!("a page of {compressed} bytes says that it has {uncompressed} when decompressed");
            return Err(Stop::Refused(why));
        }
        Ok(())
    }

    /// Goes through a footer.
    fn footer(&mut self) -> Walked<()> {
        const SCHEMA: i16 = 2;
        self.fields(|walk, ty, id| match id {
            SCHEMA if ty == LIST => walk.schema(),
            _ => walk.known(FOOTER, ty, id),
        })
    }

    /// Goes through the elements of a schema, a tree in preorder: no group has more children than there are elements.
    fn schema(&mut self) -> Walked<()> {
        const CHILDREN: i16 = 5;
        let (element, count) = self.list()?;
        if element != STRUCT {
            return Err(Stop::Refused("the schema of a footer is no list of elements".into()));
        }
        for _ in 0..count {
            self.fields(|walk, ty, id| match id {
                CHILDREN if ty == INT32 => match walk.number()? >> 1 {
                    children if children < count => Ok(()),
                    children => {
                        let why =
                            format!("a group of the schema has {children} children, of {count} elements");
                        Err(Stop::Refused(why))
                    }
                },
                _ => walk.known(ELEMENT, ty, id),
            })?;
        }
        Ok(())
    }

    /// Goes over something that the crate does not know.
    fn skip(&mut self, ty: u8, deepest: u8) -> Walked<()> {
        let Some(deeper) = deepest.checked_sub(1) else { return Err(Stop::Malformed) };
        match ty {
            1 | 2 => Ok(()),
            // Numbers of one byte, of seven bits in each byte, and floats.
            3 => self.byte().map(drop),
            4..=6 => self.number().map(drop),
            7 => self.pass(8),
            BINARY => {
                let length = self.number()?;
                self.pass(length)
            }
            LIST | SET => {
                let (element, count) = self.list()?;
                self.all(&[element], count, deeper)
            }
            MAP => {
                let count = self.count()?;
                let types = if count > 0 { self.byte()? } else { 0 };
                self.all(&[types >> 4, types & 0xf], count, deeper)
            }
            STRUCT => {
                while let Some((ty, _)) = self.field(0)? {
                    self.skip(ty, deeper)?;
                }
                Ok(())
            }
            UUID => self.pass(16),
            _ => Err(Stop::Malformed),
        }
    }

    /// The type of the elements of a list, and their number.
    fn list(&mut self) -> Walked<(u8, u64)> {
        let first = self.byte()?;
        let count = match first >> 4 {
            15 => self.count()?,
            few => u64::from(few),
        };
        Ok((first & 0xf, count))
    }

    /// Goes over the elements of a list, or the keys and values of a map. Those that have bytes end with the file.
    fn all(&mut self, types: &[u8], count: u64, deepest: u8) -> Walked<()> {
        if types.iter().all(|ty| BOOLEANS.contains(ty)) {
            self.booleans += count;
            return match self.booleans <= MOST {
                true => Ok(()),
                false => Err(Stop::Refused(format!("a header has {} booleans", self.booleans))),
            };
        }
        for _ in 0..count {
            types.iter().try_for_each(|ty| self.skip(*ty, deepest))?;
        }
        Ok(())
    }
}

/// A type, of booleans always the same one.
fn kind(ty: u8) -> u8 {
    if BOOLEANS.contains(&ty) { BOOLEANS[0] } else { ty }
}
