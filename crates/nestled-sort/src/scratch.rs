//! Scratch memory, in a free list: it is kept from one call to the next, since the system gives new pages more slowly than they are sorted.
#![allow(unsafe_code)] // Memory that holds now records of one kind, now of another.

use super::record::Record;
use nestled_pages::{HUGE, prefer_huge};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::Mutex;

/// The most bytes kept for all calls together. More is given back at once.
const KEPT: usize = 512 << 20;

/// Memory, aligned to lines of the cache, that has been zeroed once, so that it holds some integers at any time.
#[derive(Debug)]
pub(super) struct Scratch {
    start: NonNull<u8>,
    size: usize,
    /// Start of the allocation. It is larger than `size`, so that a line, or a huge page, begins in it.
    allocated: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it owns its memory, which is bound to no thread.
unsafe impl Send for Scratch {}

impl Scratch {
    fn new(size: usize) -> Scratch {
        let align = if size < HUGE { 64 } else { HUGE };
        let size = size.max(1).next_multiple_of(align);
        // Aligned by us: of what must be aligned the allocator would not take zeros from the system, but write them.
        let layout = Layout::from_size_align(size + align, 16).expect("scratch fits the memory");
        // SAFETY: the size is not 0.
        let allocated =
            NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        // SAFETY: less than `align`, which was allocated besides.
        let start = unsafe { allocated.add(allocated.as_ptr().align_offset(align)) };
        prefer_huge(start.as_ptr(), size);
        Scratch { start, size, allocated, layout }
    }

    /// The first `len` records.
    ///
    /// # Panics
    /// If there is no room for so many.
    pub(super) fn records<R: Record>(&mut self, len: usize) -> &mut [R] {
        assert!(len <= self.size / size_of::<R>(), "scratch is large enough");
        // SAFETY: there is room, aligned for all records, filled with integers; it is borrowed mutably with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().cast(), len) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: `new` allocated it with this layout, and its owner is gone.
        unsafe { dealloc(self.allocated.as_ptr(), self.layout) }
    }
}

/// The free list.
static IDLE: Mutex<Vec<Scratch>> = Mutex::new(Vec::new());

/// Lends at least so many bytes of scratch memory.
pub(super) fn lend<T>(size: usize, body: impl FnOnce(&mut Scratch) -> T) -> T {
    let idle = || IDLE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let found = {
        let mut idle = idle();
        let fits = idle.iter().enumerate().filter(|(_, scratch)| scratch.size >= size);
        let least = fits.min_by_key(|(_, scratch)| scratch.size).map(|(at, _)| at);
        // What is too small makes way for what is needed now.
        least.or(idle.len().checked_sub(1)).map(|at| idle.swap_remove(at))
    };
    let mut scratch = match found {
        Some(scratch) if scratch.size >= size => scratch,
        _ => Scratch::new(size),
    };
    let result = body(&mut scratch);
    let mut idle = idle();
    let kept: usize = idle.iter().map(|scratch| scratch.size).sum();
    if kept + scratch.size <= KEPT {
        idle.push(scratch);
    }
    result
}

thread_local! {
    static OWN: RefCell<Option<Scratch>> = const { RefCell::new(None) };
}

/// Lends two pieces of this thread's own scratch memory, for `len` records each. Meant for sizes that fit the cache.
pub(super) fn lend_own<R: Record, T>(len: usize, body: impl FnOnce(&mut [R], &mut [R]) -> T) -> T {
    // Both begin at a line of the cache.
    let half = (len * size_of::<R>()).next_multiple_of(64) / size_of::<R>();
    OWN.with_borrow_mut(|own| {
        if own.as_ref().is_none_or(|own| own.size < 2 * half * size_of::<R>()) {
            *own = Some(Scratch::new((2 * half * size_of::<R>()).next_power_of_two()));
        }
        let own = own.as_mut().expect("it was made");
        let (a, b) = own.records::<R>(2 * half).split_at_mut(half);
        body(&mut a[..len], &mut b[..len])
    })
}
