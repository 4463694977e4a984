//! Measurements as JSON, for programs.

use crate::measure::Measurement;
use crate::timing::Quartiles;
use nestled_rt::json::Object;

/// An array of objects, one on a line.
pub fn print(measurements: &[Measurement]) -> String {
    let objects: Vec<String> = measurements.iter().map(object).collect();
    format!("[\n{}\n]\n", objects.join(",\n"))
}

fn object(measurement: &Measurement) -> String {
    let Measurement { bench, n, work, interpreted, ours, kernels, c, limit } = measurement;
    let mut out = String::from("  ");
    let mut object = Object::begin(&mut out);
    object.text("name", bench.name).plain("n", n).plain("bytes", work.bytes).plain("flops", work.flops);
    object.plain("interpreted", interpreted).list("ours_s", quartiles(ours));
    if let Some(kernels) = kernels {
        object.list("kernels_s", quartiles(kernels));
    }
    if let Some(c) = c {
        object
            .text("c_author", c.author)
            .list("c_s", quartiles(&c.seconds))
            .list("ratio", quartiles(&c.ratio));
    }
    if let Some(limit) = limit {
        object.text("limit", limit.name).plain("limit_per_s", format_args!("{:e}", limit.rate));
    }
    object.end();
    out
}

/// Low, median, high.
fn quartiles(quartiles: &Quartiles) -> [String; 3] {
    let Quartiles { low, median, high } = quartiles;
    [low, median, high].map(|seconds| format!("{seconds:e}"))
}
