//! What launches need again and again.

use super::scratch::Scratch;
use super::thresholds::Thresholds;
use nestled_ir::interp::Interrupt;

/// What launches need again and again; one for each thread that launches.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) slots: Vec<u64>,
    /// Points of each level.
    pub points: Vec<u64>,
    /// Memory.
    pub scratch: Scratch,
    /// When to do what.
    pub thresholds: Thresholds,
    /// The wish at which launches end, if there may be one.
    pub interrupt: Option<Interrupt>,
}

impl Workspace {
    /// One for launches with these thresholds.
    pub fn new(thresholds: Thresholds, interrupt: Option<Interrupt>) -> Workspace {
        Workspace { thresholds, interrupt, ..Workspace::default() }
    }
}
