//! Scope: the context in which code is written, and the values that are known in it without being locals.

use super::Emitter;
use super::sites::Origin;
use super::val::Val;
use crate::typed::GlobalId;
use nestled_ir::Axis;
use std::collections::HashMap;

/// The scope of the code that is being written.
#[derive(Default)]
pub(super) struct Scope {
    /// The context: its axes, from the outside to the inside.
    pub chain: Vec<Axis>,
    /// Values of the top level, in the function that is being written.
    pub globals: HashMap<GlobalId, Val>,
    /// The pools of recursive datatypes, in code that uses some. They grow with each node that is made; an older state is the beginning of a newer one.
    pub pools: Option<Val>,
    /// The state of the random numbers, in programs that draw some. It changes with each draw; branches and apply-to-eaches begin with one of their own.
    pub random: Option<Val>,
}

impl Emitter<'_> {
    /// Writes code in another context.
    pub fn in_context<T>(&mut self, chain: Vec<Axis>, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.scope.chain, chain);
        let written = write(self);
        self.scope.chain = outer;
        written
    }

    /// Writes code that has another origin.
    pub fn at_origin<T>(&mut self, origin: Origin, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.origin, origin);
        let written = write(self);
        self.origin = outer;
        written
    }
}
