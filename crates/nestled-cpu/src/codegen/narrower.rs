//! Narrower vectors: what must go in order, by fewer lanes than W, takes a vector some lanes after the others.

use super::function::Function;
use super::reduce::shuffle;
use super::value::Val;

impl Function<'_, '_> {
    /// Emits with so many lanes instead of W.
    pub fn with_lanes<R>(&mut self, lanes: usize, emit: impl FnOnce(&mut Self) -> R) -> R {
        let wider = std::mem::replace(&mut self.emit.lanes, lanes);
        let result = emit(self);
        self.emit.lanes = wider;
        result
    }

    /// Returns so many lanes of a value, from `first` on.
    pub fn some_lanes(&mut self, val: &Val, first: usize, lanes: usize) -> Val {
        if lanes == self.emit.lanes || val.uniform_depth().is_some() {
            return val.clone();
        }
        let order: Vec<usize> = (first..first + lanes).collect();
        shuffle(self, val, &order)
    }
}
