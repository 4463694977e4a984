//! Fusion reports: the kernels that fusion made of a program, as words, as a graph, as data; and the CPU's schedules.

pub mod data;
pub mod expected;
pub mod graph;
pub mod measured;
pub mod names;
pub mod programs;
pub mod schedules;
pub mod words;

use nestled_pass::fuse::declined::Declined;
use nestled_pass::fuse::report::{FlowReport, RegionReport};

/// The reason why a value that could stay in a kernel goes through memory, in words.
fn why_declined(region: &RegionReport, flow: &FlowReport) -> String {
    match region.why_declined(flow.from, flow.to) {
        Some(Declined::Dearer(more)) if more >= 1.0 => {
            format!("one kernel would take {} longer", time(region.time_of(more)))
        }
        Some(why) => why.to_string(),
        None => String::new(),
    }
}

/// A number of bytes, to three digits.
pub fn bytes(bytes: f64) -> String {
    in_units(bytes, &["B", "KB", "MB", "GB", "TB"])
}

/// A time in nanoseconds, to three digits.
fn time(nanoseconds: f64) -> String {
    in_units(nanoseconds, &["ns", "µs", "ms", "s"])
}

fn in_units(amount: f64, units: &[&str]) -> String {
    let (mut value, mut unit) = (amount, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = match value {
        _ if unit == 0 || value >= 99.95 => 0,
        _ if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::{bytes, time};

    #[test]
    fn bytes_have_three_digits() {
        let all = [0.0, 7.0, 999.0, 1000.0, 12_345.0, 999_600.0, 4_194_304.0, 123_456_789.0, 5e15];
        let texts = ["0 B", "7 B", "999 B", "1.00 KB", "12.3 KB", "1.00 MB", "4.19 MB", "123 MB", "5000 TB"];
        assert_eq!(all.map(bytes), texts);
        assert_eq!([3.0, 1234.0, 5e6, 7.5e12].map(time), ["3 ns", "1.23 µs", "5.00 ms", "7500 s"]);
    }
}
