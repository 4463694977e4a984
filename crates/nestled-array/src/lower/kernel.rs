//! The text of one kernel while it is written.

use std::collections::HashMap;
use std::fmt::Write as _;

/// A kernel that is being written.
#[derive(Default)]
pub(super) struct KernelText {
    /// Names and types of parameters, in order of appearance.
    pub params: Vec<(String, String)>,
    /// Extents that are mentioned.
    pub dims: Vec<usize>,
    /// Whether the space is that of segments, and the item that holds their lengths.
    pub segments: Option<usize>,
    /// The lines of the thunk so far.
    pub lines: String,
    /// Items that are lines of this kernel, and their names.
    pub named: HashMap<usize, String>,
    /// Free items that have been written out at some coordinates.
    pub free: HashMap<(usize, Vec<String>), String>,
    /// The next name.
    next: usize,
}

impl KernelText {
    /// A parameter; its name.
    pub fn param(&mut self, name: &str, ty: impl FnOnce() -> String) -> String {
        if !self.params.iter().any(|(known, _)| known == name) {
            self.params.push((name.to_owned(), ty()));
        }
        name.to_owned()
    }

    /// A new name.
    pub fn fresh(&mut self) -> String {
        self.next += 1;
        format!("t{}", self.next)
    }

    /// A line that binds a new name.
    pub fn bind(&mut self, expression: &str) -> String {
        let name = self.fresh();
        let _ = writeln!(self.lines, "    {name} = {expression}");
        name
    }

    /// An extent that is mentioned.
    pub fn dim(&mut self, number: usize) -> String {
        if !self.dims.contains(&number) {
            self.dims.push(number);
        }
        format!("d{number}")
    }
}
