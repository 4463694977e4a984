//! Parallel loops over pieces, with out-of-memory errors. Few positions are begun by the launching thread alone.

use super::measured_cost::MeasuredCost;
use super::running::Running;
use super::scratch::NoMemory;
use std::sync::{Mutex, PoisonError};

/// The pieces of some positions, whose cost was measured if there were few.
pub(super) struct Pieces<'a> {
    pub running: &'a Running<'a>,
    pub cost: &'a MeasuredCost,
    pub positions: u64,
    pub count: usize,
}

impl Pieces<'_> {
    /// Runs `body` for each piece, on all threads if there is enough to do. All pieces run even if one fails.
    ///
    /// # Errors
    /// That of a piece that failed.
    pub fn for_each(&self, body: impl Fn(usize) -> Result<(), NoMemory> + Sync) -> Result<(), NoMemory> {
        let failed = Mutex::new(None);
        let first = self.first(|piece| note(&failed, body(piece)));
        self.running.pool.for_each_chunk(self.count - first, |piece| note(&failed, body(first + piece)));
        outcome(failed)
    }

    /// The same, but a piece begins only after all earlier pieces have begun, so that it may wait for them.
    ///
    /// # Errors
    /// That of a piece that failed.
    pub fn for_each_in_turn(
        &self,
        body: impl Fn(usize) -> Result<(), NoMemory> + Sync,
    ) -> Result<(), NoMemory> {
        let failed = Mutex::new(None);
        let first = self.first(|piece| note(&failed, body(piece)));
        self.running.pool.for_each_in_turn(self.count - first, |piece| note(&failed, body(first + piece)));
        outcome(failed)
    }

    /// Runs the pieces that the launching thread begins with, and returns their number.
    fn first(&self, body: impl Fn(usize)) -> usize {
        let running = self.running;
        let is_known = self.count <= 1 && !running.kernel.loops && !self.cost.may_be_worth(self.positions);
        if self.positions == 0
            || is_known
            || running.is_parallel(self.positions)
            || running.pool.threads() == 1
        {
            return 0;
        }
        self.cost.run_first(self.positions, self.count, body)
    }
}

fn note(failed: &Mutex<Option<NoMemory>>, outcome: Result<(), NoMemory>) {
    if let Err(error) = outcome {
        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

fn outcome(failed: Mutex<Option<NoMemory>>) -> Result<(), NoMemory> {
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}
