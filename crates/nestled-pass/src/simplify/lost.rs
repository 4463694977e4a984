//! Lost values: the values of host code that a fault may leave without a definition (a taint analysis).
//!
//! The results of a host statement that faulted are lost, and so are all values computed from them, up to the end of the region. This can be observed: a statement with a lost
//! operand does not run, and so does not fault. So no rule may make a statement independent of an operand that may be lost (`mul k 0` of a `k = dim x`). The analysis is
//! conservative: it ignores the ends of regions.

use crate::facts::Facts;
use nestled_ir::{Axis, Function, HostOp, ValueId};

/// For each value of a function: true if it may be lost.
pub fn may_be_lost(function: &Function, facts: &Facts) -> Vec<bool> {
    let mut lost = misfits(function);
    function.body.walk(&mut |stmt| {
        if stmt.op.ends_region() {
            return;
        }
        let faults = !matches!(stmt.op, HostOp::Run { .. }) && facts.host(&stmt.op).is_some();
        let mut any = faults;
        stmt.op.for_each_use(&mut |value| any |= lost[value.index()]);
        if any {
            stmt.binds.iter().for_each(|bind| lost[bind.index()] = true);
        }
    });
    lost
}

/// Marks the values with a type that has a symbol of some `same`: after that has faulted, they do not fit where they are used.
fn misfits(function: &Function) -> Vec<bool> {
    let mut spoken_of = vec![false; function.values.len()];
    function.body.walk(&mut |stmt| {
        if let HostOp::Same { left, right, site: _ } = stmt.op {
            for axis in [left, right] {
                if let Axis::Sym(symbol) = axis {
                    spoken_of[symbol.index()] = true;
                }
            }
        }
    });
    let is_misfit = |value: usize| {
        let mut found = function.values[value].ty.is_shape() && spoken_of[value];
        let mut look = |symbol: ValueId| {
            found |= spoken_of[symbol.index()];
            function.values[symbol.index()]
                .ty
                .for_each_symbol(&mut |outer| found |= spoken_of[outer.index()]);
        };
        function.values[value].ty.for_each_symbol(&mut look);
        found
    };
    (0..function.values.len()).map(is_misfit).collect()
}
