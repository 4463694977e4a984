//! Memory of buffers: its end is the end of a page, behind which nobody may read.

use std::ffi::c_void;

/// Bytes that end where a page ends that nobody may read. On systems without pages of that kind they end somewhere.
pub(super) struct Block {
    whole: *mut c_void,
    size: usize,
    begin: *mut u8,
}

/// At least the size of a page on all machines.
const PAGE: usize = 1 << 16;

impl Block {
    /// A copy of bytes that begins at a multiple of `align`, a power of two.
    pub fn new(bytes: &[u8], align: usize) -> Block {
        let room = bytes.len().next_multiple_of(align).next_multiple_of(PAGE).max(PAGE);
        let (whole, size) = reserved(room);
        let begin = room - bytes.len().next_multiple_of(align);
        // SAFETY: `room` bytes may be written, and these lie within.
        let begin = unsafe { whole.cast::<u8>().add(begin) };
        // SAFETY: as above; nobody else knows the memory.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), begin, bytes.len()) };
        Block { whole, size, begin }
    }

    pub fn pointer(&self) -> *const c_void {
        self.begin.cast_const().cast()
    }
}

#[cfg(unix)]
fn reserved(room: usize) -> (*mut c_void, usize) {
    let size = room + PAGE;
    let (may, how) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: it asks for new memory.
    let whole = unsafe { libc::mmap(std::ptr::null_mut(), size, may, how, -1, 0) };
    assert!(whole != libc::MAP_FAILED, "there is no memory");
    // SAFETY: it is the end of what was given.
    let guarded = unsafe { libc::mprotect(whole.cast::<u8>().add(room).cast(), PAGE, libc::PROT_NONE) };
    assert_eq!(guarded, 0, "a page cannot be guarded");
    (whole, size)
}

#[cfg(not(unix))]
fn reserved(room: usize) -> (*mut c_void, usize) {
    let bytes = vec![0u128; room / 16].into_boxed_slice();
    (Box::into_raw(bytes).cast(), room)
}

impl Drop for Block {
    #[cfg(unix)]
    fn drop(&mut self) {
        // SAFETY: it was reserved like that, and whoever had it has released it.
        unsafe { libc::munmap(self.whole, self.size) };
    }

    #[cfg(not(unix))]
    fn drop(&mut self) {
        let slice = std::ptr::slice_from_raw_parts_mut(self.whole.cast::<u128>(), self.size / 16);
        // SAFETY: it was reserved like that, and whoever had it has released it.
        drop(unsafe { Box::from_raw(slice) });
    }
}
