//! `sort-keys`: key functions of sorts. A sort takes its keys from the array that a map made them of, if the map keeps or reverses their order.
//!
//! ```text
//! kernel negated(xs: [n]f64) over n { y = map { i => neg (f64 xs[i]) }, ret y }      ; xs: [n]f32
//!
//! keys = run negated(xs)                         rs = rank descending xs
//! rs = rank ascending keys
//!
//! keys = run negated(xs)                         sorted = sort descending xs
//! ks = sort ascending keys                       ks = run negated(sorted)            ; one kernel with what reads `ks`
//! ```
//!
//! Keys that are read by nothing else are then never written, a reversal costs nothing, and keys of fewer bits are sorted in fewer passes (characters as bytes, truth values as
//! bits). What the map made of the sorted keys is made after the sort, where it is fused with its readers.
//!
//! **Legality** (`monotone` shows it). Every key is made from the own element of one array, of the same shape as the keys, by an unguarded map. With a payload, and for ranks,
//! the map is *strict*: different elements have different keys, so that equal keys keep their order. Without a payload it may make elements equal, as rounding does: the sorted
//! keys are the map of the sorted elements, which are sorted by the same order. The whole kernel can neither fault nor run forever, since what it computes may be computed at
//! another time or not at all; and no other operand of its run may be lost, since then there would be no keys.
//!
//! **Cost.** An array is not kept for the sort that would otherwise stay in a register: see `Walk::pays`.

mod monotone;

use crate::facts::Facts;
use crate::pass::{Pass, PassContext};
use crate::simplify::may_be_lost;
use crate::use_counts::use_counts;
use monotone::{Monotone, key_function};
use nestled_ir::{
    Axis, Function, HostAtom, HostBlock, HostOp, HostStmt, Kernel, KernelId, Library, Order, Program, Type,
    Value, ValueId,
};
use std::collections::HashMap;

/// The pass.
pub const PASS: Pass = Pass {
    name: "sort-keys",
    summary: "sorts and ranks take their keys from what a monotone map made them of",
    changes_rounding: false,
    run: sort_keys,
};

fn sort_keys(program: &Program, _: &mut PassContext) -> Program {
    let mut next = program.clone();
    if !program.functions.iter().any(sorts) {
        return next;
    }
    let facts = Facts::of(program);
    for (function, old) in next.functions.iter_mut().zip(&program.functions) {
        let mut walk = Walk::new(program, &facts, old, std::mem::take(&mut next.kernels));
        function.body = walk.block(&old.body);
        (function.values, next.kernels) = (walk.values, walk.kernels);
    }
    next
}

/// True if a function sorts or ranks.
pub(crate) fn sorts(function: &Function) -> bool {
    let mut found = false;
    function.body.walk(&mut |stmt| {
        found |= matches!(stmt.op, HostOp::Library(Library::Sort { .. } | Library::Rank { .. }));
    });
    found
}

/// The run that made some keys, and what it made them of.
struct Keys {
    /// The array that they are made of, and the parameter that it is an argument for.
    array: ValueId,
    param: usize,
    order: Monotone,
    run: Run,
}

/// A result of a run.
#[derive(Clone)]
struct Run {
    kernel: KernelId,
    shapes: Vec<Axis>,
    args: Vec<HostAtom>,
    position: usize,
}

struct Walk<'a> {
    program: &'a Program,
    facts: &'a Facts,
    /// The values of the function, and new ones.
    values: Vec<Value>,
    /// The kernels of the program, and new ones.
    kernels: Vec<Kernel>,
    lost: Vec<bool>,
    /// For each value: the number of its uses.
    uses: Vec<u32>,
    /// For each value: true if a run uses it.
    by_run: Vec<bool>,
    made: HashMap<ValueId, Run>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, facts: &'a Facts, function: &Function, kernels: Vec<Kernel>) -> Walk<'a> {
        Walk {
            program,
            facts,
            values: function.values.clone(),
            kernels,
            lost: may_be_lost(function, facts),
            uses: use_counts(function),
            by_run: used_by_runs(function),
            made: HashMap::new(),
        }
    }

    fn block(&mut self, block: &HostBlock) -> HostBlock {
        let stmts = block.stmts.iter().flat_map(|stmt| self.stmt(stmt)).collect();
        HostBlock { stmts, results: block.results.clone() }
    }

    /// Returns the statements that take the place of one.
    fn stmt(&mut self, stmt: &HostStmt) -> Vec<HostStmt> {
        let mut stmt = stmt.clone();
        match &mut stmt.op {
            HostOp::If { then, otherwise, .. } => {
                *then = self.block(then);
                *otherwise = self.block(otherwise);
            }
            HostOp::Run { kernel, shapes, args } => {
                for (position, &bind) in stmt.binds.iter().enumerate() {
                    let run = Run { kernel: *kernel, shapes: shapes.clone(), args: args.clone(), position };
                    self.made.insert(bind, run);
                }
            }
            HostOp::Library(Library::Sort { .. } | Library::Rank { .. }) => return self.sort(stmt),
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::Call { .. }
            | HostOp::Each { .. }
            | HostOp::Library(Library::MatMul { .. })
            | HostOp::Command(_) => {}
        }
        vec![stmt]
    }

    /// Rewrites a sort or rank as long as its keys are made by a map that keeps or reverses the order.
    fn sort(&mut self, mut stmt: HostStmt) -> Vec<HostStmt> {
        let mut after = Vec::new();
        while let HostOp::Library(library) = &mut stmt.op {
            let (keys, order, sorted) = match library {
                Library::Sort { keys, payload, order } => {
                    (keys, order, Some((stmt.binds[0], payload.is_empty())))
                }
                Library::Rank { keys, order } => (keys, order, None),
                Library::MatMul { .. } => break,
            };
            let Some(found) = self.found(*keys, sorted) else { break };
            self.uses[keys.index()] -= 1;
            self.uses[found.array.index()] += 1;
            (*keys, *order) = (found.array, if found.order.is_reversed { opposite(*order) } else { *order });
            if let Some((bind, _)) = sorted {
                (stmt.binds[0], after) = self.mapped(&found, bind, &stmt, after);
            }
        }
        std::iter::once(stmt).chain(after).collect()
    }

    /// Returns what the keys of a sort are made of, if it can take them from there and that pays. `sorted`: the sorted keys, and whether there is no payload.
    fn found(&self, keys: ValueId, sorted: Option<(ValueId, bool)>) -> Option<Keys> {
        let run = self.made.get(&keys)?.clone();
        let kernel = self.program.kernel(run.kernel);
        if !kernel.steps.iter().all(|step| self.facts.is_removable(step)) {
            return None;
        }
        let (param, order) = key_function(kernel, kernel.ret[run.position])?;
        let param = kernel.params.iter().position(|one| *one == param)?;
        let HostAtom::Value(array) = run.args[param] else { return None };
        let is_told_apart = order.is_strict || sorted.is_some_and(|(_, alone)| alone);
        let is_whole = is_told_apart && self.are_alike(keys, array) && !self.may_lack(&run, array);
        let found = Keys { array, param, order, run };
        (is_whole && self.pays(keys, &found, sorted.map(|(bind, _)| bind))).then_some(found)
    }

    /// True if both are dense arrays of one shape.
    fn are_alike(&self, keys: ValueId, array: ValueId) -> bool {
        let [keys, array] = [keys, array].map(|value| &self.values[value.index()].ty);
        let shape = keys.as_array().map(|keys| &keys.shape);
        array.as_array().zip(shape).is_some_and(|(of, shape)| *array == Type::dense(of.elem, shape.clone()))
    }

    /// True if an operand of a run, other than this array, may be lost.
    fn may_lack(&self, run: &Run, array: ValueId) -> bool {
        let axes = run.shapes.iter().filter_map(|axis| match axis {
            Axis::Sym(symbol) => Some(*symbol),
            Axis::Const(_) => None,
        });
        let args = run.args.iter().filter_map(|arg| match arg {
            HostAtom::Value(value) => Some(*value),
            HostAtom::Const(_) => None,
        });
        axes.chain(args).any(|operand| operand != array && self.lost[operand.index()])
    }

    /// True if no more bytes are moved than before. Narrower keys make up for everything. Otherwise the array must be there anyway: because nothing else wants the keys, or
    /// because it was not made by a run that fusion could join with theirs. Where the sorted keys are wanted, they are made from the sorted array, which must be free: a run
    /// reads them, and none that fusion could join with the map makes the array.
    fn pays(&self, keys: ValueId, found: &Keys, sorted: Option<ValueId>) -> bool {
        let size = |value: ValueId| {
            self.values[value.index()].ty.as_array().map_or(usize::MAX, |array| array.elem.size())
        };
        let is_only_reader = self.uses[keys.index()] == 1;
        let is_given = !self.made.contains_key(&found.array);
        let is_narrower = size(found.array) < size(keys);
        match sorted.filter(|sorted| self.uses[sorted.index()] > 0) {
            None => is_narrower || is_only_reader || is_given,
            Some(sorted) => is_only_reader && (is_narrower || (is_given && self.by_run[sorted.index()])),
        }
    }

    /// Makes the sorted keys from the sorted array. Returns the name of the latter, and what follows the sort.
    fn mapped(
        &mut self,
        found: &Keys,
        keys: ValueId,
        sort: &HostStmt,
        after: Vec<HostStmt>,
    ) -> (ValueId, Vec<HostStmt>) {
        let sorted = ValueId::from(self.values.len());
        let ty = self.values[found.array.index()].ty.clone();
        self.values.push(Value { name: "sorted".into(), ty, span: sort.span });
        self.lost.push(self.lost[keys.index()]);
        self.uses.push(1);
        self.by_run.push(true);
        let Run { kernel, shapes, mut args, position } = found.run.clone();
        args[found.param] = HostAtom::Value(sorted);
        let op = HostOp::Run { kernel: self.with_result(kernel, position), shapes, args };
        let run = HostStmt { binds: vec![keys], op, span: sort.span };
        (sorted, std::iter::once(run).chain(after).collect())
    }

    /// Returns a kernel that makes only this result of another.
    fn with_result(&mut self, id: KernelId, position: usize) -> KernelId {
        let kernel = self.program.kernel(id);
        if kernel.ret.len() == 1 {
            return id;
        }
        self.kernels.push(Kernel { ret: vec![kernel.ret[position]], ..kernel.clone() });
        KernelId::from(self.kernels.len() - 1)
    }
}

fn opposite(order: Order) -> Order {
    match order {
        Order::Ascending => Order::Descending,
        Order::Descending => Order::Ascending,
    }
}

/// For each value of a function: true if a run uses it.
fn used_by_runs(function: &Function) -> Vec<bool> {
    let mut used = vec![false; function.values.len()];
    function.body.walk(&mut |stmt| {
        if matches!(stmt.op, HostOp::Run { .. }) {
            stmt.op.for_each_use(&mut |value| used[value.index()] = true);
        }
    });
    used
}
