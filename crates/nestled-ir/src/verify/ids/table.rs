//! Scope table: tracks the names in scope and those assigned before, during a walk over code.

/// The scope state of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// The table has no such entry.
    OutOfRange,
    /// Not assigned so far.
    Unseen,
    /// May be used.
    InScope,
    /// Assigned in a block that has ended.
    Gone,
}

/// The entries of a table, and those of the open blocks in the order in which they were assigned.
#[derive(Debug)]
pub(super) struct Table {
    states: Vec<State>,
    open: Vec<usize>,
}

impl Table {
    /// A table of which nothing is assigned.
    pub(super) fn new(len: usize) -> Table {
        Table { states: vec![State::Unseen; len], open: Vec::new() }
    }

    /// Number of entries.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The scope state of an entry.
    pub(super) fn state(&self, index: usize) -> State {
        self.states.get(index).copied().unwrap_or(State::OutOfRange)
    }

    /// Brings an entry into scope until the block ends; gives its state before.
    pub(super) fn define(&mut self, index: usize) -> State {
        let before = self.state(index);
        if before == State::Unseen {
            self.states[index] = State::InScope;
            self.open.push(index);
        }
        before
    }

    /// Begins a block.
    pub(super) fn enter(&self) -> usize {
        self.open.len()
    }

    /// Ends the block that began with this mark.
    pub(super) fn leave(&mut self, mark: usize) {
        for index in self.open.drain(mark..) {
            self.states[index] = State::Gone;
        }
    }
}
