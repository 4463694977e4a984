//! Dataflow graph of a thunk: the units that a cut keeps whole, and the scalars that flow between them.
//!
//! A *unit* is a statement with the blocks inside it; all statements from the first to the last use of a private array are one. *Leaves* belong to no unit: index arithmetic on the
//! coordinates, and reads at such indices, are so cheap that every unit has its own. The last unit stands for the results of the thunk. Only where no lane can stop, the results
//! of a `map` may be computed apart: a lane that stops leaves zeros in all of them.
//!
//! A lane *stops* by a fault, by a proof that need not hold after faults elsewhere, or in a loop that is not known to end. Units in which a lane may stop keep their order.

use super::graph::{Graph, walk};
use super::kept::Kept;
use super::stops::Stops;
use nestled_ir::{
    Atom, Combinator, CombinatorKind, LocalId, Op, PrivateId, Stmt, StmtKind, ThunkPart, ValueId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The dataflow graph of a combinator's thunk.
pub struct Dataflow<'k> {
    /// The combinator.
    pub step: &'k Combinator,
    /// The units, each after those whose scalars it uses.
    pub units: Vec<Unit>,
    /// For each local: the unit that computes it; none for coordinates and leaves.
    pub maker: Vec<Option<usize>>,
    /// Values that every part takes: the guard, and parameters that a fault may lose.
    pub always: BTreeSet<ValueId>,
    /// Whether the results are computed apart.
    pub apart: bool,
}

/// Statements that stay together.
#[derive(Default)]
pub struct Unit {
    /// Positions of its statements in the thunk, ascending.
    pub stmts: BTreeSet<usize>,
    /// Positions of the leaves that it needs.
    pub leaves: BTreeSet<usize>,
    /// The scalars of other units that it uses.
    pub uses: BTreeSet<LocalId>,
    /// Parameters and values of other combinators that it and its leaves read.
    pub reads: BTreeSet<ValueId>,
    /// Positions of the results of the thunk that it gives.
    pub results: Vec<usize>,
    /// Bytes of its private arrays, as far as their sizes are known.
    pub private: u64,
    /// Whether a lane may stop in it.
    pub stops: bool,
}

/// Longest chain of operations from coordinates to an index that is still a leaf.
const CHAIN: u32 = 4;

impl<'k> Dataflow<'k> {
    /// Builds the graph of a combinator.
    pub fn of(graph: &Graph<'k>, step: &'k Combinator, kept: &Kept, stops: &Stops<'_>) -> Dataflow<'k> {
        let mut always: BTreeSet<ValueId> = kept.params.iter().copied().collect();
        always.extend(step.guard);
        let maker = vec![None; step.body.locals.len()];
        let mut flow = Dataflow { step, units: Vec::new(), maker, always, apart: false };
        let leaves = Leaves::of(step, graph, stops);
        for stmts in flow.runs(&leaves) {
            flow.add_unit(stmts, &leaves, graph, stops);
        }
        let may_stop = flow.units.iter().any(|unit| unit.stops);
        flow.apart = step.kind == CombinatorKind::Map && !may_stop;
        if flow.apart {
            flow.add_results_apart(&leaves)
        } else {
            flow.add_results(&leaves, graph)
        }
        flow
    }

    /// The statements of each unit, in order: all but leaves, those of one private array together.
    fn runs(&self, leaves: &Leaves) -> Vec<BTreeSet<usize>> {
        let stmts = &self.step.body.body.stmts;
        let (mut first, mut last) = (BTreeMap::new(), BTreeMap::new());
        for (at, stmt) in stmts.iter().enumerate() {
            for private in privates_used(stmt) {
                first.entry(private).or_insert(at);
                last.insert(private, at);
            }
        }
        let begins = |stmt: &Stmt| match &stmt.kind {
            StmtKind::PrivateNew { array, .. } => first.get(array).copied(),
            _ => None,
        };
        let (mut runs, mut open): (Vec<BTreeSet<usize>>, Option<usize>) = (Vec::new(), None);
        let mut early: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, stmt) in stmts.iter().enumerate() {
            if let Some(user) = begins(stmt) {
                early.entry(user).or_default().push(at);
            } else if !leaves.is_leaf(at) {
                match (open, runs.last_mut()) {
                    (Some(end), Some(run)) if at <= end => run.extend([at]),
                    _ => runs.push(BTreeSet::from([at])),
                }
                let run = runs.last_mut().expect("it has been opened");
                run.extend(early.remove(&at).into_iter().flatten());
                let ends = privates_used(stmt).into_iter().filter_map(|private| last.get(&private).copied());
                open = ends.chain(open).max();
            }
        }
        runs
    }

    fn add_unit(&mut self, stmts: BTreeSet<usize>, leaves: &Leaves, graph: &Graph<'_>, stops: &Stops<'_>) {
        let all = &self.step.body.body.stmts;
        let mut unit = Unit::default();
        for &at in &stmts {
            locals_of(&all[at], &mut |local| self.add_use(&mut unit, local, leaves));
            captured_by(&all[at], &mut unit.reads);
            unit.private = unit.private.saturating_add(Graph::private_bytes(&self.step.body, &all[at]));
            unit.stops |= stops.may_stop(self.step, &all[at]);
        }
        unit.reads.retain(|&value| graph.is_argument(value));
        let number = self.units.len();
        for &at in &stmts {
            all[at].kind.dsts().iter().for_each(|dst| self.maker[dst.index()] = Some(number));
        }
        unit.uses.retain(|local| self.maker[local.index()] != Some(number));
        unit.stmts = stmts;
        self.units.push(unit);
    }

    /// Adds what the use of a local means to a unit.
    fn add_use(&self, unit: &mut Unit, local: LocalId, leaves: &Leaves) {
        if self.maker[local.index()].is_some() {
            unit.uses.insert(local);
        } else if let Some(leaf) = leaves.leaf_of(local) {
            unit.leaves.extend(&leaf.stmts);
            unit.reads.extend(&leaf.reads);
        }
    }

    fn add_result(&self, unit: &mut Unit, position: usize, leaves: &Leaves) {
        unit.results.push(position);
        match self.step.body.body.results[position] {
            Atom::Local(local) => self.add_use(unit, local, leaves),
            Atom::Value(value) => unit.reads.extend([value]),
            Atom::Const(_) => {}
        }
    }

    /// Adds one unit with all results. After a stop a guarded scatter could not be told which points to leave out, so that everything from the first stop on goes with it.
    fn add_results(&mut self, leaves: &Leaves, graph: &Graph<'_>) {
        let mut unit = Unit::default();
        unit.reads.extend(self.step.kind.bases());
        (0..self.step.body.body.results.len()).for_each(|at| self.add_result(&mut unit, at, leaves));
        if matches!(self.step.kind, CombinatorKind::Permute { .. }) && self.step.guard.is_some() {
            let first = self.units.iter().position(|unit| unit.stops).unwrap_or(self.units.len());
            self.units.drain(first..).for_each(|stop| unit.take_in(stop));
            let number = self.units.len();
            self.maker.iter_mut().flatten().for_each(|maker| *maker = (*maker).min(number));
            unit.uses.retain(|local| self.maker[local.index()] != Some(number));
        }
        unit.reads.retain(|&value| graph.is_argument(value));
        self.units.push(unit);
    }

    /// Gives each result to the unit that computes it, or to a unit of its own.
    fn add_results_apart(&mut self, leaves: &Leaves) {
        let mut given: BTreeSet<LocalId> = BTreeSet::new();
        for (position, &result) in self.step.body.body.results.iter().enumerate() {
            let maker = match result {
                Atom::Local(local) if given.insert(local) => self.maker[local.index()],
                Atom::Local(_) | Atom::Const(_) | Atom::Value(_) => None,
            };
            match maker {
                Some(maker) => self.units[maker].results.push(position),
                None => {
                    let mut unit = Unit::default();
                    self.add_result(&mut unit, position, leaves);
                    self.units.push(unit);
                }
            }
        }
    }

    /// The result under which a scalar of a unit leaves, where results are computed apart.
    pub fn result_of(&self, local: LocalId) -> Option<usize> {
        let maker = self.maker[local.index()].filter(|_| self.apart)?;
        let results = &self.step.body.body.results;
        self.units[maker].results.iter().copied().find(|&at| results[at] == Atom::Local(local))
    }

    /// The units without which nothing would be missed are left out: those that lead to a result, and those in which a lane may stop.
    pub fn live(&self) -> Vec<bool> {
        let mut live: Vec<bool> =
            self.units.iter().map(|unit| unit.stops || !unit.results.is_empty()).collect();
        for at in (0..self.units.len()).rev() {
            if live[at] {
                let makers = self.units[at].uses.iter().filter_map(|local| self.maker[local.index()]);
                makers.for_each(|maker| live[maker] = true);
            }
        }
        live
    }
}

impl Unit {
    fn take_in(&mut self, other: Unit) {
        self.stmts.extend(other.stmts);
        self.leaves.extend(other.leaves);
        self.uses.extend(other.uses);
        self.reads.extend(other.reads);
        self.private = self.private.saturating_add(other.private);
        self.stops |= other.stops;
    }
}

/// The leaves of a thunk.
struct Leaves {
    /// For each local that is one: what a copy of it takes.
    leaves: BTreeMap<LocalId, Leaf>,
    is_leaf: Vec<bool>,
}

/// What a copy of a leaf takes.
#[derive(Clone, Default)]
struct Leaf {
    stmts: BTreeSet<usize>,
    reads: BTreeSet<ValueId>,
    /// Number of operations on the way from the coordinates; none for what is read.
    chain: Option<u32>,
}

impl Leaves {
    fn of(step: &Combinator, graph: &Graph<'_>, stops: &Stops<'_>) -> Leaves {
        let stmts = &step.body.body.stmts;
        let mut found = Leaves { leaves: BTreeMap::new(), is_leaf: vec![false; stmts.len()] };
        for (at, stmt) in stmts.iter().enumerate() {
            let [dst] = stmt.kind.dsts() else { continue };
            if let Some(mut leaf) = found.leaf(step, stmt).filter(|_| !stops.may_stop(step, stmt)) {
                leaf.stmts.insert(at);
                captured_by(stmt, &mut leaf.reads);
                leaf.reads.retain(|&value| graph.is_argument(value));
                found.leaves.insert(*dst, leaf);
                found.is_leaf[at] = true;
            }
        }
        found
    }

    fn is_leaf(&self, at: usize) -> bool {
        self.is_leaf[at]
    }

    fn leaf_of(&self, local: LocalId) -> Option<&Leaf> {
        self.leaves.get(&local)
    }

    /// What the operands of a statement take, if it can be a leaf.
    fn leaf(&self, step: &Combinator, stmt: &Stmt) -> Option<Leaf> {
        let reads = match &stmt.kind {
            StmtKind::Op { op, .. } if is_cheap(*op) => false,
            StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. } => true,
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => return None,
        };
        let mut all = Leaf::default();
        let mut chain = 0;
        for atom in stmt.kind.atoms() {
            let Atom::Local(local) = atom else { continue };
            if local.index() >= step.body.n_params {
                let leaf = self.leaves.get(&local)?;
                chain = chain.max(leaf.chain?);
                all.stmts.extend(&leaf.stmts);
                all.reads.extend(&leaf.reads);
            }
        }
        all.chain = (!reads).then_some(chain + 1);
        (reads || chain < CHAIN).then_some(all)
    }
}

/// True for operations that cost no more than a read.
fn is_cheap(op: Op) -> bool {
    !op.is_elementary() && !matches!(op, Op::Sqrt | Op::Div | Op::Rem | Op::DivFloor | Op::RemFloor)
}

/// Visits the locals that a statement uses, also inside its blocks.
fn locals_of(stmt: &Stmt, visit: &mut dyn FnMut(LocalId)) {
    let mut visit_atom = |atom: Atom| {
        if let Atom::Local(local) = atom {
            visit(local);
        }
    };
    walk(stmt, &mut |stmt| {
        stmt.kind.atoms().into_iter().for_each(&mut visit_atom);
        stmt.kind.blocks().iter().for_each(|block| block.results.iter().copied().for_each(&mut visit_atom));
    });
}

/// Adds the values of the kernel that a statement reads or mentions.
fn captured_by(stmt: &Stmt, captured: &mut BTreeSet<ValueId>) {
    walk(stmt, &mut |stmt| {
        stmt.kind.for_each_part(&mut |part| match part {
            ThunkPart::Param(value) | ThunkPart::Earlier(value) | ThunkPart::Atom(Atom::Value(value)) => {
                captured.extend([*value]);
            }
            ThunkPart::Block(block) => {
                for result in &block.results {
                    if let Atom::Value(value) = result {
                        captured.extend([*value]);
                    }
                }
            }
            ThunkPart::Atom(Atom::Local(_) | Atom::Const(_))
            | ThunkPart::Dst(_)
            | ThunkPart::LoopLocal(_)
            | ThunkPart::NewPrivate(_)
            | ThunkPart::Private(_)
            | ThunkPart::Thunk(_)
            | ThunkPart::Rule(_)
            | ThunkPart::Site(_) => {}
        });
    });
}

/// The private arrays that a statement reads or writes, also inside its blocks.
fn privates_used(stmt: &Stmt) -> BTreeSet<PrivateId> {
    let mut used = BTreeSet::new();
    walk(stmt, &mut |stmt| {
        stmt.kind.for_each_part(&mut |part| {
            if let ThunkPart::Private(private) = part {
                used.insert(*private);
            }
        });
    });
    used
}
