//! `MAX` and `MIN` of floats: scans and reductions with the original's treatment of zeros and NaN.
//!
//! The original folds from left to right by `acc > x ? acc : x`, from an ordinary number. So of equal numbers the later one stays, which shows in the sign of
//! zeros. A NaN replaces all elements before it, until the next element replaces the NaN.
//!
//! ```text
//! MAX_REDUCE FLOAT  ⟶  kernel: the greatest by `max`, and the place and sign of the last zero, which is its sign if it is zero
//!                      kernel: where that is a NaN, the greatest of what comes after the last NaN
//! ```
//!
//! Both reductions of the first kernel are built in, so they fuse with others. The second kernel rarely has work. Scans use a monoid that remembers whether
//! there was a NaN.

use super::fold::exclusive;
use super::kernel::{number, position};
use super::slot::Descr;
use super::vector::{symbols, under};
use super::{Lower, Lowering};
use crate::syntax::instr::Fold;
use nestled_ir::build::CodeBuilder;
use nestled_ir::{
    Atom, Axis, CombinatorKind, HostAtom, Monoid, MonoidId, MonoidOp, MonoidPart, Op, Rule, Scalar,
    ScalarType, Span, ValueId,
};

/// The direction of an extreme, in λcu's terms.
struct Way {
    /// The operation.
    op: MonoidOp,
    /// Its name.
    name: &'static str,
    /// The comparison that is true if the left number is farther out.
    beats: Op,
    /// The identity: no number loses to it.
    unit: f64,
    /// The number from which the original starts: an ordinary number, of 32 bits.
    start: f32,
}

fn way(fold: Fold) -> Way {
    match fold {
        Fold::Min => Way { op: MonoidOp::Min, name: "min", beats: Op::Lt, unit: f64::INFINITY, start: 1e36 },
        _ => Way { op: MonoidOp::Max, name: "max", beats: Op::Gt, unit: f64::NEG_INFINITY, start: -1e36 },
    }
}

impl Lowering<'_> {
    /// Writes `MAX_SCAN FLOAT` or `MIN_SCAN FLOAT`.
    pub fn extreme_scan(
        &mut self,
        fold: Fold,
        name: &str,
        given: HostAtom,
        descr: Descr,
        span: Span,
    ) -> Lower<ValueId> {
        let Way { beats, start, .. } = way(fold);
        let float = self.options.float;
        let start = Atom::Const(self.options.float(f64::from(start)));
        let monoid = Monoid { parts: vec![MonoidPart::User(self.ordered(fold, span))] };
        let mut sweep = self.sweep(name, under(descr), span);
        let v = sweep.vector("v", float);
        Self::begin(&mut sweep);
        let e = sweep.own(v);
        let is_nan = sweep.code().op(Op::Ne, &[e, e]);
        let i32 = ScalarType::I32;
        let state = sweep.code().op(Op::Select, &[is_nan, number(i32, 2), number(i32, 1)]);
        let kind = exclusive(sweep.outer(), monoid);
        let binds = sweep.kernel.end("x", kind, None, vec![e, state]);
        sweep.again();
        let e = sweep.code().own(binds[0]);
        let state = sweep.code().own(binds[1]);
        let code = sweep.code();
        let is_number = code.op(Op::Ne, &[state, number(i32, 2)]);
        let starts = code.op(beats, &[start, e]);
        let starts = code.op(Op::And, &[is_number, starts]);
        let result = code.op(Op::Select, &[starts, start, e]);
        let scan = sweep.map("scan0", result);
        Ok(self.run(sweep, vec![scan], symbols(descr), vec![given], span)?[0])
    }

    /// Makes the monoid of the scans: a number, and a tag: 0 for nothing, 1 for numbers, 2 after a NaN, which discards all before it.
    fn ordered(&mut self, fold: Fold, span: Span) -> MonoidId {
        let Way { name, beats, unit, .. } = way(fold);
        let name = format!("ordered_{name}");
        if let Some(known) = self.out.program().monoids.iter().position(|def| *def.name == *name) {
            return MonoidId::from(known);
        }
        let (float, i32) = (self.options.float, ScalarType::I32);
        let mut code = CodeBuilder::new(&[float, i32, float, i32], span);
        let [x, p, y, q] = code.params()[..] else { unreachable!("it has four parameters") };
        let is_number = code.op(Op::Ne, &[q, number(i32, 2)]);
        let is_nothing = code.op(Op::Eq, &[q, number(i32, 0)]);
        let farther = code.op(beats, &[x, y]);
        let stays = code.op(Op::Or, &[is_nothing, farther]);
        let stays = code.op(Op::And, &[is_number, stays]);
        let value = code.op(Op::Select, &[stays, x, y]);
        let state = code.op(Op::Max, &[p, q]);
        let thunk = code.finish(vec![value, state]);
        let later = self.out.thunk(&format!("later_{}", way(fold).name), thunk, span);
        let unit = vec![self.options.float(unit), Scalar::I32(0)];
        let monoid = self.out.monoid(&name, unit, later, span);
        self.out.promise(monoid, false, true);
        monoid
    }

    /// Writes `MAX_REDUCE FLOAT` or `MIN_REDUCE FLOAT`.
    pub fn extreme_reduce(
        &mut self,
        fold: Fold,
        name: &str,
        given: HostAtom,
        descr: Descr,
        span: Span,
    ) -> Lower<ValueId> {
        let found = self.extreme_number(fold, name, given, descr, span)?;
        self.extreme_after_nan(
            fold,
            &format!("{name} past NaN"),
            vec![given, HostAtom::Value(found)],
            descr,
            span,
        )
    }

    /// Writes the first kernel of a reduction, which is right unless there is a NaN.
    fn extreme_number(
        &mut self,
        fold: Fold,
        name: &str,
        given: HostAtom,
        descr: Descr,
        span: Span,
    ) -> Lower<ValueId> {
        let Way { op, beats, start, .. } = way(fold);
        let float = self.options.float;
        let literal = |value: f64| Atom::Const(self.options.float(value));
        let (zero, start) = (literal(0.0), literal(f64::from(start)));
        let bits = if float == ScalarType::F64 { ScalarType::I64 } else { ScalarType::I32 };
        let mut sweep = self.sweep(name, under(descr), span);
        let v = sweep.vector("v", float);
        let to = sweep.outer();
        Self::begin(&mut sweep);
        let e = sweep.own(v);
        let kind = CombinatorKind::Reduce { to, monoid: Monoid::op(op) };
        let x = sweep.kernel.end("x", kind, None, vec![e])[0];
        sweep.again();
        // The place of a zero, doubled, and whether it is positive.
        let e = sweep.own(v);
        let at = sweep.at();
        let code = sweep.code();
        let is_zero = code.op(Op::Eq, &[e, zero]);
        let place = code.op(Op::Mul, &[at[at.len() - 1], position(2)]);
        let word = code.op(Op::Bitcast(bits), &[e]);
        let sign = code.op(Op::Ge, &[word, number(bits, 0)]);
        let sign = code.op(Op::Convert(ScalarType::Idx), &[sign]);
        let place = code.op(Op::Add, &[place, sign]);
        let place = code.op(Op::Select, &[is_zero, place, position(-1)]);
        let kind = CombinatorKind::Reduce { to, monoid: Monoid::op(MonoidOp::Max) };
        let z = sweep.kernel.end("z", kind, None, vec![place])[0];
        sweep.kernel.begin(to.0);
        let code = sweep.code();
        let e = code.own(x);
        let place = code.own(z);
        let sign = code.op(Op::And, &[place, position(1)]);
        let is_positive = code.op(Op::Eq, &[sign, position(1)]);
        let last_zero = code.op(Op::Select, &[is_positive, zero, literal(-0.0)]);
        let is_zero = code.op(Op::Eq, &[e, zero]);
        let starts = code.op(beats, &[start, e]);
        let number = code.op(Op::Select, &[starts, start, e]);
        let result = code.op(Op::Select, &[is_zero, last_zero, number]);
        let reduced = sweep.map("reduce0", result);
        Ok(self.run(sweep, vec![reduced], symbols(descr), vec![given], span)?[0])
    }

    /// Writes the second kernel: from the end back to the last NaN; of equal numbers it takes the one met first.
    fn extreme_after_nan(
        &mut self,
        fold: Fold,
        name: &str,
        given: Vec<HostAtom>,
        descr: Descr,
        span: Span,
    ) -> Lower<ValueId> {
        let Way { beats, .. } = way(fold);
        let float = self.options.float;
        let mut sweep = self.sweep(name, under(descr), span);
        let (v, x) = (sweep.vector("v", float), sweep.per_segment("x", float));
        let own = sweep.space.pop();
        Self::begin(&mut sweep);
        let e = sweep.own(x);
        let is_nan = sweep.code().op(Op::Ne, &[e, e]);
        sweep.code().open();
        let at = sweep.at();
        let n = match (own, at.is_empty()) {
            (Some(Axis::Sym(n)), true) => Atom::Value(n),
            (Some(Axis::Sym(seg)), false) => sweep.code().len(seg, &at),
            (Some(Axis::Const(_)) | None, _) => unreachable!("vectors have an axis with a name"),
        };
        let code = sweep.code();
        let last = code.op(Op::Sub, &[n, position(1)]);
        let nan = Atom::Const(self.options.float(f64::NAN));
        let carried = vec![
            code.carried("acc", nan),
            code.carried("k", last),
            code.carried("more", Atom::Const(Scalar::Bool(true))),
        ];
        let [acc, k, more] = [0, 1, 2].map(|at: usize| Atom::Local(carried[at].local));
        code.open();
        let is_there = code.op(Op::Ge, &[k, position(0)]);
        let goes_on = code.op(Op::And, &[more, is_there]);
        let cond = code.close(vec![goes_on]);
        code.open();
        let place: Vec<Atom> = at.into_iter().chain([k]).collect();
        let y = sweep.element(v, &place, Rule::Clamp, None);
        let code = sweep.code();
        let is_number = code.op(Op::Eq, &[y, y]);
        let is_first = code.op(Op::Ne, &[acc, acc]);
        let farther = code.op(beats, &[y, acc]);
        let farther = code.op(Op::Or, &[is_first, farther]);
        let taken = code.op(Op::And, &[is_number, farther]);
        let found = code.op(Op::Select, &[taken, y, acc]);
        let before = code.op(Op::Sub, &[k, position(1)]);
        let body = code.close(vec![found, before, is_number]);
        let found = code.while_loop(carried, cond, body)[0];
        let then = code.close(vec![found]);
        code.open();
        let otherwise = code.close(vec![e]);
        let result = code.branch(is_nan, then, otherwise)[0];
        let reduced = sweep.map("reduce0", result);
        Ok(self.run(sweep, vec![reduced], symbols(descr), given, span)?[0])
    }
}
