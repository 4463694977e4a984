//! Bounds-checked reading of little-endian numbers.

use super::ObjectError;

/// Reads the `N` bytes at `offset`; `what` names the part for the error.
pub(super) fn read<const N: usize>(
    bytes: &[u8],
    offset: u64,
    what: &'static str,
) -> Result<[u8; N], ObjectError> {
    let start = usize::try_from(offset).ok();
    let found = start.and_then(|start| bytes.get(start..)).and_then(|rest| rest.first_chunk::<N>());
    found.copied().ok_or(ObjectError::Malformed(what))
}

/// The `size` bytes at `offset`.
pub(super) fn slice<'a>(
    bytes: &'a [u8],
    offset: u64,
    size: u64,
    what: &'static str,
) -> Result<&'a [u8], ObjectError> {
    let start = usize::try_from(offset).ok();
    let end = offset.checked_add(size).and_then(|end| usize::try_from(end).ok());
    let range = start.zip(end).map(|(start, end)| start..end);
    range.and_then(|range| bytes.get(range)).ok_or(ObjectError::Malformed(what))
}

pub(super) fn u16_at(bytes: &[u8], offset: u64, what: &'static str) -> Result<u16, ObjectError> {
    read(bytes, offset, what).map(u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &[u8], offset: u64, what: &'static str) -> Result<u32, ObjectError> {
    read(bytes, offset, what).map(u32::from_le_bytes)
}

pub(super) fn u64_at(bytes: &[u8], offset: u64, what: &'static str) -> Result<u64, ObjectError> {
    read(bytes, offset, what).map(u64::from_le_bytes)
}
