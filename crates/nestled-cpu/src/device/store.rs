//! Blocks of memory by size, kept for the next who wants one.
//!
//! Fresh pages cost more than most kernels that write them, so a block that is freed stays with us. **Small** blocks (up to 64 KiB) come
//! in four sizes for each doubling, cut from chunks, and each size has a list of free ones. **Large** blocks are regions of their own; one
//! that is free serves whoever wants no less than four fifths of it.
//!
//! What is free goes back to the system by and by. Free large blocks take no more than what was in use lately and is not any more, half of what
//! was in use lately on top of that, and [`FLOOR`] in any case; those that were freed first go first. What nobody wanted for [`REST`] goes as well, and
//! so do chunks, where little of them is in use: a thread looks after that (`janitor.rs`), as long as there is something to look after.
//!
//! Behind every block there are 256 bytes that can be read, perhaps of another block.
#![allow(unsafe_code)] // Chunks are cut into blocks.

use super::block::{Block, CLASSES, SMALL, capacity, class};
use super::janitor;
use super::region::{HUGE, Region};
use nestled_fork as fork;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// So many bytes can be read past the end of every block.
const MARGIN: usize = 256;

/// What small blocks are cut from. Every block lies in one chunk, which begins at a multiple of this.
const CHUNK: usize = HUGE;

/// So many bytes of free large blocks are kept in any case, and of chunks.
pub(super) const FLOOR: u64 = 64 << 20;

/// After so long without use a free block goes back to the system.
pub(super) const REST: Duration = Duration::from_secs(3);

/// What was in use "lately" was in use in the last one or two of these.
const LATELY: Duration = Duration::from_secs(1);

/// All blocks that are free, and the count of those that are not.
#[derive(Debug)]
pub(super) struct Store {
    /// Bytes that blocks may take, those in use and the free large ones together.
    limit: u64,
    in_use: u64,
    /// Bytes of those in use that belong to others.
    lent: u64,
    /// Bytes of the free large blocks.
    idle: u64,
    /// Bytes that others have taken of the limit.
    reserved: u64,
    small: [Vec<NonNull<u8>>; CLASSES],
    chunks: Vec<Region>,
    /// What of the last chunk has not been cut yet.
    uncut: usize,
    /// Bytes of the small blocks in use.
    small_in_use: u64,
    /// Free large blocks by their size.
    large: BTreeMap<usize, Vec<Idle>>,
    lately: Lately,
    /// The store itself, for who looks after it; nothing if nobody does.
    own: Weak<Mutex<Store>>,
    /// In which process somebody looks after it, counted by forks.
    looked_after: Option<usize>,
}

/// A free large block, and since when.
#[derive(Debug)]
struct Idle {
    region: Region,
    since: Instant,
}

/// The most bytes that were in use, in this stretch of time and the one before.
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

// SAFETY: the pointers lead into chunks, which the store owns, at blocks that are free: no thread uses them.
unsafe impl Send for Store {}

impl Store {
    /// Nothing yet, and so much at most.
    pub(super) fn new(limit: u64) -> Store {
        Store {
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

    /// One that several threads use, and that a thread looks after.
    pub(super) fn shared(limit: u64) -> Arc<Mutex<Store>> {
        Arc::new_cyclic(|own| Mutex::new(Store { own: Weak::clone(own), ..Store::new(limit) }))
    }

    /// Bytes that blocks in use take.
    pub(super) fn in_use(&self) -> u64 {
        self.in_use
    }

    /// Bytes that more blocks may take.
    pub(super) fn free(&self) -> u64 {
        self.limit.saturating_sub(self.in_use)
    }

    /// Bytes that neither blocks in use nor free ones take.
    pub(super) fn unused(&self) -> u64 {
        self.free().saturating_sub(self.idle)
    }

    /// Bytes that were taken from the system.
    pub(super) fn held(&self) -> u64 {
        self.in_use - self.lent - self.small_in_use + self.idle + self.in_chunks()
    }

    /// Bytes of all chunks.
    fn in_chunks(&self) -> u64 {
        (self.chunks.len() * CHUNK) as u64
    }

    /// One of the others, who had taken `before` bytes of the limit, takes so many now.
    pub(super) fn reserve(&mut self, before: u64, bytes: u64) {
        self.reserved = self.reserved - before + bytes;
    }

    /// Bytes in use at most.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// A block of at least `size` bytes, with any bytes in it; nothing if that would be over the limit, or the system has no more.
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

    /// Makes blocks of what is left of the last chunk.
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
        let region = Region::new(size).or_else(|| {
            self.release();
            Region::new(size)
        })?;
        self.in_use += region.size() as u64;
        Some(Block::Large(region))
    }

    /// Lets go of free large blocks, the largest first, until so much can be in use. Answers whether it can.
    #[inline]
    fn make_room(&mut self, in_use: u64) -> bool {
        while in_use.saturating_add(self.idle).saturating_add(self.reserved) > self.limit {
            let Some(&largest) = self.large.keys().next_back() else { return false };
            self.take_idle(largest);
        }
        true
    }

    /// The smallest free region that will do.
    fn idle_region(&mut self, size: usize) -> Option<Region> {
        let (&key, _) = self.large.range(size..=size.saturating_add(size / 4)).next()?;
        let region = self.take_idle(key)?;
        self.in_use += key as u64;
        Some(region)
    }

    /// The free block of a size that was used last.
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

    /// Counts so many bytes as in use that belong to others, if that is within the limit.
    pub(super) fn lend(&mut self, size: u64) -> bool {
        let in_use = self.in_use.saturating_add(size);
        let fits = self.make_room(in_use);
        if fits {
            self.in_use = in_use;
            self.lent += size;
        }
        fits
    }

    /// Counts them no more.
    pub(super) fn take_back(&mut self, size: u64) {
        self.in_use -= size;
        self.lent -= size;
    }

    /// Takes a block back.
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

    /// Lets go of the free large block that was freed first.
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

    /// Whether chunks take much, of which little is in use.
    fn has_spare_chunks(&self) -> bool {
        self.in_chunks() > FLOOR && self.small_in_use < self.in_chunks() / 2
    }

    #[inline]
    fn be_looked_after(&mut self) {
        if self.looked_after != Some(fork::count()) && self.own.strong_count() > 0 {
            self.looked_after = janitor::start(Weak::clone(&self.own)).then(fork::count);
        }
    }

    /// Gives back what has rested long enough. Whether there is more to look after.
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
        // Chunks that are in bits stay: the next block that is freed calls again.
        let more = !self.large.is_empty();
        self.looked_after = self.looked_after.filter(|_| more);
        more
    }

    /// Gives back what a large block has beyond `size` bytes.
    pub(super) fn shrink(&mut self, block: &mut Block, size: usize) {
        let before = block.capacity();
        if let Block::Large(region) = block {
            region.shrink(size + MARGIN);
        }
        self.in_use -= (before - block.capacity()) as u64;
    }

    /// Gives everything that is free back to the system: large blocks, and chunks of which nothing is in use.
    pub(super) fn release(&mut self) {
        self.large.clear();
        self.idle = 0;
        self.release_chunks();
    }

    /// Gives chunks back of which nothing is in use.
    fn release_chunks(&mut self) {
        self.spend_chunk();
        self.uncut = 0;
        let chunk_of = |start: &NonNull<u8>| start.as_ptr() as usize / CHUNK;
        let mut free: BTreeMap<usize, usize> = BTreeMap::new();
        for (class, blocks) in self.small.iter().enumerate() {
            blocks.iter().for_each(|start| *free.entry(chunk_of(start)).or_default() += capacity(class));
        }
        // What cannot be cut any more is less than the smallest block and the margin.
        let whole = |chunk: usize| free.get(&chunk).is_some_and(|free| free + 64 + MARGIN > CHUNK);
        self.small.iter_mut().for_each(|blocks| blocks.retain(|start| !whole(chunk_of(start))));
        self.chunks.retain(|chunk| !whole(chunk_of(&chunk.start())));
    }
}

#[cfg(test)]
mod tests;
