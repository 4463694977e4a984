//! Detection of available memory.

/// Bytes for buffers where neither the configuration nor the system gives a number.
const UNKNOWN: u64 = 4 << 30;

/// Returns four fifths of the memory that is available now.
#[must_use]
pub fn available_memory() -> u64 {
    let available = [system(), container()].into_iter().flatten().min();
    available.map_or(UNKNOWN, |available| available / 5 * 4)
}

/// Returns the available memory of the system.
#[cfg(target_os = "linux")]
fn system() -> Option<u64> {
    meminfo(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

/// Returns the total memory of the machine; this system has no simple query for the available part.
#[cfg(all(unix, not(target_os = "linux")))]
fn system() -> Option<u64> {
    #![allow(unsafe_code)] // A call of the system.
    // SAFETY: `sysconf` takes any number and touches no memory of ours.
    let [pages, size] = [libc::_SC_PHYS_PAGES, libc::_SC_PAGESIZE].map(|name| unsafe { libc::sysconf(name) });
    u64::try_from(pages).ok()?.checked_mul(u64::try_from(size).ok()?).filter(|&bytes| bytes > 0)
}

#[cfg(not(unix))]
fn system() -> Option<u64> {
    None
}

#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the remaining memory limit of a container, for either version of control groups.
fn container() -> Option<u64> {
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let pairs = [
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ];
    pairs.iter().filter_map(|(most, taken)| Some(number(most)?.saturating_sub(number(taken)?))).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_says() {
        let text = "MemTotal:       24000000 kB\nMemFree:  1 kB\nMemAvailable:   18000000 kB\n";
        assert_eq!(meminfo(text), Some(18_000_000 * 1024));
        assert_eq!(meminfo("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn there_is_some() {
        assert!(available_memory() > 1 << 20);
    }
}
