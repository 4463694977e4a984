//! Spans: byte ranges of source text, and their lines and columns.

use std::sync::{Arc, OnceLock};

/// A range of bytes in one source text.
///
/// Spans are metadata: **two spans are always equal**, so that programs that differ only in layout compare equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// Index of the text in the [`SourceMap`], in order of insertion; [`Span::NO_SOURCE`] where none is known.
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The value of `source` for code that stands in no text.
    pub const NO_SOURCE: u32 = u32::MAX;

    /// A span of code that stands in no text, made by a pass or a generator.
    pub const NONE: Span = Span { source: Span::NO_SOURCE, start: 0, end: 0 };

    /// Bytes `start..end` of the given source.
    pub fn new(source: u32, start: usize, end: usize) -> Span {
        Span { source, start: start as u32, end: end as u32 }
    }

    /// True if the span points into a text.
    pub fn is_known(self) -> bool {
        self.source != Span::NO_SOURCE
    }

    /// The smallest span that covers both; the known one if only one is known.
    pub fn to(self, other: Span) -> Span {
        match (self.is_known(), other.is_known()) {
            (true, true) => {
                Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
            }
            (true, false) => self,
            (false, _) => other,
        }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl std::hash::Hash for Span {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// One source text.
#[derive(Clone, Debug)]
pub struct Source {
    /// File name, or a name such as `<input>`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Line starts, and columns at intervals inside long lines; computed on the first lookup.
    marks: OnceLock<Vec<Mark>>,
}

/// A place in a text, for machines and for people.
#[derive(Clone, Copy, Debug)]
struct Mark {
    offset: usize,
    place: Place,
}

/// Between two marks there are no more bytes than about this.
const STRIDE: usize = 512;

/// A place for people: line and column count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Source {
    /// The place of a byte offset; offsets past the end mean the end.
    pub fn place(&self, offset: usize) -> Place {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let marks = self.marks();
        let Mark { offset: from, place } = marks[marks.partition_point(|mark| mark.offset <= offset) - 1];
        Place { column: place.column + self.text[from..offset].chars().count(), ..place }
    }

    /// The text of a line (from 1) without its line break.
    pub fn line(&self, line: usize) -> &str {
        let start = self.line_start(line);
        let text = &self.text[start..self.line_start(line + 1)];
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text)
    }

    /// Byte offset at which a line begins; the end of the text if there are fewer lines.
    pub(crate) fn line_start(&self, line: usize) -> usize {
        let marks = self.marks();
        let first = marks.partition_point(|mark| mark.place.line < line);
        marks.get(first).map_or(self.text.len(), |mark| mark.offset)
    }

    fn marks(&self) -> &[Mark] {
        self.marks.get_or_init(|| {
            let mut marks = vec![Mark { offset: 0, place: Place { line: 1, column: 1 } }];
            let (mut place, mut last) = (Place { line: 1, column: 1 }, 0);
            for (at, c) in self.text.char_indices() {
                place.column += 1;
                if c == '\n' {
                    place = Place { line: place.line + 1, column: 1 };
                }
                let offset = at + c.len_utf8();
                if c == '\n' || offset - last >= STRIDE {
                    marks.push(Mark { offset, place });
                    last = offset;
                }
            }
            marks
        })
    }
}

/// The texts that the spans of a program point into. Cheap to clone; takes no part in equality.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// The texts, indexed by [`Span::source`].
    sources: Arc<Vec<Arc<Source>>>,
}

impl SourceMap {
    /// A map of one text.
    pub fn single(name: &str, text: &str) -> SourceMap {
        let source = Source { name: name.to_owned(), text: text.to_owned(), marks: OnceLock::new() };
        SourceMap { sources: Arc::new(vec![Arc::new(source)]) }
    }

    /// Number of texts: the next one gets this as its [`Span::source`].
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// True if there is no text.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Adds a text.
    pub fn push(&mut self, name: &str, text: &str) {
        let source = Source { name: name.to_owned(), text: text.to_owned(), marks: OnceLock::new() };
        Arc::make_mut(&mut self.sources).push(Arc::new(source));
    }

    /// The source that a span points into.
    pub fn source(&self, span: Span) -> Option<&Source> {
        self.sources.get(span.source as usize).map(|source| &**source)
    }

    /// The text that a span covers.
    pub fn text(&self, span: Span) -> Option<&str> {
        self.source(span)?.text.get(span.start as usize..span.end as usize)
    }

    /// `name:line` of the start of a span.
    pub fn line(&self, span: Span) -> Option<String> {
        let source = self.source(span)?;
        Some(format!("{}:{}", source.name, source.place(span.start as usize).line))
    }

    /// `name:line:column` of the start of a span.
    pub fn describe(&self, span: Span) -> Option<String> {
        let source = self.source(span)?;
        let place = source.place(span.start as usize);
        Some(format!("{}:{}:{}", source.name, place.line, place.column))
    }
}

impl PartialEq for SourceMap {
    fn eq(&self, _: &SourceMap) -> bool {
        true
    }
}

impl Eq for SourceMap {}

impl std::hash::Hash for SourceMap {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters() {
        let map = SourceMap::single("a.lcu", "λ x\nyz");
        let source = map.source(Span::new(0, 0, 1)).unwrap();
        assert_eq!(source.place(3), Place { line: 1, column: 3 });
        assert_eq!(source.place(6), Place { line: 2, column: 2 });
        assert_eq!(source.place(99), Place { line: 2, column: 3 });
        assert_eq!(map.describe(Span::new(0, 5, 6)).unwrap(), "a.lcu:2:1");
        assert_eq!(map.line(Span::new(0, 6, 7)).unwrap(), "a.lcu:2");
        assert_eq!(map.text(Span::new(0, 0, 4)).unwrap(), "λ x");
        assert_eq!(map.text(Span::new(0, 5, 99)), None);
    }

    #[test]
    fn places_are_those_that_counting_gives() {
        for text in ["", "a", "\n", "a\r\nb\n\nc", &"λ x; ".repeat(2000), &"yz\nλλλ\r\n".repeat(600)] {
            let map = SourceMap::single("a.lcu", text);
            let source = map.source(Span::new(0, 0, 0)).unwrap();
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let before = &text[..at];
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
                assert_eq!(source.place(at), Place { line, column }, "{at}");
            }
            for line in 1..text.lines().count() + 3 {
                assert_eq!(source.line(line), text.lines().nth(line - 1).unwrap_or(""));
            }
        }
    }
}
