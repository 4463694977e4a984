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
//! an array becomes one more component of the filter, which moves to the end. Where the member uses its innermost coordinate, a `scan` counts the
//! points that are kept. It must not use the number of points, and not fault, since faults are reported with the position.
//! A reduction sees its values in the same order, but not at the same places: a sum of floats may change in its last bits.
//!
//! A scatter that gives each place one point is taken apart in the same way: what it moves becomes a `map`, members run at the points that are not
//! moved yet, and what leaves them as an array is moved as well. There the order is another, so that only what is exact and commutative may
//! be combined, and nothing that goes by the order of the points, or by their numbers, fits.

use super::Merging;
use crate::fuse::reason::Reason;
use nestled_ir::typing::Scope;
use nestled_ir::{
    Atom, Axis, Base, Collision, Combinator, CombinatorKind, Direction, HostAtom, Inclusion, Level, Local,
    LocalId, Monoid, MonoidOp, MonoidPart, Op, Range, Scalar, ScalarType, Shape, Span, Stmt, StmtKind, Thunk,
    ValueId,
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
    /// The filter that keeps them, or the scatter that moves them, through which arrays over them leave.
    pub source: Option<usize>,
}

/// A filter or a scatter whose points are those of other members. It comes last, so that they can give it components.
#[derive(Clone, Debug)]
pub struct Source {
    /// What it does.
    pub kind: SourceKind,
    /// What it packs or moves: the array, and what holds its elements before.
    pub components: Vec<(ValueId, ValueId)>,
    /// Where in the kernel.
    pub frame: Frame,
    /// The coordinates of its points.
    pub coordinates: Vec<Local>,
    /// What holds the positions of its points in what it packs, if a member needs them.
    pub position: Option<ValueId>,
    /// Where it stands in the text.
    pub span: Span,
}

/// How arrays leave through a [`Source`].
#[derive(Clone, Debug)]
pub enum SourceKind {
    /// Those of its points that are kept.
    Filter {
        /// The shape that it makes.
        shape: ValueId,
        /// Within which level.
        within: Level,
    },
    /// Each at another place.
    Scatter {
        /// As many places as points.
        dest: Shape,
        /// What holds the places.
        at: ValueId,
    },
}

impl Merging<'_> {
    /// Where a member's levels lie, if its points are only some of the kernel's.
    pub(super) fn frame_of(&self, member: usize) -> Option<Frame> {
        let node = &self.graph.runs[member];
        let mut symbols = node.space.last().into_iter().filter_map(|axis| match axis {
            Axis::Sym(symbol) => self.filters.get(symbol),
            Axis::Const(_) => None,
        });
        let source = match symbols.next() {
            Some(kept) => {
                let makes = |source: &Source| matches!(source.kind, SourceKind::Filter { shape, .. } if shape == *kept);
                self.sources.iter().position(makes)?
            }
            None => self.scatter_of(member)?,
        };
        let frame = self.sources[source].frame;
        (node.space.len() == frame.within + 1).then_some(Frame { source: Some(source), ..frame })
    }

    /// The scatter that moves what a member reads.
    fn scatter_of(&self, member: usize) -> Option<usize> {
        let sources = self.graph.runs[member].args.iter().filter_map(|arg| match arg {
            HostAtom::Value(value) => self.kept.get(self.made.get(value)?).copied(),
            HostAtom::Const(_) => None,
        });
        let mut scatters =
            sources.filter(|&source| matches!(self.sources[source].kind, SourceKind::Scatter { .. }));
        scatters.next()
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

    /// Whether members read what a one-to-one scatter moves.
    pub(super) fn is_scatter(&self, member: usize, step: &Combinator) -> bool {
        let node = &self.graph.runs[member];
        let moved = |value: ValueId| {
            let result = node.kernel.ret.iter().position(|ret| *ret == value);
            let arg = result.map(|slot| HostAtom::Value(node.binds[slot]));
            arg.is_some_and(|arg| {
                self.members.iter().any(|&other| self.graph.runs[other].args.contains(&arg))
            })
        };
        let is_one_to_one = step.binds.first().is_some_and(|&bind| self.graph.is_one_to_one(member, bind));
        is_one_to_one && step.binds.iter().any(|&bind| moved(bind))
    }

    /// Puts a rewritten combinator of a member where its points are.
    pub(super) fn place(&mut self, step: &mut Combinator, frame: Frame) {
        if step.level().0 <= frame.within {
            return;
        }
        let is_moved =
            frame.source.is_some_and(|at| matches!(self.sources[at].kind, SourceKind::Scatter { .. }));
        if is_moved && !self.is_free_of_order(step) {
            self.break_off(Reason::OrderIsLost);
        }
        if !self.is_exact(step) {
            self.break_off(Reason::Inexact);
        }
        if !super::step::deepen(&mut step.body, frame.within, frame.level) {
            match frame.source.and_then(|source| self.position(source)) {
                Some(bind) => {
                    // What was the coordinate is a local like any other now.
                    let kind = StmtKind::Own { dst: LocalId::from(frame.level), bind };
                    step.body.body.stmts.insert(0, Stmt { kind, span: step.span });
                }
                None => self.break_off(Reason::PositionIsNeeded),
            }
        }
        step.guard = match (step.guard, frame.guard) {
            (Some(own), Some(kept)) => Some(self.both(own, kept, frame, step.span)),
            (own, kept) => own.or(kept),
        };
    }

    /// What holds the positions of points among those that a filter keeps: how many are kept before.
    fn position(&mut self, source: usize) -> Option<ValueId> {
        let Source { kind, frame, coordinates, position, span, .. } = &self.sources[source];
        let (SourceKind::Filter { within, .. }, Some(guard)) = (kind, frame.guard) else { return None };
        if position.is_some() {
            return *position;
        }
        let (within, span) = (*within, *span);
        let mut thunk = Thunk { n_params: frame.level, locals: coordinates.clone(), ..Thunk::default() };
        let [is_kept, one] = [ScalarType::Bool, ScalarType::Idx].map(|ty| {
            thunk.locals.push(Local { name: "".into(), ty });
            LocalId::from(thunk.locals.len() - 1)
        });
        let [yes, no] = [1, 0].map(|count| Atom::Const(Scalar::Idx(count)));
        let args = vec![Atom::Local(is_kept), yes, no];
        let kinds =
            [StmtKind::Own { dst: is_kept, bind: guard }, StmtKind::Op { dst: one, op: Op::Select, args }];
        thunk.body.stmts.extend(kinds.into_iter().map(|kind| Stmt { kind, span }));
        thunk.body.results = vec![Atom::Local(one)];
        let monoid = Monoid { parts: vec![MonoidPart::Op(MonoidOp::Add)] };
        let (inclusion, direction) = (Inclusion::Exclusive, Direction::Forward);
        let kind = CombinatorKind::Scan { within, monoid, inclusion, direction };
        let step = Combinator { binds: Vec::new(), kind, guard: None, body: thunk, span };
        let bind = self.bind_new(step, &["at".into()])[0];
        self.sources[source].position = Some(bind);
        Some(bind)
    }

    /// Whether values at other places give the same result, bit for bit.
    fn is_exact(&self, step: &Combinator) -> bool {
        let Some(monoid) = step.kind.monoid() else { return true };
        self.graph.inexact || is_exact(self, step, monoid)
    }

    /// Whether the same comes of points in any order.
    fn is_free_of_order(&self, step: &Combinator) -> bool {
        match &step.kind {
            CombinatorKind::Map => true,
            CombinatorKind::Reduce { monoid, .. }
            | CombinatorKind::Permute { collision: Collision::Combine(monoid), .. } => {
                let monoids = &self.graph.program.monoids;
                monoid.parts.iter().all(|part| part.is_commutative(monoids)) && is_exact(self, step, monoid)
            }
            CombinatorKind::Permute { collision, .. } => *collision == Collision::Proved,
            CombinatorKind::Scan { .. }
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Partition { .. }
            | CombinatorKind::Serial { .. } => false,
        }
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
    pub(super) fn add_filter(&mut self, step: Combinator, host: ValueId) {
        let CombinatorKind::Filter { within } = step.kind else { return };
        let shape = step.binds[0];
        let kind = SourceKind::Filter { shape, within };
        let frame = Frame { within: within.0, level: step.level().0, guard: step.guard, source: None };
        let arrays = step.binds[1..].to_vec();
        self.filters.insert(host, shape);
        self.add_source(step, kind, frame, arrays);
    }

    /// Splits a one-to-one scatter into a `map` and the moving.
    pub(super) fn add_scatter(&mut self, step: Combinator) {
        let CombinatorKind::Permute { dest, .. } = &step.kind else { return };
        // Its first component says where to, and is not moved itself.
        let at = self.value("at".into(), nestled_ir::Type::Dim, step.span);
        let kind = SourceKind::Scatter { dest: dest.clone(), at };
        let frame = Frame { within: 0, level: step.level().0, guard: None, source: None };
        let arrays = step.binds.clone();
        self.add_source(step, kind, frame, arrays);
    }

    /// Makes a `map` of what a filter or scatter computes; its arrays leave at the end.
    fn add_source(&mut self, step: Combinator, kind: SourceKind, frame: Frame, arrays: Vec<ValueId>) {
        let (span, coordinates) = (step.span, step.body.locals[..frame.level].to_vec());
        let step = Combinator { binds: Vec::new(), kind: CombinatorKind::Map, ..step };
        let names: Vec<_> = arrays.iter().map(|array| self.name_of(*array)).collect();
        let held = match kind {
            SourceKind::Filter { .. } => self.bind_new(step, &names),
            SourceKind::Scatter { at, .. } => {
                let values: Vec<ValueId> =
                    names.into_iter().map(|name| self.value(name, nestled_ir::Type::Dim, span)).collect();
                let binds = std::iter::once(at).chain(values.iter().copied()).collect();
                self.push(Combinator { binds, ..step });
                values
            }
        };
        self.kept.extend(held.iter().map(|&value| (value, self.sources.len())));
        let components: Vec<(ValueId, ValueId)> = arrays.into_iter().zip(held).collect();
        self.sources.push(Source { kind, components, frame, coordinates, position: None, span });
    }

    /// Lets the values of a member's `map` or `scan` leave through the source of its points.
    pub(super) fn leave_by(&mut self, value: ValueId, source: usize) -> ValueId {
        let shape = match &self.sources[source].kind {
            SourceKind::Filter { shape, .. } => Shape::of(*shape),
            SourceKind::Scatter { dest, .. } => dest.clone(),
        };
        let of = &self.kernel.values[value.index()];
        let elem = of.ty.as_array().map_or(ScalarType::Idx, |array| array.elem);
        let (name, span) = (of.name.clone(), of.span);
        let packed = self.value(name, nestled_ir::Type::dense(elem, shape), span);
        self.sources[source].components.push((packed, value));
        packed
    }

    /// The filters and scatters, at the end of the kernel.
    pub(super) fn add_packing(&mut self) {
        for Source { kind, components, frame, coordinates, position: _, span } in self.sources.clone() {
            let mut thunk = Thunk { n_params: frame.level, locals: coordinates, ..Thunk::default() };
            let elem_of = |value: ValueId| {
                let ty = Scope::new(&self.kernel.values).ty(value);
                ty.as_array().map_or(ScalarType::Idx, |array| array.elem)
            };
            let at = match kind {
                SourceKind::Filter { .. } => None,
                SourceKind::Scatter { at, .. } => Some(at),
            };
            for held in at.into_iter().chain(components.iter().map(|(_, held)| *held)) {
                thunk.locals.push(Local { name: "".into(), ty: elem_of(held) });
                let dst = LocalId::from(thunk.locals.len() - 1);
                thunk.body.stmts.push(Stmt { kind: StmtKind::Own { dst, bind: held }, span });
                thunk.body.results.push(Atom::Local(dst));
            }
            let arrays = components.iter().map(|(packed, _)| *packed);
            let (binds, kind) = match kind {
                SourceKind::Filter { shape, within } => {
                    (std::iter::once(shape).chain(arrays).collect(), CombinatorKind::Filter { within })
                }
                SourceKind::Scatter { dest, .. } => {
                    // Nothing of it is seen: every place is written.
                    let base = components.iter().map(|(_, held)| Scalar::zero(elem_of(*held))).collect();
                    let (range, collision) = (Range::Proved, Collision::Proved);
                    let kind = CombinatorKind::Permute { dest, base: Base::Fill(base), range, collision };
                    (arrays.collect(), kind)
                }
            };
            self.kernel.steps.push(Combinator { binds, kind, guard: frame.guard, body: thunk, span });
        }
    }

    /// Drops what is packed or moved and does not leave.
    pub(super) fn drop_unpacked(&mut self) {
        let first = self.kernel.steps.len() - self.sources.len();
        let ret = &self.kernel.ret;
        for step in &mut self.kernel.steps[first..] {
            // A filter's shape has no component, and the places of a scatter have no array.
            let is_filter = matches!(step.kind, CombinatorKind::Filter { .. });
            let arrays = &step.binds[usize::from(is_filter)..];
            let keep: Vec<bool> = arrays.iter().map(|bind| ret.contains(bind)).collect();
            let lead = usize::from(!is_filter);
            retain(&mut step.body.body.results, lead, &keep);
            retain(&mut step.binds, usize::from(is_filter), &keep);
            if let CombinatorKind::Permute { base: Base::Fill(base), .. } = &mut step.kind {
                retain(base, 0, &keep);
            }
            let results = step.body.body.results.clone();
            step.body.body.stmts.retain(|stmt| results.contains(&Atom::Local(stmt.kind.dsts()[0])));
        }
        let mut position = 0;
        self.kernel.steps.retain(|step| {
            position += 1;
            position <= first || step.binds.first().is_some_and(|bind| ret.contains(bind))
        });
    }
}

/// Keeps some items at the front, and of the others those that are to be kept.
fn retain<T>(items: &mut Vec<T>, lead: usize, keep: &[bool]) {
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        at <= lead || keep[at - 1 - lead]
    });
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
