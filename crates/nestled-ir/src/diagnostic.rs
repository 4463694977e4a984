//! Messages for people about their programs, and the one renderer.

use crate::span::{SourceMap, Span};
use std::fmt::Write;

/// A message about a place in a program. Lower case, no full stop, names in backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable code such as `L0103`; `docs/errors.md` or a page under `docs/errors` explains it.
    pub code: &'static str,
    /// What is wrong, in the user's words.
    pub message: String,
    /// Where, most important first.
    pub labels: Vec<Label>,
    /// A change that works, if there is one to offer.
    pub help: Option<String>,
}

/// What one place adds to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What it adds; may be empty for the main place.
    pub text: String,
}

impl Diagnostic {
    /// A message with its main place.
    pub fn new(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
        let label = Label { span, text: String::new() };
        Diagnostic { code, message: message.into(), labels: vec![label], help: None }
    }

    /// Says what the main place adds.
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

    /// The same for what is legal and probably not meant.
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

/// Adds the lines of one label; answers whether its place is known.
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
    let width = if end.line == start.line {
        end.column.saturating_sub(start.column)
    } else {
        (line.chars().count() + 1).saturating_sub(start.column)
    };
    let number = start.line.to_string();
    let margin = " ".repeat(number.len());
    let mark = if main { "^" } else { "-" }.repeat(width.max(1));
    // Tabs keep their width only if the line of carets repeats them.
    let indent: String =
        line.chars().take(start.column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
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

/// Renders several messages, one after another.
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let rendered: Vec<String> = diagnostics.iter().map(|d| d.render(sources)).collect();
    rendered.join("\n")
}
