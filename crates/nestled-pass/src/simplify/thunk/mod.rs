//! Simplification of thunks: one forward walk that carries facts about operands (copies, values, conditions, ranges).
//!
//! - operations go through [`algebra`]; copies are propagated, so that they disappear;
//! - common subexpressions are eliminated ([`cse`]); a write gives a private array a new version, and later reads of the place get the written value;
//! - an `if` of a literal and loops of no or one round become the code they run, tiny loops are unrolled ([`unroll`](super::unroll)), an `if` with empty arms becomes `select`;
//! - constant carried variables are replaced by their initial values;
//! - inside an arm its condition is known, with its consequences ([`learn`]); after a `check` so is its condition;
//! - code common to both arms, and loop-invariant code, is hoisted out of the block ([`code_motion`]);
//! - accesses in bounds become `proved`, and comparisons that facts decide are replaced ([`ranges`](crate::ranges)).
//!
//! Dead code is left for [`dead_code`](super::dead_code).

mod learn;
mod loops;

use super::algebra;
use super::code_motion::{self, Mover};
use super::cse::{Scoped, ThunkKey, thunk_key};
use super::rule::{Operands, Simple};
use super::unroll::unroll;
use crate::facts::Facts;
use crate::ranges::{KernelRanges, Ranges};
use loops::Slots;
use nestled_ir::{
    Atom, Axis, Block, Combinator, CombinatorKind, LocalId, Op, PrivateId, ScalarType, Span, Stmt, StmtKind,
    Thunk, Value, ValueId,
};
use std::collections::HashMap;

/// The surroundings of a thunk: a kernel, or nothing.
#[derive(Clone, Copy, Debug)]
pub struct ThunkScope<'a> {
    /// The values of the kernel.
    pub values: &'a [Value],
    /// The space of the kernel.
    pub space: &'a [Axis],
    /// Binds of earlier combinators that are known to be a literal, a scalar of the kernel, or a coordinate.
    pub known: &'a HashMap<ValueId, Atom>,
    /// The ranges of binds of earlier combinators.
    pub ranges: &'a KernelRanges,
}

/// Simplifies a thunk.
pub fn simplify_thunk(thunk: &Thunk, scope: ThunkScope<'_>, facts: &Facts) -> Thunk {
    let thunk = unroll(thunk);
    let body = Walk::new(&thunk, scope, facts, None).body();
    Thunk { body, ..thunk }
}

/// Simplifies the thunk of a combinator. Returns the ranges of its results, if it is a `map`.
pub fn simplify_combinator(step: &mut Combinator, scope: ThunkScope<'_>, facts: &Facts) -> KernelRanges {
    let thunk = unroll(&step.body);
    let mut walk = Walk::new(&thunk, scope, facts, step.guard);
    walk.ranges.give(&step.kind);
    let body = walk.body();
    walk.ranges.prove_results(&mut step.kind, &body.results);
    let known = match step.kind {
        CombinatorKind::Map => walk.ranges.export(&step.binds, &body.results),
        CombinatorKind::Reduce { .. }
        | CombinatorKind::Scan { .. }
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. }
        | CombinatorKind::Permute { .. }
        | CombinatorKind::Serial { .. } => KernelRanges::default(),
    };
    step.body = Thunk { body, ..thunk };
    known
}

struct Walk<'a> {
    thunk: &'a Thunk,
    scope: ThunkScope<'a>,
    /// The effects of named thunks.
    effects: &'a Facts,
    /// The substitution: for each local its replacement from here on.
    subst: Vec<Option<Atom>>,
    /// For each local: the operation that computes it, with operands as they are now.
    definitions: Vec<Option<(Op, Vec<Atom>)>>,
    seen: Scoped<ThunkKey, Vec<Atom>>,
    /// Locals that were given a value because of a condition; undone at the end of the block.
    facts: Vec<LocalId>,
    /// For each private array: its version, a number that changes with each write.
    versions: Vec<u32>,
    last_version: u32,
    ranges: Ranges<'a>,
}

impl<'a> Walk<'a> {
    fn new(thunk: &'a Thunk, scope: ThunkScope<'a>, facts: &'a Facts, guard: Option<ValueId>) -> Walk<'a> {
        Walk {
            thunk,
            scope,
            effects: facts,
            subst: vec![None; thunk.locals.len()],
            definitions: vec![None; thunk.locals.len()],
            seen: Scoped::new(),
            facts: Vec::new(),
            versions: vec![0; thunk.privates.len()],
            last_version: 0,
            ranges: Ranges::new(thunk, scope.values, scope.space, scope.ranges, guard),
        }
    }

    /// Simplifies the whole thunk; facts known at its end stay known.
    fn body(&mut self) -> Block {
        let thunk = self.thunk;
        let mut stmts = Vec::new();
        self.seen.enter();
        let results = self.inline(&thunk.body, &mut stmts);
        Block { stmts, results }
    }
}

impl Operands for Walk<'_> {
    fn ty(&self, atom: Atom) -> ScalarType {
        match atom {
            Atom::Local(local) => self.thunk.local_type(local),
            Atom::Const(scalar) => scalar.ty(),
            Atom::Value(value) => {
                let ty = self.scope.values[value.index()].ty.as_scalar();
                ty.expect("operands of verified thunks are scalars")
            }
        }
    }

    fn definition(&self, atom: Atom) -> Option<(Op, &[Atom])> {
        let Atom::Local(local) = atom else { return None };
        self.definitions[local.index()].as_ref().map(|(op, args)| (*op, args.as_slice()))
    }
}

impl<'a> Walk<'a> {
    fn resolve(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Local(local) => self.subst[local.index()].unwrap_or(atom),
            Atom::Const(_) | Atom::Value(_) => atom,
        }
    }

    fn resolve_all(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|&atom| self.resolve(atom)).collect()
    }

    fn replace(&mut self, local: LocalId, by: Atom) {
        self.subst[local.index()] = Some(by);
    }

    fn replace_all(&mut self, locals: &[LocalId], by: &[Atom]) {
        for (&local, &atom) in locals.iter().zip(by) {
            self.replace(local, atom);
        }
    }

    /// Simplifies a block in a scope of its own: facts learned in it end with it.
    fn block(&mut self, block: &Block) -> Block {
        self.block_where(block, None)
    }

    /// Simplifies a block that runs only where a condition has a known value.
    fn block_where(&mut self, block: &Block, known: Option<(Atom, bool)>) -> Block {
        self.seen.enter();
        self.ranges.enter();
        let n_facts = self.facts.len();
        if let Some((cond, value)) = known {
            self.learn(cond, value);
        }
        let mut stmts = Vec::new();
        let results = self.inline(block, &mut stmts);
        for local in self.facts.drain(n_facts..) {
            self.subst[local.index()] = None;
        }
        self.ranges.leave();
        self.seen.leave();
        Block { stmts, results }
    }

    /// Simplifies the statements of a block into the block under construction; returns its results.
    fn inline(&mut self, block: &Block, out: &mut Vec<Stmt>) -> Vec<Atom> {
        for stmt in &block.stmts {
            self.stmt(stmt, out);
        }
        self.resolve_all(&block.results)
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Op { dst, op, args } => {
                let args = self.resolve_all(args);
                self.op(*dst, *op, args, span, out);
            }
            StmtKind::If { dsts, cond, then, otherwise } => {
                self.branch(dsts, *cond, [then, otherwise], span, out);
            }
            StmtKind::For { dsts, var, from, to, carried, body } => {
                let (from, to) = (self.resolve(*from), self.resolve(*to));
                let slots = Slots { dsts, carried };
                self.counted(slots, *var, (from, to), body, span, out);
            }
            StmtKind::While { dsts, carried, cond, body } => {
                self.repeated(Slots { dsts, carried }, cond, body, span, out);
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
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => {
                let mut kind = stmt.kind.clone();
                kind.for_each_atom(&mut |atom| *atom = self.resolve(*atom));
                self.simple(kind, span, out);
            }
        }
    }

    fn op(&mut self, dst: LocalId, op: Op, args: Vec<Atom>, span: Span, out: &mut Vec<Stmt>) {
        match algebra::simplify(op, args, self) {
            Simple::Atom(atom) => self.replace(dst, atom),
            Simple::Op(op, args) => {
                if let Some(known) = self.ranges.decide(op, &args) {
                    return self.replace(dst, known);
                }
                self.ranges.define(dst, op, &args);
                self.definitions[dst.index()] = Some((op, args.clone()));
                self.emit(StmtKind::Op { dst, op, args }, span, out);
            }
        }
    }

    /// Simplifies a statement without blocks that is not an operation; its operands are already substituted.
    fn simple(&mut self, mut kind: StmtKind, span: Span, out: &mut Vec<Stmt>) {
        self.ranges.prove(&mut kind);
        match kind {
            StmtKind::Own { dst, bind } => match self.scope.known.get(&bind) {
                Some(&atom) => self.replace(dst, atom),
                None => self.emit(kind, span, out),
            },
            StmtKind::Window { dst, bind, ref offsets, .. }
                if offsets.iter().all(|offset| offset.by == 0) =>
            {
                self.simple(StmtKind::Own { dst, bind }, span, out);
            }
            StmtKind::Check { cond, .. } => {
                if self.ranges.truth(cond) != Some(true) {
                    self.emit(kind, span, out);
                    self.learn(cond, true);
                }
            }
            StmtKind::PrivateNew { array, .. } => {
                self.written(&[array]);
                out.push(Stmt { kind, span });
            }
            StmtKind::PrivateSet { .. } => self.private_set(kind, span, out),
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateGet { .. } => self.emit(kind, span, out),
        }
    }

    /// Simplifies a write to a private array: later reads of the place give the written value (store-to-load forwarding); a write of the value already there is removed.
    fn private_set(&mut self, kind: StmtKind, span: Span, out: &mut Vec<Stmt>) {
        let StmtKind::PrivateSet { array, at, value, site: _ } = kind else { return };
        let read = StmtKind::PrivateGet { dst: LocalId(0), array, at, site: None };
        let holds = |walk: &Self| thunk_key(&read, |array| walk.versions[array.index()]);
        if holds(self).is_some_and(|key| self.seen.get(&key) == Some(&vec![value])) {
            return;
        }
        self.written(&[array]);
        if let Some(key) = holds(self) {
            self.seen.insert(key, vec![value]);
        }
        out.push(Stmt { kind, span });
    }

    /// Adds a statement, unless its results are known already.
    fn emit(&mut self, kind: StmtKind, span: Span, out: &mut Vec<Stmt>) {
        if let Some(key) = thunk_key(&kind, |array| self.versions[array.index()]) {
            if let Some(known) = self.seen.get(&key) {
                let known = known.clone();
                self.replace_all(kind.dsts(), &known);
                return;
            }
            self.seen.insert(key, kind.dsts().iter().map(|&dst| Atom::Local(dst)).collect());
        }
        out.push(Stmt { kind, span });
    }

    fn mover(&mut self) -> Mover<'_, 'a> {
        Mover { facts: self.effects, ranges: &mut self.ranges }
    }

    /// Adds statements that were hoisted out of a block. Facts about them from the block are forgotten: they may hold only there.
    fn moved(&mut self, stmts: Vec<Stmt>, out: &mut Vec<Stmt>) {
        for mut stmt in stmts {
            stmt.kind.dsts().iter().for_each(|&dst| self.ranges.forget(dst));
            match &stmt.kind {
                StmtKind::Op { dst, op, args } => self.ranges.define(*dst, *op, args),
                StmtKind::Threefry { .. }
                | StmtKind::Read { .. }
                | StmtKind::Own { .. }
                | StmtKind::Window { .. }
                | StmtKind::Len { .. }
                | StmtKind::Start { .. }
                | StmtKind::Call { .. }
                | StmtKind::If { .. }
                | StmtKind::For { .. }
                | StmtKind::While { .. }
                | StmtKind::PrivateNew { .. }
                | StmtKind::PrivateGet { .. }
                | StmtKind::PrivateSet { .. }
                | StmtKind::Check { .. } => self.ranges.prove(&mut stmt.kind),
            }
            if let Some(key) = thunk_key(&stmt.kind, |array| self.versions[array.index()]) {
                self.seen.insert(key, stmt.kind.dsts().iter().map(|&dst| Atom::Local(dst)).collect());
            }
            out.push(stmt);
        }
    }

    /// Gives a new version to private arrays that were, or may have been, written to.
    fn written(&mut self, arrays: &[PrivateId]) {
        for array in arrays {
            self.last_version += 1;
            self.versions[array.index()] = self.last_version;
        }
    }

    fn branch(&mut self, dsts: &[LocalId], cond: Atom, arms: [&Block; 2], span: Span, out: &mut Vec<Stmt>) {
        let (mut cond, [mut then, mut otherwise]) = (self.resolve(cond), arms);
        if let Some(truth) = self.ranges.truth(cond) {
            let taken = if truth { then } else { otherwise };
            let results = self.inline(taken, out);
            return self.replace_all(dsts, &results);
        }
        if let Some((Op::Not, args)) = self.definition(cond) {
            cond = args[0];
            (then, otherwise) = (otherwise, then);
        }
        let writes = [private_writes(then), private_writes(otherwise)].concat();
        let before = self.versions.clone();
        let mut then = self.block_where(then, Some((cond, true)));
        self.versions = before;
        let mut otherwise = self.block_where(otherwise, Some((cond, false)));
        self.written(&writes);
        let both = code_motion::common(&mut then, &mut otherwise, &mut self.mover());
        self.moved(both, out);
        let mut dsts = dsts.to_vec();
        for slot in (0..dsts.len()).rev() {
            if then.results[slot] == otherwise.results[slot] {
                self.replace(dsts.remove(slot), then.results.remove(slot));
                otherwise.results.remove(slot);
            }
        }
        if then.stmts.is_empty() && otherwise.stmts.is_empty() {
            for ((dst, x), y) in dsts.into_iter().zip(then.results).zip(otherwise.results) {
                self.op(dst, Op::Select, vec![cond, x, y], span, out);
            }
            return;
        }
        for ((&dst, &x), &y) in dsts.iter().zip(&then.results).zip(&otherwise.results) {
            self.ranges.chosen(dst, cond, [x, y]);
        }
        out.push(Stmt { kind: StmtKind::If { dsts, cond, then, otherwise }, span });
    }
}

/// Returns the private arrays that a block writes to or makes.
fn private_writes(block: &Block) -> Vec<PrivateId> {
    let mut writes = Vec::new();
    block.walk(&mut |stmt| {
        if let StmtKind::PrivateSet { array, .. } | StmtKind::PrivateNew { array, .. } = stmt.kind {
            writes.push(array);
        }
    });
    writes.sort();
    writes.dedup();
    writes
}
