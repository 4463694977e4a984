//! Tables of measurements: a line for each size of a statement, with its old time if there is one.

use super::Measurement;
use std::fmt::Write;

/// The width of the longest bar.
const BAR: usize = 24;

/// A measurement, and the one that it is compared with.
pub struct Row<'a> {
    pub new: &'a Measurement,
    pub old: Option<&'a Measurement>,
}

impl Row<'_> {
    /// The new median divided by the old one.
    pub fn ratio(&self) -> Option<f64> {
        self.old.map(|old| self.new.median / old.median)
    }

    /// True if it has become slower by more than so many percent, and chance alone would hardly do that.
    pub fn is_worse(&self, percent: f64) -> bool {
        let is_apart = self.old.is_some_and(|old| self.new.interval.0 > old.interval.1);
        is_apart && self.ratio().is_some_and(|ratio| ratio > 1.0 + percent / 100.0)
    }
}

/// Finds for each measurement the old one: of the same text and size, and with the same number among these.
pub fn rows<'a>(new: &'a [Measurement], old: &'a [Measurement]) -> Vec<Row<'a>> {
    let key = |measurement: &'a Measurement| (&measurement.text, measurement.n);
    let row = |(position, measurement): (usize, &'a Measurement)| {
        let number = new[..position].iter().filter(|earlier| key(earlier) == key(measurement)).count();
        let old = old.iter().filter(|old| key(old) == key(measurement)).nth(number);
        Row { new: measurement, old }
    };
    new.iter().enumerate().map(row).collect()
}

/// The table. Statements in the order in which they ran first, each with its sizes.
pub fn text(rows: &[Row<'_>], percent: f64) -> String {
    let mut out = String::new();
    let mut titles: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        let title = (&*row.new.text, &*row.new.place);
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    for title in titles {
        let own: Vec<&Row<'_>> =
            rows.iter().filter(|row| (&*row.new.text, &*row.new.place) == title).collect();
        statement(&mut out, title, &own, percent);
    }
    out
}

fn statement(out: &mut String, (text, place): (&str, &str), rows: &[&Row<'_>], percent: f64) {
    let _ = writeln!(out, "{text}  {place}");
    let _ = write!(out, "{:>12} {:>10} {:>10} {:>10}", "n", "median", "least", "first");
    let _ = write!(out, " {:>23} {:>6} {:>12}", "interval", "runs", "each of n");
    let is_compared = rows.iter().any(|row| row.old.is_some());
    out.push_str(if is_compared { "        old     ratio\n" } else { "\n" });
    let (low, high) = rows.iter().fold((f64::INFINITY, 0.0f64), |(low, high), row| {
        (low.min(row.new.median), high.max(row.new.median))
    });
    for row in rows {
        let new = row.new;
        let n = new.n.map_or("–".to_owned(), |n| n.to_string());
        let each = new.n.filter(|n| *n > 0).map_or("–".to_owned(), |n| seconds(new.median / n as f64));
        let interval = format!("{} – {}", seconds(new.interval.0), seconds(new.interval.1));
        let _ = write!(
            out,
            "{n:>12} {:>10} {:>10} {:>10}",
            seconds(new.median),
            seconds(new.least),
            seconds(new.first)
        );
        let _ = write!(out, " {interval:>23} {:>6} {each:>12}", new.runs);
        if let (Some(old), Some(ratio)) = (row.old, row.ratio()) {
            let verdict = if row.is_worse(percent) { "  slower" } else { "" };
            let _ = write!(out, " {:>10} {ratio:>8.2}{verdict}", seconds(old.median));
        } else if rows.len() > 1 {
            let _ = write!(out, "  {}", bar(new.median, low, high));
        }
        out.push('\n');
    }
}

/// A bar on a logarithmic scale, from the least of several times to the greatest.
fn bar(time: f64, low: f64, high: f64) -> String {
    let part = if high > low { (time / low).ln() / (high / low).ln() } else { 1.0 };
    "▪".repeat(1 + (part * (BAR - 1) as f64).round() as usize)
}

/// `12.3 ms`
pub fn seconds(time: f64) -> String {
    let (value, unit) = match time {
        _ if time >= 1.0 => (time, "s"),
        _ if time >= 1e-3 => (time * 1e3, "ms"),
        _ if time >= 1e-6 => (time * 1e6, "µs"),
        _ => (time * 1e9, "ns"),
    };
    let digits = match value {
        _ if value >= 99.95 => 0,
        _ if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, n: u64, median: f64) -> Measurement {
        let times = vec![median * 0.99, median, median * 1.01];
        Measurement::new((text.to_owned(), "f.nesl:1:1".to_owned()), Some(n), 1.0, times)
    }

    #[test]
    fn the_same_statement_at_the_same_size_is_compared() {
        let old = [of("a", 10, 1.0), of("a", 10, 2.0), of("b", 10, 4.0)];
        let new = [of("b", 10, 4.2), of("a", 10, 1.5), of("a", 10, 2.0), of("a", 20, 9.0)];
        let rows = rows(&new, &old);
        let ratios: Vec<Option<f64>> = rows.iter().map(Row::ratio).collect();
        assert_eq!(ratios[1..], [Some(1.5), Some(1.0), None]);
        assert_eq!(
            rows.iter().map(|row| row.is_worse(10.0)).collect::<Vec<_>>(),
            [false, true, false, false]
        );
        let text = text(&rows, 10.0);
        assert_eq!(text.matches("slower").count(), 1, "{text}");
        assert_eq!(text.matches("f.nesl:1:1").count(), 2, "{text}");
    }

    #[test]
    fn what_overlaps_is_not_slower() {
        let old = [Measurement { interval: (0.5, 2.0), ..of("a", 1, 1.0) }];
        let new = [of("a", 1, 1.5)];
        assert!(!rows(&new, &old)[0].is_worse(10.0));
    }

    #[test]
    fn times_have_units() {
        assert_eq!(
            [2.5e-9, 0.0123, 0.000_099_96, 3.0].map(seconds),
            ["2.50 ns", "12.3 ms", "100 µs", "3.00 s"]
        );
    }
}
