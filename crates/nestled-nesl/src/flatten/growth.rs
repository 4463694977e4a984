//! Inlining: which calls become the body of what they call, so that a program grows by no more than a multiple of its text.
//!
//! Where each function calls the one before twice, bodies in the place of all calls are 2ⁿ of them. So only small bodies are put everywhere, what is called
//! once is put there, and of the others as many as there is room for (which spares most programs all calls); the rest become functions of λcu.

use crate::core::{Block, Op, Program};

/// A body of at most so many statements, those that it calls included, is put in the place of every call.
const SMALL: usize = 60;
/// The code of one point is not made larger than this; its calls are always put in place.
const LARGEST_THUNK: usize = 2_000;
/// Bodies that are larger than small ones may have so many statements together, and as many as the program has.
const ROOM: usize = 1_000;

/// How large functions are.
#[derive(Debug, Default)]
pub(super) struct Growth {
    /// With the bodies of all that they call, and all that those call.
    full: Vec<usize>,
    /// With the bodies that are put in the place of calls everywhere.
    written: Vec<usize>,
    /// How many calls there are of each.
    n_calls: Vec<usize>,
    /// How many statements bodies that are not small may still have.
    room: usize,
}

impl Growth {
    /// Of a program; `recursive` says which functions can reach themselves.
    pub fn new(program: &Program, recursive: &[bool]) -> Growth {
        let n = program.functions.len();
        let bodies: Vec<Body> = program.functions.iter().map(|function| Body::of(&function.body)).collect();
        let mut n_calls = vec![0; n];
        bodies.iter().flat_map(|body| &body.callees).for_each(|&callee| n_calls[callee] += 1);
        let room = ROOM + bodies.iter().map(|body| body.size).sum::<usize>();
        let mut growth = Growth { full: vec![0; n], written: vec![0; n], n_calls, room };
        for at in callees_first(&bodies) {
            growth.measure(at, &bodies[at], recursive);
        }
        growth
    }

    /// What a function calls has been measured, but for what can reach it.
    fn measure(&mut self, at: usize, body: &Body, recursive: &[bool]) {
        let (mut full, mut written) = (body.size, body.size);
        for &callee in &body.callees {
            full = full.saturating_add(self.full[callee]);
            if !recursive[callee] && self.is_everywhere(callee) {
                written = written.saturating_add(self.written[callee]);
            }
        }
        (self.full[at], self.written[at]) = (full, written);
    }

    /// Whether one point may compute a function, as far as its size goes.
    pub fn fits_thunk(&self, function: usize) -> bool {
        self.full[function] <= LARGEST_THUNK
    }

    fn is_everywhere(&self, function: usize) -> bool {
        self.written[function] <= SMALL || self.n_calls[function] <= 1
    }

    /// Whether a body that does not recur is put in the place of a call; takes the room that this needs.
    pub fn take(&mut self, function: usize) -> bool {
        if self.is_everywhere(function) {
            return true;
        }
        let left = self.room.checked_sub(self.written[function]);
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }
}

/// How many statements a body has, and what it calls, as often as it does.
struct Body {
    size: usize,
    callees: Vec<usize>,
}

impl Body {
    fn of(block: &Block) -> Body {
        let mut body = Body { size: 0, callees: Vec::new() };
        body.add(block);
        body
    }

    fn add(&mut self, block: &Block) {
        self.size += block.statements.len();
        for statement in &block.statements {
            match &statement.op {
                Op::Call(callee, _) => self.callees.push(callee.0 as usize),
                Op::If(_, yes, no) => {
                    self.add(yes);
                    self.add(no);
                }
                Op::Each(each) => self.add(&each.body),
                _ => {}
            }
        }
    }
}

/// All functions, callees before callers where they do not recur; on a stack of our own.
fn callees_first(bodies: &[Body]) -> Vec<usize> {
    let mut order = Vec::with_capacity(bodies.len());
    let mut seen = vec![false; bodies.len()];
    for root in 0..bodies.len() {
        let mut work = vec![(root, 0)];
        while let Some((at, edge)) = work.pop() {
            if edge == 0 && std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match bodies[at].callees.get(edge) {
                Some(&callee) => work.extend([(at, edge + 1), (callee, 0)]),
                None => order.push(at),
            }
        }
    }
    order
}
