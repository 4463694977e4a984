//! `simplify`: constant folding, copy propagation, common subexpression elimination, dead code elimination, and exact algebra.
//!
//! ```text
//! kernel k(xs: [n]i32) over n {              kernel k(xs: [n]i32) over n {
//!   p = map { i => mul xs[i] 1 }               p = map { i => xs[i proved] }
//!   q = map { i => mul xs[i] 1 }               s = reduce { i => add p[i] p[i] } add
//!   s = reduce { i => add p[i] q[i] } add      ret s
//!   ret s                                    }
//! }
//! ```
//!
//! Invariant: the bits of every result (a NaN may change its payload), the site of the fault that is reported, the order and number of commands. Sites keep their numbers. Code
//! that may fault is never dead: only a proof removes a check.
//!
//! The parts, from the inside out: `algebra` and `identities` simplify operations; `thunk` walks the code of a point, with `unroll` before it, `cse`, `code_motion` and `ranges`
//! beside it, and `dead_code` behind it; `kernel` works on combinators, which `canonical` compares; `equal_kernels` merges equal kernels; `host` and `host_dead_code` work on
//! host code, with `regions` and `lost` for observable faults; `signature` removes dead parameters and results of kernels, `function_signature` those of functions; `reach`
//! removes definitions that `main` cannot reach. They enable each other, so that all are repeated to a fixed point, a bounded number of times, each time only for definitions
//! that have not settled; each part takes time about linear in the size of the program.
//!
//! Limits. Kernels are not cloned for runs that use less of them. Uniform code stays in thunks: devices compute it once. Extents never become literals in shapes.

mod algebra;
#[cfg(test)]
mod algebra_tests;
mod canonical;
pub(crate) mod code_motion;
mod cse;
pub(crate) mod dead_code;
mod equal_kernels;
mod function_signature;
mod host;
mod host_dead_code;
mod identities;
mod kernel;
pub(crate) mod lost;
pub(crate) mod reach;
pub(crate) mod regions;
mod rule;
pub(crate) mod signature;
pub(crate) mod thunk;
mod unroll;

pub(crate) use reach::keep_reachable;

pub(crate) use lost::may_be_lost;

use crate::facts::Facts;
use crate::pass::{Pass, PassContext};
use crate::ranges::KernelRanges;
use nestled_ir::compact::renumber;
use nestled_ir::{Program, ThunkDef};
use std::collections::HashMap;
use thunk::ThunkScope;

/// The pass.
pub const PASS: Pass = Pass {
    name: "simplify",
    summary: "constants, copies, common subexpressions, dead code, exact algebra",
    changes_rounding: false,
    run: simplify,
};

/// Greatest number of rounds. Programs settle after two or three.
const MOST_ROUNDS: usize = 8;

/// Returns the program, simplified.
pub fn simplify(program: &Program, cx: &mut PassContext) -> Program {
    let keep_all = cx.options.keep_all;
    let mut program = settle(program.clone(), keep_all);
    // Kernels that were told apart by the sites that they had may be equal now.
    renumber(&mut program);
    if equal_kernels::merge(&mut program) { settle(program, keep_all) } else { program }
}

/// Repeats rounds until nothing changes.
fn settle(mut program: Program, keep_all: bool) -> Program {
    equal_kernels::merge(&mut program);
    for _ in 0..MOST_ROUNDS {
        let n_before = n_definitions(&program);
        if !keep_all {
            reach::keep_reachable(&mut program);
        }
        let mut settled = Settled::of(&program);
        let mut n_rounds = 0;
        while round(&mut program, &mut settled, keep_all) && n_rounds < MOST_ROUNDS {
            n_rounds += 1;
        }
        // What cannot be reached any more may have been all that wanted something else.
        if !keep_all {
            reach::keep_reachable(&mut program);
        }
        if n_rounds == 0 || n_definitions(&program) == n_before {
            break;
        }
    }
    program
}

fn n_definitions(program: &Program) -> usize {
    program.thunks.len() + program.monoids.len() + program.kernels.len() + program.functions.len()
}

/// Definitions that the next round can skip: the last round changed nothing in them, and nothing that they depend on has changed since.
struct Settled {
    thunks: Vec<bool>,
    kernels: Vec<bool>,
    functions: Vec<bool>,
    /// The facts with which functions were simplified last.
    facts: Option<Facts>,
}

impl Settled {
    fn of(program: &Program) -> Settled {
        Settled {
            thunks: vec![false; program.thunks.len()],
            kernels: vec![false; program.kernels.len()],
            functions: vec![false; program.functions.len()],
            facts: None,
        }
    }
}

/// Simplifies the definitions that have not settled; returns whether anything changed.
fn update<T: PartialEq>(items: &mut [T], settled: &mut [bool], simplify: impl Fn(usize, &T) -> T) -> bool {
    let mut changed = false;
    for (at, (item, settled)) in
        items.iter_mut().zip(settled).enumerate().filter(|(_, (_, settled))| !**settled)
    {
        let next = simplify(at, item);
        *settled = next == *item;
        changed |= !*settled;
        *item = next;
    }
    changed
}

fn round(program: &mut Program, settled: &mut Settled, keep_all: bool) -> bool {
    let facts = Facts::of(program);
    let mut changed = update(&mut program.thunks, &mut settled.thunks, |_, def| named_thunk(def, &facts));
    if changed {
        settled.kernels.fill(false);
    }
    let (runs, monoids) = (signature::runs(program), &program.monoids);
    changed |= update(&mut program.kernels, &mut settled.kernels, |at, kernel| {
        kernel::simplify_kernel(kernel, &facts, monoids, runs[at])
    });
    // Kernels that no longer fault are what host code wants to know about.
    let facts = Facts::of(program);
    if settled.facts.as_ref() != Some(&facts) {
        settled.functions.fill(false);
    }
    changed |= update(&mut program.functions, &mut settled.functions, |_, function| {
        host_dead_code::remove_dead(&host::simplify_function(function, &facts), &facts)
    });
    settled.facts = Some(facts);
    changed | narrow(program, settled, keep_all)
}

/// Narrows the heads of kernels and functions; returns whether anything changed.
fn narrow(program: &mut Program, settled: &mut Settled, keep_all: bool) -> bool {
    let facts = Facts::of(program);
    let signature::Narrowed { kernels, mut functions } = signature::narrow(program, &facts);
    if !keep_all {
        let called = function_signature::narrow(program);
        functions.iter_mut().zip(called).for_each(|(changed, called)| *changed |= called);
    }
    for (settled, &changed) in settled.kernels.iter_mut().zip(&kernels) {
        *settled &= !changed;
    }
    for (at, settled) in settled.functions.iter_mut().enumerate().filter(|(at, _)| functions[*at]) {
        // What computed arguments that nobody takes any more.
        program.functions[at] = host_dead_code::remove_dead(&program.functions[at], &facts);
        *settled = false;
    }
    kernels.contains(&true) || functions.contains(&true)
}

fn named_thunk(def: &ThunkDef, facts: &Facts) -> ThunkDef {
    let scope =
        ThunkScope { values: &[], space: &[], known: &HashMap::new(), ranges: &KernelRanges::default() };
    let thunk = dead_code::remove_dead(&thunk::simplify_thunk(&def.thunk, scope, facts), facts);
    ThunkDef { thunk, ..def.clone() }
}
