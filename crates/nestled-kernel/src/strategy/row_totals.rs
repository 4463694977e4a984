//! Totals of rows: how the lanes of one short group come together, where its values need not be transposed.
//!
//! Floats are combined from left to right, for which a batch is transposed. An operator on integers or truth values gives the same in any order: then each
//! row is combined by itself. Truth values are bits of a mask, and a count of truth values is the number of its bits.

use crate::reduction::Part;
use nestled_ir::{Atom, Kernel, LocalId, MonoidOp, MonoidPart, Op, ScalarType, StmtKind, Thunk};

/// Method by which the lanes of a row give the result of its group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowTotal {
    /// The batch is transposed: the order matters, or elements are so narrow that it costs less.
    Transposed,
    /// Lanes are combined pairwise: integers of eight bytes.
    Folded,
    /// The bits of a mask that are set are counted.
    Counted,
    /// A test of the bits of a mask.
    Tested,
}

/// Chooses for a part of a reduction.
pub fn choose(kernel: &Kernel, part: &Part) -> RowTotal {
    let (MonoidPart::Op(op), [ty]) = (part.part, &part.types[..]) else { return RowTotal::Transposed };
    match (op, ty) {
        (MonoidOp::And | MonoidOp::Or | MonoidOp::Xor, ScalarType::Bool) => RowTotal::Tested,
        (MonoidOp::Add, _) if !ty.is_float() && takes_truths(kernel, part) => RowTotal::Counted,
        _ if !ty.is_float() && ty.size() == 8 => RowTotal::Folded,
        _ => RowTotal::Transposed,
    }
}

/// True if all that is reduced was a truth value before: 0 or 1.
fn takes_truths(kernel: &Kernel, part: &Part) -> bool {
    let thunk = &kernel.steps[part.step].body;
    let Atom::Local(result) = thunk.body.results[part.first] else { return false };
    thunk.body.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Op { dst, op: Op::Convert(_), args } => *dst == result && is_truth(thunk, args[0]),
        _ => false,
    })
}

fn is_truth(thunk: &Thunk, atom: Atom) -> bool {
    let is = |local: LocalId| thunk.local_type(local) == ScalarType::Bool;
    matches!(atom, Atom::Local(local) if is(local))
}
