//! Finds conversions of floats to indices that may be made to 32 bits.
//!
//! ```text
//! k = idx x            x is a float; too large a number gives the largest index
//! c = table[k clamp]   (or `else`, or a scatter that drops what is outside)
//! ```
//!
//! Unless the kernel is compiled wide, extents are below 2³¹. Then an index that saturates at 32 bits is inside, or on the same side outside, as one that saturates at 64: both mean the
//! same, if nothing but such reads uses them. The conversion is one instruction for 32 bits, and one for each lane for 64 (without AVX-512). What faults is left alone, since the
//! fault names the index.

use nestled_ir::{Atom, Block, LocalId, Op, Rule, ScalarType, StmtKind, Thunk};
use std::collections::HashSet;

/// Returns the locals of a thunk that are such conversions. Its first `places` results are places of a scatter that drops what is outside.
pub fn saturating(thunk: &Thunk, places: usize) -> HashSet<LocalId> {
    let mut found = HashSet::new();
    thunk.body.walk(&mut |stmt| {
        if let StmtKind::Op { dst, op: Op::Convert(ScalarType::Idx), args } = &stmt.kind
            && matches!(args[0], Atom::Local(from) if thunk.local_type(from).is_float())
        {
            found.insert(*dst);
        }
    });
    if !found.is_empty() {
        keep(&mut found, &thunk.body, places);
    }
    found
}

/// Keeps the locals that a block uses as indices only.
fn keep(found: &mut HashSet<LocalId>, block: &Block, places: usize) {
    let mut drop = |atom: &Atom| {
        if let Atom::Local(local) = atom {
            found.remove(local);
        }
    };
    block.results.iter().skip(places).for_each(&mut drop);
    for stmt in &block.stmts {
        if let StmtKind::Read { index, default, .. } = &stmt.kind {
            default.iter().for_each(&mut drop);
            let is_exact = |rule: Rule| matches!(rule, Rule::Fault | Rule::Wrap);
            index.iter().filter(|index| is_exact(index.rule)).for_each(|index| drop(&index.at));
        } else {
            stmt.kind.atoms().iter().for_each(&mut drop);
        }
    }
    for stmt in &block.stmts {
        stmt.kind.blocks().into_iter().for_each(|inner| keep(found, inner, 0));
    }
}
