//! Dead parameter and dead result elimination of kernels: removes parameters that no thunk reads, and results that no run uses.
//!
//! A kernel changes only together with all its runs; one without runs stays as it is. If some run uses a result, all runs keep it: the kernel is not cloned. A parameter also stays
//! if the argument of some run may be [lost](super::lost), because then the run would not take place.

use super::lost::may_be_lost;
use crate::facts::Facts;
use nestled_ir::{
    Atom, Axis, Block, CombinatorKind, Function, HostAtom, HostBlock, HostOp, HostStmt, Kernel, Program,
    Shape, ThunkPart, ValueId,
};
use std::collections::HashMap;

/// For each kernel: true if host code runs it.
pub fn runs(program: &Program) -> Vec<bool> {
    let mut runs = vec![false; program.kernels.len()];
    for function in &program.functions {
        function.body.walk(&mut |stmt| {
            if let HostOp::Run { kernel, .. } = stmt.op {
                runs[kernel.index()] = true;
            }
        });
    }
    runs
}

/// The definitions that narrowing has changed.
pub struct Narrowed {
    /// For each kernel: whether its head changed.
    pub kernels: Vec<bool>,
    /// For each function: whether its body changed.
    pub functions: Vec<bool>,
}

/// Narrows all kernels, and their runs.
pub fn narrow(program: &mut Program, facts: &Facts) -> Narrowed {
    let demands = demands(program, facts);
    let signatures: Vec<Signature> = program
        .kernels
        .iter()
        .zip(&demands)
        .map(|(kernel, demand)| Signature::of(kernel, demand.as_ref()))
        .collect();
    let kernels: Vec<bool> = signatures.iter().map(|signature| !signature.is_whole()).collect();
    if !kernels.contains(&true) {
        return Narrowed { kernels, functions: vec![false; program.functions.len()] };
    }
    for (kernel, signature) in program.kernels.iter_mut().zip(&signatures) {
        signature.apply(kernel);
    }
    let functions =
        program.functions.iter_mut().map(|function| narrow_runs(function, &signatures, &kernels)).collect();
    Narrowed { kernels, functions }
}

/// The live part of a kernel's head.
struct Signature {
    shapes: Vec<bool>,
    params: Vec<bool>,
    /// For each result: its new position, if it stays. Results that are one value share a position.
    results: Vec<Option<usize>>,
}

impl Signature {
    /// Computes the signature of a kernel from the demand of its runs. Without a demand (no run) the whole head stays.
    fn of(kernel: &Kernel, demand: Option<&Demand>) -> Signature {
        let Some(demand) = demand else {
            return Signature {
                shapes: vec![true; kernel.shapes.len()],
                params: vec![true; kernel.params.len()],
                results: (0..kernel.ret.len()).map(Some).collect(),
            };
        };
        let results = narrow_results(kernel, &demand.results);
        let read = read_values(kernel, &results, demand);
        let is_read = |value: &ValueId| read[value.index()];
        Signature {
            shapes: kernel.shapes.iter().map(is_read).collect(),
            params: kernel.params.iter().map(is_read).collect(),
            results,
        }
    }

    /// True if the whole head stays.
    fn is_whole(&self) -> bool {
        let in_place = self.results.iter().enumerate().all(|(at, position)| *position == Some(at));
        in_place && !self.shapes.contains(&false) && !self.params.contains(&false)
    }

    fn apply(&self, kernel: &mut Kernel) {
        retain(&mut kernel.shapes, &self.shapes);
        retain(&mut kernel.params, &self.params);
        let mut ret = Vec::new();
        for (value, position) in kernel.ret.iter().zip(&self.results) {
            if *position == Some(ret.len()) {
                ret.push(*value);
            }
        }
        kernel.ret = ret;
    }
}

/// Returns the new position of each result. A kernel keeps at least one.
fn narrow_results(kernel: &Kernel, wanted: &[bool]) -> Vec<Option<usize>> {
    let mut positions: HashMap<ValueId, usize> = HashMap::new();
    let none = !wanted.contains(&true);
    let position_of = |(at, &value): (usize, &ValueId)| {
        let keep = wanted[at] || (none && at == 0);
        let next = positions.len();
        keep.then(|| *positions.entry(value).or_insert(next))
    };
    kernel.ret.iter().enumerate().map(position_of).collect()
}

/// The demand of a kernel's runs for parts of its head.
struct Demand {
    /// For each result: whether some run uses it.
    results: Vec<bool>,
    /// For each shape parameter: whether the argument of some run may be lost.
    shapes: Vec<bool>,
    /// For each parameter: whether the argument of some run may be lost.
    params: Vec<bool>,
}

/// For each kernel that is run: the demand of its runs.
fn demands(program: &Program, facts: &Facts) -> Vec<Option<Demand>> {
    let mut demands: Vec<Option<Demand>> = program.kernels.iter().map(|_| None).collect();
    for function in &program.functions {
        let used = used_values(function);
        let lost = may_be_lost(function, facts);
        function.body.walk(&mut |stmt| {
            let HostOp::Run { kernel, shapes, args } = &stmt.op else { return };
            let demand = demands[kernel.index()].get_or_insert_with(|| Demand {
                results: vec![false; stmt.binds.len()],
                shapes: vec![false; shapes.len()],
                params: vec![false; args.len()],
            });
            let is_lost = |value: ValueId| lost[value.index()];
            mark(&mut demand.results, stmt.binds.iter().map(|bind| used[bind.index()]));
            mark(&mut demand.shapes, shapes.iter().map(|&axis| axis_value(axis).is_some_and(is_lost)));
            mark(&mut demand.params, args.iter().map(|&arg| atom_value(arg).is_some_and(is_lost)));
        });
    }
    demands
}

/// Adds marks to others (or).
fn mark(marks: &mut [bool], more: impl Iterator<Item = bool>) {
    marks.iter_mut().zip(more).for_each(|(mark, more)| *mark |= more);
}

fn axis_value(axis: Axis) -> Option<ValueId> {
    match axis {
        Axis::Sym(symbol) => Some(symbol),
        Axis::Const(_) => None,
    }
}

fn atom_value(atom: HostAtom) -> Option<ValueId> {
    match atom {
        HostAtom::Value(value) => Some(value),
        HostAtom::Const(_) => None,
    }
}

/// Marks the values of a function that are read, directly or as a symbol in the type of such a value.
pub(super) fn used_values(function: &Function) -> Vec<bool> {
    let mut work = Vec::new();
    let mut note = |value| work.push(value);
    function.body.for_each_result(&mut note);
    function.body.walk(&mut |stmt| {
        stmt.op.for_each_use(&mut note);
        stmt.op.blocks().into_iter().for_each(|block| block.for_each_result(&mut note));
    });
    let mut used = vec![false; function.values.len()];
    while let Some(value) = work.pop() {
        if !std::mem::replace(&mut used[value.index()], true) {
            function.values[value.index()].ty.for_each_symbol(&mut |symbol| work.push(symbol));
        }
    }
    used
}

/// Marks the values of a kernel that its combinators, its results, the demand of its runs, or the types of those mention.
fn read_values(kernel: &Kernel, results: &[Option<usize>], demand: &Demand) -> Vec<bool> {
    let mut work: Vec<ValueId> =
        kernel.ret.iter().zip(results).filter(|(_, kept)| kept.is_some()).map(|(value, _)| *value).collect();
    let demanded = kernel.shapes.iter().zip(&demand.shapes).chain(kernel.params.iter().zip(&demand.params));
    work.extend(demanded.filter(|(_, demanded)| **demanded).map(|(value, _)| *value));
    Shape::new(kernel.space.as_slice()).for_each_symbol(&mut |symbol| work.push(symbol));
    for step in &kernel.steps {
        work.extend(&step.binds);
        block_values(&step.body.body, &mut work);
        if let CombinatorKind::Permute { dest, .. } = &step.kind {
            dest.for_each_symbol(&mut |symbol| work.push(symbol));
        }
        work.extend(step.kind.bases());
    }
    let mut read = vec![false; kernel.values.len()];
    while let Some(value) = work.pop() {
        if !std::mem::replace(&mut read[value.index()], true) {
            kernel.values[value.index()].ty.for_each_symbol(&mut |symbol| work.push(symbol));
        }
    }
    read
}

fn block_values(block: &Block, values: &mut Vec<ValueId>) {
    let mut atom = |atom: Atom| match atom {
        Atom::Value(value) => values.push(value),
        Atom::Local(_) | Atom::Const(_) => {}
    };
    block.results.iter().for_each(|&result| atom(result));
    for stmt in &block.stmts {
        stmt.kind.atoms().into_iter().for_each(&mut atom);
    }
    for stmt in &block.stmts {
        stmt.kind.for_each_part(&mut |part| match part {
            ThunkPart::Param(value) => values.push(*value),
            ThunkPart::Block(block) => block_values(block, values),
            ThunkPart::Atom(_)
            | ThunkPart::Dst(_)
            | ThunkPart::LoopLocal(_)
            | ThunkPart::Earlier(_)
            | ThunkPart::NewPrivate(_)
            | ThunkPart::Private(_)
            | ThunkPart::Thunk(_)
            | ThunkPart::Rule(_)
            | ThunkPart::Site(_) => {}
        });
    }
}

/// Narrows the runs of narrowed kernels; returns whether there are any.
fn narrow_runs(function: &mut Function, signatures: &[Signature], narrowed: &[bool]) -> bool {
    let mut concerned = false;
    function.body.walk(&mut |stmt| {
        concerned |= matches!(stmt.op, HostOp::Run { kernel, .. } if narrowed[kernel.index()]);
    });
    if !concerned {
        return false;
    }
    let mut same: HashMap<ValueId, ValueId> = HashMap::new();
    narrow_block(&mut function.body, signatures, &mut same);
    if !same.is_empty() {
        function.body.for_each_value(&mut |value| *value = *same.get(value).unwrap_or(value));
    }
    true
}

fn narrow_block(block: &mut HostBlock, signatures: &[Signature], same: &mut HashMap<ValueId, ValueId>) {
    for HostStmt { binds, op, span: _ } in &mut block.stmts {
        if let HostOp::Run { kernel, shapes, args } = op {
            let signature = &signatures[kernel.index()];
            retain(shapes, &signature.shapes);
            retain(args, &signature.params);
            *binds = narrow_binds(binds, &signature.results, same);
        }
        op.blocks_mut().into_iter().for_each(|block| narrow_block(block, signatures, same));
    }
}

/// Returns the binds that stay; of two with one position, the second is replaced by the first.
fn narrow_binds(
    binds: &[ValueId],
    results: &[Option<usize>],
    same: &mut HashMap<ValueId, ValueId>,
) -> Vec<ValueId> {
    let mut kept: Vec<ValueId> = Vec::new();
    for (&bind, position) in binds.iter().zip(results) {
        match position {
            Some(position) if *position == kept.len() => kept.push(bind),
            Some(position) => {
                same.insert(bind, kept[*position]);
            }
            None => {}
        }
    }
    kept
}

/// Keeps the marked items.
pub(super) fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    items.retain(|_| keep.next() == Some(&true));
}
