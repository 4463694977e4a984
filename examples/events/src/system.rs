//! Memory of this process, as Linux says it in `/proc`; elsewhere nothing is known.

use std::fs;

/// Bytes that this process holds now.
pub fn held() -> Option<u64> {
    status("VmRSS:")
}

/// The most bytes that it held.
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

fn status(key: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Seconds of all cores that this process took.
pub fn cpu() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name before the numbers is in parentheses and may hold anything.
    let fields = stat.rsplit(')').next()?.split_whitespace().skip(11).take(2);
    Some(fields.filter_map(|word| word.parse::<f64>().ok()).sum::<f64>() / 100.0)
}
