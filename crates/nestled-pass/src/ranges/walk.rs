//! Read-only walk over a kernel with its ranges: for analyses that rewrite nothing.

use super::{KernelRanges, Ranges};
use crate::facts;
use nestled_ir::{Block, CombinatorKind, Kernel, LocalId, Stmt, StmtKind};

/// The loops around a statement.
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    /// The counters of the loops around the statement.
    pub counters: Vec<LocalId>,
    /// Whether a loop without a counter is around the statement.
    pub unbounded: bool,
}

/// Calls `visit` for each statement of each thunk of a kernel, with the position of the combinator, the ranges before the statement, and its loops. Returns what is known of the
/// results of maps that cannot fault.
pub fn walk_kernel(
    kernel: &Kernel,
    facts: &facts::Facts,
    visit: &mut dyn FnMut(usize, &mut Ranges<'_>, &Stmt, &Repeats),
) -> KernelRanges {
    let mut known = KernelRanges::default();
    for (position, step) in kernel.steps.iter().enumerate() {
        let mut ranges = Ranges::new(&step.body, &kernel.values, &kernel.space, &known, step.guard);
        ranges.give(&step.kind);
        let mut repeats = Repeats::default();
        ranges.walk(&step.body.body, &mut repeats, &mut |ranges, stmt, repeats| {
            visit(position, ranges, stmt, repeats);
        });
        if step.kind == CombinatorKind::Map && facts.combinator(step).is_none() {
            let found = ranges.export(&step.binds, &step.body.body.results);
            known.extend(found);
        }
    }
    known
}

impl Ranges<'_> {
    fn walk(
        &mut self,
        block: &Block,
        repeats: &mut Repeats,
        visit: &mut dyn FnMut(&mut Self, &Stmt, &Repeats),
    ) {
        for stmt in &block.stmts {
            visit(self, stmt, repeats);
            self.pass(stmt, repeats, visit);
        }
    }

    fn pass(
        &mut self,
        stmt: &Stmt,
        repeats: &mut Repeats,
        visit: &mut dyn FnMut(&mut Self, &Stmt, &Repeats),
    ) {
        match &stmt.kind {
            StmtKind::Op { dst, op, args } => self.define(*dst, *op, args),
            StmtKind::Check { cond, .. } => self.assume(*cond, true),
            StmtKind::If { dsts, cond, then, otherwise } => {
                for (arm, truth) in [(then, true), (otherwise, false)] {
                    self.enter();
                    self.assume(*cond, truth);
                    self.walk(arm, repeats, visit);
                    self.leave();
                }
                for ((&dst, &x), &y) in dsts.iter().zip(&then.results).zip(&otherwise.results) {
                    self.unknown(dst, self.thunk.local_type(dst));
                    self.chosen(dst, *cond, [x, y]);
                }
            }
            StmtKind::For { dsts, var, from, to, carried, body } => {
                for (slot, (&dst, &carried)) in dsts.iter().zip(carried).enumerate() {
                    self.carried(dst, carried, body.results[slot], body);
                }
                self.enter();
                self.counter(*var, *from, *to);
                repeats.counters.push(*var);
                self.walk(body, repeats, visit);
                repeats.counters.pop();
                self.leave();
            }
            StmtKind::While { dsts, carried, cond, body } => {
                for (slot, (&dst, &carried)) in dsts.iter().zip(carried).enumerate() {
                    self.carried(dst, carried, body.results[slot], body);
                }
                let unbounded = std::mem::replace(&mut repeats.unbounded, true);
                self.enter();
                self.walk(cond, repeats, visit);
                self.leave();
                self.enter();
                self.assume(cond.results[0], true);
                self.walk(body, repeats, visit);
                self.leave();
                repeats.unbounded = unbounded;
            }
            StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. } => self.prove(&mut stmt.kind.clone()),
        }
    }
}
