//! Arguments that all parts of a split kernel keep, so that a lost argument still keeps all of them from running.

use crate::facts::Facts;
use crate::simplify::lost::may_be_lost;
use nestled_ir::{Axis, HostAtom, HostOp, Program, ValueId};
use std::collections::HashSet;

/// Parameters that every part of a kernel takes, whether it reads them or not: the argument of some run may be lost, and then no part runs.
#[derive(Clone, Default)]
pub struct Kept {
    /// Shape parameters.
    pub shapes: HashSet<ValueId>,
    /// Other parameters, in order.
    pub params: Vec<ValueId>,
}

/// For each kernel: the parameters that all its parts must take.
pub fn kept_arguments(program: &Program, facts: &Facts) -> Vec<Kept> {
    let mut kept = vec![Kept::default(); program.kernels.len()];
    for function in &program.functions {
        let lost = may_be_lost(function, facts);
        function.body.walk(&mut |stmt| {
            let HostOp::Run { kernel: id, shapes, args } = &stmt.op else { return };
            let (kernel, kept) = (program.kernel(*id), &mut kept[id.index()]);
            for (&formal, axis) in kernel.shapes.iter().zip(shapes) {
                if matches!(axis, Axis::Sym(symbol) if lost[symbol.index()]) {
                    kept.shapes.insert(formal);
                }
            }
            for (&formal, arg) in kernel.params.iter().zip(args) {
                if matches!(arg, HostAtom::Value(value) if lost[value.index()])
                    && !kept.params.contains(&formal)
                {
                    kept.params.push(formal);
                }
            }
        });
    }
    kept
}
