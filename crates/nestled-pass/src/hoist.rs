//! `hoist`: loop-invariant code motion across levels. A computation that is uniform in a group is hoisted to the outer level, and runs once for the group.
//!
//! ```text
//! y = map { i, j => mul (exp a[i proved]) xs[i, j] }      t = map { i => exp a[i proved] }
//!                                                         y = map { i, j => mul t[i] xs[i, j] }
//! ```
//!
//! A statement of a thunk is *uniform* at a level if all its operands are known there: coordinates of that level, scalars, and values that earlier combinators bound at it or
//! further out. Uniform statements that are expensive, and those computed from them, become a `map` of the outer level (at the whole a `once`). Cheap statements that these need
//! are copied (rematerialised), and also stay. The price is a register for each group; so the expensive statements must be worth it, and more so at the whole, where any compiler
//! hoists by itself.
//!
//! Only statements move that neither fault nor may run forever: there may be groups without points, and guards that hold nowhere. A `proved` read moves only if it is at the own
//! coordinates of its array: others may have been proved only for points that exist.
//!
//! Limits: scans, windows and private arrays stay; so do statements inside an `if`.

use crate::facts::Facts;
use crate::pass::{Pass, PassContext};
use crate::reads::{Work, work_of_stmt};
use crate::simplify::dead_code::remove_dead;
use nestled_ir::typing::combinator_types;
use nestled_ir::{
    Atom, Block, Combinator, CombinatorKind, Kernel, LocalId, Name, Program, Rule, Stmt, StmtKind, Thunk,
    Type, Value, ValueId,
};
use std::collections::{HashMap, HashSet};

/// The pass.
pub const PASS: Pass = Pass {
    name: "hoist",
    summary: "what is the same at all points of a group is computed once for it",
    changes_rounding: false,
    run: hoist,
};

/// Least cost of the expensive statements together, in additions, to hoist to an outer level.
const LEAST: u32 = 16;
/// Least cost to hoist to a `once`.
const LEAST_ONCE: u32 = 64;
/// Cost from which on a statement is expensive.
const DEAR: u32 = 8;

fn hoist(program: &Program, _: &mut PassContext) -> Program {
    let facts = Facts::of(program);
    let mut next = program.clone();
    next.kernels.iter_mut().for_each(|kernel| hoist_in(kernel, &facts));
    next
}

fn hoist_in(kernel: &mut Kernel, facts: &Facts) {
    let mut binds: HashMap<ValueId, usize> = HashMap::new();
    for mut step in std::mem::take(&mut kernel.steps) {
        for level in 0..step.level().0 {
            let least = if level == 0 { LEAST_ONCE } else { LEAST };
            let found = Uniform::of(&step.body, level, kernel, &binds, facts);
            if found.dear < least {
                continue;
            }
            if let Some(outer) = found.take_out(&mut step, kernel) {
                step.body = remove_dead(&step.body, facts);
                binds.extend(outer.binds.iter().map(|&bind| (bind, level)));
                kernel.steps.push(outer);
            }
        }
        let readable = match step.kind {
            CombinatorKind::Reduce { to, .. } => Some(to),
            CombinatorKind::Map if step.guard.is_none() => Some(step.level()),
            CombinatorKind::Map
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Partition { .. }
            | CombinatorKind::Permute { .. }
            | CombinatorKind::Serial { .. } => None,
        };
        binds.extend(
            readable.into_iter().flat_map(|level| step.binds.iter().map(move |&bind| (bind, level.0))),
        );
        kernel.steps.push(step);
    }
}

/// The statements of a thunk that can be hoisted to an outer level.
struct Uniform {
    level: usize,
    /// Positions of the statements to hoist: the expensive ones, those computed from them, and those that they need.
    moves: Vec<usize>,
    /// Of these, the expensive ones and those computed from them: they leave the thunk.
    leaves: HashSet<usize>,
    /// Cost of the expensive ones together, in additions.
    dear: u32,
}

impl Uniform {
    fn of(
        thunk: &Thunk,
        level: usize,
        kernel: &Kernel,
        binds: &HashMap<ValueId, usize>,
        facts: &Facts,
    ) -> Uniform {
        let scope = Scope { level, kernel, binds, facts };
        let mut uniform: HashSet<LocalId> = (0..level).map(LocalId::from).collect();
        let mut makers: HashMap<LocalId, usize> = HashMap::new();
        let (mut dear, mut leaves, mut needed) = (0, HashSet::new(), HashSet::new());
        for (at, stmt) in thunk.body.stmts.iter().enumerate() {
            if !scope.may_move(&stmt.kind, &mut uniform.clone()) {
                continue;
            }
            uniform.extend(stmt.kind.dsts());
            makers.extend(stmt.kind.dsts().iter().map(|&dst| (dst, at)));
            let from: Vec<usize> =
                locals(&stmt.kind).iter().filter_map(|local| makers.get(local).copied()).collect();
            let cost = cost(&stmt.kind);
            if cost >= DEAR || from.iter().any(|maker| leaves.contains(maker)) {
                dear += if cost >= DEAR { cost } else { 0 };
                leaves.insert(at);
                needed.insert(at);
            }
        }
        // What they need, and what that needs.
        for at in (0..thunk.body.stmts.len()).rev() {
            if needed.contains(&at) {
                needed
                    .extend(locals(&thunk.body.stmts[at].kind).iter().filter_map(|local| makers.get(local)));
            }
        }
        let mut moves: Vec<usize> = needed.into_iter().collect();
        moves.sort_unstable();
        Uniform { level, moves, leaves, dear }
    }

    /// Moves the statements out of a combinator; returns the combinator of the outer level, if the rest uses its results.
    fn take_out(self, step: &mut Combinator, kernel: &mut Kernel) -> Option<Combinator> {
        let body = &mut step.body.body;
        let mut used: HashSet<LocalId> = body.results.iter().filter_map(local).collect();
        let stays = |at: &usize| !self.leaves.contains(at);
        for (_, stmt) in body.stmts.iter().enumerate().filter(|(at, _)| stays(at)) {
            used.extend(locals(&stmt.kind));
        }
        let is_used = |at: &usize| body.stmts[*at].kind.dsts().iter().any(|dst| used.contains(dst));
        if !self.leaves.iter().any(is_used) {
            return None;
        }
        let stmts = std::mem::take(&mut body.stmts);
        let mut outer = Thunk {
            n_params: self.level,
            body: Block::default(),
            privates: Vec::new(),
            n_given: 0,
            locals: step.body.locals.clone(),
        };
        outer.body.stmts = self.moves.iter().map(|&at| stmts[at].clone()).collect();
        let mut binds = Vec::new();
        for (at, stmt) in stmts.into_iter().enumerate() {
            if !self.leaves.contains(&at) {
                step.body.body.stmts.push(stmt);
                continue;
            }
            for &dst in stmt.kind.dsts().iter().filter(|dst| used.contains(dst)) {
                let bind = new_value(kernel, step.body.locals[dst.index()].name.clone(), &stmt);
                binds.push(bind);
                outer.body.results.push(Atom::Local(dst));
                step.body.body.stmts.push(Stmt { kind: StmtKind::Own { dst, bind }, span: stmt.span });
            }
        }
        let kind = CombinatorKind::Map;
        let types = combinator_types(kernel, &kind, &outer, &binds).expect("a map of what a thunk computed");
        for (bind, ty) in binds.iter().zip(types) {
            kernel.values[bind.index()].ty = ty;
        }
        Some(Combinator { binds, kind, guard: None, body: outer, span: step.span })
    }
}

fn new_value(kernel: &mut Kernel, name: Name, stmt: &Stmt) -> ValueId {
    kernel.values.push(Value { name, ty: Type::Dim, span: stmt.span });
    ValueId::from(kernel.values.len() - 1)
}

fn local(atom: &Atom) -> Option<LocalId> {
    match atom {
        Atom::Local(local) => Some(*local),
        Atom::Const(_) | Atom::Value(_) => None,
    }
}

/// The locals that a statement uses, including those used inside its blocks.
fn locals(kind: &StmtKind) -> HashSet<LocalId> {
    let mut found: HashSet<LocalId> = kind.atoms().iter().filter_map(local).collect();
    for block in kind.blocks() {
        found.extend(block.results.iter().filter_map(local));
        block.stmts.iter().for_each(|stmt| found.extend(locals(&stmt.kind)));
    }
    found
}

/// The values that are available at a level.
#[derive(Clone, Copy)]
struct Scope<'a> {
    level: usize,
    kernel: &'a Kernel,
    /// Binds that may be read without a guard, with their levels.
    binds: &'a HashMap<ValueId, usize>,
    facts: &'a Facts,
}

impl Scope<'_> {
    /// True if a statement can stand at the level, where the locals `known` are available; adds the locals that it binds inside.
    fn may_move(&self, kind: &StmtKind, known: &mut HashSet<LocalId>) -> bool {
        let is_known = |atom: &Atom| local(atom).is_none_or(|local| known.contains(&local));
        if !kind.atoms().iter().all(is_known) {
            return false;
        }
        match kind {
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. } => true,
            StmtKind::Own { bind, .. } => self.binds.get(bind).is_some_and(|level| *level <= self.level),
            StmtKind::Read { .. } => kind.site().is_none() && self.is_own_or_total(kind),
            StmtKind::Call { thunk, .. } => self.facts.is_total(*thunk),
            StmtKind::If { then, otherwise, .. } => {
                [then, otherwise].into_iter().all(|block| self.may_move_block(block, known))
            }
            StmtKind::For { var, carried, body, .. } => {
                known.insert(*var);
                known.extend(carried.iter().map(|carried| carried.local));
                self.may_move_block(body, known)
            }
            StmtKind::Window { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => false,
        }
    }

    fn may_move_block(&self, block: &Block, known: &mut HashSet<LocalId>) -> bool {
        let stmts = block.stmts.iter().all(|stmt| {
            let may = self.may_move(&stmt.kind, known);
            known.extend(stmt.kind.dsts());
            may
        });
        stmts && block.results.iter().all(|atom| local(atom).is_none_or(|local| known.contains(&local)))
    }

    /// True if a read is in bounds at every point of the level: by its rules, or because it is at the point's own coordinates.
    fn is_own_or_total(&self, read: &StmtKind) -> bool {
        let StmtKind::Read { array, index, .. } = read else { return false };
        let Some(array) = self.kernel.values[array.index()].ty.as_array() else { return false };
        index.iter().enumerate().all(|(at, index)| {
            let is_own = index.at == Atom::Local(LocalId::from(at)) && at < self.level;
            let same_axis = array.shape.axes.get(at) == self.kernel.space.get(at);
            index.rule != Rule::Proved || is_own && same_axis
        })
    }
}

/// The cost of a statement, in additions.
fn cost(kind: &StmtKind) -> u32 {
    let Work { reads, operations } = work_of_stmt(kind);
    operations.saturating_add(reads)
}
