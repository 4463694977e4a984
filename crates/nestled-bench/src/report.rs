//! Measurements as a table.

use crate::bench::Bound;
use crate::measure::Measurement;
use crate::timing::Quartiles;

/// The line above the measurements.
pub fn header() -> String {
    let [name, size, ours, kernels, c, ratio] = ["benchmark", "size", "ours", "kernels", "C", "ratio"];
    format!(
        "{name:14} {size:>8} {ours:>10} {kernels:>10} {c:>10} {ratio:>6} {:13} {:>13} {:>13} {:>14} {:>6} {:>6}",
        "", "rate", "of kernels", "limit", "share", "of C"
    )
}

/// A measurement in a line.
pub fn line(measurement: &Measurement) -> String {
    let Measurement { bench, n, work: _, interpreted, ours, kernels, c, limit } = measurement;
    let note = if *interpreted == 0 { "" } else { "  interpreted" };
    let size = bench.sizes.show(*n);
    let (seconds, ratio) = match c {
        Some(c) => {
            let spread = format!("[{:.2} {:.2}]", c.ratio.low, c.ratio.high);
            (time(c.seconds.median), format!("{:6.2} {spread:13}", c.ratio.median))
        }
        None => ("-".to_owned(), format!("{:>6} {:13}", "-", "")),
    };
    let (amount, unit) = amount(measurement);
    let rate = |times: &Quartiles| format!("{:.1} {unit}", amount / times.median * 1e-9);
    let known = |show: &dyn Fn(&Quartiles) -> String| kernels.as_ref().map_or("-".to_owned(), show);
    let (kernels, of_kernels) = (known(&|kernels| time(kernels.median)), known(&rate));
    let shares = |limit_rate: f64| {
        let share = |seconds: f64| format!("{:.0} %", 100.0 * amount / seconds / limit_rate);
        (share(ours.median), c.map_or("-".to_owned(), |c| share(c.seconds.median)))
    };
    let (limit, (share, share_of_c)) = match limit {
        Some(limit) => (format!("{} {:.1}", limit.name, limit.rate * 1e-9), shares(limit.rate)),
        None => ("-".to_owned(), ("-".to_owned(), "-".to_owned())),
    };
    format!(
        "{:14} {size:>8} {:>10} {kernels:>10} {seconds:>10} {ratio} {:>13} {of_kernels:>13} {limit:>14} {share:>6} {share_of_c:>6}{note}",
        bench.name,
        time(ours.median),
        rate(ours)
    )
}

/// The amount of work that bounds the benchmark, and the unit of its rate.
fn amount(measurement: &Measurement) -> (f64, &'static str) {
    match measurement.work.bound {
        Bound::Compute => (measurement.work.flops as f64, "GFLOP/s"),
        Bound::Read | Bound::Copy | Bound::Triad => (measurement.work.bytes as f64, "GB/s"),
    }
}

/// Seconds in a unit that suits them.
pub fn time(seconds: f64) -> String {
    let (number, unit) = match seconds {
        seconds if seconds < 1e-3 => (seconds * 1e6, "µs"),
        seconds if seconds < 1.0 => (seconds * 1e3, "ms"),
        seconds => (seconds, "s"),
    };
    let digits = match number {
        number if number < 10.0 => 2,
        number if number < 100.0 => 1,
        _ => 0,
    };
    format!("{number:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_have_three_digits() {
        assert_eq!(time(1.234e-6), "1.23 µs");
        assert_eq!(time(12.34e-3), "12.3 ms");
        assert_eq!(time(123.4), "123 s");
    }
}
