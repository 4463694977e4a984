//! Inlining decisions, bounded so that a program grows by no more than a multiple of its text.
//!
//! If each function calls the one before it twice, inlining all calls makes 2ⁿ bodies. So small functions are inlined everywhere, functions with one call at
//! that call, and larger ones while a budget lasts (which suffices for all calls of most programs). All other functions become λcu functions.

use crate::core::{Block, Op, Program};

/// Functions of at most so many statements, inlined callees included, are inlined at every call.
const SMALL: usize = 60;
/// Largest number of statements in the code of one point, in which all calls are inlined.
const LARGEST_THUNK: usize = 2_000;
/// Inlining budget of larger functions in statements, in addition to the size of the program.
const ROOM: usize = 1_000;

/// Sizes of functions in statements, and the inlining budget left.
#[derive(Debug, Default)]
pub(super) struct InlineBudget {
    /// Size of each function with all its callees inlined, transitively.
    full: Vec<usize>,
    /// Size of each function with those callees inlined that are inlined everywhere.
    written: Vec<usize>,
    /// Number of calls of each function.
    n_calls: Vec<usize>,
    /// Inlining budget left for functions that are not small, in statements.
    room: usize,
}

impl InlineBudget {
    /// Measures a program; `recursive` says which functions can reach themselves.
    pub fn new(program: &Program, recursive: &[bool]) -> InlineBudget {
        let n = program.functions.len();
        let bodies: Vec<Body> = program.functions.iter().map(|function| Body::of(&function.body)).collect();
        let mut n_calls = vec![0; n];
        bodies.iter().flat_map(|body| &body.callees).for_each(|&callee| n_calls[callee] += 1);
        let room = ROOM + bodies.iter().map(|body| body.size).sum::<usize>();
        let mut growth = InlineBudget { full: vec![0; n], written: vec![0; n], n_calls, room };
        for at in callees_first(&bodies) {
            growth.measure(at, &bodies[at], recursive);
        }
        growth
    }

    /// Measures a function; its callees have been measured, except those that can reach it.
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

    /// True if a function is small enough for the code of one point.
    pub fn fits_thunk(&self, function: usize) -> bool {
        self.full[function] <= LARGEST_THUNK
    }

    fn is_everywhere(&self, function: usize) -> bool {
        self.written[function] <= SMALL || self.n_calls[function] <= 1
    }

    /// Decides whether a call of a function that does not recur is inlined; takes the budget that this needs.
    pub fn take(&mut self, function: usize) -> bool {
        if self.is_everywhere(function) {
            return true;
        }
        let left = self.room.checked_sub(self.written[function]);
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }
}

/// Number of statements of a body, and its callees, with repetitions.
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

/// Returns all functions, callees before callers where they do not recur; uses an explicit stack.
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
