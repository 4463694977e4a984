//! What Linux says of the machine and of this process, in `/proc`; elsewhere nothing is known.

use std::fs;

/// Cores that were busy, in seconds since the machine began, and how many of these this process took.
pub fn busy() -> Option<[f64; 2]> {
    let all = fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<f64> =
        all.lines().next()?.split_whitespace().skip(1).take(8).filter_map(|word| word.parse().ok()).collect();
    // All but idle, and waiting for input.
    let busy = ticks.iter().sum::<f64>() - ticks.get(3)? - ticks.get(4)?;
    Some([busy, own()?].map(|ticks| ticks / 100.0))
}

/// Ticks that this process took. The name before them is in parentheses and may hold anything.
fn own() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields = stat.rsplit(')').next()?.split_whitespace().skip(11).take(2);
    Some(fields.filter_map(|word| word.parse::<f64>().ok()).sum())
}

/// Bytes that this process holds now.
pub fn held() -> Option<u64> {
    status("VmRSS:")
}

/// The most bytes that it held since [`forget_peak`].
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

/// Lets the peak begin anew with what is held now.
pub fn forget_peak() {
    // Where the system does not let us, the peak is that of the whole process.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn status(key: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
