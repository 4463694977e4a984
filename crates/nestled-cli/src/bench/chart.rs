//! The chart of a program: medians against n, a line for each statement.

use super::Measurement;
use nestled_chart::Line;

/// Draws all measurements that have a size.
pub fn svg(measurements: &[Measurement]) -> String {
    let mut lines: Vec<Line> = Vec::new();
    for measurement in measurements {
        let Some(n) = measurement.n.filter(|n| *n > 0) else { continue };
        let colour = lines.len();
        let point = (n as f64, measurement.median);
        match lines.iter_mut().find(|line| line.name == measurement.text) {
            Some(line) => line.points.push(point),
            None => lines.push(Line {
                name: measurement.text.clone(),
                colour,
                dashed: false,
                points: vec![point],
            }),
        }
    }
    nestled_chart::svg(&lines)
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
    }
}
