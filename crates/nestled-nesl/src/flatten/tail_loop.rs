//! Tail recursion in a context: a loop of host code over the active instances.
//!
//! Each round computes the body for the instances that are still active. Instances that finish write their result to their place, once; those that call again,
//! from whichever branch, make up the next round. So memory is bounded by one round, however many rounds there are.
//!
//! ```text
//! function halves(n, v) = if n == 0 then v else halves(n / 2, v ++ [n]);     { halves(n, []) : n in a }
//!
//! fn halves<all, m, …>(places: [m]idx, results…, n: [m]i64, v…) {
//!   results = those with n == 0, at their places
//!   (m, places, n, v) = the others, with n / 2 and v ++ [n]
//!   if m > 0 { halves(places, results, n, v) } else { results }
//! }
//! ```

use super::analysis::calls;
use super::call::Key;
use super::form::Sig;
use super::host::axis_atom;
use super::point::{Point, idx};
use super::store::Store;
use super::val::{At, Leaf, Place, Val};
use super::walk::Frame;
use super::{Emitter, Result};
use crate::core::{Atom as CoreAtom, Block, Op as CoreOp};
use crate::fault::FaultCode;
use nestled_ir::{Atom, Axis, HostAtom, HostBlock, HostOp, Op, Scalar, ScalarType, ValueId};

/// The state of a round.
struct Round<'k> {
    key: &'k Key,
    /// The axis of all instances of the loop.
    all: Axis,
    store: Store,
    result: &'k Sig,
    next: Vec<Next>,
}

/// Instances that call again.
struct Next {
    axis: Axis,
    /// Their places among all instances, and the arguments of the next call.
    args: Vec<Val>,
}

impl<'a> Emitter<'a> {
    /// Runs the loop for all instances; returns their results.
    pub fn rounds(&mut self, callee: usize, args: &[Val], all: Axis) -> Result<Val> {
        let places = self.tabulate("places", &[all], &mut |_, k| Point::Scalar(k.coordinates()[0]));
        let key = self.round_key(callee, Vec::new());
        let result = self.result_sig(&key);
        let store = self.new_store(&result, all);
        let mut args = args.to_vec();
        args.insert(0, places);
        let binds = self.next_round(callee, &args, &store, all, all)?;
        let store = Store::from_parts(&result, &mut binds.into_iter());
        Ok(self.stored(&store))
    }

    fn next_round(
        &mut self,
        callee: usize,
        args: &[Val],
        store: &Store,
        all: Axis,
        axis: Axis,
    ) -> Result<Vec<ValueId>> {
        let mut parts = vec![self.resolve(args[0].leaf())];
        store.parts(&mut parts);
        let (sigs, of_arguments) = self.arguments(&args[1..], &[axis]);
        parts.extend(of_arguments);
        let key = self.round_key(callee, sigs);
        let function = self.instance(key)?;
        Ok(self.emit_call(function, vec![all, axis], parts))
    }

    /// Writes the body of a round; returns the parts of the store at the end of the loop.
    pub fn round(
        &mut self,
        frame: &mut Frame<'a>,
        key: &Key,
        result: &Sig,
        all: Axis,
        given: &[Vec<ValueId>],
    ) -> Result<Vec<HostAtom>> {
        let places = Val::host(1, ScalarType::Idx, HostAtom::Value(given[0][0]));
        let store = Store::from_parts(result, &mut given[1].iter().copied());
        let mut round = Round { key, all, store, result, next: Vec::new() };
        match self.tail(frame, &frame.body.function.body, &places, &mut round, true)? {
            Some(results) => Ok(results),
            None => self.end_of_round(&mut round),
        }
    }

    /// Writes a block in tail position. If the round has no other active instances (`last`), the block may end the round.
    fn tail(
        &mut self,
        frame: &mut Frame<'a>,
        block: &'a Block,
        places: &Val,
        round: &mut Round<'_>,
        last: bool,
    ) -> Result<Option<Vec<HostAtom>>> {
        let own = round.key.function;
        if let Some((statement, before)) = block.statements.split_last()
            && block.result == CoreAtom::Local(statement.local)
            && calls(block, own)
        {
            let since = self.delayed.mark_faults();
            match &statement.op {
                CoreOp::Call(callee, atoms) if callee.0 as usize == own => {
                    self.statements(frame, before)?;
                    self.settle_faults(since);
                    let mut args = vec![places.clone()];
                    args.extend(self.atoms(frame, atoms));
                    let globals = self.analysis.functions[own].globals.clone();
                    args.extend(globals.iter().map(|id| self.scope.globals[id].clone()));
                    args.extend(self.scope.random.clone());
                    args.extend(self.scope.pools.clone());
                    self.resolve_all(&args.iter().collect::<Vec<_>>(), 1);
                    let args = args.iter().map(|arg| self.settled(arg)).collect();
                    round.next.push(Next { axis: self.scope.chain[0], args });
                    return Ok(None);
                }
                CoreOp::If(cond, yes, no) => {
                    self.statements(frame, before)?;
                    self.settle_faults(since);
                    let cond = self.atom(frame, *cond).leaf().clone();
                    return self.tail_conditional(frame, cond, [yes, no], places, round, last);
                }
                _ => {}
            }
        }
        let val = self.block(frame, block)?;
        let val = self.with_random(val);
        self.resolve_all(&[&val], 1);
        self.put_away(&val, &places.leaf().clone(), round);
        Ok(None)
    }

    /// Stores the results of finished instances, if there are any.
    fn put_away(&mut self, val: &Val, places: &Leaf, round: &mut Round<'_>) {
        let (axis, old) = (self.scope.chain[0], round.store.clone());
        let val = self.settled(val);
        let some = self.is_inhabited(&[axis]);
        let outer = self.open();
        let store = self.store(&old, round.all, &val, axis, places);
        let mut results = Vec::new();
        store.parts(&mut results);
        let then = self.close(outer, results);
        let mut results = Vec::new();
        old.parts(&mut results);
        let otherwise = HostBlock { stmts: Vec::new(), results };
        let count = then.results.len();
        let binds = self.emit("", HostOp::If { cond: some, then, otherwise }, count);
        round.store = Store::from_parts(round.result, &mut binds.into_iter());
    }

    fn tail_conditional(
        &mut self,
        frame: &mut Frame<'a>,
        cond: Leaf,
        blocks: [&'a Block; 2],
        places: &Val,
        round: &mut Round<'_>,
        last: bool,
    ) -> Result<Option<Vec<HostAtom>>> {
        let mut cond = cond;
        if cond.level == 0 {
            let known = self.resolve(&cond);
            if let HostAtom::Const(Scalar::Bool(known)) = known {
                return self.tail(frame, blocks[usize::from(!known)], places, round, last);
            }
            if last && round.next.is_empty() {
                return self.uniform_tail(frame, known, blocks, places, round).map(Some);
            }
            let chain = self.scope.chain.clone();
            cond = self.raise(&Val::Scalar(cond), &chain).leaf().clone();
        }
        for (block, is_yes) in blocks.into_iter().zip([true, false]) {
            let (packed_axis, packed) = self.pack_context(frame, &cond, is_yes, block, Some(places));
            self.in_context(vec![packed_axis], |this| {
                let places = packed.places.clone().expect("places were packed");
                this.in_branch(frame, packed, |this, frame| this.tail(frame, block, &places, round, false))
            })?;
        }
        Ok(None)
    }

    /// Writes a uniform conditional in tail position: each branch ends the round by itself.
    fn uniform_tail(
        &mut self,
        frame: &mut Frame<'a>,
        cond: HostAtom,
        blocks: [&'a Block; 2],
        places: &Val,
        round: &mut Round<'_>,
    ) -> Result<Vec<HostAtom>> {
        let mut sides = Vec::new();
        let before = round.store.clone();
        let random = self.scope.random.clone();
        for block in blocks {
            round.store.clone_from(&before);
            self.scope.random.clone_from(&random);
            let outer = self.open();
            let results = match self.tail(frame, block, places, round, true)? {
                Some(results) => results,
                None => self.end_of_round(round)?,
            };
            sides.push(self.close(outer, results));
        }
        let (otherwise, then) = (sides.pop().expect("two sides"), sides.pop().expect("two sides"));
        let count = then.results.len();
        let binds = self.emit("", HostOp::If { cond, then, otherwise }, count);
        Ok(binds.into_iter().map(HostAtom::Value).collect())
    }

    /// Calls the next round for the active instances, if there are any.
    fn end_of_round(&mut self, round: &mut Round<'_>) -> Result<Vec<HostAtom>> {
        let next = std::mem::take(&mut round.next);
        let mut parts = Vec::new();
        let all = round.all;
        round.store.parts(&mut parts);
        if next.is_empty() {
            return Ok(parts);
        }
        let (axis, args) = self.together(next);
        let some = self.is_inhabited(&[axis]);
        let outer = self.open();
        let results = self.in_context(vec![axis], |this| {
            this.next_round(round.key.function, &args, &round.store, all, axis)
        })?;
        let then = self.close(outer, results.into_iter().map(HostAtom::Value).collect());
        let otherwise = HostBlock { stmts: Vec::new(), results: parts };
        let count = then.results.len();
        let binds = self.emit("", HostOp::If { cond: some, then, otherwise }, count);
        Ok(binds.into_iter().map(HostAtom::Value).collect())
    }

    /// Concatenates the active instances of all branches.
    fn together(&mut self, mut next: Vec<Next>) -> (Axis, Vec<Val>) {
        if next.len() == 1 {
            let Next { axis, args } = next.pop().expect("there is one");
            return (axis, args);
        }
        let mut ends = Vec::new();
        let mut end = HostAtom::Const(Scalar::Idx(0));
        for one in &next {
            end = self.host_op(Op::Add, vec![end, axis_atom(self.f.canonical(one.axis))]);
            ends.push(end);
        }
        let axis = self.dim(end, FaultCode::Limit);
        // What is the same for all stays that.
        let same = |at: usize| next[1..].iter().all(|one| is_same(&one.args[at], &next[0].args[at]));
        let same: Vec<bool> = (0..next[0].args.len()).map(same).collect();
        let joined: Vec<Val> = next
            .iter()
            .map(|one| {
                let varying = one.args.iter().zip(&same).filter(|(_, same)| !**same);
                Val::tuple(varying.map(|(arg, _)| arg.clone()).collect())
            })
            .collect();
        let joined = self.in_context(vec![axis], |this| {
            this.tabulate("joined", &[axis], &mut |this, k| {
                let at = k.coordinates()[0];
                this.one_of_several(k, &joined, &ends, at, idx(0))
            })
        });
        let Val::Tuple(joined) = joined else { unreachable!("tuples were joined") };
        let mut joined = joined.iter().cloned();
        let args = next[0].args.iter().zip(&same).map(|(arg, same)| match same {
            true => arg.clone(),
            false => joined.next().expect("a value for each that varies"),
        });
        (axis, args.collect())
    }

    fn one_of_several(
        &mut self,
        k: &mut super::kernel::KernelWriter,
        vals: &[Val],
        ends: &[HostAtom],
        at: Atom,
        begin: Atom,
    ) -> Point {
        let own = k.op(Op::Sub, &[at, begin]);
        if let [only] = vals {
            return self.read(k, only, &[own]);
        }
        let end = k.scalar(&self.f, ends[0]);
        let here = k.op(Op::Lt, &[at, end]);
        self.branch_point(k, here, &mut |this, k| this.read(k, &vals[0], &[own]), &mut |this, k| {
            this.one_of_several(k, &vals[1..], &ends[1..], at, end)
        })
    }
}

/// True if two values are the same and do not depend on the context.
fn is_same(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Scalar(a), Val::Scalar(b)) => {
            a.level == 0 && matches!((&a.at, &b.at), (At::Host(a), At::Host(b)) if a == b)
        }
        (Val::Tuple(a), Val::Tuple(b)) => a.iter().zip(b.iter()).all(|(a, b)| is_same(a, b)),
        (Val::Seq(a), Val::Seq(b)) if a.level == 0 && a.shape == b.shape => match (&a.place, &b.place) {
            (Place::Dense(a), Place::Dense(b)) => is_elems_same(a, b),
            _ => std::rc::Rc::ptr_eq(a, b),
        },
        _ => false,
    }
}

fn is_elems_same(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Scalar(a), Val::Scalar(b)) => matches!((&a.at, &b.at), (At::Host(a), At::Host(b)) if a == b),
        (Val::Tuple(a), Val::Tuple(b)) => a.iter().zip(b.iter()).all(|(a, b)| is_elems_same(a, b)),
        _ => false,
    }
}
