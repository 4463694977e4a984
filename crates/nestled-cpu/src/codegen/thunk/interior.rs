//! Simplification of index arithmetic in the interior of a row.
//!
//! Neighbours beyond an edge are found by `abs`, `min` and `max`, which do not preserve indices that are linear along the lanes. Yet on all of a row
//! except its ends these operations return one of their operands. The interior loop assumes that they do, and the range in which the assumption holds
//! is computed before the loop:
//!
//! ```text
//! abs (j − 2)                    j − 2, for 2 ≤ j
//! min (j + 3) last               j + 3, for j ≤ last − 3
//! ```

use super::Run;
use crate::codegen::point::Constraint;
use crate::codegen::value::{Depth, Form, Val};
use nestled_ir::{Op, ScalarType};

/// Larger than any extent.
const FAR: i64 = (1 << 61) - 1;

/// Bound of the magnitude of indices that can be subtracted from each other without overflow, even advanced along a row.
const NEAR: i64 = 1 << 60;

impl Run<'_, '_, '_> {
    /// In the interior version: simplifies an operation on indices that returns one of its operands in the assumed range.
    pub fn interior_op(&mut self, op: Op, args: &[Val]) -> Option<Val> {
        self.lane.assumed.as_ref()?;
        if let Some(part) = self.grouped(op, args) {
            return Some(part);
        }
        match (op, args) {
            (Op::Abs, [index]) => self.assume_positive(index).then(|| index.clone()),
            // Bounds are the same for the row; the other one is what matters inside.
            (Op::Min | Op::Max, [index, bound] | [bound, index]) if grows(index) && known_before(bound) => {
                let base = Val::uniform(ScalarType::Idx, index.linear_depth()?, index.name.clone());
                for end in [&base, bound] {
                    let raised = self.emit.op(Op::Add, &[end.clone(), Val::idx(NEAR)]);
                    let near = self.within(&raised, &Val::idx(2 * NEAR));
                    self.assume_row(&near);
                }
                let order = if op == Op::Max { [index, bound] } else { [bound, index] };
                let difference = self.emit.op(Op::Sub, &order.map(Val::clone));
                self.assume_positive(&difference).then(|| index.clone())
            }
            _ => None,
        }
    }

    /// Assumes that an index is not negative, if the index allows that.
    fn assume_positive(&mut self, index: &Val) -> bool {
        let Form::Linear { stride, depth } = index.form else { return false };
        if depth <= Depth::Row {
            let extent = self.emit.scalar(&Val::idx(FAR));
            self.assume_along(Constraint { base: index.name.clone(), stride, extent, depth });
        }
        depth <= Depth::Row
    }
}

/// True if the index is linear along the lanes, with a base known before the row.
fn grows(val: &Val) -> bool {
    val.linear_depth().is_some_and(|depth| depth <= Depth::Row)
}

fn known_before(val: &Val) -> bool {
    val.uniform_depth().is_some_and(|depth| depth <= Depth::Row)
}
