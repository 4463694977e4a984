//! Puts the runs of a cluster into one kernel.
//!
//! ```text
//! kernel f(xs: [n]f32) over n { ys = map { i => mul xs[i] 2.0 }, ret ys }
//! kernel g(zs: [n]f32) over n { s = reduce { i => zs[i] } add, ret s }
//!
//! ys = run f(xs)                        kernel `f+g`(xs: [n]f32) over n {
//! s = run g(ys)                           ys = map { i => mul xs[i] 2.0 }
//!                                         s = reduce { i => ys[i] } add      ; a register
//!                                         ret s
//!                                       }
//! ```
//!
//! The combinators of all runs stand one after another, in program order, with their sites. Shapes of host code that are one become one
//! shape parameter, equal arguments one parameter. The space is the longest of the runs'. Reads of what another run of the cluster makes
//! become registers and windows, scalar host code on the way becomes a `once`, and a `map` under a guard that is now read without it
//! has an `if` instead.

use super::access::{Access, Coordinates};
use super::graph::Graph;
use nestled_ir::typing::{Scope, Substitution};
use nestled_ir::{
    Atom, Axis, Base, Block, Combinator, CombinatorKind, HostAtom, HostOp, Kernel, KernelId, Local, LocalId,
    Name, Offset, Rule, Scalar, ScalarType, Stmt, StmtKind, Thunk, Type, Value, ValueId,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A cluster as one kernel, and how to run it.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The kernel.
    pub kernel: Kernel,
    /// Its shape arguments.
    pub shapes: Vec<Axis>,
    /// Its arguments.
    pub args: Vec<HostAtom>,
    /// What its run binds.
    pub binds: Vec<ValueId>,
    /// The statements that make shapes equal which the kernel takes for one.
    pub relies_on: BTreeSet<usize>,
    /// Equal shapes with different names became one, so that results may be declared with another of them.
    pub retypes: bool,
}

/// A kernel that is being put together; what leaves is not yet known.
#[derive(Debug)]
pub struct Merging<'a> {
    graph: &'a Graph<'a>,
    members: &'a [usize],
    kernel: Kernel,
    /// For each class of equal axes the axis of host code that stands for it.
    axes: BTreeMap<Axis, Axis>,
    relies_on: BTreeSet<usize>,
    retypes: bool,
    shapes: Vec<Axis>,
    args: Vec<HostAtom>,
    params: HashMap<(HostAtom, Type), ValueId>,
    /// What combinators of the kernel bind, by the value of host code.
    made: HashMap<ValueId, ValueId>,
}

/// What stands in the place of a value of a member's kernel.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Axis(Axis),
    Param(ValueId),
    /// A combinator of the merged kernel binds it.
    Made(ValueId),
}

impl<'a> Merging<'a> {
    /// Puts runs together that the rules allow to be one kernel.
    pub fn new(graph: &'a Graph<'a>, members: &'a [usize]) -> Merging<'a> {
        let first = &graph.runs[members[0]];
        let kernel = Kernel {
            name: name(graph, members),
            values: Vec::new(),
            shapes: Vec::new(),
            params: Vec::new(),
            space: Vec::new(),
            steps: Vec::new(),
            ret: Vec::new(),
            span: first.kernel.span,
        };
        let mut merging = Merging {
            graph,
            members,
            kernel,
            axes: BTreeMap::new(),
            relies_on: BTreeSet::new(),
            retypes: false,
            shapes: Vec::new(),
            args: Vec::new(),
            params: HashMap::new(),
            made: HashMap::new(),
        };
        merging.choose_axes();
        for &member in members {
            merging.add(member);
        }
        merging.free_guarded();
        merging
    }

    /// The kernel, without what leaves it.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// What the run takes.
    pub fn args(&self) -> &[HostAtom] {
        &self.args
    }

    /// Its shape arguments.
    pub fn shapes(&self) -> &[Axis] {
        &self.shapes
    }

    /// The finished kernel, when it is known what anybody outside needs.
    pub fn finish(mut self, is_needed: impl Fn(ValueId) -> bool) -> Merged {
        let bound = self.members.iter().flat_map(|&member| self.graph.runs[member].binds);
        let mut binds: Vec<ValueId> = bound.clone().copied().filter(|&bind| is_needed(bind)).collect();
        if binds.is_empty() {
            binds.extend(bound.take(1));
        }
        self.kernel.ret = binds.iter().map(|bind| self.made[bind]).collect();
        let Merging { kernel, shapes, args, relies_on, retypes, .. } = self;
        Merged { kernel, shapes, args, binds, relies_on, retypes }
    }

    /// Of several equal axes that members name, the first bound stands for all, and a literal for symbols.
    fn choose_axes(&mut self) {
        let mut named: BTreeMap<Axis, BTreeSet<Axis>> = BTreeMap::new();
        for &member in self.members {
            for &axis in self.graph.runs[member].shapes {
                named.entry(self.graph.symbols.class(axis)).or_default().insert(axis);
            }
        }
        for (class, axes) in named {
            if axes.len() > 1 {
                self.retypes = true;
                self.relies_on
                    .extend(self.graph.sames().filter(|(_, of)| *of == class).map(|(same, _)| same));
            }
            // Literals come before symbols, and symbols are numbered in order of the text.
            self.axes.extend(axes.first().map(|&axis| (class, axis)));
        }
    }

    fn value(&mut self, name: Name, ty: Type, span: nestled_ir::Span) -> ValueId {
        self.kernel.values.push(Value { name, ty, span });
        ValueId::from(self.kernel.values.len() - 1)
    }

    fn add(&mut self, member: usize) {
        let graph = self.graph;
        let node = &graph.runs[member];
        let kernel = node.kernel;
        let mut slots: Vec<Option<Slot>> = vec![None; kernel.values.len()];
        let mut substitution = Substitution::default();
        for (&formal, &actual) in kernel.shapes.iter().zip(node.shapes) {
            let axis = self.shape(kernel, formal, actual, &substitution);
            substitution.insert(formal, axis);
            slots[formal.index()] = Some(Slot::Axis(axis));
        }
        let space: Vec<Axis> = kernel.space.iter().map(|&axis| substitution.axis(axis)).collect();
        if space.len() > self.kernel.space.len() {
            self.kernel.space = space;
        }
        for (&param, &arg) in kernel.params.iter().zip(node.args) {
            let slot = match self.inside(arg) {
                Some(made) => Slot::Made(made),
                None => {
                    let value = &kernel.values[param.index()];
                    Slot::Param(self.param(arg, &value.name, substitution.ty(&value.ty), value.span))
                }
            };
            slots[param.index()] = Some(slot);
        }
        for step in &kernel.steps {
            for &bind in &step.binds {
                let value = &kernel.values[bind.index()];
                let new = self.value(value.name.clone(), substitution.ty(&value.ty), value.span);
                if value.ty.is_shape() {
                    substitution.insert(bind, Axis::Sym(new));
                }
                slots[bind.index()] = Some(Slot::Made(new));
            }
            let step = self.step(step, &slots, &substitution);
            self.kernel.steps.push(step);
        }
        for (&bind, ret) in node.binds.iter().zip(&kernel.ret) {
            if let Some(Slot::Made(made)) = slots[ret.index()] {
                self.made.insert(bind, made);
            }
        }
    }

    /// The axis of the merged kernel for a shape argument of a member.
    fn shape(&mut self, kernel: &Kernel, formal: ValueId, actual: Axis, so_far: &Substitution) -> Axis {
        let chosen = self.axes[&self.graph.symbols.class(actual)];
        if let Axis::Const(_) = chosen {
            return chosen;
        }
        let position = self.shapes.iter().position(|&shape| shape == chosen);
        let shape = position.map(|position| self.kernel.shapes[position]).unwrap_or_else(|| {
            let value = &kernel.values[formal.index()];
            let shape = self.value(value.name.clone(), so_far.ty(&value.ty), value.span);
            self.kernel.shapes.push(shape);
            self.shapes.push(chosen);
            shape
        });
        Axis::Sym(shape)
    }

    fn param(&mut self, arg: HostAtom, name: &Name, ty: Type, span: nestled_ir::Span) -> ValueId {
        if let Some(&param) = self.params.get(&(arg, ty.clone())) {
            return param;
        }
        let param = self.value(name.clone(), ty.clone(), span);
        self.params.insert((arg, ty), param);
        self.kernel.params.push(param);
        self.args.push(arg);
        param
    }

    /// What in the kernel holds an argument, if that is made here; scalar host code becomes a `once`.
    fn inside(&mut self, arg: HostAtom) -> Option<ValueId> {
        let HostAtom::Value(value) = arg else { return None };
        if let Some(&made) = self.made.get(&value) {
            return Some(made);
        }
        let leaves = self.graph.scalar_leaves(arg);
        let is_inside = leaves.iter().any(|(_, leaf)| self.made.contains_key(leaf));
        is_inside.then(|| self.once(value))
    }

    /// A `once` that computes a scalar of host code.
    fn once(&mut self, value: ValueId) -> ValueId {
        let graph = self.graph;
        let mut thunk = Thunk::default();
        let mut known: HashMap<ValueId, Atom> = HashMap::new();
        for at in self.scalar_stmts(value) {
            let stmt = &graph.stmts[at];
            let HostOp::Scalar { op, args } = &stmt.op else { continue };
            let args: Vec<Atom> =
                args.iter().map(|&arg| self.once_operand(arg, &mut thunk, &mut known, stmt.span)).collect();
            for &bind in &stmt.binds {
                let dst = new_local(&mut thunk, &graph.function.values[bind.index()]);
                known.insert(bind, Atom::Local(dst));
                let kind = StmtKind::Op { dst, op: *op, args: args.clone() };
                thunk.body.stmts.push(Stmt { kind, span: stmt.span });
            }
        }
        thunk.body.results = vec![known[&value]];
        let host = &graph.function.values[value.index()];
        let bind = self.value(host.name.clone(), host.ty.clone(), host.span);
        let span = graph.stmts[graph.bound[&value]].span;
        let step =
            Combinator { binds: vec![bind], kind: CombinatorKind::Map, guard: None, body: thunk, span };
        self.kernel.steps.push(step);
        self.made.insert(value, bind);
        bind
    }

    /// The scalar statements that a value is computed by from what the kernel makes, in program order.
    fn scalar_stmts(&self, value: ValueId) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let is_inside = |leaf: &(usize, ValueId)| self.made.contains_key(&leaf.1);
            let leaves = self.graph.scalar_leaves(HostAtom::Value(value));
            let Some(&at) = self.graph.bound.get(&value) else { continue };
            if self.made.contains_key(&value) || !leaves.iter().any(is_inside) || !found.insert(at) {
                continue;
            }
            if let HostOp::Scalar { args, .. } = &self.graph.stmts[at].op {
                open.extend(args.iter().filter_map(|arg| match arg {
                    HostAtom::Value(value) => Some(*value),
                    HostAtom::Const(_) => None,
                }));
            }
        }
        found
    }

    fn once_operand(
        &mut self,
        arg: HostAtom,
        thunk: &mut Thunk,
        known: &mut HashMap<ValueId, Atom>,
        span: nestled_ir::Span,
    ) -> Atom {
        let value = match arg {
            HostAtom::Const(scalar) => return Atom::Const(scalar),
            HostAtom::Value(value) => value,
        };
        if let Some(&atom) = known.get(&value) {
            return atom;
        }
        let host = &self.graph.function.values[value.index()];
        let atom = match self.made.get(&value) {
            Some(&bind) => {
                let dst = new_local(thunk, host);
                thunk.body.stmts.push(Stmt { kind: StmtKind::Own { dst, bind }, span });
                Atom::Local(dst)
            }
            None => {
                let ty = Type::scalar(host.ty.as_scalar().unwrap_or(ScalarType::Idx));
                Atom::Value(self.param(arg, &host.name, ty, host.span))
            }
        };
        known.insert(value, atom);
        atom
    }

    fn step(&self, step: &Combinator, slots: &[Option<Slot>], substitution: &Substitution) -> Combinator {
        let made = |value: ValueId| match slots[value.index()] {
            Some(Slot::Made(new) | Slot::Param(new)) => new,
            Some(Slot::Axis(_)) | None => value,
        };
        let mut step = step.clone();
        step.binds.iter_mut().for_each(|bind| *bind = made(*bind));
        step.guard = step.guard.map(made);
        if let CombinatorKind::Permute { dest, base, range: _, collision: _ } = &mut step.kind {
            *dest = substitution.shape(dest);
            if let Base::Arrays(arrays) = base {
                arrays.iter_mut().for_each(|array| *array = made(*array));
            }
        }
        let coordinates = Coordinates::of(&step.body);
        let mut rewriting = Rewriting { slots, coordinates, values: &self.kernel.values, held: Vec::new() };
        let mut locals = std::mem::take(&mut step.body.locals);
        rewriting.block(&mut step.body.body, &mut locals);
        let prelude = rewriting
            .held
            .iter()
            .map(|&(bind, dst)| Stmt { kind: StmtKind::Own { dst, bind }, span: step.span });
        step.body.body.stmts.splice(0..0, prelude.collect::<Vec<Stmt>>());
        step.body.locals = locals;
        step
    }

    /// A `map` under a guard that others read without it computes zero itself where the guard does not hold.
    fn free_guarded(&mut self) {
        let mut binders = vec![None; self.kernel.values.len()];
        for (position, step) in self.kernel.steps.iter().enumerate() {
            step.binds.iter().for_each(|bind| binders[bind.index()] = Some(position));
        }
        let mut freed = vec![false; self.kernel.steps.len()];
        for position in (0..self.kernel.steps.len()).rev() {
            if freed[position] {
                let types = self.result_types(&self.kernel.steps[position]);
                remove_guard(&mut self.kernel.steps[position], &types);
            }
            let reader = &self.kernel.steps[position];
            reader.body.body.walk(&mut |stmt| {
                let (StmtKind::Own { bind, .. } | StmtKind::Window { bind, .. }) = &stmt.kind else { return };
                let Some(binder) = binders[bind.index()] else { return };
                let maker = &self.kernel.steps[binder];
                let is_map = maker.kind == CombinatorKind::Map;
                freed[binder] |= is_map && maker.guard.is_some() && maker.guard != reader.guard;
            });
        }
    }

    fn result_types(&self, step: &Combinator) -> Vec<ScalarType> {
        let scope = Scope::new(&self.kernel.values);
        let results = step.body.body.results.iter();
        results.map(|&atom| scope.thunk_atom(&step.body, atom).expect("results are scalars")).collect()
    }
}

/// Rewrites the thunk of a member for the merged kernel.
struct Rewriting<'a> {
    slots: &'a [Option<Slot>],
    coordinates: Coordinates,
    /// The values of the merged kernel.
    values: &'a [Value],
    /// Scalars that the kernel makes, and the local that holds each from the beginning of the thunk on.
    held: Vec<(ValueId, LocalId)>,
}

impl Rewriting<'_> {
    fn block(&mut self, block: &mut Block, locals: &mut Vec<Local>) {
        for stmt in &mut block.stmts {
            self.kind(&mut stmt.kind);
            stmt.kind.for_each_atom(&mut |atom| self.atom(atom, locals));
            for inner in stmt.kind.blocks_mut() {
                self.block(inner, locals);
            }
        }
        block.results.iter_mut().for_each(|atom| self.atom(atom, locals));
    }

    fn kind(&mut self, kind: &mut StmtKind) {
        match kind {
            StmtKind::Own { bind: value, .. }
            | StmtKind::Window { bind: value, .. }
            | StmtKind::Len { seg: value, .. }
            | StmtKind::Start { seg: value, .. } => {
                if let Some(Slot::Made(new) | Slot::Param(new) | Slot::Axis(Axis::Sym(new))) =
                    self.slots[value.index()]
                {
                    *value = new;
                }
            }
            StmtKind::Read { dst, array, index, default, site } => match self.slots[array.index()] {
                Some(Slot::Made(bind)) => {
                    *kind = match self.coordinates.access(index) {
                        Access::Near(by) => {
                            let offsets: Vec<Offset> = by.into_iter().zip(index).map(offset).collect();
                            let has = |rule| offsets.iter().any(|offset| offset.rule == rule);
                            let default = default.filter(|_| has(Rule::Else));
                            let site = site.filter(|_| has(Rule::Fault));
                            StmtKind::Window { dst: *dst, bind, offsets, default, site }
                        }
                        Access::Own | Access::Anywhere => StmtKind::Own { dst: *dst, bind },
                    };
                }
                Some(Slot::Param(new)) => *array = new,
                Some(Slot::Axis(_)) | None => {}
            },
            _ => {}
        }
    }

    fn atom(&mut self, atom: &mut Atom, locals: &mut Vec<Local>) {
        let Atom::Value(value) = *atom else { return };
        *atom = match self.slots[value.index()] {
            Some(Slot::Axis(Axis::Const(extent))) => Atom::Const(Scalar::Idx(extent as i64)),
            Some(Slot::Axis(Axis::Sym(new)) | Slot::Param(new)) => Atom::Value(new),
            Some(Slot::Made(bind)) => Atom::Local(self.hold(bind, locals)),
            None => return,
        };
    }

    /// The local that holds a scalar which the kernel makes.
    fn hold(&mut self, bind: ValueId, locals: &mut Vec<Local>) -> LocalId {
        if let Some((_, local)) = self.held.iter().find(|(held, _)| *held == bind) {
            return *local;
        }
        let value = &self.values[bind.index()];
        let ty = value.ty.as_scalar().unwrap_or(ScalarType::Idx);
        locals.push(Local { name: value.name.clone(), ty });
        let local = LocalId::from(locals.len() - 1);
        self.held.push((bind, local));
        local
    }
}

/// The distance along one axis. The own coordinate is inside, whatever the rule.
fn offset((by, index): (i64, &mut nestled_ir::Index)) -> Offset {
    Offset { by, rule: if by == 0 { Rule::Proved } else { index.rule } }
}

/// A new local that holds a scalar of host code.
fn new_local(thunk: &mut Thunk, host: &Value) -> LocalId {
    let ty = host.ty.as_scalar().unwrap_or(ScalarType::Idx);
    thunk.locals.push(Local { name: host.name.clone(), ty });
    LocalId::from(thunk.locals.len() - 1)
}

/// Puts the code of a `map` under an `if` in the place of its guard.
fn remove_guard(step: &mut Combinator, types: &[ScalarType]) {
    let Some(guard) = step.guard.take() else { return };
    let thunk = &mut step.body;
    let mut local = |ty: ScalarType| {
        thunk.locals.push(Local { name: "".into(), ty });
        LocalId::from(thunk.locals.len() - 1)
    };
    let cond = local(ScalarType::Bool);
    let dsts: Vec<LocalId> = types.iter().map(|&ty| local(ty)).collect();
    let otherwise =
        Block { stmts: Vec::new(), results: types.iter().map(|&ty| Atom::Const(Scalar::zero(ty))).collect() };
    let then = std::mem::take(&mut thunk.body);
    let results = dsts.iter().map(|&dst| Atom::Local(dst)).collect();
    let span = step.span;
    let kinds = [
        StmtKind::Own { dst: cond, bind: guard },
        StmtKind::If { dsts, cond: Atom::Local(cond), then, otherwise },
    ];
    thunk.body = Block { stmts: kinds.into_iter().map(|kind| Stmt { kind, span }).collect(), results };
}

/// The names of the kernels, in program order and each once.
fn name(graph: &Graph<'_>, members: &[usize]) -> Name {
    const MOST: usize = 4;
    let mut ids: Vec<KernelId> = Vec::new();
    for &member in members {
        if !ids.contains(&graph.runs[member].id) {
            ids.push(graph.runs[member].id);
        }
    }
    let mut names: Vec<&str> = ids.iter().take(MOST).map(|&id| &*graph.program.kernel(id).name).collect();
    let more = format!("{} more", ids.len().saturating_sub(MOST));
    if ids.len() > MOST {
        names.push(&more);
    }
    names.join("+").into()
}
