//! `reads`: a read of what another kernel made becomes a read of what that kernel read.
//!
//! ```text
//! kernel shift(xs: [n]f32) over n {                   kernel use(xs: [n]f32) over n {
//!   y = map { i => xs[i - 1 clamp] }                    s = reduce { i => mul 2.0 xs[i - 2 clamp] } add
//!   ret y                                               ret s
//! }                                                   }
//! kernel use(ys: [n]f32) over n {
//!   s = reduce { i => mul 2.0 ys[i - 1 clamp] } add   (the run of `shift` is dead, unless others want `ys`)
//!   ret s
//! }
//! ```
//!
//! The idea is that of pushing coordinate transforms towards the leaves of an expression: array transforms cost nothing where they
//! are only another index. What is rewritten here never costs more than before:
//!
//! - A **transform** (one read at an index that is computed; or no read at all: a fill, a range) is composed away wherever it is read.
//! - Any other expression only where no element of it is read twice and nobody else wants it: then it is moved.
//! - `lengths s` and `starts s` become `len s[i]` and `start s[i]`.
//!
//! What a kernel reads at its own coordinates, over the space it was made over, is left to fusion, which keeps it in a register. Whatever
//! makes more work is left to `inline`.
//!
//! `recipe` says how an element is computed, `plan` whether that may stand in the place of a read, with `rules` on what
//! happens outside of arrays and `affine` on indices that go there; `splice` copies code, `head` parameters; `consumer` does a
//! kernel, `function` host code.
//!
//! **Faults.** Only code that cannot fault is copied; the read's own faults stay with their site. A run that is given nothing lost before
//! is given all that could be now: operands of the producer that may be lost become parameters. Producers that nobody reads any more
//! are left for `simplify`.

mod affine;
mod consumer;
mod function;
mod head;
mod plan;
mod recipe;
mod rules;
mod splice;

use crate::pass::{Pass, PassContext};
pub(crate) use function::{Question, rewrite};
use nestled_ir::Program;
pub(crate) use recipe::{Work, work_of_stmt};

/// The pass.
pub const PASS: Pass = Pass {
    name: "reads",
    summary: "reads of arrays that kernels made from others become reads of those",
    changes_rounding: false,
    run: reads,
};

fn reads(program: &Program, cx: &mut PassContext) -> Program {
    rewrite(program, costs_nothing, false, cx.options.keep_all)
}

/// Whether the reads of an array take no more work than before when they become code.
fn costs_nothing(question: &Question<'_>) -> bool {
    let recipe = &question.candidate.recipe;
    if recipe.is_transform {
        return true;
    }
    let [site] = question.sites.possible.as_slice() else { return false };
    let moves = question.is_exclusive && question.sites.others == 0 && site.reads_once && !recipe.hoists;
    moves && !question.is_register()
}
