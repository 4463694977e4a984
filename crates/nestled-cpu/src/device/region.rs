//! Memory regions from the system, zeroed on allocation, so that they contain no uninitialised bytes.
#![allow(unsafe_code)] // Calls of the system, and memory that somebody else owns until then.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Size of huge pages in bytes. Regions of at least this size are aligned to it, and the system is asked for huge pages.
pub(super) use nestled_pages::HUGE;

/// Granularity of sizes, in bytes.
pub(super) const PAGE: usize = 4 << 10;

/// Number of different starts within a page of staggered regions.
const STARTS: usize = 16;

/// Distance between them: an odd number of cache lines in the nearest cache, and a page further in the next one.
const STAGGER: usize = PAGE + 320;

/// Exclusively owned memory, which returns to the system when dropped.
#[derive(Debug)]
pub(super) struct Region {
    /// First byte of the mapping.
    mapped: NonNull<u8>,
    /// Bytes before the start.
    before: usize,
    size: usize,
}

impl Region {
    /// Allocates zeroed memory of at least this size; `None` if the system has none left.
    pub(super) fn new(size: usize) -> Option<Region> {
        Region::after(0, size)
    }

    /// Allocates memory for an array. Arrays that began at the same place of a page would compete for the same few lines of a cache wherever a kernel goes over many of them, so
    /// that their starts are staggered, by whole cache lines.
    pub(super) fn staggered(size: usize) -> Option<Region> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let at = NEXT.fetch_add(1, Ordering::Relaxed) % STARTS;
        Region::after(at * STAGGER, size)
    }

    fn after(before: usize, size: usize) -> Option<Region> {
        let size = size.max(1).checked_next_multiple_of(PAGE)?;
        let whole = size.checked_add(before.next_multiple_of(PAGE))?;
        system::map(whole).map(|mapped| Region { mapped, before, size })
    }

    /// Bytes that the system mapped.
    fn whole(&self) -> usize {
        self.size + self.before.next_multiple_of(PAGE)
    }

    /// Returns the address of the first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        // SAFETY: the mapping is longer than what is before the start.
        unsafe { self.mapped.add(self.before) }
    }

    /// Returns the size in bytes.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns all but the first `size` bytes to the system, where it accepts them.
    pub(super) fn shrink(&mut self, size: usize) {
        let size = size.max(1).next_multiple_of(PAGE);
        if size < self.size {
            let before = self.whole() - self.size;
            self.size = system::shrink(self.mapped, self.whole(), before + size) - before;
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        system::unmap(self.mapped, self.whole());
    }
}

#[cfg(unix)]
mod system {
    use super::HUGE;
    use std::ptr::NonNull;

    /// Maps `size` bytes, a multiple of a page.
    pub(super) fn map(size: usize) -> Option<NonNull<u8>> {
        if size < HUGE {
            return map_anywhere(size);
        }
        // Maps extra room for an aligned start, and unmaps the parts before and after.
        let room = map_anywhere(size.checked_add(HUGE)?)?;
        let before = room.as_ptr().align_offset(HUGE);
        // SAFETY: `before` is less than HUGE, so this stays inside the mapping.
        let start = unsafe { room.add(before) };
        unmap(room, before);
        // SAFETY: `before + size` is at most the size of the mapping.
        unmap(unsafe { start.add(size) }, HUGE - before);
        nestled_pages::prefer_huge(start.as_ptr(), size);
        Some(start)
    }

    fn map_anywhere(size: usize) -> Option<NonNull<u8>> {
        // SAFETY: an anonymous private mapping at an address that the system chooses replaces no mapping that exists.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANON,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
    }

    /// Returns the remaining size.
    pub(super) fn shrink(start: NonNull<u8>, size: usize, to: usize) -> usize {
        // The system's pages may be larger than ours.
        let to = to.next_multiple_of(HUGE).min(size);
        // SAFETY: `to` is at most the size of the mapping.
        unmap(unsafe { start.add(to) }, size - to);
        to
    }

    pub(super) fn unmap(start: NonNull<u8>, size: usize) {
        if size > 0 {
            // SAFETY: pages of a mapping that `map_anywhere` made, and that nobody uses any more.
            unsafe { libc::munmap(start.as_ptr().cast(), size) };
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::{HUGE, PAGE};
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    fn layout(size: usize) -> Option<Layout> {
        Layout::from_size_align(size, if size < HUGE { PAGE } else { HUGE }).ok()
    }

    pub(super) fn map(size: usize) -> Option<NonNull<u8>> {
        // SAFETY: the size is not zero.
        NonNull::new(unsafe { alloc_zeroed(layout(size)?) })
    }

    /// The allocator takes back only whole allocations.
    pub(super) fn shrink(_: NonNull<u8>, size: usize, _: usize) -> usize {
        size
    }

    pub(super) fn unmap(start: NonNull<u8>, size: usize) {
        if let Some(layout) = layout(size) {
            // SAFETY: `map` made it with this very layout, and nobody uses it any more.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn large_regions_are_aligned_and_zeroed() {
        for size in [1, PAGE, HUGE - 1, HUGE, 3 * HUGE + 5] {
            let region = Region::new(size).unwrap();
            assert!(region.size() >= size);
            let align = if size < HUGE { PAGE } else { HUGE };
            assert_eq!(region.start().as_ptr().align_offset(align), 0, "{size}");
            // SAFETY: the region has so many bytes, and the system zeroed them.
            let bytes = unsafe { std::slice::from_raw_parts(region.start().as_ptr(), region.size()) };
            assert!(bytes.iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn arrays_begin_at_different_lines_of_a_page() {
        for size in [PAGE, HUGE] {
            let regions: Vec<Region> = (0..STARTS).map(|_| Region::staggered(size).unwrap()).collect();
            let lines: BTreeSet<usize> =
                regions.iter().map(|region| region.start().as_ptr().addr() % PAGE).collect();
            assert!(lines.len() > STARTS / 2, "{lines:?}");
            assert!(lines.iter().all(|line| line % 64 == 0), "vectors stay within lines: {lines:?}");
            for mut region in regions {
                assert!(region.size() >= size);
                // SAFETY: the region has so many bytes.
                unsafe { region.start().add(region.size() - 1).write(1) };
                region.shrink(1);
                // SAFETY: one byte is left at least.
                unsafe { region.start().write(1) };
            }
        }
    }

    #[test]
    fn more_than_there_is() {
        assert!(Region::new(usize::MAX).is_none());
        assert!(Region::new(1 << 60).is_none());
    }
}
