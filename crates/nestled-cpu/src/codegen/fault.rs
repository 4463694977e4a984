//! Fault records of generated code: the least fault so far of each piece of work, and the templates of its messages.
//!
//! Each piece has a record of its own, so no write is atomic. The records are compared when the pieces are done.

use nestled_ir::Name;

/// The least fault of a piece of work; generated code writes it. The fields lie as in C.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaultRecord {
    /// The number of the site; −1 as long as there is no fault.
    pub site: i64,
    /// The number of the point.
    pub element: i64,
    /// Which [`FaultTemplate`].
    pub template: i64,
    /// What the template says.
    pub a: i64,
    /// What the template says.
    pub b: i64,
}

impl FaultRecord {
    /// No fault.
    pub const NONE: FaultRecord = FaultRecord { site: -1, element: 0, template: 0, a: 0, b: 0 };
}

/// A kind of fault at a place of the code; the numbers in it are known when it happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultTemplate {
    /// Index `a` of this array with `b` elements along the axis.
    OutOfRange {
        /// The name of the array; empty where there is none.
        array: Name,
    },
    /// A check with this code does not hold.
    Check {
        /// What is reported.
        code: Name,
    },
    /// Class `a` of so many.
    Class {
        /// How many there are.
        classes: u64,
    },
    /// Destination `a` is written twice.
    Collision,
}

/// Where generated code reports faults.
#[derive(Debug, Default)]
pub struct FaultSites {
    /// The templates so far, each with the level of the point; a fault names one by its position.
    pub templates: Vec<(FaultTemplate, usize)>,
}

impl FaultSites {
    /// The number of a template, at points of a level.
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
