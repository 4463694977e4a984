//! `reads`: composition of array reads (deforestation). A read of an array that another kernel made becomes a read of that kernel's inputs.
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
//! Coordinate transforms are pushed towards the leaves of an expression: array transforms cost nothing where they are only another index. A rewritten program hardly costs more than
//! before:
//!
//! - A **transform** (one read at a computed index; or no read at all: a fill, a range) is composed with every read of it.
//! - A **choice** of one of several elements, as in a concatenation, is moved to the only kernel that reads it, where that reads whole rows: each read still is one read, though a row
//!   may be read twice.
//! - Any other expression is moved only if no element of it is read twice and nothing else uses it.
//! - `lengths s` and `starts s` become `len s[i]` and `start s[i]`.
//!
//! An array that a kernel reads at its own coordinates, over the space it was made over, is left to fusion, which keeps it in a register. Rewritings that cost more work are left
//! to `inline`.
//!
//! `rematerialised` computes one element, `plan` decides whether its code may replace a read, with `rules` on reads out of bounds and `affine` on the indices that go there; `splice`
//! copies code, `head` adds parameters; `consumer` rewrites a kernel, `function` host code. `on_demand` and
//! `arms` decide by sizes at run time.
//!
//! **Faults.** Only code that cannot fault is copied; the read's own faults stay with their site. A run with a lost operand does not run, and this stays so: operands of the
//! producer that may be lost become parameters. Producers that nothing reads any more are left for `simplify`.

mod affine;
mod arms;
mod consumer;
mod demand;
mod function;
mod head;
mod on_demand;
mod plan;
mod rematerialised;
mod rules;
mod splice;

use crate::pass::{Pass, PassContext};
pub(crate) use function::{Question, rewrite};
use nestled_ir::Program;
pub use on_demand::PASS as ON_DEMAND;
pub(crate) use rematerialised::{Work, work_of_stmt};

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

/// True if the reads of an array cost no more work than before when they become code.
fn costs_nothing(question: &Question<'_>) -> bool {
    let rematerialised = &question.candidate.rematerialised;
    if rematerialised.is_transform {
        return true;
    }
    let [site] = question.sites.possible.as_slice() else { return false };
    let once = site.reads_once || site.reads_rows && !site.in_loop && rematerialised.is_choice();
    let moves = question.is_exclusive && question.sites.others == 0 && once && !rematerialised.hoists;
    moves && !question.is_register()
}
