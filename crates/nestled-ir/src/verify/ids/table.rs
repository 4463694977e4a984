//! One table of names while the code that uses it is walked: what is in scope, and what was assigned before.

/// Where an entry stands.
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

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Where an entry stands.
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
