//! Memory and settings reused across launches.

use super::scratch::Scratch;
use super::thresholds::Thresholds;
use nestled_ir::interp::Interrupt;

/// The reusable state of launches; one for each launching thread.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) slots: Vec<u64>,
    /// Number of points of each level.
    pub points: Vec<u64>,
    /// Scratch memory.
    pub scratch: Scratch,
    /// The tuning parameters.
    pub thresholds: Thresholds,
    /// The interrupt flag at which launches end, if there is one.
    pub interrupt: Option<Interrupt>,
}

impl Workspace {
    /// Creates a workspace.
    pub fn new(thresholds: Thresholds, interrupt: Option<Interrupt>) -> Workspace {
        Workspace { thresholds, interrupt, ..Workspace::default() }
    }
}
