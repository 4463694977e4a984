//! SVG output of the drawing functions: one file for each window.
//!
//! The file is named after the title of the window, in lower case, everything but letters and digits as `-`; a second window of the same
//! title gets `-2`, and so on. It is written when the window is closed, when the program waits for input, and at the end of the run.

use super::picture;
use nestled_ir::interp::{Files, Gate};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// The windows of a run.
pub struct Drawings {
    folder: PathBuf,
    gate: Gate,
    windows: Vec<Window>,
    names: BTreeSet<String>,
}

struct Window {
    path: PathBuf,
    size: [i64; 2],
    title: String,
    elements: String,
    /// Whether the window was drawn on since its file was written.
    changed: bool,
}

/// The XOR colour: drawing twice restores the picture.
const XOR: i64 = -1;
/// The greatest width and height of a window.
const MAX_SIDE: i64 = 100_000;

impl Drawings {
    /// An empty set of windows, to be saved in this folder, if a gate allows it.
    pub fn new(folder: PathBuf, gate: Gate) -> Drawings {
        Drawings { folder, gate, windows: Vec::new(), names: BTreeSet::new() }
    }

    /// Draws one thing. A new window is answered by its number, everything else by 0. Coordinates begin at the lower left.
    pub fn draw(&mut self, what: &str, numbers: &[i64], text: &[u8]) -> Result<i64, String> {
        let files = self.gate.drawings().map_err(|refused| refused.to_string())?;
        if what == "window" {
            return self.open(numbers, &String::from_utf8_lossy(text));
        }
        let (id, numbers) = numbers.split_first().ok_or("no window is named")?;
        let window = usize::try_from(*id).ok().and_then(|id| self.windows.get_mut(id));
        let window = window.ok_or("the window is not there")?;
        if what == "close" {
            return window.save(&files).map(|()| 0);
        }
        window.changed = true;
        window.add(what, numbers, text).map(|()| 0)
    }

    fn open(&mut self, numbers: &[i64], title: &str) -> Result<i64, String> {
        let &[width, height] = numbers else { return Err("a window has a width and a height".to_owned()) };
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            return Err(format!("a window cannot be {width} by {height}"));
        }
        let name = self.file_name(title);
        let path = self.folder.join(name);
        let title = title.to_owned();
        self.windows.push(Window {
            path,
            size: [width, height],
            title,
            elements: String::new(),
            changed: true,
        });
        Ok(self.windows.len() as i64 - 1)
    }

    fn file_name(&mut self, title: &str) -> String {
        let letters = title
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect::<String>();
        let parts: Vec<&str> = letters.split('-').filter(|part| !part.is_empty()).collect();
        let stem = if parts.is_empty() { "drawing".to_owned() } else { parts.join("-") };
        let names = (1..).map(|n| if n == 1 { format!("{stem}.svg") } else { format!("{stem}-{n}.svg") });
        let name = names
            .into_iter()
            .find(|name| !self.names.contains(name))
            .expect("there is always another number");
        self.names.insert(name.clone());
        name
    }

    /// Writes the files of windows that have changed.
    pub fn save(&mut self) -> Result<(), String> {
        let Ok(files) = self.gate.drawings() else { return Ok(()) };
        self.windows.iter_mut().try_for_each(|window| window.save(&files))
    }
}

impl Window {
    fn save(&mut self, files: &Files) -> Result<(), String> {
        if !self.changed {
            return Ok(());
        }
        self.changed = false;
        let text = self.text();
        files
            .write(&self.path, text.as_bytes(), false)
            .map_err(|error| format!("cannot write the drawing {}: {error}", self.path.display()))
    }

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
    fn files_are_named_after_titles() {
        let mut drawings = Drawings::new(PathBuf::new(), Gate::default());
        let mut name = |title: &str| drawings.file_name(title);
        assert_eq!(name("Barnes-Hut: 3 steps"), "barnes-hut-3-steps.svg");
        assert_eq!(name("barnes hut 3 steps"), "barnes-hut-3-steps-2.svg");
        assert_eq!(name("../.."), "drawing.svg");
    }

    #[test]
    fn things_are_drawn_from_the_lower_left() {
        let mut drawings = Drawings::new(PathBuf::new(), Gate::default());
        let id = drawings.draw("window", &[100, 50], b"a <b>").expect("a window");
        drawings.draw("segments", &[id, 0xff0000, 2, 1, 2, 3, 4], b"").expect("a line");
        drawings.draw("text", &[id, 0, 10, 10, 1], b"x & y").expect("a text");
        drawings.draw("image", &[id, 0, 0, 2, 1, 0, 255], b"").expect("an image");
        assert!(drawings.draw("image", &[id, 0, 0, 2, 1, 0], b"").is_err());
        assert!(drawings.draw("nothing", &[id], b"").is_err());
        assert!(drawings.draw("text", &[7, 0, 0, 0, 0], b"").is_err());
        let text = drawings.windows[0].text();
        assert!(text.contains("<title>a &lt;b&gt;</title>"));
        assert!(text.contains("d=\"M1 48L3 46\" fill=\"none\" stroke=\"#ff0000\" stroke-width=\"2\""));
        assert!(text.contains("<text x=\"10\" y=\"40\" text-anchor=\"middle\" xml:space=\"preserve\" fill=\"#000000\">x &amp; y</text>"));
    }
}
