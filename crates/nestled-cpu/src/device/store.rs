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

use super::janitor;
use super::region::{HUGE, Region};
use nestled_fork as fork;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// So many bytes can be read past the end of every block.
const MARGIN: usize = 256;

/// The greatest small block.
const SMALL: usize = 64 << 10;

/// The sizes of small blocks.
const CLASSES: usize = 36;

/// What small blocks are cut from. Every block lies in one chunk, which begins at a multiple of this.
const CHUNK: usize = HUGE;

/// So many bytes of free large blocks are kept in any case, and of chunks.
pub(super) const FLOOR: u64 = 64 << 20;

/// After so long without use a free block goes back to the system.
pub(super) const REST: Duration = Duration::from_secs(3);

/// What was in use "lately" was in use in the last one or two of these.
const LATELY: Duration = Duration::from_secs(1);

/// A block.
#[derive(Debug)]
pub(super) enum Block {
    /// Cut from a chunk.
    Small {
        /// The first byte.
        start: NonNull<u8>,
        /// Which size it has.
        class: usize,
    },
    /// A region of its own.
    Large(Region),
}

// SAFETY: a block is memory that nobody else knows of.
unsafe impl Send for Block {}

impl Block {
    /// The first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        match self {
            Block::Small { start, .. } => *start,
            Block::Large(region) => region.start(),
        }
    }

    /// How many bytes of memory it takes.
    pub(super) fn capacity(&self) -> usize {
        match self {
            Block::Small { class, .. } => capacity(*class),
            Block::Large(region) => region.size(),
        }
    }
}

/// The smallest class for so many bytes, at most [`SMALL`].
fn class(size: usize) -> usize {
    let last = size.max(1) - 1;
    if last < 256 {
        return last / 64;
    }
    let doubling = last.ilog2() as usize;
    4 * (doubling - 7) + (last >> (doubling - 2) & 3)
}

/// The bytes of a block of this class.
fn capacity(class: usize) -> usize {
    if class < 4 { 64 * (class + 1) } else { (1 << (class / 4 + 7)) / 4 * (class % 4 + 5) }
}

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

// SAFETY: the pointers lead to memory that nobody else knows of.
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
                // SAFETY: as in `cut`.
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
mod tests {
    use super::*;

    #[test]
    fn classes_are_the_smallest_that_will_do() {
        for size in 0..=SMALL {
            let class = class(size);
            assert!(capacity(class) >= size, "{size}");
            assert!(class == 0 || capacity(class - 1) < size, "{size}");
            assert_eq!(capacity(class) % 64, 0);
        }
        assert_eq!(class(SMALL), CLASSES - 1);
    }

    #[test]
    fn blocks_do_not_overlap() {
        let mut store = Store::new(1 << 30);
        let sizes = (0..3000).map(|at| 1 + at * 7919 % 70_000);
        let blocks: Vec<(usize, Block)> = sizes.map(|size| (size, store.take(size).unwrap())).collect();
        let mut places: Vec<(usize, usize)> =
            blocks.iter().map(|(_, block)| (block.start().as_ptr() as usize, block.capacity())).collect();
        places.sort_unstable();
        assert!(places.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
        assert!(places.iter().all(|(start, _)| start % 64 == 0));
        for (size, block) in blocks {
            assert!(block.capacity() >= size);
            store.give(block);
        }
        assert_eq!(store.in_use(), 0);
        store.release();
        assert!(store.chunks.is_empty() && store.small.iter().all(Vec::is_empty), "all can go");
    }

    #[test]
    fn a_free_block_serves_the_next() {
        let mut store = Store::new(1 << 30);
        for size in [1, 64, 5000, SMALL, 2 * SMALL, 10 << 20] {
            let block = store.take(size).unwrap();
            let start = block.start();
            store.give(block);
            let block = store.take(size - size / 10).unwrap();
            assert_eq!(block.start(), start, "{size}");
            store.give(block);
        }
        // A block that is far too large is kept for others.
        let block = store.take(1 << 20).unwrap();
        assert!(block.capacity() < 2 << 20);
    }

    /// Arrays of many lengths, one after another, leave no more behind than the floor.
    #[test]
    fn free_blocks_are_few() {
        let mut store = Store::new(8 << 30);
        for at in 0..1500 {
            let block = store.take((200 << 10) + at * (3 << 10)).unwrap();
            store.give(block);
            assert!(store.held() <= FLOOR + (16 << 20), "{} after {at}", store.held());
        }
        // As much as was in use lately stays for a while: a loop that takes and gives asks the system once.
        let blocks: Vec<Block> = (0..4).map(|_| store.take(100 << 20).unwrap()).collect();
        blocks.into_iter().for_each(|block| store.give(block));
        assert!(store.held() >= 400 << 20);
        assert!(!store.tidy(Instant::now() + REST));
        assert_eq!((store.held(), store.in_use()), (0, 0));
    }

    #[test]
    fn chunks_go_back() {
        let mut store = Store::new(8 << 30);
        let mut blocks: Vec<Block> = (0..100_000).map(|_| store.take(1000).unwrap()).collect();
        let kept = blocks.split_off(99_990);
        blocks.into_iter().for_each(|block| store.give(block));
        assert!(store.held() > FLOOR);
        store.tidy(Instant::now());
        assert!(store.held() <= 4 << 20, "{}", store.held());
        kept.into_iter().for_each(|block| store.give(block));
    }

    #[test]
    fn somebody_looks_after_it() {
        let store = Store::shared(8 << 30);
        let block = store.lock().unwrap().take(50 << 20).unwrap();
        store.lock().unwrap().give(block);
        assert!(store.lock().unwrap().held() >= 50 << 20);
        let begin = Instant::now();
        while store.lock().unwrap().held() > 0 {
            assert!(begin.elapsed() < 10 * REST);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    #[test]
    fn the_limit_counts_what_is_in_use() {
        let mut store = Store::new(1 << 20);
        let (first, other) = (store.take(600 << 10).unwrap(), store.take(100 << 10).unwrap());
        assert!(store.take(600 << 10).is_none());
        store.give(first);
        store.give(other);
        // The larger of the free blocks must go before another can come; the smaller may stay.
        let second = store.take(900 << 10).unwrap();
        assert_eq!(store.large.len(), 1);
        assert_eq!(store.held(), store.in_use() + store.idle);
        assert!(store.take(200 << 10).is_none());
        assert!(store.take(100).is_some());
        store.give(second);
    }

    #[test]
    fn a_shrunk_block_makes_room() {
        let mut store = Store::new(20 << 20);
        let mut block = store.take(16 << 20).unwrap();
        assert!(store.take(8 << 20).is_none());
        store.shrink(&mut block, 1 << 20);
        assert!(cfg!(not(unix)) || store.take(8 << 20).is_some());
    }
}
