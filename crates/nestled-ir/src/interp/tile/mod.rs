//! Vectorised interpretation: runs the thunk of a combinator for up to 1024 points at once, a *tile*, statement by statement.
//!
//! **Invariant.** It gives the bits of the interpreter, or nothing: a tile in which anything is out of the ordinary (a fault, a proof that does not hold) is
//! given up, and run again point by point. So faults are worded and found in one place, and a tile has no lanes that are switched off: where lanes differ,
//! in a branch or in the number of rounds of a loop, those that go on are packed.
//!
//! ```text
//! Thunk ──compile──▶ Code: registers, steps ──run──▶ a column of up to 1024 values for each register
//! ```

mod code;
mod columns;
mod fold;
mod points;
mod primitives;
mod read;
mod run;
mod scan;
mod unusual;

pub(super) use code::Code;
pub(super) use columns::put_at;
pub(super) use fold::{GroupsInto, IntoPlaces, combine, into_lanes};
pub(super) use points::TilePoints;
pub(super) use run::{Registers, Tiled};
pub(super) use scan::ScanOfGroup;

use crate::kernel::{CombinatorKind, Kernel};
use crate::program::Program;

/// The greatest number of points of a tile: its columns stay in the nearest caches.
pub(super) const TILE: usize = 1024;

/// The code of a kernel for tiles: for each combinator, if it has any.
#[derive(Debug)]
pub struct TileCode {
    steps: Vec<Option<Code>>,
}

impl TileCode {
    /// Compiles the thunks of a kernel. Those with private arrays, and very long ones, have no code: they run point by point.
    pub fn new(program: &Program, kernel: &Kernel) -> TileCode {
        let compile = |step: &crate::kernel::Combinator| match step.kind {
            CombinatorKind::Serial { .. } => None,
            CombinatorKind::Map
            | CombinatorKind::Reduce { .. }
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Partition { .. }
            | CombinatorKind::Permute { .. } => Code::new(program, kernel, &step.body),
        };
        TileCode { steps: kernel.steps.iter().map(compile).collect() }
    }

    /// True if every combinator has code.
    pub fn is_complete(&self) -> bool {
        self.steps.iter().all(Option::is_some)
    }

    pub(super) fn of(&self, step: usize) -> Option<&Code> {
        self.steps.get(step)?.as_ref()
    }
}
