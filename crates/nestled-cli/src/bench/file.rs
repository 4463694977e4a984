//! Files of measurements: JSON, an object for each on a line of its own, in a list.

use super::Measurement;
use crate::exit_codes::Failure;
use crate::files;
use crate::nesl::forms::{Tree, parse_json};
use nestled_rt::json::Object;
use std::path::Path;

/// The largest file that is read, in bytes.
const ROOM: u64 = 1 << 28;

/// Writes measurements.
pub fn write(path: &Path, measurements: &[Measurement]) -> Result<(), Failure> {
    let text = text(measurements);
    files::write_with(path, |out| out.write_all(text.as_bytes()))
}

fn text(measurements: &[Measurement]) -> String {
    let mut text = "[".to_owned();
    for (position, measurement) in measurements.iter().enumerate() {
        text.push_str(if position == 0 { "\n" } else { ",\n" });
        let mut object = Object::begin(&mut text);
        object.text("text", &measurement.text).text("place", &measurement.place);
        object.plain("n", measurement.n.map_or("null".to_owned(), |n| n.to_string()));
        let seconds = |seconds: f64| format!("{seconds:e}");
        object
            .plain("first", seconds(measurement.first))
            .plain("runs", measurement.runs)
            .plain("least", seconds(measurement.least))
            .plain("median", seconds(measurement.median))
            .plain("low", seconds(measurement.interval.0))
            .plain("high", seconds(measurement.interval.1));
        object.end();
    }
    text.push_str("\n]\n");
    text
}

/// Reads measurements.
pub fn read(path: &Path) -> Result<Vec<Measurement>, Failure> {
    let wrong = |why: String| Failure::usage(format!("cannot compare with `{}`: {why}", path.display()));
    let bytes = files::read_data(path, ROOM).map_err(wrong)?;
    let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
    let parsed = parse_json(&text, ROOM).map_err(wrong)?;
    let Tree::Several(items) = parsed else {
        return Err(wrong("a list of measurements is wanted".to_owned()));
    };
    let one = |item: &Tree| measurement(item).ok_or_else(|| wrong("it was not written by --json".to_owned()));
    items.iter().map(one).collect()
}

fn measurement(item: &Tree) -> Option<Measurement> {
    let Tree::Record(names, values) = item else { return None };
    let value = |name: &str| names.iter().position(|found| **found == *name).map(|at| &values[at]);
    let text = |name| match value(name)? {
        Tree::Text(text) => Some(text.clone()),
        _ => None,
    };
    let number = |name| match value(name)? {
        Tree::Float(number) => Some(*number),
        Tree::Int(number) => Some(*number as f64),
        _ => None,
    };
    let count = |name| number(name).filter(|number| *number >= 0.0).map(|number| number as u64);
    Some(Measurement {
        text: text("text")?,
        place: text("place")?,
        n: count("n"),
        first: number("first")?,
        runs: count("runs")?,
        least: number("least")?,
        median: number("median")?,
        interval: (number("low")?, number("high")?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let with_n = Measurement::new(
            ("`a \"b\"`".into(), "f:1:2".into()),
            Some(1000),
            0.25,
            vec![1e-6, 2.5e-6, 3e-6],
        );
        let without = Measurement { n: None, text: "c".into(), ..with_n.clone() };
        let path = std::env::temp_dir().join(format!("nestled-bench-{}.json", std::process::id()));
        write(&path, &[with_n.clone(), without.clone()]).unwrap();
        assert_eq!(read(&path).unwrap(), [with_n, without]);
        std::fs::write(&path, "[{\"text\": 1}]").unwrap();
        assert!(read(&path).unwrap_err().message.contains("not written by --json"));
        std::fs::remove_file(path).unwrap();
    }
}
