//! The cache of machine code: on disk, or one in memory that several devices share.

use super::config::CacheChoice;
use crate::codegen::CodeTables;
use nestled_cache::{DEFAULT_CAP, DiskCache, SharedCache, Source};
use std::sync::Arc;

/// Machine code, with the tables that it refers to.
#[derive(PartialEq, Debug)]
pub(super) struct Coded {
    pub tables: CodeTables,
    pub bytes: Vec<u8>,
}

/// The cache of objects.
#[derive(Debug)]
pub(super) enum Kept {
    Disk(DiskCache),
    Shared(Arc<SharedCache>),
}

impl Kept {
    /// Opens what is chosen.
    pub(super) fn new(choice: &CacheChoice) -> Kept {
        match choice {
            CacheChoice::User => Kept::Disk(DiskCache::open()),
            CacheChoice::Off => Kept::Disk(DiskCache::off("it is not wanted")),
            CacheChoice::At(directory) => Kept::Disk(DiskCache::at(directory, DEFAULT_CAP)),
            CacheChoice::Shared(shared) => Kept::Shared(Arc::clone(shared)),
        }
    }

    /// Looks for the code of a kernel.
    pub(super) fn get(&self, source: &Source) -> Option<Coded> {
        let read = |entry: &[u8]| {
            let (tables, code) = CodeTables::read_with_code(entry)?;
            Some(Coded { tables, bytes: code.to_vec() })
        };
        match self {
            Kept::Disk(disk) => disk.find(source, read),
            Kept::Shared(shared) => read(&shared.get(source)?),
        }
    }

    /// Keeps the code of a kernel, if it can.
    pub(super) fn put(&self, source: &Source, code: &Coded) {
        let entry = code.tables.with_code(&code.bytes);
        match self {
            Kept::Disk(disk) => disk.put(source, &entry),
            Kept::Shared(shared) => shared.put(source, entry.into()),
        }
    }
}
