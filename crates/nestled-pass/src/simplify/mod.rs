//! `simplify`: constants, copies, common subexpressions, dead code, and algebra that is exact.
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
//! What stays as it is: the bits of every result (a NaN may change its payload), the site of the fault that is reported, the order and
//! number of commands. Sites keep their numbers. What may fault is never dead: only a proof removes a check.
//!
//! The parts, from the inside out: `algebra` for operations; `thunk` walks the code of a point, with `cse` and [`ranges`](crate::ranges), and
//! `dead` sweeps behind it; `kernel` works on combinators, which `nameless` compares; `host` and `host_dead` on host code, with
//! `regions` and `lost` on what faults make visible; `signature` drops what a kernel
//! takes and gives in vain; `reach` drops definitions that `main` cannot reach. They feed each other, so that the whole is
//! repeated until nothing changes, a bounded number of times; each part takes time about linear in the size of the program.
//!
//! Limits. Nothing is moved to another block, so that equal code in both arms of an `if` stays twice. Calls are not inlined. Functions keep
//! their parameters and results. Extents never become literals in shapes.

mod algebra;
#[cfg(test)]
mod algebra_tests;
mod cse;
pub(crate) mod dead;
mod host;
mod host_dead;
mod identities;
mod kernel;
pub(crate) mod lost;
mod motion;
mod nameless;
pub(crate) mod reach;
pub(crate) mod regions;
pub(crate) mod signature;
mod thunk;
mod unroll;

pub(crate) use reach::keep_reachable;
pub(crate) use signature::type_symbols;

pub(crate) use lost::may_be_lost;

use crate::facts::Facts;
use crate::pass::{Pass, PassContext};
use crate::ranges::KernelRanges;
use nestled_ir::{Kernel, Program, ThunkDef};
use std::collections::HashMap;
use thunk::ThunkScope;

/// The pass.
pub const PASS: Pass = Pass {
    name: "simplify",
    summary: "constants, copies, common subexpressions, dead code, exact algebra",
    changes_rounding: false,
    run: simplify,
};

/// Programs settle after two or three rounds; what is then left is not worth more.
const MOST_ROUNDS: usize = 8;

/// The program, simplified.
pub fn simplify(program: &Program, cx: &mut PassContext) -> Program {
    let mut program = program.clone();
    for _ in 0..MOST_ROUNDS {
        let next = round(&program, cx.options.keep_all);
        if next == program {
            break;
        }
        program = next;
    }
    program
}

fn round(program: &Program, keep_all: bool) -> Program {
    let mut next = program.clone();
    let facts = Facts::of(program);
    next.thunks = program.thunks.iter().map(|def| named_thunk(def, &facts)).collect();
    next.kernels = kernels(program, &facts);
    // Kernels that no longer fault are what host code wants to know about.
    let facts = Facts::of(&next);
    next.functions = next
        .functions
        .iter()
        .map(|function| host_dead::remove_dead(&host::simplify_function(function, &facts), &facts))
        .collect();
    let facts = Facts::of(&next);
    signature::narrow(&mut next, &facts);
    if !keep_all {
        reach::keep_reachable(&mut next);
    }
    next
}

fn named_thunk(def: &ThunkDef, facts: &Facts) -> ThunkDef {
    let scope =
        ThunkScope { values: &[], space: &[], known: &HashMap::new(), ranges: &KernelRanges::default() };
    let thunk = dead::remove_dead(&thunk::simplify_thunk(&def.thunk, scope, facts), facts);
    ThunkDef { thunk, ..def.clone() }
}

fn kernels(program: &Program, facts: &Facts) -> Vec<Kernel> {
    let runs = signature::runs(program);
    let simplified = program.kernels.iter().zip(runs);
    simplified
        .map(|(kernel, is_run)| kernel::simplify_kernel(kernel, facts, &program.monoids, is_run))
        .collect()
}
