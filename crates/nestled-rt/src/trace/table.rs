//! Text table of times.

use std::time::Duration;

const N_COLUMNS: usize = 7;

/// The first two columns are texts, the others numbers.
const HEADER: [&str; N_COLUMNS] =
    ["kernel or operation", "place", "runs", "total ms", "mean µs", "GB/s", "share"];

/// Several runs of one thing.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub runs: u64,
    pub time: Duration,
    /// Read and written.
    pub bytes: u64,
}

impl Sum {
    pub fn add(&mut self, time: Duration, bytes: u64) {
        self.runs += 1;
        self.time += time;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// The rows for one run, of duration `whole`.
pub(super) struct Table {
    whole: Duration,
    /// Time that no row accounts for yet.
    rest: Duration,
    rows: Vec<[String; N_COLUMNS]>,
    /// The rows before which a line is drawn.
    rules: Vec<usize>,
}

impl Table {
    pub fn new(whole: Duration) -> Table {
        Table { whole, rest: whole, rows: vec![HEADER.map(str::to_owned)], rules: Vec::new() }
    }

    /// A row of a kernel or a native operation.
    pub fn work(&mut self, name: &str, place: &str, sum: Sum) {
        let rate = sum.bytes as f64 / sum.time.as_secs_f64().max(1e-9) / 1e9;
        self.row(name, place, sum, format!("{rate:.2}"));
    }

    /// A row of anything else.
    pub fn other(&mut self, name: &str, detail: &str, sum: Sum) {
        self.row(name, detail, sum, String::new());
    }

    /// Draws a line before the next row.
    pub fn rule(&mut self) {
        self.rules.push(self.rows.len());
    }

    fn row(&mut self, name: &str, detail: &str, sum: Sum, rate: String) {
        self.rest = self.rest.saturating_sub(sum.time);
        let mean = sum.time.as_secs_f64() * 1e6 / sum.runs.max(1) as f64;
        let counted = |text: String| if sum.runs > 0 { text } else { String::new() };
        self.rows.push([
            name.to_owned(),
            detail.to_owned(),
            counted(sum.runs.to_string()),
            format!("{:.3}", sum.time.as_secs_f64() * 1e3),
            counted(format!("{mean:.1}")),
            rate,
            format!("{:.1} %", 100.0 * sum.time.as_secs_f64() / self.whole.as_secs_f64().max(1e-9)),
        ]);
    }

    /// The text of the table, with two more rows: unaccounted time, and the total.
    pub fn finish(mut self) -> String {
        let rest = Sum { time: self.rest, ..Sum::default() };
        self.other("everything else", "", rest);
        self.rule();
        self.other("all", "", Sum { time: self.whole, ..Sum::default() });
        let width = |at: usize| self.rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        let widths: [usize; N_COLUMNS] = std::array::from_fn(width);
        let rule = "-".repeat(widths.iter().sum::<usize>() + 2 * (N_COLUMNS - 1));
        let mut text = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            if self.rules.contains(&at) {
                text.push_str(&format!("{rule}\n"));
            }
            let cells = row.iter().zip(widths).enumerate();
            let cells = cells.map(|(column, (cell, width))| match column {
                0 | 1 => format!("{cell:width$}"),
                _ => format!("{cell:>width$}"),
            });
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}
