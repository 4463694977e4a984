//! SVG drawings of NESL's drawing functions: windows, and what was drawn into each.
//!
//! Coordinates begin at the lower left, in pixels. Nothing is written to files here: whoever runs a program takes the text of a window when it likes.

use super::picture;
use std::fmt::Write;

/// The windows of a program in NESL, as SVG.
///
/// ```
/// use nestled_array::NeslDrawings;
/// let mut drawings = NeslDrawings::default();
/// let id = drawings.draw("window", &[100, 50], b"two points")?;
/// drawings.draw("points", &[id, 0xff0000, 3, 10, 10, 20, 20], b"")?;
/// let text = drawings.news(0).expect("it was drawn on");
/// assert!(text.contains("<title>two points</title>") && text.contains("M10 40h0"));
/// assert_eq!(drawings.news(0), None);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct NeslDrawings {
    windows: Vec<Window>,
}

#[derive(Clone, Debug)]
struct Window {
    size: [i64; 2],
    title: String,
    elements: String,
    /// True if something was drawn since its text was taken.
    changed: bool,
}

/// The XOR colour: drawing twice restores the picture.
const XOR: i64 = -1;
/// The greatest width and height of a window.
const MAX_SIDE: i64 = 100_000;

impl NeslDrawings {
    /// Draws one thing, as the functions of the library ask for it. A new window is answered by its number, everything else by 0.
    ///
    /// ```
    /// # use nestled_array::NeslDrawings;
    /// assert!(NeslDrawings::default().draw("window", &[0, 50], b"").is_err());
    /// ```
    ///
    /// # Errors
    /// A message: there is no such window, or such a thing is not drawn.
    pub fn draw(&mut self, what: &str, numbers: &[i64], text: &[u8]) -> Result<i64, String> {
        if what == "window" {
            return self.open(numbers, &String::from_utf8_lossy(text));
        }
        let (id, numbers) = numbers.split_first().ok_or("no window is named")?;
        let window = usize::try_from(*id).ok().and_then(|id| self.windows.get_mut(id));
        let window = window.ok_or("the window is not there")?;
        if what == "close" {
            return Ok(0);
        }
        window.changed = true;
        window.add(what, numbers, text).map(|()| 0)
    }

    fn open(&mut self, numbers: &[i64], title: &str) -> Result<i64, String> {
        let &[width, height] = numbers else { return Err("a window has a width and a height".to_owned()) };
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            return Err(format!("a window cannot be {width} by {height}"));
        }
        let title = title.to_owned();
        self.windows.push(Window { size: [width, height], title, elements: String::new(), changed: true });
        Ok(self.windows.len() as i64 - 1)
    }

    /// The titles of all windows, by their numbers.
    ///
    /// ```
    /// # use nestled_array::NeslDrawings;
    /// assert_eq!(NeslDrawings::default().titles().count(), 0);
    /// ```
    pub fn titles(&self) -> impl Iterator<Item = &str> {
        self.windows.iter().map(|window| window.title.as_str())
    }

    /// The SVG of a window, if it was drawn on since this was asked last.
    ///
    /// ```
    /// # use nestled_array::NeslDrawings;
    /// assert_eq!(NeslDrawings::default().news(3), None);
    /// ```
    pub fn news(&mut self, window: usize) -> Option<String> {
        let window = self.windows.get_mut(window)?;
        std::mem::take(&mut window.changed).then(|| window.text())
    }
}

impl Window {
    fn text(&self) -> String {
        let [width, height] = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"monospace\" font-size=\"12\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" \
             fill=\"#ffffff\"/>\n{}</svg>\n",
            escaped(&self.title),
            self.elements
        )
    }

    fn add(&mut self, what: &str, numbers: &[i64], text: &[u8]) -> Result<(), String> {
        let wrong = || format!("`{what}` is not drawn like this");
        let height = self.size[1];
        // Downward, as SVG counts.
        let down = |y: i64| height.saturating_sub(y);
        let pairs = |numbers: &[i64]| {
            let places = numbers.chunks_exact(2).map(|pair| format!("{} {}", pair[0], down(pair[1])));
            places.collect::<Vec<String>>()
        };
        let out = &mut self.elements;
        let done = match (what, numbers) {
            ("points", &[color, size, ref places @ ..]) => {
                let dots: Vec<String> = pairs(places).iter().map(|place| format!("M{place}h0")).collect();
                let cap = if size > 1 { "square" } else { "round" };
                stroke(out, color, size, &format!(" stroke-linecap=\"{cap}\""), &dots.concat())
            }
            ("lines", &[color, width, ref places @ ..]) => stroke(
                out,
                color,
                width,
                " stroke-linejoin=\"round\"",
                &format!("M{}", pairs(places).join("L")),
            ),
            ("segments", &[color, width, ref places @ ..]) => {
                let lines: Vec<String> =
                    pairs(places).chunks_exact(2).map(|ends| format!("M{}L{}", ends[0], ends[1])).collect();
                stroke(out, color, width, "", &lines.concat())
            }
            ("polygon", &[color, x, y, w, h, ref places @ ..]) => {
                let top = down(y.saturating_add(h));
                writeln!(
                    out,
                    "<svg x=\"{x}\" y=\"{top}\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {top} {w} {h}\"><path d=\"M{}Z\" {}/></svg>",
                    pairs(places).join("L"),
                    fill(color)
                )
            }
            ("rectangle", &[color, x, y, w, h]) => {
                let top = down(y.saturating_add(h));
                writeln!(out, "<rect x=\"{x}\" y=\"{top}\" width=\"{w}\" height=\"{h}\" {}/>", fill(color))
            }
            ("circle", &[color, 0, x, y, r]) => {
                writeln!(out, "<circle cx=\"{x}\" cy=\"{}\" r=\"{r}\" {}/>", down(y), fill(color))
            }
            ("circle", &[color, width, x, y, r]) => {
                stroke(out, color, width, "", &arc([x, down(y), r], 0.0, 359.99))
            }
            ("arc", &[color, width, x, y, r, start, extent]) => {
                stroke(out, color, width, "", &arc([x, down(y), r], start as f64, extent as f64))
            }
            ("text", &[color, x, y, centred]) => {
                let anchor = if centred == 1 { " text-anchor=\"middle\"" } else { "" };
                let text = escaped(&String::from_utf8_lossy(text));
                writeln!(
                    out,
                    "<text x=\"{x}\" y=\"{}\"{anchor} xml:space=\"preserve\" {}>{text}</text>",
                    down(y),
                    fill(color)
                )
            }
            ("image", &[x, y, w, h, ref grays @ ..]) => {
                let picture = picture::png(w, h, grays).ok_or_else(wrong)?;
                let top = down(y.saturating_add(h));
                writeln!(
                    out,
                    "<image x=\"{x}\" y=\"{top}\" width=\"{w}\" height=\"{h}\" href=\"data:image/png;base64,{}\"/>",
                    picture::base64(&picture)
                )
            }
            _ => return Err(wrong()),
        };
        done.map_err(|_| wrong())
    }
}

fn stroke(out: &mut String, color: i64, width: i64, more: &str, path: &str) -> std::fmt::Result {
    let (paint, blend) = paint(color);
    writeln!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{paint}\" stroke-width=\"{}\"{more}{blend}/>",
        width.max(1)
    )
}

fn fill(color: i64) -> String {
    let (paint, blend) = paint(color);
    format!("fill=\"{paint}\"{blend}")
}

fn paint(color: i64) -> (String, &'static str) {
    match color {
        XOR => ("#ffffff".to_owned(), " style=\"mix-blend-mode:difference\""),
        _ => (format!("#{:06x}", color & 0xff_ffff), ""),
    }
}

/// Part of a circle, from one angle on, in degrees, against the clock.
fn arc([x, y, r]: [i64; 3], start: f64, extent: f64) -> String {
    let place = |angle: f64| {
        let (sine, cosine) = angle.to_radians().sin_cos();
        format!("{:.1} {:.1}", x as f64 + r as f64 * cosine, y as f64 - r as f64 * sine)
    };
    let large = u8::from(extent.abs() > 180.0);
    let sweep = u8::from(extent < 0.0);
    format!("M{}A{r} {r} 0 {large} {sweep} {}", place(start), place(start + extent))
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_drawn_from_the_lower_left() {
        let mut drawings = NeslDrawings::default();
        let id = drawings.draw("window", &[100, 50], b"a <b>").expect("a window");
        drawings.draw("segments", &[id, 0xff0000, 2, 1, 2, 3, 4], b"").expect("a line");
        drawings.draw("text", &[id, 0, 10, 10, 1], b"x & y").expect("a text");
        drawings.draw("image", &[id, 0, 0, 2, 1, 0, 255], b"").expect("an image");
        assert!(drawings.draw("image", &[id, 0, 0, 2, 1, 0], b"").is_err());
        assert!(drawings.draw("nothing", &[id], b"").is_err());
        assert!(drawings.draw("text", &[7, 0, 0, 0, 0], b"").is_err());
        let text = drawings.news(0).expect("it is new");
        assert!(text.contains("<title>a &lt;b&gt;</title>"));
        assert!(text.contains("d=\"M1 48L3 46\" fill=\"none\" stroke=\"#ff0000\" stroke-width=\"2\""));
        assert!(text.contains("<text x=\"10\" y=\"40\" text-anchor=\"middle\" xml:space=\"preserve\" fill=\"#000000\">x &amp; y</text>"));
        assert_eq!(drawings.news(0), None);
    }
}
