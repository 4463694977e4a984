//! Driver of read composition over host code: finds the arrays that can be rematerialised, and rewrites the runs that read them.

use super::consumer::{Candidate, Site, Sites, apply, sites, size};
use super::demand::{Demand, points_to_element};
use super::head::Head;
use super::rematerialised::{Rematerialised, Work};
use crate::facts::Facts;
use crate::simplify::may_be_lost;
use crate::use_counts::use_counts;
use nestled_ir::{
    Atom, Axis, Function, HostAtom, HostBlock, HostOp, HostStmt, Kernel, KernelId, Local, LocalId, Program,
    Scalar, ScalarType, Stmt, StmtKind, Thunk, ValueId,
};
use std::collections::HashMap;
use std::rc::Rc;

/// The facts from which a pass decides whether to rewrite the reads of one array by one run.
#[derive(Debug)]
pub struct Question<'a> {
    /// The array and the code of one element.
    pub candidate: &'a Candidate,
    /// The reads of the array by the run.
    pub sites: &'a Sites,
    /// Whether the run that made the array is dead afterwards: nothing else uses the array, or any other result of that run.
    pub is_exclusive: bool,
    /// Whether the array is made over the same space, in the same region.
    pub is_fusible: bool,
    /// The demand of all runs for the array; all 0 in passes that do not count it.
    pub demand: Demand,
}

impl Question<'_> {
    /// True if the run reads the array only at its own coordinates, and fusion may keep it in a register.
    pub fn is_register(&self) -> bool {
        let own = |offsets: &Vec<i128>| offsets.iter().all(|offset| *offset == 0);
        self.is_fusible && self.sites.possible.iter().all(|site| site.offsets.as_ref().is_some_and(own))
    }
}

/// Decides whether the reads of an array by a run become code: all of `sites.possible`.
pub type Policy = fn(&Question<'_>) -> bool;

/// Rewrites the reads that the policy chooses. With `counts`, a first round over each function counts the demand for each array.
pub fn rewrite(program: &Program, policy: Policy, counts: bool, keep_all: bool) -> Program {
    let mut next = program.clone();
    let facts = Facts::of(program);
    let mut n_runs = vec![0u32; program.kernels.len()];
    for function in &program.functions {
        function.body.walk(&mut |stmt| {
            if let HostOp::Run { kernel, .. } = stmt.op {
                n_runs[kernel.index()] += 1;
            }
        });
    }
    let mut kernels =
        Kernels { list: std::mem::take(&mut next.kernels), n_runs, keep_all, made: HashMap::new() };
    for function in &mut next.functions {
        let mut walk = Walk {
            facts: &facts,
            policy,
            function,
            kernels: &mut kernels,
            lost: may_be_lost(function, &facts),
            uses: use_counts(function),
            n_operands: use_counts(function),
            sources: HashMap::new(),
            rematerialised_values: HashMap::new(),
            region: 0,
            demands: HashMap::new(),
            counts,
        };
        if counts {
            walk.block(&function.body);
            walk.counts = false;
            // Kernels change in the second round, and so does the rematerialised code of what they make.
            walk.rematerialised_values.clear();
            walk.sources.clear();
            walk.region = 0;
        }
        let body = walk.block(&function.body);
        function.body = body;
    }
    next.kernels = kernels.list;
    next
}

/// The kernels of the program, and new ones.
struct Kernels {
    list: Vec<Kernel>,
    /// Number of runs of each in host code.
    n_runs: Vec<u32>,
    keep_all: bool,
    /// The kernels made so far (hash consing): equal runs share one kernel.
    made: HashMap<Kernel, KernelId>,
}

impl Kernels {
    /// Adds the new kernel of one run; overwrites the old kernel if it has no other run.
    fn replace(&mut self, id: KernelId, kernel: Kernel) -> KernelId {
        if let Some(&known) = self.made.get(&kernel) {
            self.n_runs[id.index()] -= 1;
            self.n_runs[known.index()] += 1;
            return known;
        }
        if !self.keep_all && self.n_runs[id.index()] == 1 {
            self.made.insert(kernel.clone(), id);
            self.list[id.index()] = kernel;
            return id;
        }
        self.made.insert(kernel.clone(), KernelId::from(self.list.len()));
        self.n_runs[id.index()] -= 1;
        self.n_runs.push(1);
        self.list.push(kernel);
        KernelId::from(self.list.len() - 1)
    }
}

/// The origin of an array.
#[derive(Clone)]
enum Source {
    /// The result of a run, at this position.
    Run(Rc<Run>, usize),
    /// `lengths s` or `starts s`.
    Segmentation { seg: ValueId, starts: bool },
}

/// A run of a kernel.
struct Run {
    kernel: KernelId,
    shapes: Vec<Axis>,
    args: Vec<HostAtom>,
    binds: Vec<ValueId>,
    region: u32,
}

struct Walk<'a> {
    facts: &'a Facts,
    policy: Policy,
    function: &'a Function,
    kernels: &'a mut Kernels,
    lost: Vec<bool>,
    /// Number of uses of each value, as operand or as result of a block.
    uses: Vec<u32>,
    /// The same before any rewriting.
    n_operands: Vec<u32>,
    sources: HashMap<ValueId, Source>,
    rematerialised_values: HashMap<(KernelId, ValueId), Option<Rc<Rematerialised>>>,
    /// The number of the current region.
    region: u32,
    demands: HashMap<ValueId, Demand>,
    /// Whether this round only counts the demand.
    counts: bool,
}

impl Walk<'_> {
    fn block(&mut self, block: &HostBlock) -> HostBlock {
        self.region += 1;
        let stmts = block.stmts.iter().map(|stmt| self.stmt(stmt)).collect();
        self.region += 1;
        HostBlock { stmts, results: block.results.clone() }
    }

    fn stmt(&mut self, stmt: &HostStmt) -> HostStmt {
        let mut stmt = stmt.clone();
        if stmt.op.ends_region() {
            self.region += 1;
        }
        match &mut stmt.op {
            HostOp::If { then, otherwise, .. } => {
                *then = self.block(then);
                *otherwise = self.block(otherwise);
            }
            HostOp::Run { .. } => self.run(&mut stmt),
            HostOp::Lengths { seg } => {
                self.sources.insert(stmt.binds[0], Source::Segmentation { seg: *seg, starts: false });
            }
            HostOp::Starts { seg } => {
                self.sources.insert(stmt.binds[0], Source::Segmentation { seg: *seg, starts: true });
            }
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Same { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::Call { .. }
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => {}
        }
        stmt
    }

    fn run(&mut self, stmt: &mut HostStmt) {
        let mut again = true;
        while again && let Some((head, more)) = self.rewritten(&stmt.op) {
            again = more;
            stmt.op.for_each_use(&mut |value| self.uses[value.index()] -= 1);
            if let HostOp::Run { kernel, shapes, args } = &mut stmt.op {
                *kernel = self.kernels.replace(*kernel, head.kernel);
                (*shapes, *args) = (head.shapes, head.args);
            }
            stmt.op.for_each_use(&mut |value| self.uses[value.index()] += 1);
        }
        let HostOp::Run { kernel, shapes, args } = &stmt.op else { return };
        let (kernel, shapes, args) = (*kernel, shapes.clone(), args.clone());
        let run = Rc::new(Run { kernel, shapes, args, binds: stmt.binds.clone(), region: self.region });
        for (position, &bind) in stmt.binds.iter().enumerate() {
            self.sources.insert(bind, Source::Run(run.clone(), position));
        }
    }

    /// Returns the kernel of a run with reads rewritten, with its arguments, and whether to repeat; `None` if nothing changes.
    fn rewritten(&mut self, op: &HostOp) -> Option<(Head<'static>, bool)> {
        let HostOp::Run { kernel, shapes, args } = op else { return None };
        let original = Head {
            function: &self.function.values,
            kernel: self.kernels.list[kernel.index()].clone(),
            shapes: shapes.clone(),
            args: args.clone(),
        };
        let mut params: Vec<(ValueId, ValueId)> = original
            .kernel
            .params
            .iter()
            .zip(args)
            .filter_map(|(&param, arg)| match arg {
                HostAtom::Value(arg) if self.sources.contains_key(arg) => Some((param, *arg)),
                _ => None,
            })
            .collect();
        loop {
            let mut head = original.clone();
            let candidates: Vec<Candidate> =
                params.iter().filter_map(|&(param, arg)| self.candidate(param, arg, &mut head)).collect();
            if candidates.is_empty() {
                return None;
            }
            let found = sites(&head.kernel, &candidates, self.facts);
            if self.counts {
                candidates
                    .iter()
                    .zip(&found)
                    .for_each(|(candidate, sites)| self.count(candidate, sites, &head));
                return None;
            }
            let wanted = |(candidate, sites): &(&Candidate, &Sites)| {
                self.is_wanted(candidate, sites, &head, &candidates, &found)
            };
            let accepted: Vec<(&Candidate, &[Site], bool)> = candidates
                .iter()
                .zip(&found)
                .filter(wanted)
                .map(|(candidate, sites)| (candidate, sites.possible.as_slice(), sites.others == 0))
                .collect();
            if accepted.len() == params.len() {
                let again = apply(&mut head, &accepted);
                let Head { function: _, kernel, shapes, args } = head;
                return Some((Head { function: &[], kernel, shapes, args }, again));
            }
            // Once more without what is not wanted, so that nothing is brought in for it.
            params.retain(|(param, _)| accepted.iter().any(|(candidate, _, _)| candidate.param == *param));
            if params.is_empty() {
                return None;
            }
        }
    }

    fn is_wanted(
        &self,
        candidate: &Candidate,
        found: &Sites,
        head: &Head<'_>,
        candidates: &[Candidate],
        all: &[Sites],
    ) -> bool {
        let work = candidate.rematerialised.work;
        let grows = u64::from(work.reads + work.operations) * found.possible.len() as u64;
        if found.possible.is_empty() || size(&head.kernel) as u64 + grows > MOST_STATEMENTS {
            return false;
        }
        (self.policy)(&Question {
            candidate,
            sites: found,
            is_exclusive: self.is_exclusive(candidate, found, candidates, all),
            is_fusible: self.is_fusible(candidate.arg, head),
            demand: self.demand(candidate.arg),
        })
    }

    /// Adds a run's reads of an array to the demand.
    fn count(&mut self, candidate: &Candidate, found: &Sites, head: &Head<'_>) {
        let mut demand = self.demands.get(&candidate.arg).copied().unwrap_or_default();
        let question = Question {
            candidate,
            sites: found,
            is_exclusive: false,
            is_fusible: self.is_fusible(candidate.arg, head),
            demand,
        };
        let is_once = |site: &Site| site.reads_once || (site.offsets.is_some() && !site.in_loop);
        demand.known += 1;
        if found.others > 0 || !found.possible.iter().all(is_once) {
            demand.blocked += 1;
        } else if question.is_register() {
            demand.in_register = true;
        } else {
            for site in &found.possible {
                match points_to_element(&self.function.values[candidate.arg.index()].ty, site, head) {
                    Some(points) => demand.reads = demand.reads.saturating_add(points),
                    None => demand.uneven += 1,
                }
            }
        }
        self.demands.insert(candidate.arg, demand);
    }

    /// Returns the demand for an array; blocked if a use was not analysed, or another result of the same run is used.
    fn demand(&self, arg: ValueId) -> Demand {
        let mut demand = self.demands.get(&arg).copied().unwrap_or_default();
        let Some(Source::Run(run, _)) = self.sources.get(&arg) else { return demand };
        let alone = run.binds.iter().all(|bind| *bind == arg || self.uses[bind.index()] == 0);
        if !alone || demand.known != self.n_operands[arg.index()] || !self.is_removable(run.kernel) {
            demand.blocked += 1;
        }
        demand
    }

    /// True if the run that made an array is dead once this run does not read the array: all its other results are unused, or read only at the same place of this run.
    fn is_exclusive(
        &self,
        candidate: &Candidate,
        found: &Sites,
        candidates: &[Candidate],
        all: &[Sites],
    ) -> bool {
        let Some(Source::Run(run, _)) = self.sources.get(&candidate.arg) else { return true };
        if !self.is_removable(run.kernel) {
            return false;
        }
        let [site] = found.possible.as_slice() else { return false };
        run.binds.iter().filter(|bind| self.uses[bind.index()] > 0).all(|bind| {
            let position = candidates.iter().position(|other| other.arg == *bind);
            let others = position.map(|position| &all[position]);
            let together = others.is_some_and(|others| match others.possible.as_slice() {
                [other] => {
                    let hoists = position.is_some_and(|position| candidates[position].rematerialised.hoists);
                    others.others == 0 && !hoists && (other.step, &other.index) == (site.step, &site.index)
                }
                _ => false,
            });
            self.uses[bind.index()] == 1 && together
        })
    }

    fn is_removable(&self, kernel: KernelId) -> bool {
        self.kernels.list[kernel.index()].steps.iter().all(|step| self.facts.is_removable(step))
    }

    /// True if fusion could merge the run that made an array into the kernel.
    fn is_fusible(&self, arg: ValueId, head: &Head<'_>) -> bool {
        let Some(Source::Run(run, _)) = self.sources.get(&arg) else { return false };
        let kernel = self.kernels.list[run.kernel.index()].clone();
        let maker = Head { function: &[], kernel, shapes: run.shapes.clone(), args: run.args.clone() };
        run.region == self.region && maker.host_space() == head.host_space()
    }

    /// Makes a parameter a candidate, and brings all values that its rematerialised code reads into the kernel.
    fn candidate(&mut self, param: ValueId, arg: ValueId, head: &mut Head<'_>) -> Option<Candidate> {
        let ty = &self.function.values[arg.index()].ty;
        if head.host_type(&head.kernel.values[param.index()].ty) != *ty {
            return None;
        }
        match self.sources.get(&arg)?.clone() {
            Source::Run(run, position) => self.of_run(param, arg, &run, position, head),
            Source::Segmentation { seg, starts } => {
                let n_params = head.kernel.values[param.index()].ty.as_array().map(|array| {
                    nestled_ir::typing::Scope::new(&head.kernel.values).coordinates(&array.shape)
                })?;
                let name = Atom::Value(head.value(seg));
                let rematerialised = Rc::new(of_segmentation(n_params, starts));
                Some(Candidate { param, arg, rematerialised, values: HashMap::from([(ValueId(0), name)]) })
            }
        }
    }

    fn of_run(
        &mut self,
        param: ValueId,
        arg: ValueId,
        run: &Run,
        position: usize,
        head: &mut Head<'_>,
    ) -> Option<Candidate> {
        let maker = &self.kernels.list[run.kernel.index()];
        let value = maker.ret[position];
        // Equal symbols, equal shapes; not so where a `same` that fails says it.
        let made = nestled_ir::typing::Substitution::new(&maker.shapes, &run.shapes)
            .ty(&maker.values[value.index()].ty);
        if made != self.function.values[arg.index()].ty || made.as_array()?.shape.is_scalar() {
            return None;
        }
        let facts = self.facts;
        let rematerialised = self
            .rematerialised_values
            .entry((run.kernel, value))
            .or_insert_with(|| Rematerialised::of(maker, value, facts).map(Rc::new))
            .clone()?;
        let values = captures(&rematerialised, maker, (&run.shapes, &run.args), &self.lost, head);
        Some(Candidate { param, arg, rematerialised, values })
    }
}

/// Brings into a kernel what the code of an element captures, and all operands of the run that made the array which may be lost. Returns its captures in the kernel's names.
pub fn captures(
    rematerialised: &Rematerialised,
    maker: &Kernel,
    (shapes, args): (&[Axis], &[HostAtom]),
    lost: &[bool],
    head: &mut Head<'_>,
) -> HashMap<ValueId, Atom> {
    let mut values = HashMap::new();
    let mut captured = Vec::new();
    rematerialised.thunk.body.for_each_captured(&mut |value| captured.push(value));
    for value in captured {
        if let Some(at) = maker.shapes.iter().position(|shape| *shape == value) {
            values.insert(value, axis_atom(head.axis(shapes[at])));
        } else if let Some(at) = maker.params.iter().position(|param| *param == value) {
            let atom = match args[at] {
                HostAtom::Const(scalar) => Atom::Const(scalar),
                HostAtom::Value(value) => Atom::Value(head.value(value)),
            };
            values.insert(value, atom);
        }
    }
    // A run does not take place if an operand of it is lost; then neither does this one.
    let axes = shapes.iter().filter_map(|axis| match axis {
        Axis::Sym(symbol) => Some(*symbol),
        Axis::Const(_) => None,
    });
    let args = args.iter().filter_map(|arg| match arg {
        HostAtom::Value(value) => Some(*value),
        HostAtom::Const(_) => None,
    });
    for operand in axes.chain(args) {
        if lost[operand.index()] {
            head.value(operand);
        }
    }
    values
}

/// The operand of kernel code that an axis is.
pub fn axis_atom(axis: Axis) -> Atom {
    match axis {
        Axis::Sym(symbol) => Atom::Value(symbol),
        Axis::Const(extent) => Atom::Const(Scalar::Idx(i64::try_from(extent).unwrap_or(i64::MAX))),
    }
}

/// Greatest number of statements of a kernel after rewriting.
const MOST_STATEMENTS: u64 = 2000;

/// The rematerialised code `{ i => len s[i] }` or `{ i => start s[i] }`, where `s` is the value 0.
fn of_segmentation(n_params: usize, starts: bool) -> Rematerialised {
    let local = Local { name: "".into(), ty: ScalarType::Idx };
    let dst = LocalId::from(n_params);
    let at = (0..n_params).map(|param| Atom::Local(LocalId::from(param))).collect();
    let seg = ValueId(0);
    let kind = if starts { StmtKind::Start { dst, seg, at } } else { StmtKind::Len { dst, seg, at } };
    let stmts = vec![Stmt { kind, span: nestled_ir::Span::default() }];
    let body = nestled_ir::Block { stmts, results: vec![Atom::Local(dst)] };
    let thunk = Thunk { locals: vec![local; n_params + 1], n_params, body, ..Thunk::default() };
    Rematerialised { thunk, work: Work { reads: 0, operations: 2 }, is_transform: true, hoists: false }
}
