//! A text buffer with indentation, for generated code.

use std::fmt::Display;

/// A piece of generated code.
#[derive(Debug, Default)]
pub struct Text {
    lines: String,
    depth: usize,
}

impl Text {
    /// Adds a line.
    pub fn line(&mut self, line: impl Display) {
        for _ in 0..self.depth {
            self.lines.push_str("  ");
        }
        self.lines.push_str(&line.to_string());
        self.lines.push('\n');
    }

    /// Adds a line that begins a block: the following lines are indented.
    pub fn open(&mut self, line: impl Display) {
        self.line(line);
        self.depth += 1;
    }

    /// Adds lines that were generated separately.
    pub fn append(&mut self, other: Text) {
        other.lines.lines().for_each(|line| self.line(line));
    }

    /// Ends a block.
    pub fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// Ends a block and begins another: `} else {`.
    pub fn otherwise(&mut self) {
        self.depth -= 1;
        self.line("} else {");
        self.depth += 1;
    }

    /// Returns the text.
    pub fn finish(self) -> String {
        self.lines
    }
}
