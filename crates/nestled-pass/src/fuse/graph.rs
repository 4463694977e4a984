//! Dependence graph of a region: its runs of kernels, the data flow between them, and the pairs that can never be fused.
//!
//! Scalar host code is transparent: a scalar computed from the results of runs depends on those runs, and a fused kernel takes a copy of the computation along, as a `once`. All
//! other host code is opaque: an edge through it is unfusable.

use super::lost::Losses;
use super::reason::Reason;
use super::rules;
use super::symbols::{Bridges, Symbols};
use super::uses::Uses;
use crate::facts::Facts;
use nestled_ir::{
    Axis, CombinatorKind, Function, HostAtom, HostOp, HostStmt, Kernel, KernelId, Program, ValueId,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A run of a region. Runs are numbered in program order.
#[derive(Clone, Debug)]
pub struct RunNode<'a> {
    /// Index of its statement in the region.
    pub stmt: usize,
    /// The kernel that it runs.
    pub id: KernelId,
    /// The definition of that kernel.
    pub kernel: &'a Kernel,
    /// Its shape arguments.
    pub shapes: &'a [Axis],
    /// Its arguments.
    pub args: &'a [HostAtom],
    /// The values that it binds.
    pub binds: &'a [ValueId],
    /// Its space, in the symbols of host code.
    pub space: Vec<Axis>,
    /// Whether it can fault.
    pub may_fault: bool,
}

/// A data-flow edge between two runs.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The producing run.
    pub from: usize,
    /// The consuming run.
    pub to: usize,
    /// The value that the consumer is given.
    pub value: ValueId,
    /// The reason why the value must go through memory, if it must.
    pub verdict: Result<(), Reason>,
}

/// A pair that can never be one kernel, although nothing may flow between them.
#[derive(Clone, Debug)]
pub struct Apart {
    /// The earlier run.
    pub first: usize,
    /// The later run.
    pub second: usize,
    /// The reason.
    pub reason: Reason,
}

/// The graph of a region.
#[derive(Debug)]
pub struct Graph<'a> {
    /// The program.
    pub program: &'a Program,
    /// The function around the region.
    pub function: &'a Function,
    /// The statements of the region.
    pub stmts: &'a [HostStmt],
    /// Equivalence classes of the shape symbols at the end of the region.
    pub symbols: &'a Symbols,
    /// The runs.
    pub runs: Vec<RunNode<'a>>,
    /// For each statement: its run, if it is one.
    pub run_at: Vec<Option<usize>>,
    /// For each value bound in the region: the statement that binds it.
    pub bound: HashMap<ValueId, usize>,
    /// For each statement: the statements that it depends on directly.
    pub needs: Vec<BTreeSet<usize>>,
    /// For each scalar statement: the results of runs that it is computed from by scalar statements alone.
    leaves: Vec<BTreeSet<(usize, ValueId)>>,
    /// For each statement that is no run: the runs that it depends on through opaque host code, so that no `once` can compute it.
    through: Vec<BTreeSet<usize>>,
    /// For each class of shapes: the statements so far that make it one class (`same`, `widen`). `differing`: the `same` statements that equate two different constants.
    one: BTreeMap<Axis, Vec<usize>>,
    differing: Vec<usize>,
    bridges: Bridges,
    /// The data flow between runs.
    pub flows: Vec<Flow>,
    /// Pairs of runs that must be apart.
    pub apart: Vec<Apart>,
    /// How sums of the points that a filter keeps are grouped where they are computed in its kernel.
    pub grouping: Grouping,
}

/// The positions by which an inexact reduction groups the points that a filter keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grouping {
    /// Those among the kept points: the same bits as in a kernel of its own, so that nothing can be computed in the kernel of the filter.
    Kept,
    /// Those among all points that the filter sees.
    Seen,
}

impl<'a> Graph<'a> {
    /// Builds the graph of a stretch of statements.
    pub fn new(
        program: &'a Program,
        function: &'a Function,
        stmts: &'a [HostStmt],
        symbols: &'a Symbols,
        facts: &Facts,
        uses: &mut HashMap<KernelId, Uses>,
        grouping: Grouping,
    ) -> Graph<'a> {
        let mut graph = Graph {
            program,
            function,
            stmts,
            symbols,
            runs: Vec::new(),
            run_at: vec![None; stmts.len()],
            bound: HashMap::new(),
            needs: Vec::new(),
            leaves: Vec::new(),
            through: Vec::new(),
            one: BTreeMap::new(),
            differing: Vec::new(),
            bridges: symbols.bridges(),
            flows: Vec::new(),
            apart: Vec::new(),
            grouping,
        };
        for at in 0..stmts.len() {
            graph.add(at, facts);
        }
        for run in &graph.runs {
            uses.entry(run.id).or_insert_with(|| Uses::of(run.kernel));
        }
        for to in 0..graph.runs.len() {
            graph.add_flows(to, uses);
        }
        graph.try_frames();
        graph.add_apart(facts);
        graph
    }

    fn add(&mut self, at: usize, facts: &Facts) {
        let stmt = &self.stmts[at];
        let needs = self.needs_of(at);
        let (mut leaves, mut through) = (BTreeSet::new(), BTreeSet::new());
        if let HostOp::Run { kernel, shapes, args } = &stmt.op {
            self.run_at[at] = Some(self.runs.len());
            let callee = self.program.kernel(*kernel);
            let actual = |axis: &Axis| match axis {
                Axis::Const(_) => *axis,
                Axis::Sym(formal) => {
                    let position = callee.shapes.iter().position(|shape| shape == formal);
                    position.map_or(*axis, |position| shapes[position])
                }
            };
            self.runs.push(RunNode {
                stmt: at,
                id: *kernel,
                kernel: callee,
                shapes,
                args,
                binds: &stmt.binds,
                space: callee.space.iter().map(actual).collect(),
                may_fault: facts.kernel(*kernel).is_some(),
            });
        } else {
            let is_scalar = matches!(stmt.op, HostOp::Scalar { .. });
            for &need in &needs {
                match self.run_at[need] {
                    Some(run) if !is_scalar => drop(through.insert(run)),
                    Some(_) => {}
                    None if is_scalar => {
                        leaves.extend(self.leaves[need].iter().copied());
                        through.extend(self.through[need].iter().copied());
                    }
                    None => {
                        through.extend(self.leaves[need].iter().map(|(run, _)| *run));
                        through.extend(self.through[need].iter().copied());
                    }
                }
            }
            if let HostOp::Scalar { op: _, args } = &stmt.op {
                leaves.extend(args.iter().filter_map(|&arg| self.made_by_run(arg)));
            }
        }
        self.bound.extend(stmt.binds.iter().map(|&bind| (bind, at)));
        self.note_same(at);
        self.needs.push(needs);
        self.leaves.push(leaves);
        self.through.push(through);
    }

    /// Returns the statements that one depends on: those that bind what it uses, and every earlier `same` about a shape that it uses.
    fn needs_of(&self, at: usize) -> BTreeSet<usize> {
        let mut needs = BTreeSet::new();
        let mut classes = BTreeSet::new();
        let mut constants: BTreeSet<Axis> = BTreeSet::new();
        self.stmts[at].op.for_each_use(&mut |value| {
            needs.extend(self.bound.get(&value));
            let ty = &self.function.values[value.index()].ty;
            classes.insert(self.symbols.class(Axis::Sym(value)));
            ty.for_each_symbol(&mut |symbol| {
                classes.insert(self.symbols.class(Axis::Sym(symbol)));
            });
            let axes = ty.as_array().into_iter().flat_map(|array| &array.shape.axes);
            let known = axes.filter(|axis| matches!(axis, Axis::Const(_)));
            constants.extend(known.map(|&axis| self.symbols.class(axis)));
        });
        self.bridges.add(&mut classes);
        // Where two constants should be one, whoever uses either counts on it.
        needs.extend(self.differing.iter().filter(|&&same| match self.stmts[same].op {
            HostOp::Same { left, right, .. } => [left, right].iter().any(|&axis| {
                let class = self.symbols.class(axis);
                classes.contains(&class) || constants.contains(&class)
            }),
            _ => false,
        }));
        needs.extend(classes.iter().filter_map(|class| self.one.get(class)).flatten());
        needs
    }

    /// Records a statement that makes shapes equal, for the statements after it.
    fn note_same(&mut self, at: usize) {
        let class = |axis| self.symbols.class(axis);
        let (one, differ) = match self.stmts[at].op {
            HostOp::Same { left, right, .. } => (class(left), class(left) != class(right)),
            HostOp::Widen { seg } => (class(Axis::Sym(seg)), false),
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::If { .. }
            | HostOp::Call { .. }
            | HostOp::Run { .. }
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => return,
        };
        self.one.entry(one).or_default().push(at);
        if differ {
            self.differing.push(at);
        }
    }

    /// Every `same` and `widen` of the region, with the class of shapes that it is about.
    pub fn sames(&self) -> impl Iterator<Item = (usize, Axis)> + '_ {
        self.stmts.iter().enumerate().filter_map(|(at, stmt)| match stmt.op {
            HostOp::Same { left, .. } => Some((at, self.symbols.class(left))),
            HostOp::Widen { seg } => Some((at, self.symbols.class(Axis::Sym(seg)))),
            _ => None,
        })
    }

    /// Returns the run that binds an operand, and the value, if a run binds it.
    pub(super) fn made_by_run(&self, atom: HostAtom) -> Option<(usize, ValueId)> {
        let HostAtom::Value(value) = atom else { return None };
        let run = self.run_at[*self.bound.get(&value)?]?;
        Some((run, value))
    }

    /// Returns the results of runs that an operand is computed from by scalar statements alone; the operand itself if a run binds it.
    pub fn scalar_leaves(&self, atom: HostAtom) -> BTreeSet<(usize, ValueId)> {
        let HostAtom::Value(value) = atom else { return BTreeSet::new() };
        match (self.made_by_run(atom), self.bound.get(&value)) {
            (Some(leaf), _) => BTreeSet::from([leaf]),
            (None, Some(&stmt)) => self.leaves[stmt].clone(),
            (None, None) => BTreeSet::new(),
        }
    }

    /// Returns the kernel's own value for a result that host code binds to `value`.
    pub fn result(&self, run: usize, value: ValueId) -> ValueId {
        let node = &self.runs[run];
        let slot = node.binds.iter().position(|&bind| bind == value);
        node.kernel.ret[slot.expect("the run binds the value")]
    }

    fn add_flows(&mut self, to: usize, uses: &HashMap<KernelId, Uses>) {
        let node = self.runs[to].clone();
        let uses = &uses[&node.id];
        let mut through: BTreeMap<usize, ValueId> = BTreeMap::new();
        let mut flows = Vec::new();
        for (&param, &arg) in node.kernel.params.iter().zip(node.args) {
            let HostAtom::Value(value) = arg else { continue };
            let is_scalar = self.function.values[value.index()].ty.as_scalar().is_some();
            if let (Some((from, _)), false) = (self.made_by_run(arg), is_scalar) {
                let bind = self.result(from, value);
                let kernel = self.runs[from].kernel;
                let is_packed = self.is_packed(from, bind, node.space.last());
                let verdict = if is_packed {
                    rules::packed_flow(uses.param(param))
                } else if self.is_one_to_one(from, bind) {
                    rules::scattered_flow(node.kernel, uses.param(param), node.may_fault)
                } else if self.has_its_points(from, bind, &node.space) {
                    rules::array_flow(kernel, bind, uses.param(param))
                } else {
                    Err(Reason::AnotherPoint)
                };
                flows.push(Flow { from, to, value, verdict });
                continue;
            }
            for (from, leaf) in self.scalar_leaves(arg) {
                let bind = self.result(from, leaf);
                let verdict = rules::scalar_flow(self.runs[from].kernel, bind, uses.param(param));
                flows.push(Flow { from, to, value, verdict });
            }
            self.note_through(value, &mut through);
        }
        for (&formal, axis) in node.kernel.shapes.iter().zip(node.shapes) {
            let Axis::Sym(symbol) = *axis else { continue };
            if let Some((from, _)) = self.made_by_run(HostAtom::Value(symbol)) {
                let (kernel, shape) = (self.runs[from].kernel, self.result(from, symbol));
                let used = uses.param(formal);
                let verdict = rules::filter_flow(kernel, shape, node.kernel, formal, used, node.may_fault);
                flows.push(Flow { from, to, value: symbol, verdict });
            }
            self.note_through(symbol, &mut through);
        }
        for &need in &self.needs[node.stmt] {
            if let HostOp::Same { .. } = self.stmts[need].op {
                for &from in &self.through[need] {
                    let mut value = None;
                    self.stmts[need].op.for_each_use(&mut |used| value = value.or(Some(used)));
                    let verdict = Err(Reason::EqualTooLate);
                    flows.extend(value.map(|value| Flow { from, to, value, verdict }));
                }
            }
        }
        flows.extend(through.into_iter().map(|(from, value)| Flow {
            from,
            to,
            value,
            verdict: Err(Reason::ThroughHost),
        }));
        self.flows.extend(flows);
    }

    /// True if the outer levels of a reader's space are the levels at which a value lives.
    fn has_its_points(&self, from: usize, bind: ValueId, space: &[Axis]) -> bool {
        let node = &self.runs[from];
        let Some((_, step)) = node.kernel.binder(bind) else { return false };
        let level = step.result_level().0;
        let class =
            |axes: &[Axis]| -> Vec<Axis> { axes.iter().map(|&axis| self.symbols.class(axis)).collect() };
        !step.kind.is_readable()
            || (level <= space.len() && class(&node.space[..level]) == class(&space[..level]))
    }

    /// The spaces that a run may get by fusion: its own, and if it runs over the points of a filter or partition, that of the producer, and so on.
    fn spaces(&self, run: usize) -> Vec<Vec<Axis>> {
        let canonical = |axes: &[Axis]| axes.iter().map(|&axis| self.symbols.class(axis)).collect();
        let (mut run, mut level) = (run, self.runs[run].space.len());
        let mut spaces = vec![canonical(&self.runs[run].space[..level])];
        while let Some(&Axis::Sym(symbol)) = self.runs[run].space[..level].last() {
            let Some((from, _)) = self.made_by_run(HostAtom::Value(symbol)) else { break };
            let kernel = self.runs[from].kernel;
            let Some((_, step)) = kernel.binder(self.result(from, symbol)) else { break };
            if rules::kept_points(&step.kind).is_none() {
                break;
            }
            (run, level) = (from, step.level().0);
            spaces.push(canonical(&self.runs[run].space[..level]));
        }
        spaces
    }

    /// True if the spaces of the runs are all prefixes of the longest.
    pub fn share_a_space(&self, members: &[usize]) -> bool {
        let space = |member: usize| &self.runs[member].space;
        let Some(&longest) = members.iter().max_by_key(|&&member| space(member).len()) else { return true };
        members.iter().all(|&member| {
            let pairs = space(member).iter().zip(space(longest));
            pairs.into_iter().all(|(&a, &b)| self.symbols.class(a) == self.symbols.class(b))
        })
    }

    fn note_through(&self, value: ValueId, through: &mut BTreeMap<usize, ValueId>) {
        if let Some(&stmt) = self.bound.get(&value) {
            through.extend(self.through[stmt].iter().map(|&from| (from, value)));
        }
    }

    fn add_apart(&mut self, facts: &Facts) {
        let losses = Losses::new(self.stmts, &self.needs, facts);
        let spaces: Vec<Vec<Vec<Axis>>> = (0..self.runs.len()).map(|run| self.spaces(run)).collect();
        let serial: Vec<bool> = self.runs.iter().map(|run| is_serial(run.kernel)).collect();
        for second in 0..self.runs.len() {
            for first in 0..second {
                let reason = if serial[first] || serial[second] {
                    Some(Reason::IsSerial)
                } else if !may_share(&spaces[first], &spaces[second]) {
                    Some(Reason::OtherSpace)
                } else {
                    self.relies_on(first, second, &losses).or_else(|| losses.between(first, second))
                };
                self.apart.extend(reason.map(|reason| Apart { first, second, reason }));
            }
        }
    }

    /// Checks the `same` statements that make shapes of two runs equal, and returns the reason why the fused kernel must not rely on them, if there is one.
    fn relies_on(&self, first: usize, second: usize, losses: &Losses) -> Option<Reason> {
        let differing = self.differing(first, second);
        if differing.is_empty() {
            return None;
        }
        for (same, _) in self.sames().filter(|(_, class)| differing.contains(class)) {
            let through = &self.through[same];
            if through.contains(&first) || through.contains(&second) {
                return Some(Reason::EqualTooLate);
            }
            if [first, second].into_iter().any(|run| losses.hides(same, run)) {
                return Some(Reason::MayBeLost);
            }
        }
        None
    }

    /// Returns the classes that two runs name by different symbols.
    fn differing(&self, first: usize, second: usize) -> BTreeSet<Axis> {
        let mut found = BTreeSet::new();
        for &a in self.runs[first].shapes {
            for &b in self.runs[second].shapes {
                if a != b && self.symbols.class(a) == self.symbols.class(b) {
                    found.insert(self.symbols.class(a));
                }
            }
        }
        found
    }
}

/// True if a kernel has a `serial` combinator; such a kernel is never fused.
fn is_serial(kernel: &Kernel) -> bool {
    kernel.steps.iter().any(|step| matches!(step.kind, CombinatorKind::Serial { .. }))
}

/// True if two runs can get spaces of which one is a prefix of the other.
fn may_share(a: &[Vec<Axis>], b: &[Vec<Axis>]) -> bool {
    a.iter().any(|a| b.iter().any(|b| is_outer_part(a, b)))
}

/// True if one space is a prefix of the other.
fn is_outer_part(a: &[Axis], b: &[Axis]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}
