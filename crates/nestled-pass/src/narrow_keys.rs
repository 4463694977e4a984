//! `narrow-keys`: integers that nothing but sorts look at are written in the fewest bits that hold them.
//!
//! ```text
//! keys = map { i => rem xs[i] 1000 }                      keys = map { i => rem xs[i] 1000 }
//! ret keys                                                narrow = map { i => i16 keys[i] }
//!                                                         ret narrow
//! rs = rank ascending keys                                rs = rank ascending narrow
//! ```
//!
//! The range analysis (`ranges/`) knows the least and the greatest key. The type holds 0 as well: what guards leave out has the key 0. A sort whose sorted keys are read
//! gives them in their own type, and so does not count. The pass comes after fusion, when what keys are made of is in one kernel with them.

use crate::facts::Facts;
use crate::pass::{Pass, PassContext};
use crate::ranges::{type_bounds, walk_kernel};
use crate::simplify::keep_reachable;
use crate::sort_keys::sorts;
use crate::use_counts::use_counts;
use nestled_ir::{
    Atom, Combinator, CombinatorKind, Function, HostBlock, HostOp, Kernel, KernelId, Library, Local, LocalId,
    Op, Program, ScalarType, Stmt, StmtKind, Thunk, Type, Value, ValueId,
};
use std::collections::HashMap;

/// The pass.
pub const PASS: Pass = Pass {
    name: "narrow-keys",
    summary: "keys that are only sorted by are written in few bits",
    changes_rounding: false,
    run: narrow_keys,
};

/// The types that keys are written in, the narrowest first.
const NARROW: [ScalarType; 6] =
    [ScalarType::U8, ScalarType::I8, ScalarType::U16, ScalarType::I16, ScalarType::U32, ScalarType::I32];

fn narrow_keys(program: &Program, cx: &mut PassContext) -> Program {
    let mut next = program.clone();
    if !program.functions.iter().any(sorts) {
        return next;
    }
    let facts = Facts::of(program);
    let mut made = HashMap::new();
    for function in &mut next.functions {
        narrow(function, &mut next.kernels, &facts, &mut made);
    }
    if !made.is_empty() && !cx.options.keep_all {
        keep_reachable(&mut next);
    }
    next
}

/// Narrows the keys of a function; new kernels are added, equal ones once.
fn narrow(
    function: &mut Function,
    kernels: &mut Vec<Kernel>,
    facts: &Facts,
    made: &mut HashMap<Kernel, KernelId>,
) {
    let only_keys = only_keys(function);
    if !only_keys.contains(&true) {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    block(&mut body, &mut Narrowing { values: &mut function.values, kernels, made, facts, only_keys });
    function.body = body;
}

/// For each value of a function: true if it is used, and only as keys of ranks and of sorts whose sorted keys nobody wants.
fn only_keys(function: &Function) -> Vec<bool> {
    let uses = use_counts(function);
    let mut as_keys = vec![0; uses.len()];
    function.body.walk(&mut |stmt| {
        let HostOp::Library(library) = &stmt.op else { return };
        match library {
            Library::Sort { keys, .. } => {
                as_keys[keys.index()] += u32::from(uses[stmt.binds[0].index()] == 0);
            }
            Library::Rank { keys, .. } => as_keys[keys.index()] += 1,
            Library::MatMul { .. } => {}
        }
    });
    uses.iter().zip(as_keys).map(|(n, as_keys)| as_keys > 0 && *n == as_keys).collect()
}

struct Narrowing<'a> {
    values: &'a mut [Value],
    kernels: &'a mut Vec<Kernel>,
    made: &'a mut HashMap<Kernel, KernelId>,
    facts: &'a Facts,
    only_keys: Vec<bool>,
}

fn block(body: &mut HostBlock, with: &mut Narrowing<'_>) {
    for stmt in &mut body.stmts {
        if let HostOp::Run { kernel, .. } = &mut stmt.op {
            *kernel = with.run(*kernel, &stmt.binds);
        }
        // Sorted keys have the type of the keys, also where nobody reads them.
        if let HostOp::Library(Library::Sort { keys, .. }) = stmt.op
            && with.only_keys[keys.index()]
        {
            with.values[stmt.binds[0].index()].ty = with.values[keys.index()].ty.clone();
        }
        stmt.op.blocks_mut().into_iter().for_each(|inner| block(inner, with));
    }
}

impl Narrowing<'_> {
    /// Returns the kernel of a run with those of its results narrowed that are only keys.
    fn run(&mut self, id: KernelId, binds: &[ValueId]) -> KernelId {
        if !binds.iter().any(|bind| self.only_keys[bind.index()]) {
            return id;
        }
        let mut kernel = self.kernels[id.index()].clone();
        let known = walk_kernel(&kernel, self.facts, &mut |_, _, _, _| {});
        let mut is_changed = false;
        for (position, &bind) in binds.iter().enumerate().filter(|(_, bind)| self.only_keys[bind.index()]) {
            let key = kernel.ret[position];
            let of = kernel.values[key.index()].ty.as_array().map(|array| array.elem);
            let narrow = known.bounds(key).zip(of).and_then(|(range, of)| narrowest(of, range));
            let Some(narrow) = narrow else { continue };
            kernel.ret[position] = add_conversion(&mut kernel, key, narrow);
            if let Type::Array(array) = &mut self.values[bind.index()].ty {
                array.elem = narrow;
            }
            is_changed = true;
        }
        if !is_changed {
            return id;
        }
        let kernels = &mut *self.kernels;
        *self.made.entry(kernel).or_insert_with_key(|kernel| {
            kernels.push(kernel.clone());
            KernelId::from(kernels.len() - 1)
        })
    }
}

/// Returns the narrowest type that holds the keys of a range, and 0, if it is narrower than theirs.
fn narrowest(of: ScalarType, (least, greatest): (i128, i128)) -> Option<ScalarType> {
    let holds = |ty: &ScalarType| {
        let (from, to) = type_bounds(*ty);
        from <= least && greatest <= to && ty.size() < of.size()
    };
    NARROW.into_iter().find(holds)
}

/// Adds a `map` that converts a value; returns what it binds.
fn add_conversion(kernel: &mut Kernel, from: ValueId, to: ScalarType) -> ValueId {
    let Value { name, ty, span } = kernel.values[from.index()].clone();
    let array = ty.as_array().expect("keys are arrays");
    let (elem, ty) = (array.elem, Type::dense(to, array.shape.clone()));
    let (_, maker) = kernel.binder(from).expect("keys with a range are made by a map");
    let (guard, n_params) = (maker.guard, maker.level().0);
    let mut body = Thunk { n_params, locals: maker.body.locals[..n_params].to_vec(), ..Thunk::default() };
    let [own, key] = [elem, to].map(|ty| {
        body.locals.push(Local { name: "".into(), ty });
        LocalId::from(body.locals.len() - 1)
    });
    let convert = StmtKind::Op { dst: key, op: Op::Convert(to), args: vec![Atom::Local(own)] };
    let kinds = [StmtKind::Own { dst: own, bind: from }, convert];
    body.body.stmts.extend(kinds.map(|kind| Stmt { kind, span }));
    body.body.results.push(Atom::Local(key));
    kernel.values.push(Value { name, ty, span });
    let bind = ValueId::from(kernel.values.len() - 1);
    kernel.steps.push(Combinator { binds: vec![bind], kind: CombinatorKind::Map, guard, body, span });
    bind
}
