//! Multi-versioned reads: each read of an array becomes an `if`, of which one arm computes the element at an index that is inside the array, and the other reads the stored array.
//!
//! Out-of-bounds rules are written out in the arm that computes (`clamp` as minimum and maximum, `wrap` as remainder, a default as an `if`), so that its read is `proved` and may become
//! code. A read that may fault is checked before the `if`, by an unused read of another array of the same shape, at the same site and under the same name.

use super::function::axis_atom;
use super::head::Head;
use nestled_ir::{
    Atom, Block, Index, Local, LocalId, Op, Rule, Scalar, ScalarType, SiteId, Span, Stmt, StmtKind, Thunk,
    Value, ValueId,
};

/// The reads of an array, each in two arms of an `if`.
pub struct Arms {
    /// A parameter that stands for the array where its elements are computed.
    pub computed: ValueId,
    /// The array.
    stored: ValueId,
    /// The condition under which elements are computed.
    few: Atom,
    /// The extents of the array.
    extents: Vec<Atom>,
    /// A parameter for another array of the same shape, under the name of the array, with the type of its elements: reads that may fault are checked there first.
    checked: Option<(ValueId, ScalarType)>,
    /// Set by the first read that is checked.
    checks: bool,
}

impl Arms {
    /// Makes each read of an array an `if`. `None` if one may fault, and no other array of the kernel has the same shape.
    pub fn of(head: &mut Head<'_>, stored: ValueId, few: Atom) -> Option<Arms> {
        let at = head.kernel.params.iter().position(|param| *param == stored)?;
        let own = head.kernel.values[stored.index()].clone();
        let shape = &own.ty.as_array()?.shape;
        let is_like = |param: &ValueId| {
            let ty = head.kernel.values[param.index()].ty.as_array();
            *param != stored && ty.is_some_and(|ty| ty.shape == *shape)
        };
        let like = head.kernel.params.iter().position(is_like);
        let computed = ValueId::from(head.kernel.values.len());
        head.kernel.values.push(own.clone());
        head.kernel.params.push(computed);
        head.args.push(head.args[at]);
        let checked = like.and_then(|like| {
            let ty = head.kernel.values[head.kernel.params[like].index()].ty.clone();
            Some((like, ValueId::from(head.kernel.values.len()), ty.as_array()?.elem, ty))
        });
        let extents = shape.axes.iter().map(|axis| axis_atom(*axis)).collect();
        let place = checked.as_ref().map(|(_, value, elem, _)| (*value, *elem));
        let mut arms = Arms { computed, stored, few, extents, checked: place, checks: false };
        for step in &mut head.kernel.steps {
            let Thunk { locals, body, .. } = &mut step.body;
            arms.block(body, locals)?;
        }
        if arms.checks
            && let Some((like, _, _, ty)) = checked
        {
            // Faults name the array.
            head.kernel.values.push(Value { ty, ..own });
            head.kernel.params.push(ValueId::from(head.kernel.values.len() - 1));
            head.args.push(head.args[like]);
        }
        Some(arms)
    }

    fn block(&mut self, block: &mut Block, locals: &mut Vec<Local>) -> Option<()> {
        let mut stmts = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.kind.blocks_mut() {
                self.block(inner, locals)?;
            }
            match &stmt.kind {
                StmtKind::Read { array, .. } if *array == self.stored => {
                    self.read(&stmt, locals, &mut stmts)?;
                }
                _ => stmts.push(stmt),
            }
        }
        block.stmts = stmts;
        Some(())
    }

    /// Appends the check of a read, if it may fault, and its two arms.
    fn read(&mut self, stmt: &Stmt, locals: &mut Vec<Local>, out: &mut Vec<Stmt>) -> Option<()> {
        let StmtKind::Read { dst, index, default, site, .. } = &stmt.kind else { return None };
        let span = stmt.span;
        if site.is_some() {
            let (array, ty) = self.checked.filter(|_| default.is_none())?;
            let read = Read { array, index: index.clone(), default: None, site: *site };
            let local = fresh(locals, ty);
            out.push(read.stmt(local, span));
            self.checks = true;
        }
        let proved = |index: &Index| match index.rule {
            Rule::Fault => Index { at: index.at, rule: Rule::Proved },
            Rule::Proved | Rule::Clamp | Rule::Wrap | Rule::Else => *index,
        };
        let ty = locals[dst.index()].ty;
        let index: Vec<Index> = index.iter().map(proved).collect();
        let read = Read { array: self.stored, index: index.clone(), default: *default, site: None };
        let local = fresh(locals, ty);
        let otherwise = Block { stmts: vec![read.stmt(local, span)], results: vec![Atom::Local(local)] };
        let then = self.inside(&index, *default, ty, locals, span);
        let kind = StmtKind::If { dsts: vec![*dst], cond: self.few, then, otherwise };
        out.push(Stmt { kind, span });
        Some(())
    }

    /// The arm that computes an element, at an index that is inside the array. If few elements are wanted the array has some: none of its extents is 0.
    fn inside(
        &self,
        index: &[Index],
        default: Option<Atom>,
        ty: ScalarType,
        locals: &mut Vec<Local>,
        span: Span,
    ) -> Block {
        let mut code = Code { stmts: Vec::new(), locals, span };
        let mut is_inside: Option<Atom> = None;
        let mut at = Vec::new();
        for (index, &extent) in index.iter().zip(&self.extents) {
            at.push(match index.rule {
                Rule::Proved | Rule::Fault => index.at,
                Rule::Clamp => {
                    let last = code.op(Op::Sub, [extent, ONE], ScalarType::Idx);
                    let most = code.op(Op::Min, [index.at, last], ScalarType::Idx);
                    code.op(Op::Max, [most, ZERO], ScalarType::Idx)
                }
                Rule::Wrap => code.op(Op::RemFloor, [index.at, extent], ScalarType::Idx),
                Rule::Else => {
                    let low = code.op(Op::Ge, [index.at, ZERO], ScalarType::Bool);
                    let high = code.op(Op::Lt, [index.at, extent], ScalarType::Bool);
                    let both = code.op(Op::And, [low, high], ScalarType::Bool);
                    let all = is_inside.map(|all| code.op(Op::And, [all, both], ScalarType::Bool));
                    is_inside = Some(all.unwrap_or(both));
                    index.at
                }
            });
        }
        let index = at.into_iter().map(|at| Index { at, rule: Rule::Proved }).collect();
        let local = fresh(code.locals, ty);
        let read = Read { array: self.computed, index, default: None, site: None }.stmt(local, span);
        let Some((cond, default)) = is_inside.zip(default) else {
            code.stmts.push(read);
            return Block { stmts: code.stmts, results: vec![Atom::Local(local)] };
        };
        let dst = fresh(code.locals, ty);
        let then = Block { stmts: vec![read], results: vec![Atom::Local(local)] };
        let otherwise = Block { stmts: Vec::new(), results: vec![default] };
        let kind = StmtKind::If { dsts: vec![dst], cond, then, otherwise };
        code.stmts.push(Stmt { kind, span });
        Block { stmts: code.stmts, results: vec![Atom::Local(dst)] }
    }
}

/// The parts of a read but its result.
struct Read {
    array: ValueId,
    index: Vec<Index>,
    default: Option<Atom>,
    site: Option<SiteId>,
}

impl Read {
    fn stmt(self, dst: LocalId, span: Span) -> Stmt {
        let Read { array, index, default, site } = self;
        Stmt { kind: StmtKind::Read { dst, array, index, default, site }, span }
    }
}

/// Statements of a block that is being made.
struct Code<'a> {
    stmts: Vec<Stmt>,
    locals: &'a mut Vec<Local>,
    span: Span,
}

impl Code<'_> {
    fn op(&mut self, op: Op, args: [Atom; 2], ty: ScalarType) -> Atom {
        let dst = fresh(self.locals, ty);
        self.stmts.push(Stmt { kind: StmtKind::Op { dst, op, args: args.to_vec() }, span: self.span });
        Atom::Local(dst)
    }
}

const ZERO: Atom = Atom::Const(Scalar::Idx(0));
const ONE: Atom = Atom::Const(Scalar::Idx(1));

fn fresh(locals: &mut Vec<Local>, ty: ScalarType) -> LocalId {
    locals.push(Local { name: "".into(), ty });
    LocalId::from(locals.len() - 1)
}
