//! From measurements to a table: what counts of several, and how it is written.

use super::QUIET;
use super::c_code;
use super::peers::{OURS, PYTHON, Peers};
use crate::record::Record;
use crate::workloads::Workload;
use std::fmt::Write;

/// Workloads whose C does something else than ours, which a second mean leaves out.
const APART: [&str; 4] = ["N2Q", "N4C", "N4S", "N5"];

/// All measurements of one system on one workload.
pub(crate) struct Entry {
    /// The system.
    pub system: String,
    records: Vec<Record>,
}

impl Entry {
    /// Nothing measured yet.
    pub fn new(system: &str) -> Entry {
        Entry { system: system.to_owned(), records: Vec::new() }
    }

    /// One measurement more.
    pub fn add(&mut self, record: Record) {
        self.records.push(record);
    }

    /// False if it has failed: it would again.
    pub fn is_measured(&self) -> bool {
        self.records.iter().all(|record| record.check == "ok")
    }

    /// True if others were busy in all measurements.
    pub fn is_disturbed(&self) -> bool {
        self.is_measured() && self.records.iter().all(|record| !is_quiet(record))
    }

    /// What counts: of the undisturbed measurements, or of all if there are none, the one whose median is the middle one, with the least time of all.
    /// A failure counts as such.
    pub fn record(&self) -> Option<Record> {
        let failed = self.records.iter().find(|record| record.check != "ok");
        if let Some(failed) = failed {
            return (failed.check != "none").then(|| failed.clone());
        }
        let mut counting: Vec<&Record> = self.records.iter().filter(|record| is_quiet(record)).collect();
        if counting.is_empty() {
            counting = self.records.iter().collect();
        }
        counting.sort_by(|a, b| a.median.unwrap_or(f64::MAX).total_cmp(&b.median.unwrap_or(f64::MAX)));
        let mut middle = (*counting.get((counting.len() - 1) / 2)?).clone();
        let all = || self.records.iter();
        middle.least = least(counting.iter().filter_map(|record| record.least));
        middle.first = least(all().filter_map(|record| record.first));
        middle.first_warm = least(all().filter_map(|record| record.first_warm));
        middle.peak = all().filter_map(|record| record.peak).max_by(f64::total_cmp);
        Some(middle)
    }
}

fn is_quiet(record: &Record) -> bool {
    record.other_cpu.is_none_or(|others| others <= QUIET)
}

fn least(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    numbers.min_by(f64::total_cmp)
}

/// A number with three digits that count.
fn short(number: f64) -> String {
    match number {
        n if n >= 99.95 => format!("{n:.0}"),
        n if n >= 9.995 => format!("{n:.1}"),
        n if n >= 0.9995 => format!("{n:.2}"),
        n => format!("{n:.3}"),
    }
}

fn or_dash<T>(value: Option<T>, print: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), print)
}

/// Median and least time in milliseconds; `~` if others were busy.
fn time(record: Option<&Record>) -> String {
    let Some(record) = record else { return "–".to_owned() };
    let Some((median, least)) = record.median.zip(record.least) else { return record.check.clone() };
    let mark = if is_quiet(record) { "" } else { " ~" };
    let wrong = if record.check == "ok" { "" } else { "wrong: " };
    format!("{wrong}{} ({}){mark}", short(median * 1e3), short(least * 1e3))
}

/// The median of what was right.
fn median(record: Option<&Record>) -> Option<f64> {
    record.filter(|record| record.check == "ok").and_then(|record| record.median)
}

/// One table.
pub(super) fn markdown(size: &str, rows: &[(&Workload, Vec<Entry>)], peers: &Peers) -> String {
    let mut text = format!(
        "### {size}: milliseconds of a call, median (minimum)\n\n\
         | Workload | ours | from Python | ratio | C | ratio | best other | | ratio | first call: cold | warm | best other | peak, MB: ours | C | lines: ours | C |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    let mut ratios = Vec::new();
    for (workload, entries) in rows {
        let record = |system: &str| entries.iter().find(|entry| entry.system == system)?.record();
        let (ours, python, c) = (record(OURS), record(PYTHON), record("c"));
        let others = entries.iter().filter(|entry| ![OURS, PYTHON, "c"].contains(&entry.system.as_str()));
        let others: Vec<Record> = others.filter_map(Entry::record).filter(|one| one.check == "ok").collect();
        let best = others.iter().min_by(|a, b| {
            median(Some(a)).unwrap_or(f64::MAX).total_cmp(&median(Some(b)).unwrap_or(f64::MAX))
        });
        let ratio = |other: Option<&Record>| Some(median(ours.as_ref())? / median(other)?);
        let to_c = ratio(c.as_ref());
        ratios.extend(to_c.map(|ratio| (workload.id, ratio)));
        let ms = |time: Option<f64>| or_dash(time, |time| short(time * 1e3));
        let mb = |record: Option<&Record>| {
            or_dash(record.and_then(|one| one.peak), |peak| format!("{:.0}", peak / 1e6))
        };
        let first = ours.as_ref().map_or((None, None), |ours| (ours.first, ours.first_warm));
        let _ = writeln!(
            text,
            "| {} {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            workload.id,
            workload.title,
            time(ours.as_ref()),
            time(python.as_ref()),
            or_dash(median(python.as_ref()).zip(median(ours.as_ref())), |(python, ours)| short(
                python / ours
            )),
            time(c.as_ref()),
            or_dash(to_c, short),
            best.map_or("–", |best| best.system.as_str()),
            time(best),
            or_dash(ratio(best), short),
            ms(first.0),
            ms(first.1),
            ms(best.and_then(|best| best.first)),
            mb(ours.as_ref()),
            mb(c.as_ref()),
            or_dash(ours.as_ref().and_then(|ours| ours.lines), |lines| format!("{lines}")),
            or_dash(c_code::lines(peers.folder(), workload.id), |lines| lines.to_string()),
        );
    }
    let all: Vec<f64> = ratios.iter().map(|(_, ratio)| *ratio).collect();
    let alike: Vec<f64> =
        ratios.iter().filter(|(id, _)| !APART.contains(id)).map(|(_, ratio)| *ratio).collect();
    let _ = writeln!(
        text,
        "\nGeometric mean of the ratios to C: {}; without {}: {}. `~`: others used more than {QUIET} cores meanwhile. Memory is what calls take \
         beside inputs.{}\n",
        or_dash(mean(&all), short),
        APART.join(", "),
        or_dash(mean(&alike), short),
        if has_avx512() {
            ""
        } else {
            " The C is written for AVX-512; on this processor two vectors of AVX2 stand for each of its vectors."
        },
    );
    text
}

/// The geometric mean.
fn mean(ratios: &[f64]) -> Option<f64> {
    let logs = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>();
    (!ratios.is_empty()).then(|| (logs / ratios.len() as f64).exp())
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(median: f64, least: f64, others: f64) -> Record {
        Record {
            check: "ok".into(),
            median: Some(median),
            least: Some(least),
            other_cpu: Some(others),
            ..Record::default()
        }
    }

    #[test]
    fn what_was_disturbed_counts_only_where_nothing_else_is() {
        let mut entry = Entry::new("c");
        entry.add(record(9.0, 1.0, 0.5));
        assert!(entry.is_disturbed());
        assert_eq!(entry.record().and_then(|record| record.median), Some(9.0));
        entry.add(record(3.0, 2.5, 0.1));
        entry.add(record(4.0, 2.0, 0.0));
        assert!(!entry.is_disturbed());
        let counts = entry.record().unwrap();
        assert_eq!((counts.median, counts.least), (Some(3.0), Some(2.0)));
    }

    #[test]
    fn a_failure_is_not_measured_again() {
        let mut entry = Entry::new("numba");
        entry.add(Record { check: "FAIL".into(), ..Record::default() });
        assert!(!entry.is_measured() && !entry.is_disturbed());
        assert_eq!(entry.record().map(|record| record.check), Some("FAIL".into()));
        let mut none = Entry::new("jax");
        none.add(Record { check: "none".into(), ..Record::default() });
        assert_eq!(none.record(), None);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.036_71, 1.2345, 12.345, 409.4].map(short), ["0.037", "1.23", "12.3", "409"]);
        assert_eq!(mean(&[1.0, 4.0]), Some(2.0));
    }
}
