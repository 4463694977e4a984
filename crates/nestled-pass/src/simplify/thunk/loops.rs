//! Simplification of loops in thunks: loops of no or one round, constant carried variables, and loop-invariant code motion.

use super::super::code_motion;
use super::{Walk, private_writes};
use nestled_ir::{Atom, Block, Carried, LocalId, Scalar, Span, Stmt, StmtKind};
use std::collections::HashSet;

impl Walk<'_> {
    pub(super) fn counted(
        &mut self,
        slots: Slots<'_>,
        var: LocalId,
        (from, to): (Atom, Atom),
        body: &Block,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let rounds = rounds(from, to);
        if rounds == Some(0) {
            let inits = self.inits(slots);
            return self.replace_all(slots.dsts, &inits);
        }
        if rounds == Some(1) {
            self.replace(var, from);
            let inits = self.inits(slots);
            for (carried, init) in slots.carried.iter().zip(inits) {
                self.replace(carried.local, init);
            }
            let results = self.inline(body, out);
            return self.replace_all(slots.dsts, &results);
        }
        let (dsts, carried, kept) = self.loop_slots(slots, body);
        let writes = private_writes(body);
        self.written(&writes);
        self.ranges.enter();
        self.ranges.counter(var, from, to);
        let mut body = self.block(body);
        self.ranges.leave();
        self.written(&writes);
        body.results = kept.iter().map(|&slot| body.results[slot]).collect();
        let mut inside: HashSet<LocalId> = carried.iter().map(|carried| carried.local).chain([var]).collect();
        body.for_each_bound(&mut |local| {
            inside.insert(local);
        });
        let before = code_motion::invariant(&mut body, &mut inside, runs(from, to), &mut self.mover());
        self.moved(before, out);
        out.push(Stmt { kind: StmtKind::For { dsts, var, from, to, carried, body }, span });
    }

    pub(super) fn repeated(
        &mut self,
        slots: Slots<'_>,
        cond: &Block,
        body: &Block,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let (dsts, carried, kept) = self.loop_slots(slots, body);
        let writes = [private_writes(cond), private_writes(body)].concat();
        self.written(&writes);
        let mut cond = self.block(cond);
        if cond.stmts.is_empty() && cond.results[0] == Atom::Const(Scalar::Bool(false)) {
            let inits = self.inits(slots);
            return self.replace_all(slots.dsts, &inits);
        }
        self.written(&writes);
        let mut body = self.block_where(body, Some((cond.results[0], true)));
        self.written(&writes);
        body.results = kept.iter().map(|&slot| body.results[slot]).collect();
        let mut inside: HashSet<LocalId> = carried.iter().map(|carried| carried.local).collect();
        for block in [&cond, &body] {
            block.for_each_bound(&mut |local| {
                inside.insert(local);
            });
        }
        // The condition is judged at least once.
        for (block, always) in [(&mut cond, true), (&mut body, false)] {
            let before = code_motion::invariant(block, &mut inside, always, &mut self.mover());
            self.moved(before, out);
        }
        out.push(Stmt { kind: StmtKind::While { dsts, carried, cond, body }, span });
    }

    fn inits(&self, slots: Slots<'_>) -> Vec<Atom> {
        slots.carried.iter().map(|carried| self.resolve(carried.init)).collect()
    }

    /// Returns the slots of a loop with carried variables that may change from round to round. The others are replaced by their initial values.
    fn loop_slots(&mut self, slots: Slots<'_>, body: &Block) -> (Vec<LocalId>, Vec<Carried>, Vec<usize>) {
        let (mut dsts, mut kept_carried, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, (&dst, carried)) in slots.dsts.iter().zip(slots.carried).enumerate() {
            let init = self.resolve(carried.init);
            let next = self.resolve(body.results[slot]);
            if next == Atom::Local(carried.local) || next == init {
                self.replace(carried.local, init);
                self.replace(dst, init);
            } else {
                let carried = Carried { local: carried.local, init };
                self.ranges.carried(dst, carried, body.results[slot], body);
                dsts.push(dst);
                kept_carried.push(carried);
                kept.push(slot);
            }
        }
        (dsts, kept_carried, kept)
    }
}

/// The carried variables of a loop, and the locals that hold their final values.
#[derive(Clone, Copy)]
pub(super) struct Slots<'a> {
    pub(super) dsts: &'a [LocalId],
    pub(super) carried: &'a [Carried],
}

/// Returns the number of rounds of a counted loop, where that is 0 or 1.
fn rounds(from: Atom, to: Atom) -> Option<u32> {
    if from == to {
        return Some(0);
    }
    let (Atom::Const(from), Atom::Const(to)) = (from, to) else { return None };
    let (from, to) = (from.as_integer()?, to.as_integer()?);
    if from >= to {
        Some(0)
    } else if from + 1 == to {
        Some(1)
    } else {
        None
    }
}

/// True if a counted loop is known to run at least one round.
fn runs(from: Atom, to: Atom) -> bool {
    matches!((from, to), (Atom::Const(Scalar::Idx(from)), Atom::Const(Scalar::Idx(to))) if from < to)
}
