//! The text buffer of one function during emission, with insertion points.
//!
//! Code is written in order, but loop-invariant code is hoisted: a value that is uniform over a row is computed before the loop over the row. A
//! [`Place`] is a point in the text where lines can still be inserted.

use std::fmt::{Display, Write};
use std::rc::Rc;

/// The name of a value, or a literal, as LLVM writes it.
pub type Name = Rc<str>;

/// An insertion point in the text, at which lines can still be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place(usize);

/// The label of a basic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(u32);

impl Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "L{}", self.0)
    }
}

/// The text of a function's body.
#[derive(Debug)]
pub struct Text {
    sections: Vec<String>,
    names: u32,
    labels: u32,
    blocks: u32,
}

/// Makes an empty body.
impl Default for Text {
    fn default() -> Text {
        Text { sections: vec![String::new()], names: 0, labels: 0, blocks: 0 }
    }
}

impl Text {
    /// Returns an insertion point at the current end. Later text comes after everything inserted there.
    pub fn mark(&mut self) -> Place {
        let place = Place(self.sections.len() - 1);
        self.sections.push(String::new());
        place
    }

    /// Returns the insertion point at the end of the text.
    pub fn end(&self) -> Place {
        Place(self.sections.len() - 1)
    }

    /// Adds a line at an insertion point.
    pub fn line(&mut self, at: Place, line: impl Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.sections[at.0], "  {line}");
    }

    /// Adds a line that defines a new value, and returns its name.
    pub fn define(&mut self, at: Place, value: impl Display) -> Name {
        let name: Name = format!("%t{}", self.names).into();
        self.names += 1;
        let _ = writeln!(self.sections[at.0], "  {name} = {value}");
        name
    }

    /// Returns a new label, not placed yet.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }

    /// Begins the block of a label at the end of the text. The block before must have ended with a terminator.
    pub fn begin(&mut self, label: Label) {
        let end = self.sections.len() - 1;
        self.blocks += 1;
        let _ = writeln!(self.sections[end], "{label}:");
    }

    /// Returns the number of the current block.
    pub fn block(&self) -> u32 {
        self.blocks
    }

    /// Returns the whole body.
    pub fn finish(self) -> String {
        self.sections.concat()
    }
}
