//! Diagnostics: messages about a program with labelled source places, and their one renderer.

use crate::span::{SourceMap, Span};
use std::borrow::Cow;
use std::fmt::Write;

/// A message about a place in a program. Lower case, no full stop, names in backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable code such as `L0103`; `docs/errors.md` or a page under `docs/errors` explains it.
    pub code: &'static str,
    /// The error, in the user's words.
    pub message: String,
    /// The places it is about, most important first.
    pub labels: Vec<Label>,
    /// A change that works, if there is one to offer.
    pub help: Option<String>,
}

/// A label: one place of a message, with a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The note; may be empty for the main place.
    pub text: String,
}

impl Diagnostic {
    /// A message with its main place.
    pub fn new(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
        let label = Label { span, text: String::new() };
        Diagnostic { code, message: message.into(), labels: vec![label], help: None }
    }

    /// Sets the note at the main place.
    pub fn here(mut self, text: impl Into<String>) -> Diagnostic {
        self.labels[0].text = text.into();
        self
    }

    /// Adds a place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds help.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The message with the lines it is about:
    ///
    /// ```text
    /// error[L0001]: unknown name `y`
    ///  --> sum.lcu:2:20
    ///   |
    /// 2 |   p = map { i => y[i] }
    ///   |                  ^ not bound here
    ///   |
    ///   = help: did you mean `x`?
    /// ```
    pub fn render(&self, sources: &SourceMap) -> String {
        self.render_as("error", sources)
    }

    /// Renders the message as a warning: for code that is legal and probably not meant.
    pub fn render_warning(&self, sources: &SourceMap) -> String {
        self.render_as("warning", sources)
    }

    fn render_as(&self, severity: &str, sources: &SourceMap) -> String {
        let mut out = format!("{severity}[{}]: {}\n", self.code, self.message);
        let mut known = false;
        for (position, label) in self.labels.iter().enumerate() {
            known |= render_label(&mut out, sources, label, position == 0);
        }
        if let Some(help) = &self.help {
            if known {
                out.push_str("  |\n");
            }
            let _ = writeln!(out, "  = help: {help}");
        }
        out
    }
}

/// Adds the lines of one label; returns whether its place is known.
fn render_label(out: &mut String, sources: &SourceMap, label: &Label, main: bool) -> bool {
    let Some(source) = sources.source(label.span) else {
        if !label.text.is_empty() {
            let _ = writeln!(out, "  = note: {}", label.text);
        }
        return false;
    };
    let start = source.place(label.span.start as usize);
    let end = source.place(label.span.end as usize);
    let line = source.line(start.line);
    let mut at = (label.span.start as usize).saturating_sub(source.line_start(start.line)).min(line.len());
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    let width = if end.line == start.line {
        end.column.saturating_sub(start.column)
    } else {
        // To the end of the line, of which no more is shown.
        line.get(at..).map_or(0, |rest| rest.chars().take(LONG_LINE).count())
    };
    let (line, before) = around(line, at);
    let number = start.line.to_string();
    let margin = " ".repeat(number.len());
    let rest = (line.chars().count() + 1).saturating_sub(before);
    let mark = if main { "^" } else { "-" }.repeat(width.min(rest).max(1));
    // Tabs keep their width only if the line of carets repeats them.
    let indent: String = line.chars().take(before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let _ = writeln!(out, "{margin}--> {}:{}:{}", source.name, start.line, start.column);
    let _ = writeln!(out, "{margin} |");
    let _ = writeln!(out, "{number} | {line}");
    let _ = writeln!(out, "{margin} | {indent}{mark} {}", label.text);
    while out.ends_with(" \n") {
        out.truncate(out.len() - 2);
        out.push('\n');
    }
    true
}

/// Lines of more bytes are shown in part: a message does not grow with a line that thousands of messages share.
const LONG_LINE: usize = 400;

/// An excerpt of a long line around a byte, and the number of characters of the excerpt before it.
fn around(line: &str, at: usize) -> (Cow<'_, str>, usize) {
    let (before, behind) = line.split_at(at);
    if line.len() <= LONG_LINE {
        return (Cow::Borrowed(line), before.chars().count());
    }
    let first = before.char_indices().rev().take(80).last().map_or(at, |(at, _)| at);
    let count = line[first..at].chars().count();
    let mut rest = behind.chars();
    let part: String = line[first..at].chars().chain(rest.by_ref().take(160 - count)).collect();
    let (begin, end) = (if first > 0 { "…" } else { "" }, if rest.next().is_some() { "…" } else { "" });
    (Cow::Owned(format!("{begin}{part}{end}")), count + usize::from(first > 0))
}

/// Greatest number of messages that are shown.
pub const MOST_MESSAGES: usize = 100;

/// The line that replaces the messages beyond [`MOST_MESSAGES`], for `count` messages in all; `None` if all are shown.
#[must_use]
pub fn not_shown(count: usize) -> Option<String> {
    let more = count.checked_sub(MOST_MESSAGES).filter(|&more| more > 0)?;
    Some(format!("… and {more} more message{}\n", if more == 1 { "" } else { "s" }))
}

/// Renders several messages, one after another: the first [`MOST_MESSAGES`], then the number of those left out.
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let shown = diagnostics.iter().take(MOST_MESSAGES).map(|d| d.render(sources));
    let rendered: Vec<String> = shown.chain(not_shown(diagnostics.len())).collect();
    rendered.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_its_mark() {
        let text = "zz;".repeat(1000);
        let sources = SourceMap::single("long", &text);
        let at = |start| Diagnostic::new("L0001", "unknown", Span::new(0, start, start + 2)).render(&sources);
        for (start, line, mark) in [
            (0, format!("1 | {}z…\n", "zz;".repeat(53)), "  | ^^\n".to_owned()),
            (1500, format!("1 | …z;{}zz…\n", "zz;".repeat(52)), format!("  | {}^^\n", " ".repeat(81))),
            (2997, format!("1 | …z;{}zz;\n", "zz;".repeat(26)), format!("  | {}^^\n", " ".repeat(81))),
        ] {
            let rendered = at(start);
            assert!(rendered.contains(&line), "{rendered}");
            assert!(rendered.ends_with(&mark), "{rendered}");
            assert!(rendered.contains(&format!("--> long:1:{}\n", start + 1)), "{rendered}");
        }
        // A mark does not go on where the line is not shown.
        let whole = Diagnostic::new("L0001", "unknown", Span::new(0, 0, text.len())).render(&sources);
        assert!(whole.len() < 800, "{whole}");
    }

    #[test]
    fn messages_are_counted_after_a_hundred() {
        let sources = SourceMap::single("few", "x");
        let many = |count| {
            let all = vec![Diagnostic::new("L0001", "unknown", Span::new(0, 0, 1)); count];
            render_all(&all, &sources)
        };
        assert_eq!(many(100).matches("error[L0001]").count(), 100);
        assert!(!many(100).contains('…'));
        assert_eq!(many(30_000).matches("error[L0001]").count(), 100);
        assert!(many(101).ends_with("\n… and 1 more message\n"), "{}", many(101));
        assert!(many(30_000).ends_with("… and 29900 more messages\n"));
    }
}
