//! The state of one evaluation at a time, and the wish that it ends.

use super::garbage::Garbage;
use super::guard::Isolated;
use super::state::State;
use nestled_ir::interp::Interrupt;

pub(super) struct Track {
    pub number: usize,
    pub interrupt: Interrupt,
    state: Isolated<State>,
}

impl Track {
    pub fn new(number: usize, make: impl FnOnce(&Interrupt) -> State) -> Track {
        let interrupt = Interrupt::default();
        let state = make(&interrupt);
        // SAFETY: the state makes its devices itself and hands none of its parts out: results are copied, shared by means that threads may share, or
        // numbered. What tracks have together, threads, memory and the wish, is made for several threads.
        #[allow(unsafe_code)]
        let state = unsafe { Isolated::new(state) };
        Track { number, interrupt, state }
    }

    pub fn state(&mut self) -> &mut State {
        self.state.get()
    }

    /// Gives up what nobody refers to.
    pub fn sweep(&mut self, garbage: Vec<Garbage>) {
        if !garbage.is_empty() {
            self.state.get().sweep(garbage);
        }
    }
}
