//! Slices of borrowed memory, made from pointers.
#![allow(unsafe_code)] // Made from pointers.

/// # Safety
/// As for [`std::slice::from_raw_parts`]; but without elements the pointer may be anything.
pub(crate) unsafe fn slice<'a, T>(data: *const u8, len: usize) -> &'a [T] {
    // SAFETY: our caller promises `len` elements, aligned, that nobody writes as long as the slice lives.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data.cast(), len) } }
}

/// # Safety
/// As for [`std::slice::from_raw_parts_mut`]; but without elements the pointer may be anything.
pub(crate) unsafe fn slice_mut<'a, T>(data: *mut u8, len: usize) -> &'a mut [T] {
    // SAFETY: our caller promises `len` elements, aligned, that nobody else uses as long as the slice lives.
    if len == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(data.cast(), len) } }
}
