//! Guard removal in a merged kernel (reverse if-conversion): a `map` read outside of its guard gets an `if` instead of the guard.
//!
//! ```text
//! ys = map where p { i => mul 2 xs[i] }        ys = map { i => r = if p[i] { mul 2 xs[i] } else { 0 }, r }
//! zs = map { i => add ys[i] 1 }                zs = map { i => add ys[i] 1 }
//! ```

use super::Merging;
use crate::fuse::reason::Reason;
use nestled_ir::typing::Scope;
use nestled_ir::{
    Atom, Block, Combinator, CombinatorKind, Local, LocalId, Scalar, ScalarType, Stmt, StmtKind, ThunkPart,
    ValueId,
};

impl Merging<'_> {
    /// Removes the guard of every `map` that is read under another guard, or is used as a guard itself. A guarded `scan` breaks the merge.
    pub(super) fn free_guarded(&mut self) {
        let mut binders = vec![None; self.kernel.values.len()];
        for (position, step) in self.kernel.steps.iter().enumerate() {
            step.binds.iter().for_each(|bind| binders[bind.index()] = Some(position));
        }
        let mut freed = vec![false; self.kernel.steps.len()];
        let mut broken = false;
        for position in (0..self.kernel.steps.len()).rev() {
            if freed[position] {
                let types = self.result_types(&self.kernel.steps[position]);
                remove_guard(&mut self.kernel.steps[position], &types);
            }
            let reader = &self.kernel.steps[position];
            let mut look = |bind: ValueId, is_guard: bool| {
                let Some(binder) = binders[bind.index()] else { return };
                let maker = &self.kernel.steps[binder];
                if maker.guard.is_none() || (maker.guard == reader.guard && !is_guard) {
                    return;
                }
                match maker.kind {
                    CombinatorKind::Map => freed[binder] = true,
                    CombinatorKind::Scan { .. } => broken = true,
                    CombinatorKind::Reduce { .. }
                    | CombinatorKind::Filter { .. }
                    | CombinatorKind::Partition { .. }
                    | CombinatorKind::Permute { .. }
                    | CombinatorKind::Serial { .. } => {}
                }
            };
            reader.guard.iter().for_each(|&guard| look(guard, true));
            reader.body.body.walk(&mut |stmt| {
                stmt.kind.for_each_part(&mut |part| {
                    if let ThunkPart::Earlier(bind) = part {
                        look(*bind, false);
                    }
                });
            });
        }
        if broken {
            self.break_off(Reason::GuardedScan);
        }
    }

    fn result_types(&self, step: &Combinator) -> Vec<ScalarType> {
        Scope::new(&self.kernel.values).thunk_results(&step.body)
    }
}

/// Replaces the guard of a `map` by an `if` around its code, with zeros where the guard is false.
fn remove_guard(step: &mut Combinator, types: &[ScalarType]) {
    let Some(guard) = step.guard.take() else { return };
    let thunk = &mut step.body;
    let mut local = |ty: ScalarType| {
        thunk.locals.push(Local { name: "".into(), ty });
        LocalId::from(thunk.locals.len() - 1)
    };
    let cond = local(ScalarType::Bool);
    let dsts: Vec<LocalId> = types.iter().map(|&ty| local(ty)).collect();
    let zeros = types.iter().map(|&ty| Atom::Const(Scalar::zero(ty))).collect();
    let otherwise = Block { stmts: Vec::new(), results: zeros };
    let then = std::mem::take(&mut thunk.body);
    let results = dsts.iter().map(|&dst| Atom::Local(dst)).collect();
    let span = step.span;
    let kinds = [
        StmtKind::Own { dst: cond, bind: guard },
        StmtKind::If { dsts, cond: Atom::Local(cond), then, otherwise },
    ];
    thunk.body = Block { stmts: kinds.into_iter().map(|kind| Stmt { kind, span }).collect(), results };
}
