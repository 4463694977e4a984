//! Executable memory (W^X): pages are writable first, executable then, never both. The one place that asks the system for memory.
//!
//! `libc` and not `rustix`: four calls are needed, and nothing else of it; it has no dependencies and builds in two seconds. It is
//! left by declaring those four functions ourselves.
#![allow(unsafe_code)]

use super::ObjectError;
use super::layout::Layout;
use std::ptr::NonNull;

/// Pages that belong to this value alone and go back to the system with it.
#[derive(Debug)]
pub(super) struct Pages {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: a `Pages` is the only owner of its memory, like a `Box<[u8]>`, and nothing in it is bound to a thread.
unsafe impl Send for Pages {}
// SAFETY: with `&Pages` one can only ask for addresses; writing needs `&mut Pages`.
unsafe impl Sync for Pages {}

/// The size of the system's pages.
pub(super) fn page_size() -> u64 {
    // SAFETY: `sysconf` takes any number and touches no memory of ours.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).ok().filter(|size| size.is_power_of_two()).unwrap_or(4096).max(4096)
}

impl Pages {
    /// Zeroed, writable pages; `size` is rounded up to whole ones.
    pub(super) fn new(size: usize) -> Result<Pages, ObjectError> {
        let size = size.max(1).next_multiple_of(page_size() as usize);
        // SAFETY: an anonymous private mapping at an address the system chooses replaces no mapping that exists.
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
        match NonNull::new(start.cast::<u8>()) {
            Some(start) if start.as_ptr().cast() != libc::MAP_FAILED => Ok(Pages { start, size }),
            Some(_) | None => Err(system_error()),
        }
    }

    /// The address of the first byte.
    pub(super) fn address(&self) -> *const u8 {
        self.start.as_ptr()
    }

    /// Lets `fill` write all bytes, then gives each group of pages of the layout its access: from here on nothing is written.
    pub(super) fn fill_and_protect(
        mut self,
        layout: &Layout,
        fill: impl FnOnce(&mut [u8], u64) -> Result<(), ObjectError>,
    ) -> Result<Pages, ObjectError> {
        let base = self.address() as u64;
        // SAFETY: `new` mapped `size` bytes here, readable, writable and zeroed; `self` is their only owner and is borrowed
        // mutably for as long as the slice lives. Protection changes only below, after its last use.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.start.as_mut(), self.size) };
        fill(bytes, base)?;
        flush_instructions(bytes);
        self.protect(&layout.code, libc::PROT_READ | libc::PROT_EXEC)?;
        self.protect(&layout.constants, libc::PROT_READ)?;
        Ok(self)
    }

    fn protect(&self, range: &std::ops::Range<usize>, access: libc::c_int) -> Result<(), ObjectError> {
        assert!(range.start <= range.end && range.end <= self.size, "the layout is that of these pages");
        if range.is_empty() {
            return Ok(());
        }
        // SAFETY: the range lies in our mapping, by the assertion; no reference to its bytes exists any more.
        let failed =
            unsafe { libc::mprotect(self.start.as_ptr().add(range.start).cast(), range.len(), access) };
        if failed == 0 { Ok(()) } else { Err(system_error()) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: exactly the mapping that `new` made, and nobody uses it after its owner is gone.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.size) };
    }
}

fn system_error() -> ObjectError {
    ObjectError::System(std::io::Error::last_os_error().to_string())
}

/// Tells the processor that these bytes may be new instructions. x86-64 notices by itself.
#[cfg(not(target_arch = "aarch64"))]
fn flush_instructions(_bytes: &[u8]) {}

/// Tells the processor that these bytes may be new instructions: clean the data cache, then empty the instruction cache, in steps of
/// 16 bytes, the smallest line the architecture allows.
#[cfg(target_arch = "aarch64")]
fn flush_instructions(bytes: &[u8]) {
    let line_starts = || bytes.iter().step_by(16);
    for line in line_starts() {
        // SAFETY: cleaning a cache line by an address we may read changes no memory.
        unsafe { std::arch::asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: a barrier puts accesses to memory in order, and makes none.
    unsafe { std::arch::asm!("dsb ish", options(nostack, preserves_flags)) };
    for line in line_starts() {
        // SAFETY: emptying a line of the instruction cache by an address we may read changes no memory.
        unsafe { std::arch::asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: barriers put accesses and the fetching of instructions in order, and change no memory.
    unsafe { std::arch::asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
}
