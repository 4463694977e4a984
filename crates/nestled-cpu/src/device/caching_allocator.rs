//! A caching allocator of device buffers: blocks of memory in size classes, which are kept for reuse.
//!
//! Fresh pages cost more than most kernels that write them, so freed blocks are kept. **Small** blocks (up to 64 KiB) have four size classes for each
//! doubling; they are cut from chunks, and each class has a free list. **Large** blocks are regions of their own; a free one serves any request for
//! at least four fifths of its size.
//!
//! Free memory returns to the system gradually. Free large blocks take at most the recent peak of use minus the current use, plus half of the recent
//! peak, or at least [`FLOOR`]; the oldest are dropped first. Blocks unused for [`REST`] are dropped as well, and so are chunks, if little of them is
//! in use. A background thread does that (`caching_allocator/janitor.rs`) while there is something to drop.
//!
//! The 256 bytes after every block are readable, but may belong to another block.
#![allow(unsafe_code)] // Chunks are cut into blocks.

mod janitor;

use super::block::{Block, CLASSES, SMALL, capacity, class};
use super::region::{HUGE, Region};
use nestled_fork as fork;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// Number of bytes that are readable past the end of every block.
const MARGIN: usize = 256;

/// Size in bytes of a chunk, from which small blocks are cut. Chunks are aligned to it, so the address of a block gives its chunk.
const CHUNK: usize = HUGE;

/// Bytes of free large blocks, and of chunks, that are kept in any case.
pub(super) const FLOOR: u64 = 64 << 20;

/// Time without use after which a free block returns to the system.
pub(super) const REST: Duration = Duration::from_secs(3);

/// The window of recent use: the current period and the one before.
const LATELY: Duration = Duration::from_secs(1);

/// The free lists, and the statistics of blocks in use.
#[derive(Debug)]
pub(super) struct CachingAllocator {
    /// Maximum bytes of blocks, in use and free large ones together.
    limit: u64,
    in_use: u64,
    /// Bytes in use that belong to the host.
    lent: u64,
    /// Bytes of the free large blocks.
    idle: u64,
    /// Bytes of the limit that devices use for other purposes.
    reserved: u64,
    small: [Vec<NonNull<u8>>; CLASSES],
    chunks: Vec<Region>,
    /// Bytes of the last chunk that have not been cut yet.
    uncut: usize,
    /// Bytes of the small blocks in use.
    small_in_use: u64,
    /// Free large blocks by their size.
    large: BTreeMap<usize, Vec<Idle>>,
    lately: Lately,
    /// The allocator itself, for the background thread; dangling if it needs none.
    own: Weak<Mutex<CachingAllocator>>,
    /// The process, as a number of forks, in which a background thread runs.
    looked_after: Option<usize>,
}

/// A free large block, with the time when it was freed.
#[derive(Debug)]
struct Idle {
    region: Region,
    since: Instant,
}

/// The peak of bytes in use, in this period and the one before.
#[derive(Debug)]
struct Lately {
    begin: Instant,
    now: u64,
    before: u64,
}

impl Lately {
    fn note(&mut self, in_use: u64, now: Instant) {
        let passed = now.duration_since(self.begin);
        if passed >= LATELY {
            self.before = if passed < 2 * LATELY { self.now } else { in_use };
            (self.begin, self.now) = (now, in_use);
        }
        self.now = self.now.max(in_use);
    }

    fn most(&self) -> u64 {
        self.now.max(self.before)
    }
}

// SAFETY: the pointers lead into chunks, which the allocator owns, at blocks that are free: no thread uses them.
unsafe impl Send for CachingAllocator {}

impl CachingAllocator {
    /// Creates an empty allocator with a limit.
    pub(super) fn new(limit: u64) -> CachingAllocator {
        CachingAllocator {
            limit,
            in_use: 0,
            lent: 0,
            idle: 0,
            reserved: 0,
            small: [const { Vec::new() }; CLASSES],
            chunks: Vec::new(),
            uncut: 0,
            small_in_use: 0,
            large: BTreeMap::new(),
            lately: Lately { begin: Instant::now(), now: 0, before: 0 },
            own: Weak::new(),
            looked_after: None,
        }
    }

    /// Creates an allocator that several threads share, with a background thread.
    pub(super) fn shared(limit: u64) -> Arc<Mutex<CachingAllocator>> {
        Arc::new_cyclic(|own| {
            Mutex::new(CachingAllocator { own: Weak::clone(own), ..CachingAllocator::new(limit) })
        })
    }

    /// Returns the bytes of blocks in use.
    pub(super) fn in_use(&self) -> u64 {
        self.in_use
    }

    /// Returns the bytes that further blocks may take.
    pub(super) fn free(&self) -> u64 {
        self.limit.saturating_sub(self.in_use)
    }

    /// Returns the bytes of neither used nor free blocks.
    pub(super) fn unused(&self) -> u64 {
        self.free().saturating_sub(self.idle)
    }

    /// Returns the bytes taken from the system.
    pub(super) fn held(&self) -> u64 {
        self.in_use - self.lent - self.small_in_use + self.idle + self.in_chunks()
    }

    /// Returns the bytes of all chunks.
    fn in_chunks(&self) -> u64 {
        (self.chunks.len() * CHUNK) as u64
    }

    /// Changes a device's bytes for other purposes from `before` to `bytes`.
    pub(super) fn reserve(&mut self, before: u64, bytes: u64) {
        self.reserved = self.reserved - before + bytes;
    }

    /// Returns the maximum bytes in use.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Allocates an uninitialised block of at least `size` bytes; `None` if it would exceed the limit, or the system has no more memory.
    #[inline]
    pub(super) fn take(&mut self, size: usize) -> Option<Block> {
        if size > SMALL {
            return self.take_large(size);
        }
        let class = class(size);
        let in_use = self.in_use + capacity(class) as u64;
        if !self.make_room(in_use) {
            return None;
        }
        let start = match self.small[class].pop() {
            Some(start) => start,
            None => self.cut(class)?,
        };
        self.in_use = in_use;
        self.small_in_use += capacity(class) as u64;
        Some(Block::Small { start, class })
    }

    #[cold]
    fn cut(&mut self, class: usize) -> Option<NonNull<u8>> {
        if self.uncut < capacity(class) + MARGIN {
            self.spend_chunk();
            self.chunks.push(Region::new(CHUNK)?);
            self.uncut = CHUNK;
        }
        let chunk = self.chunks.last()?;
        // SAFETY: the uncut part is the end of the chunk, and long enough.
        let start = unsafe { chunk.start().add(CHUNK - self.uncut) };
        self.uncut -= capacity(class);
        Some(start)
    }

    /// Cuts the rest of the last chunk into free blocks.
    fn spend_chunk(&mut self) {
        let Some(chunk) = self.chunks.last() else { return };
        for class in (0..CLASSES).rev() {
            while self.uncut >= capacity(class) + MARGIN {
                // SAFETY: the uncut part is the end of the chunk, and as long as this block and the margin.
                self.small[class].push(unsafe { chunk.start().add(CHUNK - self.uncut) });
                self.uncut -= capacity(class);
            }
        }
    }

    fn take_large(&mut self, size: usize) -> Option<Block> {
        let size = size.checked_add(MARGIN)?;
        if let Some(region) = self.idle_region(size) {
            return Some(Block::Large(region));
        }
        if !self.make_room(self.in_use.saturating_add(size as u64)) {
            return None;
        }
        let region = Region::staggered(size).or_else(|| {
            self.release();
            Region::staggered(size)
        })?;
        self.in_use += region.size() as u64;
        Some(Block::Large(region))
    }

    /// Drops free large blocks, the largest first, until `in_use` bytes fit the limit. False if they do not.
    #[inline]
    fn make_room(&mut self, in_use: u64) -> bool {
        while in_use.saturating_add(self.idle).saturating_add(self.reserved) > self.limit {
            let Some(&largest) = self.large.keys().next_back() else { return false };
            self.take_idle(largest);
        }
        true
    }

    /// Takes the smallest sufficient free region.
    fn idle_region(&mut self, size: usize) -> Option<Region> {
        let (&key, _) = self.large.range(size..=size.saturating_add(size / 4)).next()?;
        let region = self.take_idle(key)?;
        self.in_use += key as u64;
        Some(region)
    }

    /// Takes the most recently used free block of a size.
    fn take_idle(&mut self, size: usize) -> Option<Region> {
        let regions = self.large.get_mut(&size)?;
        let idle = regions.pop();
        if regions.is_empty() {
            self.large.remove(&size);
        }
        let region = idle?.region;
        self.idle -= region.size() as u64;
        Some(region)
    }

    /// Counts bytes of the host as in use, if that is within the limit.
    pub(super) fn lend(&mut self, size: u64) -> bool {
        let in_use = self.in_use.saturating_add(size);
        let fits = self.make_room(in_use);
        if fits {
            self.in_use = in_use;
            self.lent += size;
        }
        fits
    }

    /// Ends the count of such bytes.
    pub(super) fn take_back(&mut self, size: u64) {
        self.in_use -= size;
        self.lent -= size;
    }

    /// Frees a block.
    #[inline]
    pub(super) fn give(&mut self, block: Block) {
        match block {
            Block::Small { start, class } => {
                self.in_use -= capacity(class) as u64;
                self.small_in_use -= capacity(class) as u64;
                self.small[class].push(start);
                if self.has_spare_chunks() {
                    self.be_looked_after();
                }
            }
            Block::Large(region) => self.give_large(region),
        }
    }

    fn give_large(&mut self, region: Region) {
        let since = Instant::now();
        self.lately.note(self.in_use, since);
        let size = region.size();
        self.in_use -= size as u64;
        self.idle += size as u64;
        self.large.entry(size).or_default().push(Idle { region, since });
        let lately = self.lately.most();
        let most = FLOOR.max(lately.saturating_sub(self.in_use).saturating_add(lately / 2));
        while self.idle > most {
            self.let_go_of_oldest();
        }
        self.be_looked_after();
    }

    /// Drops the free large block that was freed first.
    #[cold]
    fn let_go_of_oldest(&mut self) {
        let oldest =
            self.large.iter().filter_map(|(&size, regions)| Some((regions.first()?.since, size))).min();
        let Some((_, size)) = oldest else { return };
        self.let_go_of_first(size);
    }

    fn let_go_of_first(&mut self, size: usize) {
        if let Some(regions) = self.large.get_mut(&size) {
            regions.remove(0);
            self.idle -= size as u64;
            if regions.is_empty() {
                self.large.remove(&size);
            }
        }
    }

    /// True if chunks take much memory, of which little is in use.
    fn has_spare_chunks(&self) -> bool {
        self.in_chunks() > FLOOR && self.small_in_use < self.in_chunks() / 2
    }

    #[inline]
    fn be_looked_after(&mut self) {
        if self.looked_after != Some(fork::count()) && self.own.strong_count() > 0 {
            self.looked_after = janitor::start(Weak::clone(&self.own)).then(fork::count);
        }
    }

    /// Drops blocks that have been free for long enough. True if there is more to look after.
    pub(super) fn tidy(&mut self, now: Instant) -> bool {
        let rested = |idle: &Idle| now.duration_since(idle.since) >= REST;
        let sizes: Vec<usize> = self.large.keys().copied().collect();
        for size in sizes {
            while self.large.get(&size).and_then(|regions| regions.first()).is_some_and(rested) {
                self.let_go_of_first(size);
            }
        }
        let had_spare_chunks = self.has_spare_chunks();
        if had_spare_chunks {
            self.release_chunks();
        }
        // Fragmented chunks stay: the next freed block starts the thread again.
        let more = !self.large.is_empty();
        self.looked_after = self.looked_after.filter(|_| more);
        more
    }

    /// Returns the part of a large block beyond `size` bytes to the system.
    pub(super) fn shrink(&mut self, block: &mut Block, size: usize) {
        let before = block.capacity();
        if let Block::Large(region) = block {
            region.shrink(size + MARGIN);
        }
        self.in_use -= (before - block.capacity()) as u64;
    }

    /// Returns all free memory to the system: large blocks, and chunks without blocks in use.
    pub(super) fn release(&mut self) {
        self.large.clear();
        self.idle = 0;
        self.release_chunks();
    }

    /// Returns chunks without blocks in use to the system.
    fn release_chunks(&mut self) {
        self.spend_chunk();
        self.uncut = 0;
        let chunk_of = |start: &NonNull<u8>| start.as_ptr() as usize / CHUNK;
        let mut free: BTreeMap<usize, usize> = BTreeMap::new();
        for (class, blocks) in self.small.iter().enumerate() {
            blocks.iter().for_each(|start| *free.entry(chunk_of(start)).or_default() += capacity(class));
        }
        // The uncut rest of a chunk is smaller than the smallest block and the margin.
        let whole = |chunk: usize| free.get(&chunk).is_some_and(|free| free + 64 + MARGIN > CHUNK);
        self.small.iter_mut().for_each(|blocks| blocks.retain(|start| !whole(chunk_of(start))));
        self.chunks.retain(|chunk| !whole(chunk_of(&chunk.start())));
    }
}

#[cfg(test)]
mod tests;
