//! Lowering of permutations: gathers and scatters.
//!
//! Of several elements for one place the last one stays, as in the original's serial library. Places without an element are zero.

use super::kernel::Sweep;
use super::slot::{Descr, Form, Origin, Vector};
use super::vector::{per_segment, symbols, under};
use super::{Lower, Lowering, single};
use crate::syntax::instr::{Elem, Instr, Move};
use nestled_ir::{
    Atom, Axis, Base, Collision, CombinatorKind, HostAtom, Op, Range, Rule, ScalarType, Shape, SiteId, Span,
    ValueId,
};

/// The operands of a permutation.
#[derive(Clone, Copy)]
pub struct Moved<'a> {
    /// The elements.
    pub v: &'a Vector,
    /// The indices: destinations, or sources.
    pub x: &'a Vector,
    /// Flags that select elements.
    pub f: Option<&'a Vector>,
    /// The initial elements of the destination.
    pub d: Option<&'a Vector>,
    /// The descriptor of the source.
    pub from: Descr,
    /// The descriptor of the destination.
    pub to: Descr,
}

impl Lowering<'_> {
    /// Returns the rule for reads out of range.
    fn read_rule(&mut self, span: Span) -> (Rule, Option<SiteId>) {
        if self.options.checks { (Rule::Fault, Some(self.out.site(span))) } else { (Rule::Clamp, None) }
    }

    /// Returns the rule for writes out of range.
    fn write_rule(&mut self, span: Span) -> Range {
        if self.options.checks { Range::Fault(self.out.site(span)) } else { Range::Drop }
    }

    /// Writes `PERMUTE` and its variants.
    pub fn move_elements(&mut self, way: Move, elem: Elem, moved: Moved<'_>, span: Span) -> Lower<Vector> {
        let (from, to) = self.corresponding(moved.from, moved.to, span)?;
        let gathers = matches!(way, Move::Bpermute | Move::Bfpermute);
        // Indices and flags lie beside the destination of a gather, and beside the source of a scatter.
        let beside = under(if gathers { to } else { from });
        let mut given = vec![self.shaped(moved.v, under(from), span)?, self.shaped(moved.x, beside, span)?];
        for (operand, form) in [(moved.f, beside), (moved.d, under(to))] {
            if let Some(vector) = operand {
                given.push(self.shaped(vector, form, span)?);
            }
        }
        let exact = way == Move::Permute && self.is_permutation(moved.x, from);
        let ends = (single(from).is_some(), moved.f.is_some());
        let name = Instr::Move(way, elem).to_string();
        let (sweep, result) = if gathers {
            self.gather(&name, ends, elem, span)
        } else {
            self.scatter(&name, ends, (moved.d.is_some(), exact), elem, span)
        };
        let mut shapes = symbols(from);
        shapes.extend(symbols(to).pop());
        let result = self.run(sweep, vec![result], shapes, given, span)?[0];
        Ok(Vector::new(elem, under(to), HostAtom::Value(result)))
    }

    /// True if indices are known to be a permutation, which hits every place once.
    fn is_permutation(&self, x: &Vector, descr: Descr) -> bool {
        x.origin == Origin::RanksIn(descr)
    }

    /// Returns two descriptors of one kind with corresponding segments.
    fn corresponding(&mut self, from: Descr, to: Descr, span: Span) -> Lower<(Descr, Descr)> {
        if let (Descr::Single(_), Descr::Single(_)) = (from, to) {
            return Ok((from, to));
        }
        let (from, parent) = self.many(from, span)?;
        let (to, other) = self.many(to, span)?;
        self.same(parent, other, span)?;
        Ok((Descr::Many { seg: from, parent }, Descr::Many { seg: to, parent }))
    }

    /// Makes a kernel with the axes of source and destination.
    fn both(&self, name: &str, flat: bool, span: Span) -> (Sweep, [Vec<Axis>; 2]) {
        let mut sweep = self.sweep(name, Form::One, span);
        let spaces = if flat {
            [vec![sweep.extent("n")], vec![sweep.extent("k")]]
        } else {
            let parent = sweep.extent("m");
            ["s", "t"].map(|name| vec![parent, sweep.segmentation(name, parent)])
        };
        (sweep, spaces)
    }

    fn gather(
        &mut self,
        name: &str,
        (flat, flags): (bool, bool),
        elem: Elem,
        span: Span,
    ) -> (Sweep, ValueId) {
        let (mut sweep, [from, to]) = self.both(name, flat, span);
        let v = sweep.array("v", self.options.scalar(elem), from.last().copied());
        sweep.space = to;
        let x = sweep.vector("x", self.options.int);
        let f = flags.then(|| sweep.vector("f", ScalarType::Bool));
        Self::begin(&mut sweep);
        let f = f.map(|f| sweep.own(f));
        if f.is_some() {
            sweep.code().open();
        }
        let mut at = sweep.at();
        at.pop();
        let x = sweep.own(x);
        at.push(sweep.code().op(Op::Convert(ScalarType::Idx), &[x]));
        let (rule, site) = self.read_rule(span);
        let read = sweep.element(v, &at, rule, site);
        let element = match f {
            None => read,
            Some(f) => {
                let then = sweep.code().close(vec![read]);
                sweep.code().open();
                let otherwise = sweep.code().close(vec![Atom::Const(self.options.zero(elem))]);
                sweep.code().branch(f, then, otherwise)[0]
            }
        };
        let moved = sweep.map("moved", element);
        (sweep, moved)
    }

    fn scatter(
        &mut self,
        name: &str,
        (flat, flags): (bool, bool),
        (base, exact): (bool, bool),
        elem: Elem,
        span: Span,
    ) -> (Sweep, ValueId) {
        let ty = self.options.scalar(elem);
        let (mut sweep, [from, to]) = self.both(name, flat, span);
        sweep.space = from;
        let (v, x) = (sweep.vector("v", ty), sweep.vector("x", self.options.int));
        let f = flags.then(|| sweep.vector("f", ScalarType::Bool));
        let dest = Shape::new(to.last().copied().into_iter().collect::<Vec<_>>());
        let base = match base {
            true => Base::Arrays(vec![sweep.array("d", ty, to.last().copied())]),
            false => Base::Fill(vec![self.options.zero(elem)]),
        };
        Self::begin(&mut sweep);
        let guard = f.map(|f| {
            let f = sweep.own(f);
            let guard = sweep.map("p", f);
            sweep.again();
            guard
        });
        let (range, collision) = match exact {
            true => (Range::Proved, Collision::Proved),
            false => (self.write_rule(span), Collision::Last),
        };
        let mut results = sweep.at();
        results.pop();
        let x = sweep.own(x);
        results.push(sweep.code().op(Op::Convert(ScalarType::Idx), &[x]));
        results.push(sweep.own(v));
        let kind = CombinatorKind::Permute { dest, base, range, collision };
        let moved = sweep.kernel.end("moved", kind, guard, results)[0];
        (sweep, moved)
    }

    /// Writes `EXTRACT`.
    pub fn extract(
        &mut self,
        elem: Elem,
        (v, x): (&Vector, &Vector),
        descr: Descr,
        span: Span,
    ) -> Lower<Vector> {
        let result = per_segment(descr);
        let given = vec![self.shaped(v, under(descr), span)?, self.shaped(x, result, span)?];
        let mut sweep = self.sweep(&Instr::Extract(elem).to_string(), under(descr), span);
        let (v, x) = (sweep.vector("v", self.options.scalar(elem)), sweep.per_segment("x", self.options.int));
        sweep.space.pop();
        Self::begin(&mut sweep);
        let mut at = sweep.at();
        let x = sweep.own(x);
        at.push(sweep.code().op(Op::Convert(ScalarType::Idx), &[x]));
        let (rule, site) = self.read_rule(span);
        let element = sweep.element(v, &at, rule, site);
        let extract = sweep.map("extract", element);
        let value = self.run(sweep, vec![extract], symbols(descr), given, span)?[0];
        Ok(Vector::new(elem, result, HostAtom::Value(value)))
    }

    /// Writes `REPLACE`.
    pub fn replace(
        &mut self,
        elem: Elem,
        (v, x, w): (&Vector, &Vector, &Vector),
        descr: Descr,
        span: Span,
    ) -> Lower<Vector> {
        let form = under(descr);
        let one = per_segment(descr);
        let given = vec![self.shaped(v, form, span)?, self.shaped(x, one, span)?, self.shaped(w, one, span)?];
        let (ty, int) = (self.options.scalar(elem), self.options.int);
        let mut sweep = self.sweep(&Instr::Replace(elem).to_string(), form, span);
        let (v, x, w) = (sweep.vector("v", ty), sweep.per_segment("x", int), sweep.per_segment("w", ty));
        let dest = Shape::new(sweep.space.pop().into_iter().collect::<Vec<_>>());
        Self::begin(&mut sweep);
        let range = self.write_rule(span);
        let mut results = sweep.at();
        let x = sweep.own(x);
        results.push(sweep.code().op(Op::Convert(ScalarType::Idx), &[x]));
        results.push(sweep.own(w));
        let (base, collision) = (Base::Arrays(vec![v]), Collision::Proved);
        let kind = CombinatorKind::Permute { dest, base, range, collision };
        let replace = sweep.kernel.end("replace", kind, None, results)[0];
        let value = self.run(sweep, vec![replace], symbols(descr), given, span)?[0];
        Ok(Vector::new(elem, form, HostAtom::Value(value)))
    }
}
