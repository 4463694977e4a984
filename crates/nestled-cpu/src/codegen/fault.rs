//! Fault records of generated code: the least fault so far of each piece of work, and the templates of its messages.
//!
//! Each piece has a record of its own, so no write is atomic. The records are compared when the pieces are done.

use nestled_ir::Name;

/// The least fault of a piece of work, written by generated code. The fields have the layout of C.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaultRecord {
    /// The number of the site; −1 without a fault.
    pub site: i64,
    /// The number of the point.
    pub element: i64,
    /// The number of the [`FaultTemplate`].
    pub template: i64,
    /// The first number of the template.
    pub a: i64,
    /// The second number of the template.
    pub b: i64,
}

impl FaultRecord {
    /// No fault.
    pub const NONE: FaultRecord = FaultRecord { site: -1, element: 0, template: 0, a: 0, b: 0 };
}

/// A kind of fault at a place of the code, with the numbers that are known only at run time left open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultTemplate {
    /// Index `a` is outside of this array, with `b` elements along the axis.
    OutOfRange {
        /// The name of the array; empty where there is none.
        array: Name,
    },
    /// A check with this code fails.
    Check {
        /// The code that is reported.
        code: Name,
    },
    /// Class `a` is out of range.
    Class {
        /// Number of classes.
        classes: u64,
    },
    /// Destination `a` is written twice.
    Collision,
}

/// The table of fault templates of a module.
#[derive(Debug, Default)]
pub struct FaultSites {
    /// The templates so far, each with the level of its points; a fault refers to one by its position.
    pub templates: Vec<(FaultTemplate, usize)>,
}

impl FaultSites {
    /// Returns the number of a template, at points of a level.
    pub fn number(&mut self, template: FaultTemplate, level: usize) -> usize {
        let wanted = (template, level);
        match self.templates.iter().position(|known| *known == wanted) {
            Some(number) => number,
            None => {
                self.templates.push(wanted);
                self.templates.len() - 1
            }
        }
    }
}
