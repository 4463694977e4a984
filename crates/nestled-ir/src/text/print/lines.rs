//! Line layout for the printer: indentation, and breaking of long lines.

/// A place where a line may be broken: a space after a comma.
pub(super) const BREAK: char = '\u{1}';

/// Longer lines are broken.
const WIDTH: usize = 100;

/// Blocks of one line stay on the line of their braces up to here.
const INLINE: usize = 92;

/// Lines with their depth.
#[derive(Default)]
pub(super) struct Lines {
    lines: Vec<(usize, String)>,
}

impl Lines {
    pub fn push(&mut self, text: String) {
        self.lines.push((0, text));
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Adds lines one level deeper.
    pub fn indented(&mut self, inner: Lines) {
        self.lines.extend(inner.lines.into_iter().map(|(depth, text)| (depth + 1, text)));
    }

    pub fn append(&mut self, inner: Lines) {
        self.lines.extend(inner.lines);
    }

    /// Adds `head { line } tail` if there is one short line, else the block over several lines.
    pub fn braces(&mut self, head: &str, inner: Lines, tail: &str) {
        match inner.inline() {
            Some(line) if head.len() + line.len() + tail.len() + 4 <= INLINE => {
                self.push(format!("{head}{{{line}}}{tail}"));
            }
            _ => self.block(head, inner, tail),
        }
    }

    /// Adds the block over several lines.
    pub fn block(&mut self, head: &str, inner: Lines, tail: &str) {
        self.push(format!("{head}{{"));
        self.indented(inner);
        self.push(format!("}}{tail}"));
    }

    /// The only line, with spaces around it, or one space for none.
    pub fn inline(&self) -> Option<String> {
        match self.lines.as_slice() {
            [] => Some(" ".to_owned()),
            [(0, line)] => Some(format!(" {line} ")),
            _ => None,
        }
    }

    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for (depth, line) in &self.lines {
            // Some depth is too deep to show.
            wrap(line, 2 * (*depth).min(40), &mut out);
        }
        out
    }
}

/// Adds a line to the text, broken at commas so that it fits.
fn wrap(line: &str, indent: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', indent));
    let mut column = indent;
    for (position, piece) in line.split(BREAK).enumerate() {
        let width = piece.chars().count();
        if position > 0 && column + 1 + width > WIDTH {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent + 4));
            column = indent + 4;
        } else if position > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(piece);
        column += width;
    }
    out.push('\n');
}

/// Items with commas between them.
pub(super) fn commas(items: &[String]) -> String {
    items.join(&format!(",{BREAK}"))
}

/// `x = `, `(a, b) = `, or nothing.
pub(super) fn binders(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => format!("{name} = "),
        names => format!("({}) = ", commas(names)),
    }
}
