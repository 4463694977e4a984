//! Pages of Parquet: those of the chosen row groups, column by column. What zstd or brotli has compressed is unpacked here, in Rust; all else by the crate `parquet`.

use super::headers::Headed;
use super::positioned::Positioned;
use super::progress::Counter;
use super::unpack::{self, Decode};
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use std::sync::Arc;

/// Some row groups of a file.
pub(super) struct Groups {
    pub file: Arc<Positioned>,
    pub metadata: Arc<ParquetMetaData>,
    pub groups: Vec<usize>,
    /// Counts the bytes of their pages.
    pub counter: Arc<Counter>,
}

impl RowGroups for Groups {
    fn num_rows(&self) -> usize {
        self.groups.iter().map(|&group| self.metadata.row_group(group).num_rows() as usize).sum()
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let (file, metadata) = (Arc::clone(&self.file), Arc::clone(&self.metadata));
        let (groups, counter) = (self.groups.clone().into_iter(), Arc::clone(&self.counter));
        Ok(Box::new(Chunks { file, metadata, column, groups, counter }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.groups.iter().map(|&group| self.metadata.row_group(group)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The chunks of a column in some row groups.
struct Chunks {
    file: Arc<Positioned>,
    metadata: Arc<ParquetMetaData>,
    column: usize,
    groups: std::vec::IntoIter<usize>,
    counter: Arc<Counter>,
}

impl Iterator for Chunks {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let group = self.metadata.row_group(self.groups.next()?);
        let file = Headed { file: Positioned::clone(&self.file), counter: Arc::clone(&self.counter) };
        let pages = chunk(file, group.column(self.column), group.num_rows() as usize);
        Some(pages.map(|pages| Box::new(Checked(pages)) as Box<dyn PageReader>))
    }
}

impl PageIterator for Chunks {}

/// The pages of a chunk.
fn chunk(file: Headed, chunk: &ColumnChunkMetaData, rows: usize) -> Result<Box<dyn PageReader>> {
    let file = Arc::new(file);
    let decode: Decode = match chunk.compression() {
        Compression::ZSTD(_) => unpack::zstd,
        Compression::BROTLI(_) => unpack::brotli,
        Compression::LZO => {
            let why = "its pages are compressed by lzo, which is not read here; zstd, snappy, gzip, lz4 and brotli are";
            return Err(ParquetError::General(why.to_owned()));
        }
        _ => return Ok(Box::new(SerializedPageReader::new(file, chunk, rows, None)?)),
    };
    // As if nothing were compressed, so that pages come as they are.
    let packed = chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
    let room = u64::try_from(chunk.uncompressed_size()).unwrap_or(0);
    Ok(Box::new(Unpacked { pages: SerializedPageReader::new(file, &packed, rows, None)?, decode, room }))
}

/// Pages, of which a dictionary must be long enough for its words: whoever reads it makes room for as many as it says.
struct Checked(Box<dyn PageReader>);

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.0.get_next_page()?;
        match &page {
            // A word has a byte at least.
            Some(Page::DictionaryPage { buf, num_values, .. }) if *num_values as usize > buf.len() => {
                let why = format!("a dictionary of {num_values} words has {} bytes", buf.len());
                Err(ParquetError::General(why))
            }
            _ => Ok(page),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }
}

/// Pages that are unpacked here.
struct Unpacked {
    pages: SerializedPageReader<Headed>,
    decode: Decode,
    /// The bytes that all of them have.
    room: u64,
}

impl Unpacked {
    fn unpacked(&self, page: Page) -> Result<Page> {
        Ok(match page {
            Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding,
                rep_level_encoding,
                statistics,
            } => Page::DataPage {
                buf: self.bytes(&buf, 0)?,
                num_values,
                encoding,
                def_level_encoding,
                rep_level_encoding,
                statistics,
            },
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                num_nulls,
                num_rows,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                statistics,
            } => {
                // Levels come first, and are never compressed.
                let levels = def_levels_byte_len as usize + rep_levels_byte_len as usize;
                let buf = if is_compressed { self.bytes(&buf, levels)? } else { buf };
                Page::DataPageV2 {
                    buf,
                    num_values,
                    encoding,
                    num_nulls,
                    num_rows,
                    def_levels_byte_len,
                    rep_levels_byte_len,
                    is_compressed: false,
                    statistics,
                }
            }
            Page::DictionaryPage { buf, num_values, encoding, is_sorted } => {
                Page::DictionaryPage { buf: self.bytes(&buf, 0)?, num_values, encoding, is_sorted }
            }
        })
    }

    /// Bytes of which the first ones are not compressed.
    fn bytes(&self, packed: &[u8], plain: usize) -> Result<bytes::Bytes> {
        let wrong = |why: String| ParquetError::General(format!("a page cannot be unpacked: {why}"));
        let (first, rest) = packed
            .split_at_checked(plain)
            .ok_or_else(|| wrong("its levels are longer than it is".to_owned()))?;
        let mut bytes = first.to_vec();
        if !rest.is_empty() {
            let room = self.room.saturating_sub(bytes.len() as u64);
            (self.decode)(rest, room, &mut bytes).map_err(wrong)?;
        }
        Ok(bytes.into())
    }
}

impl Iterator for Unpacked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Unpacked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.pages.get_next_page()?.map(|page| self.unpacked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}
