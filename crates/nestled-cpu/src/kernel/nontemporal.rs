//! Non-temporal stores: decides when results bypass the caches, and copies past them.
#![allow(unsafe_code)] // Copies between memory known by address.

use super::raw::RawLaunch;
use super::sizes;
use super::workspace::Workspace;
use crate::codegen::{Plan, Streamed};
use std::ptr;

/// True if a launch should use the kernel's version with non-temporal stores.
pub fn wanted(plan: &Plan, launch: &RawLaunch<'_>, workspace: &mut Workspace) -> bool {
    let bytes = |streamed: &Streamed| launch.results[streamed.result].len * streamed.size as u64;
    let thresholds = workspace.thresholds;
    // A result that overwrites an argument is in the caches already, where it was read.
    let in_place = launch.results.iter().any(|result| launch.args.iter().any(|arg| arg.is_at(result.data)));
    let large = plan.streamed.iter().map(bytes).sum::<u64>() >= thresholds.streaming;
    if plan.streamed.is_empty() || in_place || !large {
        return false;
    }
    sizes::level_points(&plan.kernel, launch, &mut workspace.points);
    let suits = |streamed: &Streamed| {
        let points = &workspace.points;
        let long = streamed
            .rows
            .is_none_or(|level| points[level] >= thresholds.row.saturating_mul(points[level - 1]));
        long && launch.results[streamed.result].data.addr().is_multiple_of(64)
    };
    plan.streamed.iter().all(suits)
}

/// Copies `len` bytes without reading whole lines of the destination into the caches. Other threads see the copy once this returns.
///
/// # Safety
/// As for [`ptr::copy_nonoverlapping`].
#[cfg(target_arch = "x86_64")]
pub unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    const LINE: usize = 64;
    let head = (to.addr().wrapping_neg() % LINE).min(len);
    let lines = (len - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: head, lines and tail lie in the `len` bytes that our caller promises on either side, and `to` is a multiple of the line's size where lines begin, as
    // streaming stores ask for. Every x86-64 has these instructions.
    unsafe {
        ptr::copy_nonoverlapping(from, to, head);
        for line in 0..lines {
            let from = from.add(head + line * LINE).cast::<__m128i>();
            let to = to.add(head + line * LINE).cast::<__m128i>();
            let quarters = [0, 1, 2, 3].map(|quarter| _mm_loadu_si128(from.add(quarter)));
            for (quarter, value) in quarters.into_iter().enumerate() {
                _mm_stream_si128(to.add(quarter), value);
            }
        }
        ptr::copy_nonoverlapping(from.add(tail), to.add(tail), len - tail);
        _mm_sfence();
    }
}

/// Copies `len` bytes.
///
/// # Safety
/// As for [`ptr::copy_nonoverlapping`].
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: our caller promises `len` bytes on either side that do not overlap.
    unsafe { ptr::copy_nonoverlapping(from, to, len) }
}

#[cfg(test)]
mod tests {
    use super::copy;

    #[test]
    fn every_byte_and_no_other_is_copied() {
        let from: Vec<u8> = (0..400).map(|at| (at * 7 + 1) as u8).collect();
        for start in [0, 1, 31, 63, 64] {
            for len in [0, 1, 33, 63, 64, 65, 127, 128, 200, 300] {
                let mut to = vec![0u8; 400];
                // SAFETY: both are longer than what is copied.
                unsafe { copy(from.as_ptr().add(5), to.as_mut_ptr().add(start), len) };
                assert_eq!(to[start..start + len], from[5..5 + len]);
                assert!(to[..start].iter().chain(&to[start + len..]).all(|&byte| byte == 0));
            }
        }
    }
}
