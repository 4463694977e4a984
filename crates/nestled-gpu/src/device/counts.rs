//! Statistics of a device: operations that ran on it, and operations that fell back to the host.

use std::collections::BTreeMap;

/// Numbers of launches by where they ran.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Launches on the machine.
    pub launched: u64,
    /// Launches that fell back to the interpreter, by reason.
    pub interpreted: BTreeMap<String, u64>,
    /// Modules compiled.
    pub compiled: u64,
    /// Native operations that fell back to the host although nothing had faulted.
    pub native: u64,
    /// Matrix products by a vendor library.
    pub products: u64,
    /// Compiled modules that the machine holds now, for all its devices.
    pub modules: usize,
    /// Number of reads of memory by the host, each of which waits.
    pub reads: u64,
    /// Number of waits in which the thread was blocked.
    pub blocked: u64,
    /// Number of writes of memory by the host.
    pub writes: u64,
}

impl Counts {
    /// Returns the number of launches and native operations that fell back to the host.
    pub fn fallbacks(&self) -> u64 {
        self.interpreted.values().sum::<u64>() + self.native
    }

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
