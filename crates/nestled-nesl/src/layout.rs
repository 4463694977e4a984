//! Pretty printer: text in rows that are broken between their parts, as in the original's layout.
//!
//! ```text
//! it = value : type          all parts on one line, if that has at most 120 columns
//!
//! it =                       else what follows a part begins a line of its own,
//!   value                    under the end of the part before the one that was the last to fit
//!    : type
//! ```

use std::fmt;

/// Largest number of columns of a line; only a longer word exceeds it.
pub(crate) const COLUMNS: usize = 120;

/// A text that may have several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A word, which is never broken.
    Word(Vec<u8>),
    /// Parts beside each other.
    Row(Vec<Layout>),
}

/// A line: its indentation in columns, and its text.
type Line = (usize, Vec<u8>);

impl Layout {
    /// A word.
    pub fn word(text: impl Into<Vec<u8>>) -> Layout {
        Layout::Word(text.into())
    }

    /// Returns the text, each line with its line end.
    pub fn broken(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (indent, text) in self.lines() {
            out.resize(out.len() + indent, b' ');
            out.extend(text);
            out.push(b'\n');
        }
        out
    }

    /// Returns the lines with their indentation.
    pub(crate) fn lines(&self) -> Vec<Line> {
        match self {
            Layout::Word(text) => vec![(0, text.clone())],
            Layout::Row(parts) => {
                let mut parts = parts.iter().rev();
                let last = parts.next().map_or_else(|| vec![(0, Vec::new())], Layout::lines);
                parts.fold(last, |behind, part| beside(part.lines(), behind))
            }
        }
    }
}

/// Appends lines behind the last line, or below it where it would become too long.
fn beside(mut lines: Vec<Line>, behind: Vec<Line>) -> Vec<Line> {
    let Some((indent, last)) = lines.last_mut() else { return behind };
    let length = *indent + last.len();
    let mut behind = behind.into_iter();
    let moved = match behind.next() {
        None => return lines,
        Some((_, first)) if length + first.len() <= COLUMNS => {
            last.extend(first);
            length
        }
        Some((more, first)) => {
            let indent = *indent;
            lines.push((indent + more, first));
            indent
        }
    };
    lines.extend(behind.map(|(indent, text)| (indent + moved, text)));
    lines
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Layout::Word(text) => f.write_str(&String::from_utf8_lossy(text)),
            Layout::Row(parts) => parts.iter().try_for_each(|part| part.fmt(f)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(parts: &[&str]) -> Vec<Line> {
        Layout::Row(parts.iter().map(|part| Layout::word(*part)).collect()).lines()
    }

    #[test]
    fn parts_that_fit_stay_on_a_line() {
        let half = "v".repeat(60);
        assert_eq!(row(&[&half, &half]).len(), 1);
        assert_eq!(row(&[&half, &half, "x"]), [(0, half.clone().into()), (0, format!("{half}x").into())]);
        assert_eq!(Layout::Row(vec![Layout::word("a"), Layout::word("b")]).to_string(), "ab");
    }

    #[test]
    fn what_follows_goes_under_the_part_that_was_joined() {
        let long = "v".repeat(130);
        let text = |line: &Line| String::from_utf8_lossy(&line.1).into_owned();
        let lines = row(&["it", " = ", &long, " : ", "int"]);
        assert_eq!(lines.iter().map(text).collect::<Vec<_>>(), ["it = ", &long, " : int"]);
        assert_eq!(lines.iter().map(|line| line.0).collect::<Vec<_>>(), [0, 2, 2]);
        let lines = row(&["it", " = ", &long[..113], " : ", "int"]);
        assert_eq!(lines.iter().map(|line| line.0).collect::<Vec<_>>(), [0, 2]);
        let lines = row(&["it", " = ", &long[..114], " : ", "[float]"]);
        assert_eq!(lines.iter().map(|line| line.0).collect::<Vec<_>>(), [0, 5]);
    }
}
