//! Sinking of scalar host code into a merged kernel: a computation between two runs becomes a `once`.
//!
//! Scalars that the host needs too leave the kernel like any other result, so that the host does not wait for the operands.

use super::Merging;
use nestled_ir::{
    Atom, Combinator, CombinatorKind, HostAtom, HostOp, Local, LocalId, ScalarType, Span, Stmt, StmtKind,
    Thunk, Type, Value, ValueId,
};
use std::collections::{BTreeSet, HashMap};

impl Merging<'_> {
    /// Returns the statements of host code that bind a scalar which the kernel computes.
    pub fn computed(&self) -> Vec<usize> {
        let mut stmts: Vec<usize> = self
            .made
            .keys()
            .filter_map(|value| self.graph.bound.get(value).copied())
            .filter(|&at| matches!(&self.graph.stmts[at].op, HostOp::Scalar { .. }))
            .filter(|&at| self.graph.stmts[at].binds.len() == 1)
            .collect();
        stmts.sort_unstable();
        stmts
    }

    /// Returns the kernel's value for an argument, if the kernel makes it or can compute it by a `once`.
    pub(super) fn inside(&mut self, arg: HostAtom) -> Option<ValueId> {
        let HostAtom::Value(value) = arg else { return None };
        if let Some(&made) = self.made.get(&value) {
            return Some(made);
        }
        let leaves = self.graph.scalar_leaves(arg);
        let is_inside = leaves.iter().any(|(_, leaf)| self.made.contains_key(leaf));
        is_inside.then(|| self.once(value))
    }

    /// Adds a `once` that computes a scalar of host code.
    fn once(&mut self, value: ValueId) -> ValueId {
        let graph = self.graph;
        let mut thunk = Thunk::default();
        let mut known: HashMap<ValueId, Atom> = HashMap::new();
        for at in self.scalar_stmts(value) {
            let stmt = &graph.stmts[at];
            let HostOp::Scalar { op, args } = &stmt.op else { continue };
            let args: Vec<Atom> =
                args.iter().map(|&arg| self.operand(arg, &mut thunk, &mut known, stmt.span)).collect();
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

    /// Returns the scalar statements that compute a value from values of the kernel (a backward slice), in program order.
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

    fn operand(
        &mut self,
        arg: HostAtom,
        thunk: &mut Thunk,
        known: &mut HashMap<ValueId, Atom>,
        span: Span,
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
}

/// Makes a new local for a scalar of host code.
fn new_local(thunk: &mut Thunk, host: &Value) -> LocalId {
    let ty = host.ty.as_scalar().unwrap_or(ScalarType::Idx);
    thunk.locals.push(Local { name: host.name.clone(), ty });
    LocalId::from(thunk.locals.len() - 1)
}
