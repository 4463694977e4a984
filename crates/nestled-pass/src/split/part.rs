//! Parts of a split kernel: the kernel of each group, its arguments and its results.

use super::graph::Graph;
use super::kept::Kept;
use nestled_ir::typing::Scope;
use nestled_ir::{
    Atom, Axis, Block, Combinator, CombinatorKind, Index, Kernel, Local, LocalId, Op, Rule, ScalarType,
    Shape, Stmt, StmtKind, Thunk, Type, Value, ValueId,
};
use std::collections::{HashMap, HashSet};

/// The kernel of one group. Its values keep the numbers that they have in the whole.
pub struct Part {
    /// The kernel.
    pub kernel: Kernel,
    /// The sources of its arguments, in the order of its parameters.
    pub args: Vec<PartInput>,
    /// The positions of its shape parameters among those of the whole.
    pub shapes: Vec<usize>,
    /// The targets of its results, in their order.
    pub results: Vec<PartResult>,
}

/// The source of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartInput {
    /// The whole's parameter at this position.
    Param(usize),
    /// A value that an earlier part made.
    Made(ValueId),
}

/// The target of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartResult {
    /// The whole's result at this position.
    Result(usize),
    /// A value that only later parts read.
    Later(ValueId),
}

/// Makes the kernels of all groups. They have no names yet.
pub fn parts(graph: &Graph<'_>, groups: &[Vec<usize>], kept: &Kept) -> Vec<Part> {
    let mut group_of = vec![0; graph.kernel.steps.len()];
    for (number, group) in groups.iter().enumerate() {
        group.iter().for_each(|&step| group_of[step] = number);
    }
    let mut crossing = vec![false; graph.kernel.values.len()];
    for (step, reads) in graph.reads.iter().enumerate() {
        for value in reads.bound() {
            let binder = graph.binder[value.index()].expect("it is bound by a combinator");
            crossing[value.index()] |= group_of[binder] != group_of[step];
        }
    }
    groups.iter().map(|group| part(graph, group, &crossing, kept)).collect()
}

fn part(graph: &Graph<'_>, group: &[usize], crossing: &[bool], kept: &Kept) -> Part {
    let whole = graph.kernel;
    let bound: HashSet<ValueId> = group.iter().flat_map(|&step| &whole.steps[step].binds).copied().collect();
    let mut outside = Outside { values: whole.values.clone(), bound: &bound, guards: HashMap::new() };
    let mut steps = Vec::new();
    for &step in group {
        let step = &whole.steps[step];
        let guard = step.guard.map(|guard| outside.guard(guard, step, &mut steps));
        let mut body = step.body.clone();
        outside.rewrite(&mut body);
        steps.push(Combinator { guard, body, ..step.clone() });
    }
    let (mut ret, mut results) = (Vec::new(), Vec::new());
    for (position, &value) in whole.ret.iter().enumerate().filter(|(_, value)| bound.contains(value)) {
        ret.push(value);
        results.push(PartResult::Result(position));
    }
    for &value in group.iter().flat_map(|&step| &whole.steps[step].binds) {
        if crossing[value.index()] && !graph.leaves[value.index()] {
            ret.push(value);
            results.push(PartResult::Later(value));
        }
    }
    let mut params = Vec::new();
    let mut args = Vec::new();
    let read: HashSet<ValueId> = group.iter().flat_map(|&step| &graph.reads[step].params).copied().collect();
    for (position, &param) in whole.params.iter().enumerate() {
        if read.contains(&param) || kept.params.contains(&param) {
            params.push(param);
            args.push(PartInput::Param(position));
        }
    }
    let mut made: Vec<ValueId> = group.iter().flat_map(|&step| graph.reads[step].bound()).collect();
    made.retain(|value| !bound.contains(value));
    made.sort_unstable();
    made.dedup();
    params.extend(&made);
    args.extend(made.into_iter().map(PartInput::Made));
    let values = outside.values;
    let deepest = steps.iter().map(|step| step.level().0).max().unwrap_or(0);
    let space = whole.space[..deepest].to_vec();
    let mut kernel = Kernel { values, params, space, steps, ret, ..whole.clone() };
    let named = named(&kernel, &kept.shapes);
    let shapes: Vec<usize> =
        (0..whole.shapes.len()).filter(|&at| named.contains(&whole.shapes[at])).collect();
    kernel.shapes = shapes.iter().map(|&at| whole.shapes[at]).collect();
    Part { kernel, args, shapes, results }
}

/// The rewriter of a group's code: values that other groups bind become parameters.
struct Outside<'a> {
    /// The values of the kernel, with the guards that are bound again.
    values: Vec<Value>,
    /// The values that the group binds itself.
    bound: &'a HashSet<ValueId>,
    /// For each guard from outside: the value that binds it again.
    guards: HashMap<ValueId, ValueId>,
}

impl Outside<'_> {
    /// Returns the guard for a combinator of the group: itself, or that of a `map` that reads it, added to `steps`.
    fn guard(&mut self, guard: ValueId, step: &Combinator, steps: &mut Vec<Combinator>) -> ValueId {
        if self.bound.contains(&guard) {
            return guard;
        }
        if let Some(&again) = self.guards.get(&guard) {
            return again;
        }
        let value = self.values[guard.index()].clone();
        let again = ValueId::from(self.values.len());
        let level = self.level(guard);
        let mut body = Thunk { n_params: level, ..Thunk::default() };
        // The guard's level is that of the combinator or an outer one, so that the names of its coordinates will do.
        body.locals.extend(step.body.locals[..level].iter().cloned());
        let dst = LocalId::from(level);
        body.locals.push(Local { name: "".into(), ty: ScalarType::Bool });
        let own = Stmt { kind: StmtKind::Own { dst, bind: guard }, span: step.span };
        body.body = Block { stmts: vec![own], results: vec![Atom::Local(dst)] };
        self.rewrite(&mut body);
        self.values.push(value);
        let binds = vec![again];
        steps.push(Combinator { binds, kind: CombinatorKind::Map, guard: None, body, span: step.span });
        self.guards.insert(guard, again);
        again
    }

    /// Returns the level at which a value lives.
    fn level(&self, value: ValueId) -> usize {
        let scope = Scope::new(&self.values);
        scope.ty(value).as_array().map_or(0, |array| scope.coordinates(&array.shape))
    }

    /// Turns reads of values that other groups bind into reads of parameters.
    fn rewrite(&self, thunk: &mut Thunk) {
        let mut scalars = HashMap::new();
        let Thunk { locals, body, .. } = thunk;
        self.block(body, locals, &mut scalars);
        if !scalars.is_empty() {
            replace(body, &scalars);
        }
    }

    fn block(&self, block: &mut Block, locals: &mut Vec<Local>, scalars: &mut HashMap<LocalId, ValueId>) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            stmt.kind.blocks_mut().into_iter().for_each(|block| self.block(block, locals, scalars));
            match &stmt.kind {
                StmtKind::Own { dst, bind } if !self.bound.contains(bind) => {
                    let level = self.level(*bind);
                    if level == 0 {
                        scalars.insert(*dst, *bind);
                        continue;
                    }
                    let index = (0..level).map(own_index).collect();
                    let (dst, array) = (*dst, *bind);
                    stmt.kind = StmtKind::Read { dst, array, index, default: None, site: None };
                }
                StmtKind::Window { bind, .. } if !self.bound.contains(bind) => {
                    stmt.kind = window(&stmt, locals, &mut stmts);
                }
                StmtKind::Op { .. }
                | StmtKind::Threefry { .. }
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
                | StmtKind::Check { .. } => {}
            }
            stmts.push(stmt);
        }
        block.stmts = stmts;
    }
}

/// The index that is the own coordinate along an axis: always in bounds.
fn own_index(axis: usize) -> Index {
    Index { at: Atom::Local(LocalId::from(axis)), rule: Rule::Proved }
}

/// Returns the array read that is equivalent to a window; adds to `stmts` the additions to the own coordinates.
fn window(stmt: &Stmt, locals: &mut Vec<Local>, stmts: &mut Vec<Stmt>) -> StmtKind {
    let StmtKind::Window { dst, bind, offsets, default, site } = &stmt.kind else {
        unreachable!("the caller has looked");
    };
    let mut index = Vec::with_capacity(offsets.len());
    for (axis, offset) in offsets.iter().enumerate() {
        if offset.by == 0 {
            index.push(own_index(axis));
            continue;
        }
        let at = LocalId::from(locals.len());
        locals.push(Local { name: "".into(), ty: ScalarType::Idx });
        let args = vec![Atom::Local(LocalId::from(axis)), Atom::Const(nestled_ir::Scalar::Idx(offset.by))];
        stmts.push(Stmt { kind: StmtKind::Op { dst: at, op: Op::Add, args }, span: stmt.span });
        index.push(Index { at: Atom::Local(at), rule: offset.rule });
    }
    let has = |rule: Rule| index.iter().any(|index| index.rule == rule);
    StmtKind::Read {
        dst: *dst,
        array: *bind,
        default: default.filter(|_| has(Rule::Else)),
        site: site.filter(|_| has(Rule::Fault)),
        index,
    }
}

/// Replaces locals by scalar parameters.
fn replace(block: &mut Block, scalars: &HashMap<LocalId, ValueId>) {
    let replace_atom = |atom: &mut Atom| {
        if let Atom::Local(local) = atom
            && let Some(&value) = scalars.get(local)
        {
            *atom = Atom::Value(value);
        }
    };
    for stmt in &mut block.stmts {
        stmt.kind.for_each_atom(&mut |atom| replace_atom(atom));
        stmt.kind.blocks_mut().into_iter().for_each(|block| replace(block, scalars));
    }
    block.results.iter_mut().for_each(replace_atom);
}

/// Returns the values that a kernel names outside of its list of shapes, and the shapes that it keeps, with the symbols in their types.
fn named(kernel: &Kernel, kept: &HashSet<ValueId>) -> HashSet<ValueId> {
    let mut work: Vec<ValueId> = kernel.params.iter().chain(&kernel.ret).chain(kept).copied().collect();
    let symbols = |shape: &Shape, work: &mut Vec<ValueId>| {
        work.extend(shape.axes.iter().filter_map(|axis| match axis {
            Axis::Sym(symbol) => Some(*symbol),
            Axis::Const(_) => None,
        }));
    };
    symbols(&Shape::new(kernel.space.as_slice()), &mut work);
    for step in &kernel.steps {
        work.extend(&step.binds);
        step.body.body.for_each_captured(&mut |value| work.push(value));
        if let CombinatorKind::Permute { dest, .. } = &step.kind {
            symbols(dest, &mut work);
        }
        work.extend(step.kind.bases());
    }
    let mut named = HashSet::new();
    while let Some(value) = work.pop() {
        if named.insert(value) {
            match &kernel.values[value.index()].ty {
                Type::Array(array) => symbols(&array.shape, &mut work),
                Type::Dim => {}
                Type::Seg(seg) => symbols(&seg.parent, &mut work),
            }
        }
    }
    named
}
