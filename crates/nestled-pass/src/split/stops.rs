//! Statements at which a lane may stop, so that it computes nothing after them and all its results are zero.

use super::graph::walk;
use crate::facts::Facts;
use crate::loop_termination;
use nestled_ir::typing::Scope;
use nestled_ir::{
    Atom, Combinator, Index, Kernel, Level, PrivateId, Program, Rule, Stmt, StmtKind, ThunkId, ValueId,
    are_own_coordinates,
};

/// What tells whether a lane may stop, for the statements of a kernel.
pub struct Stops<'a> {
    /// The program around the kernel.
    pub program: &'a Program,
    /// Its facts.
    pub facts: &'a Facts,
    /// The kernel.
    pub kernel: &'a Kernel,
}

impl Stops<'_> {
    /// True if a lane may stop at a statement: by a fault, by a proof that need not hold for what faults elsewhere have left, or in a loop that is not known to end.
    pub fn may_stop(&self, step: &Combinator, stmt: &Stmt) -> bool {
        let mut found = false;
        walk(stmt, &mut |stmt| found |= self.is_unsure(step, &stmt.kind));
        found
    }

    fn is_unsure(&self, step: &Combinator, kind: &StmtKind) -> bool {
        match kind {
            StmtKind::Read { array, index, .. } => !self.is_inside(*array, index),
            StmtKind::Window { offsets, .. } => {
                offsets.iter().any(|offset| !holds_always(offset.rule) && offset.by != 0)
            }
            StmtKind::Call { thunk, .. } => !self.facts.is_total(*thunk) || self.relies_on_proofs(*thunk),
            StmtKind::While { carried, cond, body, .. } => {
                !loop_termination::ends(&step.body, carried, cond, body)
            }
            StmtKind::PrivateGet { array, at, .. } | StmtKind::PrivateSet { array, at, .. } => {
                !is_inside_private(step, *array, *at)
            }
            StmtKind::Check { .. } => true,
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Own { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::PrivateNew { .. } => false,
        }
    }

    /// True if a read stops no lane: by its rules, or because its indices are coordinates along their own axes.
    fn is_inside(&self, array: ValueId, index: &[Index]) -> bool {
        let scope = Scope::new(&self.kernel.values);
        let Some(array) = scope.ty(array).as_array() else { return false };
        let shape = scope.level_shape(&self.kernel.space, Level(index.len()));
        let is_own_point = are_own_coordinates(index) && array.shape == shape;
        let is_own = |axis: usize, at: Atom| match at {
            Atom::Local(local) => {
                let own = self.kernel.space.get(local.index());
                own.is_some_and(|&own| !scope.is_seg(own) && array.shape.axes.get(axis) == Some(&own))
            }
            Atom::Const(_) | Atom::Value(_) => false,
        };
        let mut axes = index.iter().enumerate();
        is_own_point || axes.all(|(axis, index)| holds_always(index.rule) || is_own(axis, index.at))
    }

    /// True if a named thunk, or one that it calls, has a proof.
    fn relies_on_proofs(&self, thunk: ThunkId) -> bool {
        let mut found = false;
        self.program.thunks[thunk.index()].thunk.body.walk(&mut |stmt| {
            found |= stmt.kind.has_proof();
            if let StmtKind::Call { thunk, .. } = &stmt.kind {
                found = found || self.relies_on_proofs(*thunk);
            }
        });
        found
    }
}

/// True if an access to a private array is at a literal place below a literal size.
fn is_inside_private(step: &Combinator, array: PrivateId, at: Atom) -> bool {
    let literal = |atom: Atom| match atom {
        Atom::Const(scalar) => scalar.as_integer(),
        Atom::Local(_) | Atom::Value(_) => None,
    };
    let Some(at) = literal(at) else { return false };
    let mut found = false;
    step.body.body.walk(&mut |stmt| {
        if let StmtKind::PrivateNew { array: new, size } = &stmt.kind
            && *new == array
        {
            found = literal(*size).is_some_and(|size| (0..size).contains(&at));
        }
    });
    found
}

/// True for the rules by which no index is out of range.
fn holds_always(rule: Rule) -> bool {
    match rule {
        Rule::Clamp | Rule::Wrap | Rule::Else => true,
        Rule::Fault | Rule::Proved => false,
    }
}
