//! What a device did by itself, and what it left to others.

use std::collections::BTreeMap;

/// How many launches ran where.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Launches on the machine.
    pub launched: u64,
    /// Launches that the interpreter ran, by what there was no code for.
    pub interpreted: BTreeMap<String, u64>,
    /// Modules compiled.
    pub compiled: u64,
    /// Native operations, which the host ran though nothing had faulted.
    pub native: u64,
    /// Products of matrices that a library of the machine's made.
    pub products: u64,
}

impl Counts {
    pub(super) fn launched(&mut self) {
        self.launched += 1;
    }

    pub(super) fn interpreted(&mut self, why: &str) {
        match self.interpreted.get_mut(why) {
            Some(count) => *count += 1,
            None => drop(self.interpreted.insert(why.to_owned(), 1)),
        }
    }

    pub(super) fn compiled(&mut self) {
        self.compiled += 1;
    }

    pub(super) fn multiplied(&mut self) {
        self.products += 1;
    }

    pub(super) fn native(&mut self) {
        self.native += 1;
    }
}
