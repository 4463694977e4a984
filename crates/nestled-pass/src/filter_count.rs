//! `filter-count`: the choice of a segment descriptor. Of the segments that a filter makes within each group, lengths are enough where nobody needs offsets: they are counted by a
//! reduction.
//!
//! ```text
//! kernel keep(x: [s]f64) over n, s {             kernel keep(x: [s]f64) over n, s {
//!   p = map { i, j => gt x[i, j] 0.0 }             p = map { i, j => gt x[i, j] 0.0 }
//!   t = filter @1 where p { i, j => }              c = reduce @1 where p { i, j => 1idx } add
//!   ret t                                          ret c
//! }                                              }
//! kernel use<t: seg[n]>() over n {               kernel use(c: [n]idx) over n {
//!   y = map { i => f64 (len t[i]) }                y = map { i => f64 c[i] }
//!   ret y                                          ret y
//! }                                              }
//! ```
//!
//! Offsets take a prefix sum over all groups and are known only when it is done; so `fuse` cannot have the filter and its reader in one kernel, which it can with the counts. The
//! elements that the filter keeps must not be wanted: either nobody reads them, or `fuse` has taken those who do into the kernel of the filter. The pass therefore runs before and
//! after it.
//!
//! Limits: a filter of the whole gives an extent, which costs no more than a count. A filter whose own thunk may fault stays: a lane that faults is kept, and a reduction takes a zero for
//! it.

use crate::facts::Facts;
use crate::pass::{Pass, PassContext};
use crate::use_counts::use_counts;
use nestled_ir::typing::Scope;
use nestled_ir::{
    Atom, Axis, Block, CombinatorKind, Function, HostAtom, HostBlock, HostOp, HostStmt, Index, Kernel,
    KernelId, Level, Monoid, MonoidOp, Program, Rule, Scalar, ScalarType, StmtKind, Type, ValueId,
};

/// The pass.
pub const PASS: Pass = Pass {
    name: "filter-count",
    summary: "segments of a filter of which only lengths are wanted are counted",
    changes_rounding: false,
    run: filter_count,
};

fn filter_count(program: &Program, _: &mut PassContext) -> Program {
    let facts = Facts::of(program);
    let mut next = program.clone();
    let mut functions = std::mem::take(&mut next.functions);
    for function in &mut functions {
        let mut segs = Vec::new();
        function.body.walk(&mut |stmt| segs.extend(made_by_filters(stmt, &next.kernels, &facts)));
        if segs.is_empty() {
            continue;
        }
        let uses = use_counts(function);
        segs.retain(|&seg| {
            uses[seg.index()] > 0 && n_lengths(&function.body, seg, &next.kernels) == uses[seg.index()]
        });
        for seg in segs {
            count(function, seg, &mut next.kernels);
        }
    }
    next.functions = functions;
    next
}

/// The segmentations that a run's filters make, without elements.
fn made_by_filters(stmt: &HostStmt, kernels: &[Kernel], facts: &Facts) -> Vec<ValueId> {
    let HostOp::Run { kernel, .. } = &stmt.op else { return Vec::new() };
    let kernel = &kernels[kernel.index()];
    let is_bare = |value: ValueId| {
        kernel.ret.iter().filter(|ret| **ret == value).count() == 1
            && kernel.steps.iter().any(|step| {
                let within = matches!(step.kind, CombinatorKind::Filter { within } if within.0 > 0);
                within && step.binds == [value] && facts.combinator(step).is_none()
            })
    };
    let results = stmt.binds.iter().zip(&kernel.ret);
    results.filter(|(_, ret)| is_bare(**ret)).map(|(bind, _)| *bind).collect()
}

/// Counts the uses of a segmentation that want lengths only.
fn n_lengths(body: &HostBlock, seg: ValueId, kernels: &[Kernel]) -> u32 {
    let mut found = 0;
    body.walk(&mut |stmt| match &stmt.op {
        HostOp::Lengths { seg: of } if *of == seg => found += 1,
        HostOp::Run { kernel, shapes, .. } => {
            let kernel = &kernels[kernel.index()];
            let params = kernel.shapes.iter().zip(shapes);
            let wants_lengths =
                |(param, axis): &(&ValueId, &Axis)| **axis == Axis::Sym(seg) && only_lengths(kernel, **param);
            found += u32::try_from(params.filter(wants_lengths).count()).unwrap_or(u32::MAX);
        }
        _ => {}
    });
    found
}

/// True if a kernel asks for nothing but lengths of a segmentation.
fn only_lengths(kernel: &Kernel, seg: ValueId) -> bool {
    let mut in_types = kernel.space.contains(&Axis::Sym(seg));
    for value in &kernel.values {
        value.ty.for_each_symbol(&mut |symbol| in_types |= symbol == seg);
    }
    let (mut captured, mut lengths) = (0, 0);
    for step in &kernel.steps {
        if let CombinatorKind::Permute { dest, .. } = &step.kind {
            dest.for_each_symbol(&mut |symbol| in_types |= symbol == seg);
        }
        step.body.body.for_each_captured(&mut |value| captured += usize::from(value == seg));
        step.body.body.walk(&mut |stmt| {
            lengths += usize::from(matches!(stmt.kind, StmtKind::Len { seg: of, .. } if of == seg));
        });
    }
    !in_types && captured == lengths
}

/// Makes a segmentation the array of its lengths.
fn count(function: &mut Function, seg: ValueId, kernels: &mut Vec<Kernel>) {
    let value = &mut function.values[seg.index()];
    let Type::Seg(ty) = &value.ty else { return };
    value.ty = Type::dense(ScalarType::Idx, ty.parent.clone());
    let mut same = Vec::new();
    rewrite(&mut function.body, seg, kernels, &mut same);
    if !same.is_empty() {
        rename(&mut function.body, &same, seg);
    }
}

fn rewrite(block: &mut HostBlock, seg: ValueId, kernels: &mut Vec<Kernel>, same: &mut Vec<ValueId>) {
    block.stmts.retain(|stmt| match &stmt.op {
        HostOp::Lengths { seg: of } if *of == seg => {
            same.extend(&stmt.binds);
            false
        }
        _ => true,
    });
    for stmt in &mut block.stmts {
        stmt.op.blocks_mut().into_iter().for_each(|inner| rewrite(inner, seg, kernels, same));
        let HostOp::Run { kernel, shapes, args } = &mut stmt.op else { continue };
        let mut new = kernels[kernel.index()].clone();
        if let Some(at) = stmt.binds.iter().position(|bind| *bind == seg) {
            counts(&mut new, at);
        } else if let Some(at) = shapes.iter().position(|axis| *axis == Axis::Sym(seg)) {
            shapes.remove(at);
            args.push(HostAtom::Value(seg));
            takes_lengths(&mut new, at);
        } else {
            continue;
        }
        kernels.push(new);
        *kernel = KernelId::from(kernels.len() - 1);
    }
}

/// Makes a result of a kernel that a filter binds a count.
fn counts(kernel: &mut Kernel, at: usize) {
    let bind = kernel.ret[at];
    let Some(step) = kernel.steps.iter_mut().find(|step| step.binds == [bind]) else { return };
    let CombinatorKind::Filter { within } = step.kind else { return };
    step.kind = CombinatorKind::Reduce { to: within, monoid: Monoid::op(MonoidOp::Add) };
    step.body.body = Block { stmts: Vec::new(), results: vec![Atom::Const(Scalar::Idx(1))] };
    let shape = Scope::new(&kernel.values).level_shape(&kernel.space, Level(within.0));
    kernel.values[bind.index()].ty = Type::dense(ScalarType::Idx, shape);
}

/// Makes a shape parameter of a kernel the array of its lengths, the last parameter.
fn takes_lengths(kernel: &mut Kernel, at: usize) {
    let param = kernel.shapes.remove(at);
    kernel.params.push(param);
    let value = &mut kernel.values[param.index()];
    if let Type::Seg(ty) = &value.ty {
        value.ty = Type::dense(ScalarType::Idx, ty.parent.clone());
    }
    for step in &mut kernel.steps {
        read_lengths(&mut step.body.body, param);
    }
}

/// `len s[i]` is 0 for a segment that does not exist.
fn read_lengths(block: &mut Block, param: ValueId) {
    for stmt in &mut block.stmts {
        stmt.kind.blocks_mut().into_iter().for_each(|inner| read_lengths(inner, param));
        if let StmtKind::Len { dst, seg, at } = &stmt.kind
            && *seg == param
        {
            let index = at.iter().map(|&at| Index { at, rule: Rule::Else }).collect();
            let default = Some(Atom::Const(Scalar::Idx(0)));
            stmt.kind = StmtKind::Read { dst: *dst, array: param, index, default, site: None };
        }
    }
}

fn rename(block: &mut HostBlock, same: &[ValueId], to: ValueId) {
    let new = |value: &mut ValueId| {
        if same.contains(value) {
            *value = to;
        }
    };
    for stmt in &mut block.stmts {
        stmt.op.for_each_value(&mut |value| new(value));
        stmt.op.blocks_mut().into_iter().for_each(|inner| rename(inner, same, to));
    }
    for result in &mut block.results {
        if let HostAtom::Value(value) = result {
            new(value);
        }
    }
}
