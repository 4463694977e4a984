//! Measurements as JSON, for programs.

use crate::measure::Measurement;
use crate::timing::Quartiles;

/// An array of objects. Names and units need no escapes.
pub fn print(measurements: &[Measurement]) -> String {
    let objects: Vec<String> = measurements.iter().map(object).collect();
    format!("[\n{}\n]\n", objects.join(",\n"))
}

fn object(measurement: &Measurement) -> String {
    let Measurement { bench, n, work, interpreted, ours, kernels, c, limit } = measurement;
    let mut fields = vec![
        format!("\"name\": \"{}\"", bench.name),
        format!("\"n\": {n}"),
        format!("\"bytes\": {}", work.bytes),
        format!("\"flops\": {}", work.flops),
        format!("\"interpreted\": {interpreted}"),
        format!("\"ours_s\": {}", quartiles(ours)),
    ];
    if let Some(kernels) = kernels {
        fields.push(format!("\"kernels_s\": {}", quartiles(kernels)));
    }
    if let Some(c) = c {
        fields.push(format!("\"c_author\": \"{}\"", c.author));
        fields.push(format!("\"c_s\": {}", quartiles(&c.seconds)));
        fields.push(format!("\"ratio\": {}", quartiles(&c.ratio)));
    }
    if let Some(limit) = limit {
        fields.push(format!("\"limit\": \"{}\"", limit.name));
        fields.push(format!("\"limit_per_s\": {:e}", limit.rate));
    }
    format!("  {{{}}}", fields.join(", "))
}

/// Low, median, high.
fn quartiles(quartiles: &Quartiles) -> String {
    let Quartiles { low, median, high } = quartiles;
    format!("[{low:e}, {median:e}, {high:e}]")
}
