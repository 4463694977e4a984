//! `contract`: fused multiply-add contraction. A product whose only use is an addition becomes part of an `fma`.
//!
//! ```text
//! t = mul a b
//! y = add t c        →   y = fma a b c          c + a·b likewise
//! y = sub t c        →   y = fma a b (neg c)
//! y = sub c t        →   y = fma (neg a) b c
//! ```
//!
//! **This changes results**: a·b is no longer rounded. It is one instruction instead of two and the more exact answer, so it is on by default; strict math leaves it out. No other
//! pass and no back end contracts, so that the bits follow from the program alone, not from a plan or a device. A product is contracted when all of this holds:
//!
//! - product and sum are `f32` or `f64` operations of a thunk or of host code, and stand in the same block (so that the same operations
//!   run as before, and as often);
//! - the sum is the only use of the product;
//! - if both operands of the sum are such products, the first is taken;
//! - the thunk is not one that a monoid combines with (or that such a thunk calls): a monoid is declared with laws about its bits.
//!
//! Negations are exact, and a literal is negated at compile time. An `fma` of the program stays. The text of elementary functions says exactly where it rounds, and must not be
//! inserted before this pass: see [`pipeline`](crate::pipeline).

use crate::pass::{Pass, PassContext};
use crate::use_counts::use_counts;
use nestled_ir::interp::eval_op;
use nestled_ir::{
    Atom, Block, Function, HostAtom, HostBlock, HostOp, HostStmt, Local, LocalId, Op, Program, ScalarType,
    Span, Stmt, StmtKind, Thunk, Type, Value, ValueId,
};
use std::collections::HashMap;

/// The pass.
pub const PASS: Pass = Pass {
    name: "contract",
    summary: "a product that is only added to something becomes a fused multiply-add",
    changes_rounding: true,
    run: contract,
};

/// Returns the program with fused multiply-adds.
pub fn contract(program: &Program, _: &mut PassContext) -> Program {
    let mut program = program.clone();
    let promised = combine_thunks(&program);
    for (def, _) in program.thunks.iter_mut().zip(promised).filter(|(_, promised)| !promised) {
        contract_thunk(&mut def.thunk, &[]);
    }
    for kernel in &mut program.kernels {
        for step in &mut kernel.steps {
            contract_thunk(&mut step.body, &kernel.values);
        }
    }
    program.functions.iter_mut().for_each(contract_function);
    program
}

/// For each thunk: true if a monoid combines with it, directly or through calls.
fn combine_thunks(program: &Program) -> Vec<bool> {
    let mut marks = vec![false; program.thunks.len()];
    let mut work: Vec<_> = program.monoids.iter().map(|monoid| monoid.combine).collect();
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut marks[id.index()], true) {
            continue;
        }
        program.thunk(id).thunk.body.walk(&mut |stmt| {
            if let StmtKind::Call { thunk, .. } = stmt.kind {
                work.push(thunk);
            }
        });
    }
    marks
}

/// A statement, of thunks or of host code. Locals and values of host code are both written as the [`Atom`] that reads them.
trait Code {
    /// Returns the bound name, the operation and its operands, if the statement is an operation.
    fn operation(&self) -> Option<(Atom, Op, Vec<Atom>)>;
    /// Makes a statement of an operation.
    fn new(dst: Atom, op: Op, args: Vec<Atom>, span: Span) -> Self;
    /// The place in the source.
    fn span(&self) -> Span;
}

impl Code for Stmt {
    fn operation(&self) -> Option<(Atom, Op, Vec<Atom>)> {
        match &self.kind {
            StmtKind::Op { dst, op, args } => Some((Atom::Local(*dst), *op, args.clone())),
            _ => None,
        }
    }

    fn new(dst: Atom, op: Op, args: Vec<Atom>, span: Span) -> Stmt {
        let Atom::Local(dst) = dst else { unreachable!("thunks bind locals") };
        Stmt { kind: StmtKind::Op { dst, op, args }, span }
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl Code for HostStmt {
    fn operation(&self) -> Option<(Atom, Op, Vec<Atom>)> {
        match &self.op {
            HostOp::Scalar { op, args } => {
                let args = args.iter().map(|&arg| host_to_atom(arg)).collect();
                Some((Atom::Value(self.binds[0]), *op, args))
            }
            _ => None,
        }
    }

    fn new(dst: Atom, op: Op, args: Vec<Atom>, span: Span) -> HostStmt {
        let Atom::Value(dst) = dst else { unreachable!("host code binds values") };
        let args = args.into_iter().map(atom_to_host).collect();
        HostStmt { binds: vec![dst], op: HostOp::Scalar { op, args }, span }
    }

    fn span(&self) -> Span {
        self.span
    }
}

fn host_to_atom(atom: HostAtom) -> Atom {
    match atom {
        HostAtom::Value(value) => Atom::Value(value),
        HostAtom::Const(scalar) => Atom::Const(scalar),
    }
}

fn atom_to_host(atom: Atom) -> HostAtom {
    match atom {
        Atom::Value(value) => HostAtom::Value(value),
        Atom::Const(scalar) => HostAtom::Const(scalar),
        Atom::Local(_) => unreachable!("host code has no locals"),
    }
}

/// The names of a thunk or function.
trait Names {
    /// Number of uses of an operand.
    fn n_uses(&self, atom: Atom) -> u32;
    /// The type of an operand.
    fn ty(&self, atom: Atom) -> ScalarType;
    /// Makes a new name of a type.
    fn fresh(&mut self, ty: ScalarType) -> Atom;
}

/// Contracts the statements of one block.
fn contract_stmts<S: Code>(stmts: &mut Vec<S>, names: &mut dyn Names) {
    let mut products: HashMap<Atom, (usize, [Atom; 2])> = HashMap::new();
    let mut gone = Vec::new();
    let mut out: Vec<S> = Vec::new();
    for stmt in stmts.drain(..) {
        let Some((dst, op, args)) = stmt.operation() else {
            out.push(stmt);
            continue;
        };
        if op == Op::Mul && names.ty(dst).is_float() && names.n_uses(dst) == 1 {
            products.insert(dst, (out.len(), [args[0], args[1]]));
        }
        let Some((at, factors)) = product_of(op, &args, &products) else {
            out.push(stmt);
            continue;
        };
        gone.push(products[&args[at]].0);
        let addend = args[1 - at];
        let span = stmt.span();
        let fused = match (op, at) {
            (Op::Sub, 0) => [factors[0], factors[1], negate(addend, names, span, &mut out)],
            (Op::Sub, _) => negate_product(factors, addend, names, span, &mut out),
            _ => [factors[0], factors[1], addend],
        };
        out.push(S::new(dst, Op::Fma, fused.to_vec(), span));
    }
    let mut position = 0;
    out.retain(|_| {
        position += 1;
        !gone.contains(&(position - 1))
    });
    *stmts = out;
}

/// Returns the index of the operand of a sum that is a single-use product of the block, and the factors of that product.
fn product_of(
    op: Op,
    args: &[Atom],
    products: &HashMap<Atom, (usize, [Atom; 2])>,
) -> Option<(usize, [Atom; 2])> {
    if !matches!(op, Op::Add | Op::Sub) {
        return None;
    }
    let find = |at: usize| products.get(&args[at]).map(|&(_, factors)| (at, factors));
    find(0).or_else(|| find(1))
}

/// `c − a·b` with the sign at a factor: at a literal, where there is one.
fn negate_product<S: Code>(
    [a, b]: [Atom; 2],
    addend: Atom,
    names: &mut dyn Names,
    span: Span,
    out: &mut Vec<S>,
) -> [Atom; 3] {
    if let Atom::Const(_) = b {
        return [a, negate(b, names, span, out), addend];
    }
    [negate(a, names, span, out), b, addend]
}

fn negate<S: Code>(atom: Atom, names: &mut dyn Names, span: Span, out: &mut Vec<S>) -> Atom {
    if let Atom::Const(value) = atom {
        return Atom::Const(eval_op(Op::Neg, &[value]));
    }
    let dst = names.fresh(names.ty(atom));
    out.push(S::new(dst, Op::Neg, vec![atom], span));
    dst
}

struct ThunkNames<'a> {
    locals: &'a mut Vec<Local>,
    uses: Vec<u32>,
    values: &'a [Value],
}

impl Names for ThunkNames<'_> {
    fn n_uses(&self, atom: Atom) -> u32 {
        match atom {
            Atom::Local(local) => self.uses.get(local.index()).copied().unwrap_or(0),
            Atom::Const(_) | Atom::Value(_) => 0,
        }
    }

    fn ty(&self, atom: Atom) -> ScalarType {
        match atom {
            Atom::Local(local) => self.locals[local.index()].ty,
            Atom::Const(scalar) => scalar.ty(),
            Atom::Value(value) => scalar_type(self.values, value),
        }
    }

    fn fresh(&mut self, ty: ScalarType) -> Atom {
        self.locals.push(Local { name: "".into(), ty });
        Atom::Local(LocalId::from(self.locals.len() - 1))
    }
}

fn scalar_type(values: &[Value], value: ValueId) -> ScalarType {
    values[value.index()].ty.as_scalar().expect("operands of verified operations are scalars")
}

fn contract_thunk(thunk: &mut Thunk, values: &[Value]) {
    let mut uses = vec![0; thunk.locals.len()];
    count_uses(&thunk.body, &mut uses);
    let mut names = ThunkNames { locals: &mut thunk.locals, uses, values };
    contract_block(&mut thunk.body, &mut names);
}

fn count_uses(block: &Block, uses: &mut [u32]) {
    let mut count = |atom: Atom| {
        if let Atom::Local(local) = atom {
            uses[local.index()] += 1;
        }
    };
    block.results.iter().for_each(|&atom| count(atom));
    for stmt in &block.stmts {
        stmt.kind.atoms().into_iter().for_each(&mut count);
    }
    for inner in block.stmts.iter().flat_map(|stmt| stmt.kind.blocks()) {
        count_uses(inner, uses);
    }
}

fn contract_block(block: &mut Block, names: &mut ThunkNames<'_>) {
    contract_stmts(&mut block.stmts, names);
    for inner in block.stmts.iter_mut().flat_map(|stmt| stmt.kind.blocks_mut()) {
        contract_block(inner, names);
    }
}

struct HostNames<'a> {
    values: &'a mut Vec<Value>,
    uses: Vec<u32>,
}

impl Names for HostNames<'_> {
    fn n_uses(&self, atom: Atom) -> u32 {
        match atom {
            Atom::Value(value) => self.uses.get(value.index()).copied().unwrap_or(0),
            Atom::Const(_) | Atom::Local(_) => 0,
        }
    }

    fn ty(&self, atom: Atom) -> ScalarType {
        match atom {
            Atom::Value(value) => scalar_type(self.values, value),
            Atom::Const(scalar) => scalar.ty(),
            Atom::Local(_) => unreachable!("host code has no locals"),
        }
    }

    fn fresh(&mut self, ty: ScalarType) -> Atom {
        self.values.push(Value { name: "".into(), ty: Type::scalar(ty), span: Span::NONE });
        Atom::Value(ValueId::from(self.values.len() - 1))
    }
}

fn contract_function(function: &mut Function) {
    let uses = use_counts(function);
    let mut names = HostNames { values: &mut function.values, uses };
    contract_host_block(&mut function.body, &mut names);
}

fn contract_host_block(block: &mut HostBlock, names: &mut HostNames<'_>) {
    contract_stmts(&mut block.stmts, names);
    for inner in block.stmts.iter_mut().flat_map(|stmt| stmt.op.blocks_mut()) {
        contract_host_block(inner, names);
    }
}
