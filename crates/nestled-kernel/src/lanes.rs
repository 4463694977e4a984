//! The vectorisation factor: the number of lanes W, the points that a nest computes at once.
//!
//! One register of the widest type is enough where memory is waited for. A processor that computes looks ahead some hundred instructions, less than two vectors of a long body, so
//! that each vector waits for its own results: four registers then are four independent chains, instruction by instruction. Loops in thunks are such bodies, and, over the whole,
//! bodies of many instructions, gathers, and scatters into tables.
//!
//! Reductions whose order is fixed, scans and streams take wider vectors by 16 lanes. W is always between 16 and 64.

use crate::access;
use crate::cost::Costs;
use crate::form::{Form, Forms};
use crate::memory::Memory;
use crate::nest::{Nest, Order};
use crate::stream::{Way, way};
use crate::target::Target;
use nestled_ir::reduction_order::LANES;
use nestled_ir::{
    Atom, Combinator, CombinatorKind, Kernel, Program, ScalarType, Stmt, StmtKind, Thunk, ValueId,
};
use std::collections::BTreeSet;

/// The minimum and the maximum number of lanes.
const LEAST: usize = LANES;
const MOST: usize = 64;

/// Bytes of a word. Sixteen lanes of anything larger are several registers as they are.
const WORD: usize = 4;

/// Number of registers of a vector that is computed in independent chains.
const CHAINS: usize = 4;

/// Bodies with more instructions than this are long.
const LONG: u64 = 20;

/// The same for bodies that gather: with fewer they wait for memory.
const LONG_WITH_GATHERS: u64 = 7;

/// Bodies with more instructions than this are not written four times.
const VERY_LONG: u64 = 1_500;

/// Over more arrays than this, four lines of each of them at a time come slower from the caches than one.
const MOST_ARRAYS: usize = 11;

/// Chooses W for a nest.
pub fn lanes(program: &Program, kernel: &Kernel, memory: &Memory, nest: &Nest, target: &Target) -> usize {
    let steps = || nest.items.iter().map(|item| item.step);
    let kind = |step: usize| &kernel.steps[step].kind;
    let plain = |step: usize| matches!(kind(step), CombinatorKind::Map | CombinatorKind::Reduce { .. });
    let serial = |step: usize| matches!(kind(step), CombinatorKind::Serial { .. });
    let is_simple = !nest.tiled && steps().all(plain);
    if nest.order == Order::Points || steps().any(serial) || !is_simple && !is_whole(nest) {
        return LEAST;
    }
    let register = target.vector_bits as usize / 8;
    let size = steps().map(|step| widest(&kernel.steps[step].body)).max().unwrap_or(1);
    let loops = has_loops(program, kernel, nest);
    let waits = || size <= WORD && is_whole(nest) && waits(program, kernel, memory, nest);
    let lanes = if loops && is_simple || !loops && waits() {
        CHAINS * register / size.max(WORD)
    } else if is_simple {
        register / size
    } else {
        LEAST
    };
    lanes.clamp(LEAST, MOST)
}

/// True if all points of a kernel are walked, with vectors that go on into the next row.
fn is_whole(nest: &Nest) -> bool {
    nest.level > 0 && nest.group == 0 && nest.flat
}

fn has_loops(program: &Program, kernel: &Kernel, nest: &Nest) -> bool {
    let mut costs = Costs::default();
    nest.items.iter().any(|item| costs.block(program, &kernel.steps[item.step].body.body).loops)
}

/// True if the points of a nest wait for their own results rather than for memory.
fn waits(program: &Program, kernel: &Kernel, memory: &Memory, nest: &Nest) -> bool {
    let (mut instructions, mut gathers, mut tables) = (0, false, false);
    for item in &nest.items {
        let combinator = &kernel.steps[item.step];
        let forms = access::forms(program, kernel, combinator, true);
        instructions += varying_instructions(program, combinator, &forms);
        gathers |= access::gathers(kernel, combinator, &forms);
        tables |= matches!(combinator.kind, CombinatorKind::Permute { .. })
            && way(program, kernel, item.step) == Way::Combine;
    }
    let least = if gathers { LONG_WITH_GATHERS } else { LONG };
    (tables || instructions > least)
        && instructions <= VERY_LONG
        && arrays(kernel, memory, nest) <= MOST_ARRAYS
}

/// Number of arrays that a nest goes over in memory.
fn arrays(kernel: &Kernel, memory: &Memory, nest: &Nest) -> usize {
    let mut arrays = BTreeSet::new();
    for item in &nest.items {
        let Combinator { body, binds, .. } = &kernel.steps[item.step];
        body.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Read { array: value, .. }
            | StmtKind::Own { bind: value, .. }
            | StmtKind::Window { bind: value, .. } => drop(arrays.insert(*value)),
            _ => {}
        });
        arrays.extend(binds);
    }
    let in_memory = |value: &&ValueId| kernel.params.contains(value) || memory.home(**value).is_some();
    arrays.iter().filter(in_memory).count()
}

/// Number of instructions of a thunk at a point, without reads and without what is the same at all points.
fn varying_instructions(program: &Program, combinator: &Combinator, forms: &Forms) -> u64 {
    let mut costs = Costs::default();
    let count = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Read { .. } | StmtKind::Window { .. } => 0,
        StmtKind::Op { dst, .. } if forms.atom(Atom::Local(*dst)) == Form::Uniform => 0,
        kind => costs.stmt(program, kind).work,
    };
    combinator.body.body.stmts.iter().map(count).sum()
}

/// Returns the size in bytes of the widest type that a thunk computes with. Indices are not counted: they are often linear.
fn widest(thunk: &Thunk) -> usize {
    let sizes = thunk.locals.iter().filter(|local| local.ty != ScalarType::Idx).map(|local| local.ty.size());
    sizes.max().unwrap_or(4)
}
