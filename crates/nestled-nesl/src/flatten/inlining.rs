//! Inlining decisions, bounded so that a program grows by no more than a multiple of its text.
//!
//! If each function calls the one before it twice, inlining all calls makes 2ⁿ bodies. So small functions are inlined everywhere, functions with one call at
//! that call, and larger ones while a budget lasts (which suffices for all calls of most programs). All other functions become λcu functions. Callers are
//! decided before the functions that they call, so that it is known how many copies of a call there will be.
//!
//! Functions of the library are inlined everywhere too: how deep they call each other is known. But they may be given functions of the program, so a call in one
//! of them counts as often as the program calls it.

use crate::core::{Block, Local, Op, Program};
use std::collections::HashSet;

/// Functions of at most so many statements, inlined callees included, are inlined at every call.
const SMALL: usize = 60;
/// Largest number of statements in the code of one point, in which all calls are inlined.
const LARGEST_THUNK: usize = 2_000;
/// Inlining budget of larger functions in statements, in addition to the size of the program.
const ROOM: usize = 1_000;
/// Largest nesting depth of inlined bodies; deeper calls become λcu functions.
const MAX_DEPTH: usize = 60;

/// Sizes of functions in statements.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    /// Size of each function with all its callees inlined, transitively.
    full: Vec<usize>,
    /// Size of each function with those callees inlined that are inlined everywhere.
    written: Vec<usize>,
    /// Number of calls of each function; those in functions of the library count once for each call of the program that leads there.
    n_calls: Vec<usize>,
    /// True for functions of the library.
    library: Vec<bool>,
    /// Size of the program, with the functions of the library once for each call.
    program: usize,
}

impl Sizes {
    /// Measures a program; `recursive` says which functions can reach themselves.
    pub fn new(program: &Program, recursive: &[bool]) -> Sizes {
        let n = program.functions.len();
        let bodies = bodies(program);
        let library = program.functions.iter().map(|function| function.library).collect();
        let (full, written, n_calls) = (vec![0; n], vec![0; n], vec![0; n]);
        let mut sizes = Sizes { full, written, n_calls, library, program: 0 };
        let order = callees_first(&bodies, 0..n);
        for &at in order.iter().rev() {
            let copies = sizes.copies(at);
            sizes.program = sizes.program.saturating_add(bodies[at].size.saturating_mul(copies));
            for &(_, callee) in &bodies[at].calls {
                sizes.n_calls[callee] = sizes.n_calls[callee].saturating_add(copies);
            }
        }
        for at in order {
            sizes.measure(at, &bodies[at], recursive);
        }
        sizes
    }

    /// Returns how often the calls of a function count.
    fn copies(&self, function: usize) -> usize {
        if self.library[function] { self.n_calls[function].max(1) } else { 1 }
    }

    /// Measures a function; its callees have been measured, except those that can reach it.
    fn measure(&mut self, at: usize, body: &Body, recursive: &[bool]) {
        let (mut full, mut written) = (body.size, body.size);
        for &(_, callee) in &body.calls {
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
        self.library[function] || self.written[function] <= SMALL || self.n_calls[function] <= 1
    }
}

/// The calls that are inlined.
#[derive(Debug)]
pub(super) struct Inlining {
    /// The calls, by the caller and the value that they bind.
    calls: HashSet<(usize, Local)>,
}

impl Inlining {
    /// Decides on all calls that `main` reaches; `recursive` says which functions can reach themselves.
    pub fn new(program: &Program, sizes: &Sizes, recursive: &dyn Fn(usize) -> bool) -> Inlining {
        let n = program.functions.len();
        let bodies = bodies(program);
        let main = program.main.0 as usize;
        let mut budget = Budget { room: sizes.program.saturating_add(ROOM) };
        let (mut copies, mut depths) = (vec![0_usize; n], vec![0; n]);
        let mut calls = HashSet::new();
        for caller in callees_first(&bodies, main..=main).into_iter().rev() {
            // Whatever is not inlined is written once.
            let copied = copies[caller].max(1);
            let is_deep = depths[caller] >= MAX_DEPTH && !sizes.library[caller];
            for &(local, callee) in &bodies[caller].calls {
                if is_deep || recursive(callee) {
                    continue;
                }
                let is_inlined =
                    sizes.is_everywhere(callee) || budget.take(sizes.written[callee].saturating_mul(copied));
                if is_inlined {
                    calls.insert((caller, local));
                    copies[callee] = copies[callee].saturating_add(copied);
                    depths[callee] = depths[callee].max(depths[caller] + 1);
                }
            }
        }
        Inlining { calls }
    }

    /// True if the call that binds a value of a function is inlined.
    pub fn is_inlined(&self, caller: usize, local: Local) -> bool {
        self.calls.contains(&(caller, local))
    }
}

/// Inlining budget left for functions that are not inlined everywhere, in statements.
struct Budget {
    room: usize,
}

impl Budget {
    /// Takes a number of statements, if so many are left.
    fn take(&mut self, statements: usize) -> bool {
        let left = self.room.checked_sub(statements);
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }
}

/// Number of statements of a body, and its calls: the value that each binds, and the function.
struct Body {
    size: usize,
    calls: Vec<(Local, usize)>,
}

fn bodies(program: &Program) -> Vec<Body> {
    program.functions.iter().map(|function| Body::of(&function.body)).collect()
}

impl Body {
    fn of(block: &Block) -> Body {
        let mut body = Body { size: 0, calls: Vec::new() };
        body.add(block);
        body
    }

    fn add(&mut self, block: &Block) {
        self.size += block.statements.len();
        for statement in &block.statements {
            match &statement.op {
                Op::Call(callee, _) => self.calls.push((statement.local, callee.0 as usize)),
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

/// Returns the functions that some functions reach, callees before callers where they do not recur; uses an explicit stack.
fn callees_first(bodies: &[Body], roots: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut order = Vec::with_capacity(bodies.len());
    let mut seen = vec![false; bodies.len()];
    for root in roots {
        let mut work = vec![(root, 0)];
        while let Some((at, edge)) = work.pop() {
            if edge == 0 && std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match bodies[at].calls.get(edge) {
                Some(&(_, callee)) => work.extend([(at, edge + 1), (callee, 0)]),
                None => order.push(at),
            }
        }
    }
    order
}
