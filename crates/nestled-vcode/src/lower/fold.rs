//! Lowering of segmented scans and reductions.

use super::kernel::Sweep;
use super::slot::{Descr, Form, Vector};
use super::vector::{per_segment, symbols, under};
use super::{Lower, Lowering, single};
use crate::syntax::instr::{Elem, Fold, Instr};
use nestled_ir::{
    Atom, Axis, CombinatorKind, Direction, HostAtom, Inclusion, Level, Monoid, MonoidOp, Op, Span, ValueId,
};

impl Lowering<'_> {
    /// Writes `op_SCAN`.
    pub fn scan(
        &mut self,
        (fold, elem): (Fold, Elem),
        v: &Vector,
        descr: Descr,
        span: Span,
    ) -> Lower<Vector> {
        let form = under(descr);
        let given = self.shaped(v, form, span)?;
        let name = Instr::Scan(fold, elem).to_string();
        let Some(monoid) = monoid(fold, elem) else {
            let result = self.extreme_scan(fold, &name, given, descr, span)?;
            return Ok(Vector::new(elem, form, HostAtom::Value(result)));
        };
        let mut sweep = self.sweep(&name, form, span);
        let v = sweep.vector("v", self.options.scalar(elem));
        Self::begin(&mut sweep);
        let v = sweep.own(v);
        let kind = exclusive(sweep.outer(), Monoid::op(monoid));
        let mut scan = sweep.kernel.end("scan0", kind, None, vec![v])[0];
        if from_zero(fold, elem) {
            sweep.again();
            scan = self.plus_zero(&mut sweep, scan, "scan0");
        }
        let result = self.run(sweep, vec![scan], symbols(descr), vec![given], span)?[0];
        Ok(Vector::new(elem, form, HostAtom::Value(result)))
    }

    /// Writes `op_REDUCE`.
    pub fn reduce(
        &mut self,
        (fold, elem): (Fold, Elem),
        v: &Vector,
        descr: Descr,
        span: Span,
    ) -> Lower<Vector> {
        // One element is its own reduction; of floats only nearly (`from_zero`).
        if let (Some(axis), Form::One, Elem::Int | Elem::Bool) = (single(descr), v.form, elem) {
            self.same(axis, Axis::Const(1), span)?;
            return Ok(Vector::new(elem, Form::One, v.atom));
        }
        let form = under(descr);
        let given = self.shaped(v, form, span)?;
        let name = Instr::Reduce(fold, elem).to_string();
        let Some(monoid) = monoid(fold, elem) else {
            let result = self.extreme_reduce(fold, &name, given, descr, span)?;
            return Ok(Vector::new(elem, per_segment(descr), HostAtom::Value(result)));
        };
        let mut sweep = self.sweep(&name, form, span);
        let v = sweep.vector("v", self.options.scalar(elem));
        Self::begin(&mut sweep);
        let v = sweep.own(v);
        let to = sweep.outer();
        let kind = CombinatorKind::Reduce { to, monoid: Monoid::op(monoid) };
        let mut reduced = sweep.kernel.end("reduce0", kind, None, vec![v])[0];
        if from_zero(fold, elem) {
            sweep.kernel.begin(to.0);
            reduced = self.plus_zero(&mut sweep, reduced, "reduce0");
        }
        let result = self.run(sweep, vec![reduced], symbols(descr), vec![given], span)?[0];
        Ok(Vector::new(elem, per_segment(descr), HostAtom::Value(result)))
    }

    /// Adds zero to the result of an earlier combinator.
    fn plus_zero(&self, sweep: &mut Sweep, bind: ValueId, name: &str) -> ValueId {
        let own = sweep.code().own(bind);
        let sum = sweep.code().op(Op::Add, &[own, Atom::Const(self.options.float(0.0))]);
        sweep.map(name, sum)
    }
}

/// Returns an exclusive forward scan.
pub fn exclusive(within: Level, monoid: Monoid) -> CombinatorKind {
    let (inclusion, direction) = (Inclusion::Exclusive, Direction::Forward);
    CombinatorKind::Scan { within, monoid, inclusion, direction }
}

/// Returns the λcu monoid of a fold; there is none for the maximum and minimum of floats (`extreme.rs`).
fn monoid(fold: Fold, elem: Elem) -> Option<MonoidOp> {
    match fold {
        Fold::Add => Some(MonoidOp::Add),
        Fold::Mul => Some(MonoidOp::Mul),
        Fold::Max => (elem != Elem::Float).then_some(MonoidOp::Max),
        Fold::Min => (elem != Elem::Float).then_some(MonoidOp::Min),
        Fold::And => Some(MonoidOp::And),
        Fold::Or => Some(MonoidOp::Or),
        Fold::Xor => Some(MonoidOp::Xor),
    }
}

/// True if the original starts the fold from a zero where λcu does not: then the sum of −0.0 is +0.0.
fn from_zero(fold: Fold, elem: Elem) -> bool {
    fold == Fold::Add && elem == Elem::Float
}
