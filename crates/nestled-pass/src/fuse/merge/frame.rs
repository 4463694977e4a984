//! Filter, partition and scatter fusion: consumers run over the points that a filter kept or a partition split, or over the places of a one-to-one scatter, inside the producer's
//! kernel.
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
//! The values that the filter packs are computed by a `map` under its guard. The consumer's combinators run under the same guard, and an array that leaves the consumer becomes one
//! more component of the filter, which moves to the end. Where the consumer uses its innermost coordinate, a `scan` counts the kept points. The consumer must not use the number of
//! points, and must not fault, since faults are reported with the position. A reduction sees its values in the same order, but not at the same places: a sum of floats may change
//! in its last bits, so that only the pass [`filter-reduce`](crate::fuse::FILTER_REDUCE) takes one along.
//!
//! A scatter that gives each place one point is split in the same way: a `map` computes the values, consumers run at the points before they move, and arrays that leave the
//! consumers are scattered as well. The order of the points changes there, so that only exact and commutative monoids may combine, and nothing may depend on the order of the
//! points or on their positions.
//!
//! So is a partition that cannot fault. Its points have two coordinates in the consumer: the class is a value of the kernel, which the consumer may use, and the position in the
//! class is not known. A reduction of each class becomes a scatter that combines, from classes to places:
//!
//! ```text
//! (s, ys) = partition proved 2 { i =>               (class, ys) = map { i => idx (lt xs[i] 0), xs[i] }
//!   idx (lt xs[i] 0), xs[i]                         t = permute to [2] base 0 range proved clash add { i =>
//! }                                                   class[i], ys[i]
//! t = reduce @1 { c, j => ys[c, j] } add            }
//! ```
//!
//! This is done for built-in operations whose result does not depend on the order; nothing else may be computed for whole classes, because there is no level of them in the
//! kernel. A graphics card combines 64 bits slowly, as its rates say.

use super::Merging;
use crate::fuse::graph::Grouping;
use crate::fuse::reason::Reason;
use crate::fuse::rules::{Kept, kept_points};
use nestled_ir::typing::Scope;
use nestled_ir::{
    ArrayType, Atom, Axis, Base, Collision, Combinator, CombinatorKind, Direction, HostAtom, Inclusion,
    Level, Local, LocalId, Monoid, MonoidOp, MonoidPart, Op, Range, Scalar, ScalarType, Shape, Span, Stmt,
    StmtKind, Thunk, ValueId,
};

/// The position of a member's levels in the merged kernel: those up to `within` are the kernel's own, and the next one holds some points of `level`.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The innermost level that both share.
    pub within: usize,
    /// The number of the member's axes behind that: a position, or a class and a position.
    pub axes: usize,
    /// The level of the merged kernel that the member's elements are points of.
    pub level: usize,
    /// The guard under which the member's combinators run.
    pub guard: Option<ValueId>,
    /// The index of the filter, partition or scatter through which arrays over these points leave.
    pub source: Option<usize>,
}

/// A filter, partition or scatter with members over its points. It is emitted last, so that members can add components.
#[derive(Clone, Debug)]
pub struct Source {
    /// Filter, partition or scatter.
    pub kind: SourceKind,
    /// For each component: the packed or moved array, and the value that holds its elements before.
    pub components: Vec<(ValueId, ValueId)>,
    /// Its place in the kernel.
    pub frame: Frame,
    /// The coordinates of its points.
    pub coordinates: Vec<Local>,
    /// The value with the positions of its points among those kept, if a member needs them.
    pub position: Option<ValueId>,
    /// Its place in the text.
    pub span: Span,
}

/// The operation by which arrays leave through a [`Source`].
#[derive(Clone, Debug)]
pub enum SourceKind {
    /// Packs those of its points that are kept.
    Filter {
        /// The shape that it makes.
        shape: ValueId,
        /// The level within which it packs.
        within: Level,
    },
    /// Splits its points by class.
    Partition {
        /// The shape that it makes.
        shape: ValueId,
        /// The level within which it splits.
        within: Level,
        /// Number of classes.
        classes: u64,
        /// The value that holds the class of each point.
        class: ValueId,
    },
    /// Moves each point to another place.
    Scatter {
        /// The shape of the places: as many as points.
        dest: Shape,
        /// The value that holds the places.
        at: ValueId,
    },
}

impl SourceKind {
    /// The shape that it makes.
    fn shape(&self) -> Option<ValueId> {
        match self {
            SourceKind::Filter { shape, .. } | SourceKind::Partition { shape, .. } => Some(*shape),
            SourceKind::Scatter { .. } => None,
        }
    }

    /// The value that says where points go, before the values of the components.
    fn lead(&self) -> Option<ValueId> {
        match self {
            SourceKind::Filter { .. } => None,
            SourceKind::Partition { class, .. } => Some(*class),
            SourceKind::Scatter { at, .. } => Some(*at),
        }
    }

    /// True if points have another order afterwards.
    fn reorders(&self) -> bool {
        match self {
            SourceKind::Filter { .. } => false,
            SourceKind::Partition { .. } | SourceKind::Scatter { .. } => true,
        }
    }
}

impl Merging<'_> {
    /// Returns the frame of a member that runs over the points of a filter, partition or scatter.
    pub(super) fn frame_of(&self, member: usize) -> Option<Frame> {
        let node = &self.graph.runs[member];
        let mut symbols = node.space.last().into_iter().filter_map(|axis| match axis {
            Axis::Sym(symbol) => self.filters.get(symbol),
            Axis::Const(_) => None,
        });
        let source = match symbols.next() {
            Some(kept) => self.sources.iter().position(|source| source.kind.shape() == Some(*kept))?,
            None => self.scatter_of(member)?,
        };
        let frame = self.sources[source].frame;
        (node.space.len() == frame.within + frame.axes).then_some(Frame { source: Some(source), ..frame })
    }

    /// Returns the scatter that moves an array which a member reads.
    fn scatter_of(&self, member: usize) -> Option<usize> {
        let sources = self.graph.runs[member].args.iter().filter_map(|arg| match arg {
            HostAtom::Value(value) => self.kept.get(self.made.get(value)?).copied(),
            HostAtom::Const(_) => None,
        });
        let mut scatters =
            sources.filter(|&source| matches!(self.sources[source].kind, SourceKind::Scatter { .. }));
        scatters.next()
    }

    /// Returns the shape in host code that a filter or partition makes, if members run over it.
    pub(super) fn is_source(&self, member: usize, step: &Combinator) -> Option<ValueId> {
        kept_points(&step.kind)?;
        let node = &self.graph.runs[member];
        let slot = node.kernel.ret.iter().position(|ret| *ret == step.binds[0])?;
        let shape = node.binds[slot];
        let runs_over = |&other: &usize| self.graph.runs[other].space.last() == Some(&Axis::Sym(shape));
        self.members.iter().any(runs_over).then_some(shape)
    }

    /// True if members read an array that a one-to-one scatter moves.
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

    /// Moves a rewritten combinator of a member to the level of its frame, under the guard of the frame.
    pub(super) fn place(&mut self, step: &mut Combinator, frame: Frame) {
        if step.level().0 <= frame.within {
            return;
        }
        if step.level().0 < frame.within + frame.axes {
            return self.break_off(Reason::EachClass);
        }
        let is_moved = frame.source.is_some_and(|at| self.sources[at].kind.reorders());
        if is_moved && !self.is_free_of_order(step) {
            self.break_off(Reason::OrderIsLost);
        }
        let may_regroup = self.graph.grouping == Grouping::Seen && !is_moved && is_sum(step);
        if !(may_regroup || self.is_exact(step)) {
            self.break_off(Reason::Inexact);
        }
        let mut is_used = super::step::regroup(&mut step.body, frame.within, frame.axes, frame.level);
        if let CombinatorKind::Reduce { to, .. } = step.kind
            && to.0 > frame.within
        {
            is_used[0] = true;
            self.scatter_to_classes(step, frame);
        }
        // What were coordinates are locals like any others now.
        for (at, _) in is_used.into_iter().enumerate().filter(|(_, is_used)| *is_used) {
            match frame.source.and_then(|source| self.coordinate(source, at)) {
                Some(bind) => {
                    let kind = StmtKind::Own { dst: LocalId::from(frame.level + at), bind };
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

    /// Turns a reduction of each class into a scatter, if devices combine such values in any order.
    fn scatter_to_classes(&mut self, step: &mut Combinator, frame: Frame) {
        let CombinatorKind::Reduce { monoid, .. } = &step.kind else { return };
        let arrays: Option<Vec<&ArrayType>> =
            step.binds.iter().map(|&bind| self.kernel.values[bind.index()].ty.as_array()).collect();
        let units: Option<Vec<Scalar>> = arrays.as_ref().and_then(|arrays| {
            let unit = |(part, array): (&MonoidPart, &&ArrayType)| match part {
                MonoidPart::Op(op) => op.unit(array.elem),
                MonoidPart::ArgMin | MonoidPart::ArgMax | MonoidPart::User(_) => None,
            };
            monoid.parts.iter().zip(arrays).map(unit).collect()
        });
        let (Some(units), Some([first, ..]), 0) = (units, arrays.as_deref(), frame.within) else {
            return self.break_off(Reason::EachClass);
        };
        let (dest, base, collision) =
            (first.shape.clone(), Base::Fill(units), Collision::Combine(monoid.clone()));
        step.kind = CombinatorKind::Permute { dest, base, range: Range::Proved, collision };
        step.body.body.results.insert(0, Atom::Local(LocalId::from(frame.level)));
        self.of_classes.extend(&step.binds);
    }

    /// Returns the value that holds a coordinate of a source's points behind those of the kernel: the class, or the position if it is known.
    fn coordinate(&mut self, source: usize, at: usize) -> Option<ValueId> {
        match (&self.sources[source].kind, at) {
            (SourceKind::Partition { class, .. }, 0) => Some(*class),
            (SourceKind::Partition { .. } | SourceKind::Filter { .. } | SourceKind::Scatter { .. }, _) => {
                self.position(source)
            }
        }
    }

    /// Returns the value with the positions of points among those that a filter keeps, from an exclusive scan of the guard; adds the scan on first use.
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

    /// True if the combinator gives the same bits when its values lie at other places.
    fn is_exact(&self, step: &Combinator) -> bool {
        step.kind.monoid().is_none_or(|monoid| is_exact(self, step, monoid))
    }

    /// True if the combinator gives the same result for any order of the points.
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

    /// Returns the conjunction of two guards. A guard that is computed under a guard at the frame's level is returned as it is: once its guard is removed, it is false elsewhere.
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

    /// Splits a filter or partition into a `map`, which members can read, and the packing or splitting at the end of the kernel.
    pub(super) fn add_filter(&mut self, step: Combinator, host: ValueId) {
        let Some(Kept { within, axes }) = kept_points(&step.kind) else { return };
        let shape = step.binds[0];
        let kind = if let CombinatorKind::Partition { within, classes, site: _ } = step.kind {
            let class = self.value("class".into(), nestled_ir::Type::Dim, step.span);
            SourceKind::Partition { shape, within, classes, class }
        } else {
            SourceKind::Filter { shape, within: Level(within) }
        };
        let frame = Frame { within, axes, level: step.level().0, guard: step.guard, source: None };
        let arrays = step.binds[1..].to_vec();
        self.filters.insert(host, shape);
        self.add_source(step, kind, frame, arrays);
    }

    /// Splits a one-to-one scatter into a `map`, which members can read, and the move at the end of the kernel.
    pub(super) fn add_scatter(&mut self, step: Combinator) {
        let CombinatorKind::Permute { dest, .. } = &step.kind else { return };
        // Its first component says where to, and is not moved itself.
        let at = self.value("at".into(), nestled_ir::Type::Dim, step.span);
        let kind = SourceKind::Scatter { dest: dest.clone(), at };
        let frame = Frame { within: 0, axes: 1, level: step.level().0, guard: None, source: None };
        let arrays = step.binds.clone();
        self.add_source(step, kind, frame, arrays);
    }

    /// Makes the `map` of a source; the arrays leave at the end of the kernel.
    fn add_source(&mut self, step: Combinator, kind: SourceKind, frame: Frame, arrays: Vec<ValueId>) {
        let (span, coordinates) = (step.span, step.body.locals[..frame.level].to_vec());
        let step = Combinator { binds: Vec::new(), kind: CombinatorKind::Map, ..step };
        let names: Vec<_> = arrays.iter().map(|array| self.name_of(*array)).collect();
        let held = match kind.lead() {
            None => self.bind_new(step, &names),
            Some(lead) => {
                let values: Vec<ValueId> =
                    names.into_iter().map(|name| self.value(name, nestled_ir::Type::Dim, span)).collect();
                let binds = std::iter::once(lead).chain(values.iter().copied()).collect();
                self.push(Combinator { binds, ..step });
                values
            }
        };
        self.kept.extend(held.iter().map(|&value| (value, self.sources.len())));
        let components: Vec<(ValueId, ValueId)> = arrays.into_iter().zip(held).collect();
        self.sources.push(Source { kind, components, frame, coordinates, position: None, span });
    }

    /// Adds the value of a member's `map` or `scan` as a component to a source; returns the array that leaves.
    pub(super) fn leave_by(&mut self, value: ValueId, source: usize) -> ValueId {
        let shape = match &self.sources[source].kind {
            SourceKind::Filter { shape, .. } | SourceKind::Partition { shape, .. } => Shape::of(*shape),
            SourceKind::Scatter { dest, .. } => dest.clone(),
        };
        let of = &self.kernel.values[value.index()];
        let elem = of.ty.as_array().map_or(ScalarType::Idx, |array| array.elem);
        let (name, span) = (of.name.clone(), of.span);
        let packed = self.value(name, nestled_ir::Type::dense(elem, shape), span);
        self.sources[source].components.push((packed, value));
        packed
    }

    /// Emits the filters, partitions and scatters, at the end of the kernel.
    pub(super) fn add_packing(&mut self) {
        for Source { kind, components, frame, coordinates, position: _, span } in self.sources.clone() {
            let mut thunk = Thunk { n_params: frame.level, locals: coordinates, ..Thunk::default() };
            let elem_of = |value: ValueId| {
                let ty = Scope::new(&self.kernel.values).ty(value);
                ty.as_array().map_or(ScalarType::Idx, |array| array.elem)
            };
            for held in kind.lead().into_iter().chain(components.iter().map(|(_, held)| *held)) {
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
                SourceKind::Partition { shape, within, classes, .. } => {
                    let kind = CombinatorKind::Partition { within, classes, site: None };
                    (std::iter::once(shape).chain(arrays).collect(), kind)
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

    /// Removes components that do not leave the kernel.
    pub(super) fn drop_unpacked(&mut self) {
        let first = self.kernel.steps.len() - self.sources.len();
        let ret = &self.kernel.ret;
        for step in &mut self.kernel.steps[first..] {
            // A shape has no component, and classes and places have no array.
            let n_shapes = usize::from(step.kind.makes_shape());
            let keep: Vec<bool> = step.binds[n_shapes..].iter().map(|bind| ret.contains(bind)).collect();
            let lead = step.body.body.results.len() - keep.len();
            retain(&mut step.body.body.results, lead, &keep);
            retain(&mut step.binds, n_shapes, &keep);
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

/// Keeps the first `lead` items, and of the others those marked in `keep`.
fn retain<T>(items: &mut Vec<T>, lead: usize, keep: &[bool]) {
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        at <= lead || keep[at - 1 - lead]
    });
}

/// True for a reduction by sums, products and the like, whose values may be grouped in any way but for their last bits; a monoid of the program promises that of all bits or none.
pub(in crate::fuse) fn is_sum(step: &Combinator) -> bool {
    match &step.kind {
        CombinatorKind::Reduce { monoid, .. } => {
            monoid.parts.iter().all(|part| !matches!(part, MonoidPart::User(_)))
        }
        CombinatorKind::Map
        | CombinatorKind::Scan { .. }
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. }
        | CombinatorKind::Permute { .. }
        | CombinatorKind::Serial { .. } => false,
    }
}

/// True if all parts of a monoid are exact (associative bit for bit) for the types of a combinator's results.
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
