//! `inline`: rematerialisation. A cheap expression is computed again at each read, instead of being written to memory and read back.
//!
//! ```text
//! kernel grey(p: [n]u8) over n {                 kernel blur(p: [n]u8) over n {
//!   y = map { i => f32 p[i] }                      z = map { i => add (f32 p[i - 1 clamp]) (f32 p[i]) }
//!   ret y                                          ret z
//! }                                              }
//! kernel blur(y: [n]f32) over n {
//!   z = map { i => add y[i - 1 clamp] y[i] }     (`grey` is dead)
//!   ret z
//! }
//! ```
//!
//! The rule is that of the Accelerator patent for common subexpressions: an expression of cost E that is needed N times is stored if storing it once and reading it N times costs
//! less than computing it N − 1 more times. It is applied only where the array then need not be made at all: all its readers are runs that can do without it, and read each element
//! a known number of times. Its inputs cost the same either way: they are read once from memory, and again from a cache.
//!
//! A small array may be read by many points (`wrap`, `clamp`). Where extents say by how many, that is N; where they do not, only what costs no more than a read is computed again.
//!
//! **Fusion takes precedence.** Fusion keeps an array in a register where it is read at the own coordinates, and in a ring where it is read at constant distances: then it is
//! computed once and never goes through memory, so that only an expression that is cheaper than its place in the ring is inlined. [`reads`](crate::reads) runs before and inlines
//! what costs nothing.

use crate::pass::{Pass, PassContext};
use crate::reads::{Question, rewrite};
use nestled_ir::Program;

/// The pass.
pub const PASS: Pass = Pass {
    name: "inline",
    summary: "cheap expressions are computed again instead of being stored",
    changes_rounding: false,
    run: inline,
};

/// Cost model, in additions of one lane.
///
/// Measured by order of magnitude on a CPU with 256-bit vectors and 10 GB/s a core: an element of four bytes that is written and read again keeps
/// memory busy for as long as a core makes some fifty additions. Half of that is assumed, for arrays that stay in a cache.
struct Weights {
    /// Writing an element to memory.
    write: u32,
    /// Reading it back the first time.
    read: u32,
    /// Reading an element again, of the array or of an input, from a cache.
    again: u32,
    /// Putting it into the ring of a window.
    ring: u32,
}

const WEIGHTS: Weights = Weights { write: 16, read: 8, again: 2, ring: 4 };

fn inline(program: &Program, cx: &mut PassContext) -> Program {
    rewrite(program, is_cheaper, true, cx.options.keep_all)
}

/// True if computing an array's elements at each read is cheaper than storing them.
fn is_cheaper(question: &Question<'_>) -> bool {
    let demand = question.demand;
    if demand.blocked > 0 || question.is_register() {
        return false;
    }
    let work = question.candidate.rematerialised.work;
    let once = work.operations.saturating_add(work.reads.saturating_mul(WEIGHTS.again));
    if demand.uneven > 0 && once > WEIGHTS.read {
        return false;
    }
    let n_reads = demand.reads.saturating_add(demand.uneven);
    // Where fusion keeps it in a register it is computed there besides.
    let n_more = if demand.in_register { n_reads } else { n_reads.saturating_sub(1) };
    let is_window = question.is_fusible && question.sites.possible.iter().all(|site| site.offsets.is_some());
    let kept = if is_window { WEIGHTS.ring } else { WEIGHTS.write + WEIGHTS.read };
    u64::from(once) * u64::from(n_more) <= u64::from(kept) + u64::from(n_reads) * u64::from(WEIGHTS.again)
}
