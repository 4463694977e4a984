//! Simplification of `if` in host code: known conditions, equal results, hoisting of common code, and if-conversion to `select`.
//!
//! Code that is hoisted before an `if` cannot fault; it may hold runs of kernels. An `if` that only chooses between scalars becomes `select`, and no longer ends a region, if its
//! regions may join.

use super::{Code, Earlier, Walk, by_value, from_atom, is_scalar, pins_of, to_atom};
use crate::facts::SiteRange;
use crate::simplify::cse::host_key;
use crate::simplify::regions::{Regions, direct_sites};
use crate::simplify::rule::Operands;
use nestled_ir::typing::Substitution;
use nestled_ir::{Axis, HostAtom, HostBlock, HostOp, HostStmt, Op, ValueId};
use std::collections::HashMap;

impl Walk<'_> {
    pub(super) fn branch(
        &mut self,
        stmt: &HostStmt,
        cond: HostAtom,
        arms: [&HostBlock; 2],
        after: Option<SiteRange>,
        out: &mut Code,
    ) {
        let mut cond = self.resolve(cond);
        let [mut then, mut otherwise] = arms;
        if let HostAtom::Const(value) = cond {
            let taken = if value.as_bool() == Some(true) { then } else { otherwise };
            if self.take_arm(stmt, arms, taken, after, out) {
                return;
            }
        } else if let Some((Op::Not, args)) = self.definition(to_atom(cond)) {
            // The types of arrays and shapes are worded as in the first arm.
            if stmt.binds.iter().all(|bind| is_scalar(&self.values[bind.index()].ty)) {
                cond = from_atom(args[0]);
                (then, otherwise) = (otherwise, then);
            }
        }
        let then = self.block(then, Some((cond, true)));
        let otherwise = self.block(otherwise, Some((cond, false)));
        let mut stmt =
            HostStmt { binds: stmt.binds.clone(), op: HostOp::If { cond, then, otherwise }, span: stmt.span };
        self.move_common(&mut stmt, out);
        self.drop_equal_slots(&mut stmt);
        match self.select(&stmt, out.regions(after)) {
            Some(choices) => choices.iter().for_each(|choice| self.stmt(choice, after, out)),
            None => out.push(stmt, None),
        }
    }

    /// Replaces an `if` by the taken arm, if that is allowed; returns whether it did.
    fn take_arm(
        &mut self,
        stmt: &HostStmt,
        arms: [&HostBlock; 2],
        taken: &HostBlock,
        after: Option<SiteRange>,
        out: &mut Code,
    ) -> bool {
        let inside = direct_sites(&taken.stmts, self.facts);
        let pinned = |bind: ValueId, result: HostAtom| {
            let elsewhere =
                by_value(result).is_some_and(|value| self.pins[value.index()] > pins_of(arms, value));
            self.values[bind.index()].ty.is_shape() && (elsewhere || self.pins[bind.index()] > 0)
        };
        if stmt.binds.iter().zip(&taken.results).any(|(&bind, &result)| pinned(bind, result))
            || !out.regions(after).may_join_with(inside)
            || !self.fits(&stmt.binds, taken)
        {
            return false;
        }
        let results = self.inline(taken, after, out);
        for (bind, result) in stmt.binds.iter().zip(results) {
            self.subst[bind.index()] = Some(result);
        }
        true
    }

    /// True if an arm's results have exactly the types of the binds, once its symbols are substituted for the new ones.
    fn fits(&self, binds: &[ValueId], arm: &HostBlock) -> bool {
        let mut symbols = Substitution::default();
        binds.iter().zip(&arm.results).all(|(&bind, &result)| {
            let ty = symbols.ty(&self.type_of(HostAtom::Value(bind)));
            if let (true, HostAtom::Value(symbol)) = (ty.is_shape(), result) {
                symbols.insert(bind, Axis::Sym(self.resolve_value(symbol)));
            }
            ty == self.type_of(result)
        })
    }

    /// Removes results that are the same in both arms.
    fn drop_equal_slots(&mut self, stmt: &mut HostStmt) {
        let HostOp::If { cond: _, then, otherwise } = &mut stmt.op else { return };
        let mut slot = 0;
        while slot < stmt.binds.len() {
            let (bind, a, b) = (stmt.binds[slot], then.results[slot], otherwise.results[slot]);
            // A symbol may go if it stands nowhere but in these two places.
            let free = by_value(a).is_none_or(|value| matches!(self.pins[value.index()], 0 | 2));
            if a == b && free && self.pins[bind.index()] == 0 && self.has_type_of(a, bind) {
                self.subst[bind.index()] = Some(a);
                stmt.binds.remove(slot);
                then.results.remove(slot);
                otherwise.results.remove(slot);
            } else {
                slot += 1;
            }
        }
    }

    /// If-conversion: returns `select` statements for an `if` that only chooses between scalars, and that need not end a region.
    fn select(&self, stmt: &HostStmt, regions: Regions) -> Option<Vec<HostStmt>> {
        let HostOp::If { cond, then, otherwise } = &stmt.op else { return None };
        let chooses = then.stmts.is_empty() && otherwise.stmts.is_empty() && regions.may_join();
        if !chooses || !stmt.binds.iter().all(|bind| is_scalar(&self.values[bind.index()].ty)) {
            return None;
        }
        let choice = |(&bind, (&x, &y)): (&ValueId, (&HostAtom, &HostAtom))| HostStmt {
            binds: vec![bind],
            op: HostOp::Scalar { op: Op::Select, args: vec![*cond, x, y] },
            span: stmt.span,
        };
        Some(stmt.binds.iter().zip(then.results.iter().zip(&otherwise.results)).map(choice).collect())
    }

    /// Hoists statements that both arms have before the `if`.
    fn move_common(&mut self, stmt: &mut HostStmt, out: &mut Code) {
        let HostOp::If { cond: _, then, otherwise } = &mut stmt.op else { return };
        let (values, pins, facts) = (&self.values, &self.pins, self.facts);
        let is_free = |bind: &ValueId| pins[bind.index()] == 0 || !values[bind.index()].ty.is_shape();
        let may_move = |stmt: &HostStmt| {
            !stmt.op.ends_region() && facts.host(&stmt.op).is_none() && stmt.binds.iter().all(is_free)
        };
        let common = common(then, otherwise, &may_move);
        for (old, new) in common.names {
            self.subst[old.index()] = Some(HostAtom::Value(new));
        }
        for stmt in common.stmts {
            if let Some(key) = host_key(&stmt.op) {
                self.seen.insert(key, Earlier { binds: stmt.binds.clone(), sites: None });
            }
            out.push(stmt, None);
        }
    }
}

/// Statements common to both arms.
struct Common {
    /// The statements to hoist, with the names of the first arm.
    stmts: Vec<HostStmt>,
    /// For names of the second arm: those of the first.
    names: HashMap<ValueId, ValueId>,
}

/// Removes from two arms the statements that both have and that may move.
fn common(then: &mut HostBlock, otherwise: &mut HostBlock, may_move: &dyn Fn(&HostStmt) -> bool) -> Common {
    let mut found: HashMap<HostOp, usize> = HashMap::new();
    for (at, stmt) in then.stmts.iter().enumerate().filter(|(_, stmt)| may_move(stmt)) {
        if let Some(key) = host_key(&stmt.op) {
            found.insert(key, at);
        }
    }
    let mut names = HashMap::new();
    let mut moves = vec![false; then.stmts.len()];
    otherwise.stmts.retain(|stmt| {
        if found.is_empty() || !may_move(stmt) {
            return true;
        }
        let mut op = stmt.op.clone();
        op.for_each_value(&mut |value| rename(value, &names));
        let Some(&at) = host_key(&op).and_then(|key| found.get(&key)) else { return true };
        if std::mem::replace(&mut moves[at], true) {
            return true;
        }
        names.extend(stmt.binds.iter().copied().zip(then.stmts[at].binds.iter().copied()));
        false
    });
    if names.is_empty() && !moves.contains(&true) {
        return Common { stmts: Vec::new(), names };
    }
    otherwise.for_each_value(&mut |value| rename(value, &names));
    let mut stmts = Vec::new();
    for (stmt, moves) in std::mem::take(&mut then.stmts).into_iter().zip(moves) {
        if moves { stmts.push(stmt) } else { then.stmts.push(stmt) }
    }
    Common { stmts, names }
}

/// Renames a value.
fn rename(value: &mut ValueId, names: &HashMap<ValueId, ValueId>) {
    *value = *names.get(value).unwrap_or(value);
}
