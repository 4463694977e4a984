//! A measurement as one line of JSON: the format that the peers' `report.py --extra` reads, with some more fields.
//!
//! Lines are flat objects of texts and numbers, and are read without regard to the order of fields.

use std::fmt::Write;

/// One system on one workload.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Record {
    /// The workload's name.
    pub workload: String,
    /// `small` or `large`.
    pub size: String,
    /// The system.
    pub system: String,
    /// `ok`, or why there is nothing to compare.
    pub check: String,
    /// How far off, or more about why.
    pub detail: String,
    /// The least time of a call, in seconds.
    pub least: Option<f64>,
    /// The median.
    pub median: Option<f64>,
    /// The first call of a process, with compilation. For us, with an empty cache.
    pub first: Option<f64>,
    /// The same, for us, when another process has made the call before.
    pub first_warm: Option<f64>,
    /// How many calls were timed.
    pub repeats: Option<f64>,
    /// Cores that others used meanwhile.
    pub other_cpu: Option<f64>,
    /// Bytes that calls took, beside inputs.
    pub peak: Option<f64>,
    /// Lines of code.
    pub lines: Option<f64>,
}

impl Record {
    fn numbers(&self) -> [(&'static str, Option<f64>); 8] {
        [
            ("seconds_min", self.least),
            ("seconds_median", self.median),
            ("first_call_s", self.first),
            ("first_call_warm_s", self.first_warm),
            ("repeats", self.repeats),
            ("other_cpu", self.other_cpu),
            ("peak_bytes", self.peak),
            ("lines", self.lines),
        ]
    }

    /// One line.
    pub fn to_json(&self) -> String {
        let mut line = String::from("{");
        let texts = [
            ("workload", &self.workload),
            ("size", &self.size),
            ("impl", &self.system),
            ("check", &self.check),
            ("detail", &self.detail),
        ];
        for (key, text) in texts {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
            let _ = write!(line, "\"{key}\":\"{text}\",");
        }
        for (key, number) in self.numbers() {
            if let Some(number) = number {
                let _ = write!(line, "\"{key}\":{number},");
            }
        }
        line.pop();
        line + "}"
    }

    /// Reads a line; what it does not say stays open.
    pub fn parse(line: &str) -> Option<Record> {
        if !(line.starts_with('{') && line.ends_with('}')) {
            return None;
        }
        let text = |key| text(line, key).unwrap_or_default();
        let number = |key| value(line, key)?.split([',', '}']).next()?.trim().parse().ok();
        Some(Record {
            workload: text("workload"),
            size: text("size"),
            system: text("impl"),
            check: text("check"),
            detail: text("detail"),
            least: number("seconds_min"),
            median: number("seconds_median"),
            first: number("first_call_s"),
            first_warm: number("first_call_warm_s"),
            repeats: number("repeats"),
            other_cpu: number("other_cpu"),
            peak: number("peak_bytes"),
            lines: number("lines"),
        })
    }
}

/// What stands behind a key.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("\"{key}\":"))?;
    Some(rest.trim_start())
}

fn text(line: &str, key: &str) -> Option<String> {
    let mut letters = value(line, key)?.strip_prefix('"')?.chars();
    let mut text = String::new();
    loop {
        match letters.next()? {
            '"' => return Some(text),
            '\\' => text.push(letters.next()?),
            letter => text.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_a_record_does() {
        let record = Record {
            workload: "A4".into(),
            size: "small".into(),
            system: "nestled".into(),
            check: "ok".into(),
            detail: "max \"err\" 0 \\ 1".into(),
            least: Some(0.000_013),
            median: Some(1.5),
            repeats: Some(7.0),
            ..Record::default()
        };
        assert_eq!(Record::parse(&record.to_json()), Some(record));
    }

    #[test]
    fn lines_of_python_are_read() {
        let line =
            r#"{"workload": "N1", "impl": "c", "seconds_min": 1.2e-05, "other_cpu": 0.0, "flops": null}"#;
        let record = Record::parse(line).unwrap();
        assert_eq!((record.workload.as_str(), record.least), ("N1", Some(1.2e-5)));
        assert_eq!((record.other_cpu, record.peak), (Some(0.0), None));
        assert_eq!(Record::parse("null"), None);
    }
}
