//! Members whose points are some of the merged kernel's: those that a filter kept, or the places of a one-to-one scatter.
//!
//! ```text
//! kernel keep(xs: [n]i32) over n {                  kernel `keep+sum`(xs: [n]i32) over n {
//!   p = map { i => gt xs[i] 0 }                       p = map { i => gt xs[i] 0 }
//!   (k, ys) = filter where p { i => xs[i] }           ys = map where p { i => xs[i] }
//!   ret k, ys                                         s = reduce where p { i => ys[i] } add
//! }                                                   (k, ys.1) = filter where p { i => ys[i] }
//! kernel sum(zs: [k]i32) over k {                     ret k, ys.1, s
//!   s = reduce { i => zs[i] } add                   }
//!   ret s
//! }
//! ```
//!
//! What the filter packs becomes a `map` under its guard, the member's combinators run under the same guard, and what leaves the member as
//! an array becomes one more component of the filter, which moves to the end. The member's points have no positions there: it must not
//! use its innermost coordinate, nor the number of points, and not fault, since faults are reported with the position.
//! A reduction sees its values in the same order, but not at the same places: a sum of floats may change in its last bits.

use super::Merging;
use crate::fuse::reason::Reason;
use nestled_ir::typing::Scope;
use nestled_ir::{
    Atom, Axis, Collision, Combinator, CombinatorKind, Level, Local, LocalId, Monoid, Op, ScalarType, Span,
    Stmt, StmtKind, Thunk, ValueId,
};

/// How the levels of a member lie in the merged kernel: those up to `within` are its own, and the next one is some points of `level`.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The last level that is the same.
    pub within: usize,
    /// The level of the merged kernel that the member's elements are points of.
    pub level: usize,
    /// What holds at these points.
    pub guard: Option<ValueId>,
    /// The filter that keeps them, through which arrays over them leave.
    pub filter: Option<usize>,
}

/// A filter whose points are those of other members. It comes last, so that they can give it components.
#[derive(Clone, Debug)]
pub struct Source {
    /// The shape that it makes.
    pub shape: ValueId,
    /// What it packs: the array, and what holds its elements before.
    pub components: Vec<(ValueId, ValueId)>,
    /// Where in the kernel.
    pub frame: Frame,
    /// The coordinates of its points.
    pub coordinates: Vec<Local>,
    /// Within which level.
    pub within: Level,
    /// Where it stands in the text.
    pub span: Span,
}

impl Merging<'_> {
    /// Where a member's levels lie, if its points are only some of the kernel's.
    pub(super) fn frame_of(&self, member: usize) -> Option<Frame> {
        let node = &self.graph.runs[member];
        let Some(&Axis::Sym(symbol)) = node.space.last() else { return None };
        let filter = *self.filters.get(&symbol)?;
        let source = &self.sources[filter];
        let fits = node.space.len() == source.within.0 + 1;
        fits.then_some(Frame { within: source.within.0, filter: Some(filter), ..source.frame })
    }

    /// Whether members run over the points that this filter keeps.
    pub(super) fn is_source(&self, member: usize, step: &Combinator) -> Option<ValueId> {
        let CombinatorKind::Filter { .. } = step.kind else { return None };
        let node = &self.graph.runs[member];
        let slot = node.kernel.ret.iter().position(|ret| *ret == step.binds[0])?;
        let shape = node.binds[slot];
        let runs_over = |&other: &usize| self.graph.runs[other].space.last() == Some(&Axis::Sym(shape));
        self.members.iter().any(runs_over).then_some(shape)
    }

    /// Puts a rewritten combinator of a member where its points are.
    pub(super) fn place(&mut self, step: &mut Combinator, frame: Frame) {
        if step.level().0 <= frame.within {
            return;
        }
        if !self.is_exact(step) {
            self.break_off(Reason::Inexact);
        }
        if !super::step::deepen(&mut step.body, frame.within, frame.level) {
            self.break_off(Reason::PositionIsNeeded);
        }
        step.guard = match (step.guard, frame.guard) {
            (Some(own), Some(kept)) => Some(self.both(own, kept, frame, step.span)),
            (own, kept) => own.or(kept),
        };
    }

    /// Whether values at other places give the same result, bit for bit.
    fn is_exact(&self, step: &Combinator) -> bool {
        let monoid = match &step.kind {
            CombinatorKind::Reduce { monoid, .. }
            | CombinatorKind::Scan { monoid, .. }
            | CombinatorKind::Permute { collision: Collision::Combine(monoid), .. } => monoid,
            _ => return true,
        };
        self.graph.inexact || is_exact(self, step, monoid)
    }

    /// A guard that holds where both do. One that is made at the member's points becomes false elsewhere when it is freed of its own
    /// guard.
    fn both(&mut self, own: ValueId, kept: ValueId, frame: Frame, span: Span) -> ValueId {
        let maker = self.kernel.binder(own).map(|(_, step)| (step.level().0, step.guard));
        if maker.is_some_and(|(level, guard)| level == frame.level && guard.is_some()) {
            return own;
        }
        let mut thunk = Thunk { n_params: frame.level, ..Thunk::default() };
        let mut local = |ty: ScalarType| {
            thunk.locals.push(Local { name: "".into(), ty });
            LocalId::from(thunk.locals.len() - 1)
        };
        for _ in 0..frame.level {
            local(ScalarType::Idx);
        }
        let [a, b, dst] = [(); 3].map(|()| local(ScalarType::Bool));
        let args = vec![Atom::Local(a), Atom::Local(b)];
        let kinds = [
            StmtKind::Own { dst: a, bind: kept },
            StmtKind::Own { dst: b, bind: own },
            StmtKind::Op { dst, op: Op::And, args },
        ];
        thunk.body.stmts.extend(kinds.into_iter().map(|kind| Stmt { kind, span }));
        thunk.body.results = vec![Atom::Local(dst)];
        let step =
            Combinator { binds: Vec::new(), kind: CombinatorKind::Map, guard: None, body: thunk, span };
        self.bind_new(step, &["".into()])[0]
    }

    /// Splits a filter into a `map`, which members can read, and the packing, which comes last.
    pub(super) fn add_source(&mut self, step: Combinator, host: ValueId) {
        let CombinatorKind::Filter { within } = step.kind else { return };
        let Some(guard) = step.guard else { return };
        let (level, span) = (step.level().0, step.span);
        let coordinates = step.body.locals[..level].to_vec();
        let names: Vec<_> = step.binds[1..].iter().map(|bind| self.name_of(*bind)).collect();
        let (shape, packed) = (step.binds[0], step.binds[1..].to_vec());
        let step = Combinator { binds: Vec::new(), kind: CombinatorKind::Map, ..step };
        let held = self.bind_new(step, &names);
        let frame = Frame { within: within.0, level, guard: Some(guard), filter: None };
        self.kept.extend(held.iter().map(|&value| (value, self.sources.len())));
        let components: Vec<(ValueId, ValueId)> = packed.into_iter().zip(held).collect();
        self.filters.insert(host, self.sources.len());
        self.sources.push(Source { shape, components, frame, coordinates, within, span });
    }

    /// Lets the values of a member's `map` or `scan` leave through the filter that keeps its points.
    pub(super) fn leave_packed(&mut self, value: ValueId, filter: usize) -> ValueId {
        let source = &self.sources[filter];
        let of = &self.kernel.values[value.index()];
        let elem = of.ty.as_array().map_or(ScalarType::Idx, |array| array.elem);
        let ty = nestled_ir::Type::dense(elem, nestled_ir::Shape::of(source.shape));
        let (name, span) = (of.name.clone(), of.span);
        let packed = self.value(name, ty, span);
        self.sources[filter].components.push((packed, value));
        packed
    }

    /// The filters, at the end of the kernel.
    pub(super) fn add_packing(&mut self) {
        for source in self.sources.clone() {
            let Source { shape, components, frame, coordinates, within, span } = source;
            let mut thunk = Thunk { n_params: frame.level, locals: coordinates, ..Thunk::default() };
            for &(_, held) in &components {
                let elem = Scope::new(&self.kernel.values).ty(held).as_array().map(|array| array.elem);
                thunk.locals.push(Local { name: "".into(), ty: elem.unwrap_or(ScalarType::Idx) });
                let dst = LocalId::from(thunk.locals.len() - 1);
                thunk.body.stmts.push(Stmt { kind: StmtKind::Own { dst, bind: held }, span });
                thunk.body.results.push(Atom::Local(dst));
            }
            let binds = std::iter::once(shape).chain(components.iter().map(|(packed, _)| *packed)).collect();
            let kind = CombinatorKind::Filter { within };
            self.kernel.steps.push(Combinator { binds, kind, guard: frame.guard, body: thunk, span });
        }
    }

    /// Drops what is packed and does not leave.
    pub(super) fn drop_unpacked(&mut self) {
        let first = self.kernel.steps.len() - self.sources.len();
        let ret = &self.kernel.ret;
        for step in &mut self.kernel.steps[first..] {
            let keep: Vec<bool> = step.binds[1..].iter().map(|bind| ret.contains(bind)).collect();
            let mut kept = keep.iter();
            step.body.body.results.retain(|_| kept.next() == Some(&true));
            let mut kept = [true].iter().chain(&keep);
            step.binds.retain(|_| kept.next() == Some(&true));
            let results = step.body.body.results.clone();
            step.body.body.stmts.retain(|stmt| results.contains(&Atom::Local(stmt.kind.dsts()[0])));
        }
        let mut position = 0;
        self.kernel.steps.retain(|step| {
            position += 1;
            position <= first || ret.contains(&step.binds[0])
        });
    }
}

/// Whether all parts of a monoid are exact for the results of a thunk.
fn is_exact(merging: &Merging<'_>, step: &Combinator, monoid: &Monoid) -> bool {
    let scope = Scope::new(&merging.kernel.values);
    let results = step.body.body.results.iter().map(|&atom| scope.thunk_atom(&step.body, atom));
    let Ok(types) = results.collect::<Result<Vec<ScalarType>, _>>() else { return false };
    let monoids = &merging.graph.program.monoids;
    let width: usize = monoid.parts.iter().map(|part| part.width(monoids)).sum();
    // The destination of a scatter stands before its values.
    let mut at = types.len() - width;
    monoid.parts.iter().all(|part| {
        let types = &types[at..at + part.width(monoids)];
        at += types.len();
        part.is_exact(types, monoids)
    })
}
