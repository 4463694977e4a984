//! Sweeps over sizes: the growth of time with the number of elements.

use crate::bench::{Bench, Sizes};
use crate::measure::{Setup, measure};
use crate::report::time;
use nestled_chart::Line;

/// Powers of ten from 10³ on.
fn sizes(most: usize) -> impl Iterator<Item = usize> {
    (3..).map(|power| 10usize.pow(power)).take_while(move |&n| n <= most)
}

/// Measures a benchmark of vectors at all sizes, prints a line for each, and adds ours and those of C to the lines of a chart. Growth is the time per element relative to the line before: 1 is
/// linear, and more where data outgrow a cache.
///
/// # Errors
/// If a result is wrong, or nothing runs.
pub fn sweep(bench: &'static Bench, most: usize, setup: &Setup, lines: &mut Vec<Line>) -> Result<(), String> {
    if !matches!(bench.sizes, Sizes::Elements(_)) {
        return Err(format!("`{}` is about a square; only vectors can be swept", bench.name));
    }
    println!("{}: {}", bench.name, bench.title);
    println!(
        "{:>12} {:>10} {:>10} {:>7} {:>12} {:>10} {:>8}",
        "elements", "ours", "C", "ratio", "ns/element", "GB/s", "growth"
    );
    let colour = lines.iter().map(|line| line.colour + 1).max().unwrap_or(0);
    let line = |name: String, dashed| Line { name, colour, dashed, points: Vec::new() };
    let (mut own, mut other) = (line(bench.name.to_owned(), false), line(format!("{}, C", bench.name), true));
    let mut before: Option<f64> = None;
    for n in sizes(most) {
        let found = measure(bench, n, setup)?;
        let each = found.ours.median / n as f64;
        own.points.push((n as f64, found.ours.median));
        other.points.extend(found.c.as_ref().map(|c| (n as f64, c.seconds.median)));
        let (c, ratio) = match &found.c {
            Some(c) => (time(c.seconds.median), format!("{:.2}", c.ratio.median)),
            None => ("-".to_owned(), "-".to_owned()),
        };
        let growth = before.map_or("-".to_owned(), |before| format!("{:.2}", each / before));
        let rate = found.work.bytes as f64 / found.ours.median * 1e-9;
        let ours = time(found.ours.median);
        println!("{n:>12} {ours:>10} {c:>10} {ratio:>7} {:>12.3} {rate:>10.2} {growth:>8}", each * 1e9);
        before = Some(each);
    }
    println!();
    lines.extend([own, other].into_iter().filter(|line| !line.points.is_empty()));
    Ok(())
}
