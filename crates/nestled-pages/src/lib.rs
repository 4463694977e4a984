//! Huge pages: memory of large arrays is mapped 2 MiB at a time, which takes fewer page faults, and fewer misses of the processor's table of pages.
//!
//! **Invariant.** It is advice: contents and addresses stay as they are, and where the system has no huge pages, nothing happens.
#![allow(unsafe_code)] // A call of the system.

/// Bytes of a huge page.
pub const HUGE: usize = 2 << 20;

/// Asks for huge pages for the part of a range that can consist of them. To be asked before the memory is first written: pages that exist stay as they are.
pub fn prefer_huge(start: *const u8, size: usize) {
    let first = (start as usize).next_multiple_of(HUGE);
    let end = (start as usize).saturating_add(size) / HUGE * HUGE;
    if first < end {
        advise(start.wrapping_byte_add(first - start as usize), end - first);
    }
}

#[cfg(target_os = "linux")]
fn advise(start: *const u8, size: usize) {
    // SAFETY: this advice changes no contents and no mapping, whatever lies there; addresses that are not mapped give an error.
    unsafe { libc::madvise(start.cast_mut().cast(), size, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *const u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contents stay, for ranges of all kinds: none, within a page, of many pages, to the end of memory.
    #[test]
    fn contents_stay() {
        let bytes: Vec<u8> = (0..5 * HUGE).map(|at| at as u8).collect();
        for (from, until) in [(0, 0), (1, 100), (7, bytes.len()), (0, bytes.len() - 1), (HUGE, 2 * HUGE)] {
            prefer_huge(bytes[from..until].as_ptr(), until - from);
        }
        prefer_huge(std::ptr::null(), 0);
        prefer_huge(bytes.as_ptr(), usize::MAX);
        assert!(bytes.iter().enumerate().all(|(at, &byte)| byte == at as u8));
    }

    /// On a system that has huge pages, memory that is written afterwards lies in them.
    #[test]
    #[cfg(target_os = "linux")]
    fn memory_lies_in_huge_pages() {
        let setting =
            std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
        let mut bytes = vec![0u8; 16 * HUGE];
        prefer_huge(bytes.as_ptr(), bytes.len());
        bytes.fill(1);
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let huge: usize = maps
            .lines()
            .filter_map(|line| {
                line.strip_prefix("AnonHugePages:")?.trim().strip_suffix(" kB")?.parse::<usize>().ok()
            })
            .sum();
        assert!(bytes.iter().all(|&byte| byte == 1));
        // Memory may be too scattered for all of them.
        assert!(huge > 0 || setting.is_empty() || setting.contains("[never]"), "{setting}");
    }
}
