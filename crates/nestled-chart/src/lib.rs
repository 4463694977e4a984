//! Charts of times against sizes, as SVG: both axes logarithmic, a line for each program, and a grey one for time in proportion to the size.
//!
//! **Invariant.** Any lines give a well-formed picture: sizes and times that have no logarithm are left out.

use std::fmt::Write;

/// A line of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// The number of its colour: lines of one number belong together.
    pub colour: usize,
    /// Dashes in place of a solid line, as for what is compared with.
    pub dashed: bool,
    /// Sizes, and times in seconds.
    pub points: Vec<(f64, f64)>,
}

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

/// Draws a chart.
pub fn svg(lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| line.points.iter().copied().filter(is_placed));
    let (left, top, right, bottom) = INSIDE;
    let x = Scale::new(points().map(|(size, _)| size), (left, right));
    let y = Scale::new(points().map(|(_, time)| time), (bottom, top));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    axes(&mut out, &x, &y);
    proportional(&mut out, &x, &y);
    for (number, line) in lines.iter().enumerate() {
        let placed = line.points.iter().filter(|point| is_placed(point));
        let points: Vec<(f64, f64)> = placed.map(|(size, time)| (x.place(*size), y.place(*time))).collect();
        draw(&mut out, line, number, &points);
    }
    out.push_str("</svg>\n");
    out
}

fn is_placed((size, time): &(f64, f64)) -> bool {
    [size, time].iter().all(|value| value.is_finite() && **value > 0.0)
}

/// The name of ten to a power, in seconds.
fn name_of_power(exponent: i32) -> String {
    let unit = exponent.div_euclid(3).clamp(-4, 0);
    let units = ["ps", "ns", "µs", "ms", "s"];
    format!("{} {}", 10f64.powi(exponent - 3 * unit), units[(unit + 4) as usize])
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
        let name = name_of_power(time.log10().round() as i32);
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

fn draw(out: &mut String, line: &Line, number: usize, points: &[(f64, f64)]) {
    let colour = COLOURS[line.colour % COLOURS.len()];
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dashes = if line.dashed { " stroke-dasharray=\"5 3\"" } else { "" };
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>",
        path.join(" ")
    );
    for (x, y) in points {
        let fill = if line.dashed { "white" } else { colour };
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{fill}\" stroke=\"{colour}\"/>"
        );
    }
    let (left, top, ..) = INSIDE;
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" fill=\"{colour}\">{}</text>",
        left + 12.0,
        top + 18.0 + 16.0 * number as f64,
        escaped(&line.name)
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, dashed: bool, points: &[(f64, f64)]) -> Line {
        Line { name: name.to_owned(), colour: 0, dashed, points: points.to_vec() }
    }

    #[test]
    fn each_line_has_its_points() {
        let lines = [
            line("a < b", false, &[(100.0, 1e-6), (1e4, 1e-4)]),
            line("c", true, &[(100.0, 2e-6), (1e4, 0.5), (0.0, 1.0), (1.0, f64::NAN)]),
        ];
        let svg = svg(&lines);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains("a &lt; b") && svg.contains("1 µs") && svg.contains(">4</tspan>"), "{svg}");
        assert!(!super::svg(&[]).contains("polyline"));
    }

    #[test]
    fn powers_of_ten_have_names() {
        let names = [-9, -7, -3, -1, 0, 2].map(name_of_power);
        assert_eq!(names, ["1 ns", "100 ns", "1 ms", "100 ms", "1 s", "100 s"]);
    }
}
