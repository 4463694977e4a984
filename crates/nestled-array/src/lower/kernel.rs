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
    /// Whether the last two axes of the space are one.
    pub merged: Option<Merged>,
    /// The lines of the thunk so far.
    pub lines: String,
    /// Items that are lines of this kernel, and their names.
    pub named: HashMap<usize, String>,
    /// Free items that have been written out at some coordinates.
    pub free: HashMap<(usize, Vec<String>), String>,
    /// Items that have been written as indices at some coordinates.
    pub indices: HashMap<(usize, Vec<String>), String>,
    /// The next name.
    next: usize,
}

/// A last axis of few components that is one with the axis before it: points of one vector, however few the components are.
#[derive(Clone)]
pub(super) struct Merged {
    /// How many components.
    pub components: u64,
    /// The coordinates of a point as if the axes were two.
    pub at: Vec<String>,
    /// The axes of the space.
    pub space: Vec<String>,
    /// The extent of the merged axis, if it is a name.
    pub extent: Option<String>,
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
