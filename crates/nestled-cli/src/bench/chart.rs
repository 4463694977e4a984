//! Charts of medians against n, as SVG: both axes logarithmic, a line for each statement, and a grey one for time in proportion to n.

use super::Measurement;
use super::table::seconds;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
/// Left, top, right and bottom of what is inside the axes.
const INSIDE: (f64, f64, f64, f64) = (80.0, 20.0, 740.0, 400.0);
const COLOURS: [&str; 8] =
    ["#1b6ca8", "#c8553d", "#2a9d5c", "#8e5ea2", "#b8860b", "#40a4a4", "#7a7a7a", "#d6518f"];

/// One axis: powers of ten, the exponents of its ends, and the places of these.
struct Scale {
    exponents: (i32, i32),
    places: (f64, f64),
}

impl Scale {
    fn new(values: impl Iterator<Item = f64>, places: (f64, f64)) -> Scale {
        let (low, high) = values
            .filter(|value| *value > 0.0)
            .fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low <= high { (low.log10(), high.log10()) } else { (0.0, 1.0) };
        let from = low.floor() as i32;
        Scale { exponents: (from, (high.ceil() as i32).max(from + 1)), places }
    }

    fn place(&self, value: f64) -> f64 {
        let (from, to) = self.exponents;
        let part = (value.log10() - f64::from(from)) / f64::from(to - from);
        self.places.0 + part * (self.places.1 - self.places.0)
    }

    fn powers(&self) -> impl Iterator<Item = f64> + use<> {
        (self.exponents.0..=self.exponents.1).map(|exponent| 10f64.powi(exponent))
    }
}

/// The chart of all measurements that have a size.
pub fn svg(measurements: &[Measurement]) -> String {
    let sized: Vec<(f64, &Measurement)> = measurements
        .iter()
        .filter_map(|measurement| Some((measurement.n.filter(|n| *n > 0)? as f64, measurement)))
        .collect();
    let (left, top, right, bottom) = INSIDE;
    let x = Scale::new(sized.iter().map(|(n, _)| *n), (left, right));
    let y = Scale::new(sized.iter().map(|(_, measurement)| measurement.median), (bottom, top));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    axes(&mut out, &x, &y);
    proportional(&mut out, &x, &y);
    let mut texts: Vec<&str> = sized.iter().map(|(_, measurement)| &*measurement.text).collect();
    texts.dedup();
    let mut seen: Vec<&str> = Vec::new();
    for text in texts {
        if seen.contains(&text) {
            continue;
        }
        seen.push(text);
        let points: Vec<(f64, f64)> = sized
            .iter()
            .filter(|(_, measurement)| measurement.text == text)
            .map(|(n, measurement)| (x.place(*n), y.place(measurement.median)))
            .collect();
        line(&mut out, (text, seen.len() - 1), &points);
    }
    out.push_str("</svg>\n");
    out
}

/// The frame, a grid at powers of ten, and their names.
fn axes(out: &mut String, x: &Scale, y: &Scale) {
    let (left, top, right, bottom) = INSIDE;
    for n in x.powers() {
        let at = x.place(n);
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" y1=\"{top}\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"#ddd\"/>"
        );
        let name = n.log10().round();
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">10<tspan dy=\"-5\" font-size=\"9\">{name}</tspan></text>",
            bottom + 18.0
        );
    }
    for time in y.powers() {
        let at = y.place(time);
        let _ = writeln!(
            out,
            "<line x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>"
        );
        let name = seconds(time * 1.000_001).replace(".00", "").replace(".0", "");
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        out,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">n</text>",
        right - left,
        bottom - top,
        (left + right) / 2.0,
        bottom + 38.0
    );
}

/// Time in proportion to n, from the lower left.
fn proportional(out: &mut String, x: &Scale, y: &Scale) {
    let decades = (x.exponents.1 - x.exponents.0).min(y.exponents.1 - y.exponents.0);
    let end = |scale: &Scale| scale.place(10f64.powi(scale.exponents.0 + decades));
    let _ = writeln!(
        out,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#aaa\" stroke-dasharray=\"4 4\"/>",
        x.places.0,
        y.places.0,
        end(x),
        end(y)
    );
}

fn line(out: &mut String, (text, number): (&str, usize), points: &[(f64, f64)]) {
    let colour = COLOURS[number % COLOURS.len()];
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        path.join(" ")
    );
    for (x, y) in points {
        let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
    }
    let (left, top, ..) = INSIDE;
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" fill=\"{colour}\">{}</text>",
        left + 12.0,
        top + 18.0 + 16.0 * number as f64,
        escaped(text)
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_statement() {
        let of = |text: &str, n, time| {
            Measurement::new((text.to_owned(), String::new()), Some(n), 1.0, vec![time])
        };
        let all =
            [of("a < b", 100, 1e-6), of("c", 100, 2e-6), of("a < b", 10_000, 1e-4), of("c", 10_000, 0.5)];
        let svg = svg(&all);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains("a &lt; b") && svg.contains("1 µs") && svg.contains(">4</tspan>"), "{svg}");
        assert!(!super::svg(&[]).contains("polyline"));
    }
}
