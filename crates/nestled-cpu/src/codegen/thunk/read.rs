//! Array reads: walks from indices to an element axis by axis, and applies the rule of each index that is out of range.

use super::check::Report;
use super::fetch::Memory;
use super::{Run, ThunkFrame};
use crate::codegen::fault::FaultTemplate;
use crate::codegen::point::{ArrayRef, AxisRef, Constraint, StepRef};
use crate::codegen::ring::RingRef;
use crate::codegen::value::{Depth, Val};
use crate::codegen::variable::Variable;
use nestled_ir::{Atom, Axis, Index, Name, Offset, Op, Rule, Scalar, ScalarType, SiteId, Type, ValueId};
use nestled_kernel::strategy::slide::Slide;

/// An index, with the static knowledge about it.
pub(super) struct At {
    pub val: Val,
    pub rule: Rule,
    /// Set if it is a counter between 0 and the extent of this axis.
    below: Option<Axis>,
}

/// The source of a read.
pub(super) struct Source {
    pub array: ArrayRef,
    /// Set if its rows are in a ring.
    pub ring: Option<RingRef>,
    pub elem: ScalarType,
    name: Name,
    /// The depth from which on its elements are available.
    pub from: Depth,
    pub default: Option<Val>,
    site: Option<SiteId>,
    /// Set for a sliding window.
    slide: Option<Slide>,
}

/// The progress of a read along the axes.
pub(super) struct ElementWalk {
    /// The number of the element reached by the coordinates so far.
    at: Val,
    /// The lanes in which the element exists; in the interior version, under the assumptions.
    pub inside: Val,
    /// While everything is uniform: whether the element exists, without assumptions. Loads that precede their checks need an address that is valid.
    pub surely: Val,
    /// The lanes whose result is zero, because an axis was empty.
    pub zero: Val,
}

/// The result of applying a rule to an index along an axis.
struct ResolvedIndex {
    index: Val,
    ok: Val,
    surely: Val,
    /// Whether the axis is empty.
    empty: Val,
}

impl ResolvedIndex {
    fn inside(index: Val) -> ResolvedIndex {
        ResolvedIndex { index, ok: Val::truth(true), surely: Val::truth(true), empty: Val::truth(false) }
    }
}

impl Run<'_, '_, '_> {
    /// Emits a read of an array.
    pub fn read(
        &mut self,
        frame: &ThunkFrame<'_>,
        array: ValueId,
        index: &[Index],
        default: Option<Atom>,
        site: Option<SiteId>,
    ) -> Val {
        let index = index.iter().map(|index| At {
            val: self.atom(frame, index.at),
            rule: index.rule,
            below: frame.below(index.at),
        });
        let index = index.collect();
        let source = self.source(frame, array, Depth::Entry, default, site);
        self.read_at(&source, index)
    }

    /// Emits a read at constant offsets from the own coordinates.
    pub fn window(
        &mut self,
        frame: &ThunkFrame<'_>,
        bind: ValueId,
        offsets: &[Offset],
        default: Option<Atom>,
        site: Option<SiteId>,
    ) -> Val {
        let own = self.lane.point.coordinates.clone();
        let index = own.iter().zip(offsets).map(|(own, offset)| At {
            val: if offset.by == 0 {
                own.clone()
            } else {
                self.emit.op(Op::Add, &[own.clone(), Val::idx(offset.by)])
            },
            rule: offset.rule,
            below: None,
        });
        let index = index.collect();
        // A value of an earlier part of the same function may be available.
        let slide = self.slide(frame, bind, offsets);
        let source = Source { slide, ..self.source(frame, bind, Depth::Here, default, site) };
        self.read_at(&source, index)
    }

    fn source(
        &self,
        frame: &ThunkFrame<'_>,
        array: ValueId,
        from: Depth,
        default: Option<Atom>,
        site: Option<SiteId>,
    ) -> Source {
        let value = &self.lane.kernel.values[array.index()];
        let elem = match &value.ty {
            Type::Array(array) => array.elem,
            Type::Dim | Type::Seg(_) => ScalarType::Idx,
        };
        Source {
            array: self.lane.captures.arrays[&array].clone(),
            ring: self.lane.captures.rings.get(&array).cloned(),
            elem,
            name: value.name.clone(),
            from,
            default: default.map(|atom| self.atom(frame, atom)),
            site,
            slide: None,
        }
    }

    fn read_at(&mut self, source: &Source, mut index: Vec<At>) -> Val {
        if let ([row, _, ..], true) = (&mut index[..], self.lane.beside)
            && row.val.coordinate == Some(0)
            && self.is_own(&source.array.axes[0], &row.val, true)
        {
            // The index is inside, but neighbours reach this row by way of an end of the picture.
            row.val.coordinate = None;
            row.rule = Rule::Clamp;
        }
        let uniform = |val: &Val| val.uniform_depth().is_some();
        let alike = index.iter().all(|at| uniform(&at.val)) && source.default.iter().all(uniform);
        let own = match source.ring {
            Some(_) => 0,
            None => self.own_prefix(&source.array.axes, index.iter().map(|at| &at.val)),
        };
        let mut walk = self.begin_walk(own, index.iter().map(|at| &at.val));
        for (position, (axis, at)) in source.array.axes.iter().zip(&index).enumerate().skip(own) {
            let (mut start, extent) = self.extent(axis, &walk);
            if let (1, Some(width)) = (position, source.ring.as_ref().and_then(|ring| ring.width.as_ref())) {
                start = self.product(&walk.at, width);
            }
            let resolved = if self.is_own(axis, &at.val, position == own) || is_below(axis, at) {
                let mut resolved = ResolvedIndex::inside(at.val.clone());
                if !uniform(&at.val) {
                    resolved.ok = self.lane.point.mask.clone();
                }
                resolved
            } else if position + 1 == index.len()
                && let Some(val) = self.edge(source, at, (&start, &extent), &walk)
            {
                return val;
            } else {
                self.resolve(source, at, &extent, &walk, alike)
            };
            self.step(&mut walk, &resolved, &start);
            if let (0, Some(ring)) = (position, &source.ring) {
                walk.at = ring.place(self.emit, &walk.at);
            }
        }
        self.load(source, &walk, alike)
    }

    /// Returns the number of leading indices that are own coordinates in the own space; their position is known from the points.
    fn own_prefix<'v>(&self, axes: &[AxisRef], index: impl Iterator<Item = &'v Val>) -> usize {
        let space = &self.lane.captures.space;
        let is_own = |(k, (axis, val)): &(usize, (&AxisRef, &Val))| {
            val.coordinate == Some(*k)
                && space.get(*k).is_some_and(|own| own.axis == axis.axis)
                && !matches!(axis.step, StepRef::View { .. })
        };
        axes.iter().zip(index).enumerate().take_while(is_own).count()
    }

    fn begin_walk<'v>(&self, own: usize, index: impl Iterator<Item = &'v Val>) -> ElementWalk {
        let point = self.lane.point;
        let alike = index.take(own).all(|val| val.uniform_depth().is_some());
        ElementWalk {
            at: if own == 0 { Val::idx(0) } else { point.positions[own].clone() },
            inside: if alike { Val::truth(true) } else { point.mask.clone() },
            surely: Val::truth(true),
            zero: Val::truth(false),
        }
    }

    /// True if the index is an own coordinate along an axis of the same extent. `begun` tells that all indices before are own ones too.
    fn is_own(&self, axis: &AxisRef, index: &Val, begun: bool) -> bool {
        let same = index
            .coordinate
            .and_then(|own| Some((own, self.lane.captures.space.get(own)?)))
            .is_some_and(|(_, own)| own.axis == axis.axis);
        match &axis.step {
            StepRef::Extent(_) => same,
            StepRef::Offsets(_) => false,
            StepRef::View { lengths, .. } => same && (begun || matches!(**lengths, StepRef::Extent(_))),
        }
    }

    /// Returns the start of the points of this axis below the element so far, and their number.
    fn extent(&mut self, axis: &AxisRef, walk: &ElementWalk) -> (Val, Val) {
        match &axis.step {
            StepRef::Extent(extent) => (self.product(&walk.at, extent), extent.clone()),
            StepRef::Offsets(offsets) => self.segment_between(offsets, walk),
            StepRef::View { starts, lengths } => {
                let start = self.position_from(starts, &walk.at.clone(), walk);
                let extent = match &**lengths {
                    StepRef::Extent(extent) => extent.clone(),
                    StepRef::Offsets(offsets) => self.segment_between(offsets, walk).1,
                    StepRef::View { .. } => unreachable!("lengths are no view"),
                };
                (start, extent)
            }
        }
    }

    fn segment_between(&mut self, offsets: &str, walk: &ElementWalk) -> (Val, Val) {
        let next = self.sum(&walk.at, &Val::idx(1));
        let start = self.position_from(offsets, &walk.at.clone(), walk);
        let end = self.position_from(offsets, &next, walk);
        let length = self.difference(&end, &start);
        (start, length)
    }

    /// Emits the load of an entry of a table of positions.
    fn position_from(&mut self, table: &str, at: &Val, walk: &ElementWalk) -> Val {
        let memory = Memory {
            data: table,
            elem: ScalarType::Idx,
            from: Depth::Entry,
            below: None,
            dereferenceable: None,
            slide: None,
        };
        if at.uniform_depth().is_some() && walk.surely.uniform_depth().is_some() {
            let safe = self.emit.blend(&walk.surely, at, &Val::idx(0));
            return self.load_scalar(memory, &safe);
        }
        let val = self.load_vector(memory, at, &walk.inside, &Val::idx(0));
        if self.lane.wide {
            return val;
        }
        Val::narrow(self.lanes32(&val))
    }

    fn step(&mut self, walk: &mut ElementWalk, resolved: &ResolvedIndex, start: &Val) {
        let empty = self.emit.and(&walk.inside, &resolved.empty);
        walk.zero = self.or(&walk.zero, &empty);
        let some = self.emit.not(&resolved.empty);
        let ok = self.emit.and(&resolved.ok, &some);
        walk.inside = self.emit.and(&walk.inside, &ok);
        walk.surely = self.emit.and(&walk.surely, &resolved.surely);
        walk.at = self.sum(start, &resolved.index);
    }

    fn or(&mut self, a: &Val, b: &Val) -> Val {
        if a.is(Scalar::Bool(false)) {
            return b.clone();
        }
        if b.is(Scalar::Bool(false)) {
            return a.clone();
        }
        self.emit.blend(a, &Val::truth(true), b)
    }

    /// Applies the rule of an index.
    fn resolve(
        &mut self,
        source: &Source,
        at: &At,
        extent: &Val,
        walk: &ElementWalk,
        alike: bool,
    ) -> ResolvedIndex {
        if let Some(resolved) = self.assume(at, extent, walk) {
            return resolved;
        }
        match at.rule {
            Rule::Clamp | Rule::Wrap => self.resolve_into_range(at, extent),
            Rule::Fault => {
                let surely = self.within(&at.val, extent);
                let template = FaultTemplate::OutOfRange { array: source.name.clone() };
                // The verifier demands a site wherever a rule is `fault`.
                let site = source.site.expect("a read that may fault has a site");
                let report = Report { site, template, a: at.val.clone(), b: extent.clone() };
                let ok = self.fault_unless(&surely, &walk.inside, &report);
                // Values known further out may be loaded there, before the check.
                let early = surely.uniform_depth().is_some_and(|depth| depth < Depth::Here);
                let surely = if early { surely } else { Val::truth(true) };
                ResolvedIndex { ok, surely, ..ResolvedIndex::inside(at.val.clone()) }
            }
            Rule::Else => {
                let ok = self.within(&at.val, extent);
                let surely = if ok.uniform_depth().is_some() { ok.clone() } else { Val::truth(true) };
                ResolvedIndex { ok, surely, ..ResolvedIndex::inside(at.val.clone()) }
            }
            Rule::Proved => self.resolve_proved(at, extent, alike),
        }
    }

    /// Applies a proof, which holds for the active lanes. Where it does not hold, no memory outside is accessed all the same.
    fn resolve_proved(&mut self, at: &At, extent: &Val, alike: bool) -> ResolvedIndex {
        let resolved = ResolvedIndex::inside(at.val.clone());
        if matches!(at.val.form, crate::codegen::value::Form::Linear { .. }) {
            return ResolvedIndex { ok: self.active(), ..resolved };
        }
        let within = self.within(&at.val, extent);
        if within.uniform_depth().is_none() {
            return ResolvedIndex { ok: within, ..resolved };
        }
        if alike {
            return ResolvedIndex { ok: Val::truth(true), surely: within, ..resolved };
        }
        let index = self.emit.blend(&within, &at.val, &Val::idx(0));
        ResolvedIndex { ok: self.active(), surely: within, ..ResolvedIndex::inside(index) }
    }

    fn resolve_into_range(&mut self, at: &At, extent: &Val) -> ResolvedIndex {
        let index = match at.rule {
            Rule::Wrap => self.wrapped(&at.val, extent),
            Rule::Clamp | Rule::Fault | Rule::Else | Rule::Proved => self.clamped(&at.val, extent),
        };
        let some = self.within(&Val::idx(0), extent);
        let empty = if self.assume_row(&some) { Val::truth(false) } else { self.emit.not(&some) };
        let surely = if some.uniform_depth().is_some() { some } else { Val::truth(true) };
        ResolvedIndex { index, ok: Val::truth(true), surely, empty }
    }

    /// In the interior version: assumes a truth value that is known before the row's loop. False if it is not known there.
    pub(super) fn assume_row(&mut self, truth: &Val) -> bool {
        match (&mut self.lane.assumed, truth.uniform_depth()) {
            (Some(assumed), Some(depth)) if depth <= Depth::Row => {
                if !truth.is(Scalar::Bool(true)) {
                    let fact = (depth, self.emit.scalar(truth));
                    if !assumed.row.contains(&fact) {
                        assumed.row.push(fact);
                    }
                }
                true
            }
            _ => false,
        }
    }

    /// In the interior version: restricts the loop to coordinates for which the constraint holds.
    pub(super) fn assume_along(&mut self, constraint: Constraint) {
        let Some(assumed) = &mut self.lane.assumed else { return };
        if !assumed.along.contains(&constraint) {
            assumed.along.push(constraint);
        }
    }

    /// In the interior version: omits the check of an index if it can be assumed.
    fn assume(&mut self, at: &At, extent: &Val, walk: &ElementWalk) -> Option<ResolvedIndex> {
        use crate::codegen::value::Form;
        self.lane.assumed.as_ref()?;
        // After an axis that was checked here, the extents of the next are not those of all lanes.
        if extent.uniform_depth().is_none_or(|depth| depth > Depth::Row) {
            return None;
        }
        match at.val.form {
            Form::Linear { stride, depth } if depth <= Depth::Row && at.rule != Rule::Proved => {
                let depth = depth.max(extent.uniform_depth().unwrap_or(Depth::Row));
                let extent = self.emit.scalar(extent);
                self.assume_along(Constraint { base: at.val.name.clone(), stride, extent, depth });
                Some(ResolvedIndex::inside(at.val.clone()))
            }
            Form::Const(_) | Form::Uniform(Depth::Entry | Depth::Group | Depth::Row)
                if matches!(at.rule, Rule::Fault | Rule::Else | Rule::Proved)
                    && walk.inside.is(Scalar::Bool(true)) =>
            {
                let within = self.within(&at.val, extent);
                self.assume_row(&within);
                Some(ResolvedIndex { surely: within, ..ResolvedIndex::inside(at.val.clone()) })
            }
            Form::Const(_) | Form::Uniform(_) | Form::Linear { .. } | Form::Varying | Form::Narrow => None,
        }
    }

    /// Emits the load of the element that was reached, or the read's result for lanes outside.
    fn load(&mut self, source: &Source, walk: &ElementWalk, alike: bool) -> Val {
        let below = walk.at.group.and_then(|_| self.rows_below(&source.array.axes));
        let (data, elem, from) = (&source.array.data, source.elem, source.from);
        let (dereferenceable, slide) = (source.array.dereferenceable.as_ref(), source.slide.as_ref());
        let memory = Memory { data, elem, from, below: below.as_deref(), dereferenceable, slide };
        let nothing = Val::constant(Scalar::zero(source.elem));
        let outside = match &source.default {
            Some(default) => self.emit.blend(&walk.zero, &nothing, default),
            None => nothing,
        };
        if alike {
            let safe = self.emit.blend(&walk.surely, &walk.at, &Val::idx(0));
            let val = self.load_scalar(memory, &safe);
            return self.emit.blend(&walk.inside, &val, &outside);
        }
        self.load_vector(memory, &walk.at, &walk.inside, &outside)
    }

    /// Returns the distance in elements to the second next row, of an array of rows of pixels; the next row is most often read by the same code.
    fn rows_below(&mut self, axes: &[AxisRef]) -> Option<crate::codegen::text::Name> {
        let [_, columns, channels] = axes else { return None };
        let (StepRef::Extent(columns), StepRef::Extent(channels)) = (&columns.step, &channels.step) else {
            return None;
        };
        let (columns, channels) = (self.emit.scalar(columns), self.emit.scalar(channels));
        let row = self.emit.define_at(Depth::Entry, format_args!("mul i64 {columns}, {channels}"));
        Some(self.emit.define_at(Depth::Entry, format_args!("shl i64 {row}, 1")))
    }

    /// Emits the start and the length of a segment; zeros if it does not exist.
    pub fn segment(&mut self, seg: ValueId, at: &[Val]) -> (Val, Val) {
        let axes = self.lane.captures.segs[&seg].clone();
        let own = self.own_prefix(&axes[..at.len()], at.iter());
        let mut walk = self.begin_walk(own, at.iter());
        for (position, index) in at.iter().enumerate().skip(own) {
            let (start, extent) = self.extent(&axes[position], &walk);
            let mut resolved = ResolvedIndex::inside(index.clone());
            if self.is_own(&axes[position], index, position == own) {
                if index.uniform_depth().is_none() {
                    resolved.ok = self.lane.point.mask.clone();
                }
            } else {
                resolved.ok = self.within(index, &extent);
                if resolved.ok.uniform_depth().is_some() {
                    resolved.surely = resolved.ok.clone();
                }
            }
            self.step(&mut walk, &resolved, &start);
        }
        let zero = Val::idx(0);
        let (start, length) = self.extent(&axes[at.len()], &walk);
        // In lanes that are not present any value will do: only indices outside are told apart.
        let exists = if own == at.len() { Val::truth(true) } else { walk.inside };
        (self.blend(&exists, &start, &zero), self.blend(&exists, &length, &zero))
    }

    /// Emits the index modulo the extent; unspecified if the axis is empty.
    fn wrapped(&mut self, index: &Val, extent: &Val) -> Val {
        let full = |run: &mut Self| run.emit.op(Op::RemFloor, &[index.clone(), extent.clone()]);
        if index.uniform_depth().is_some() {
            return full(self);
        }
        // Windows and neighbours are at most one extent outside; other indices take a division.
        let zero = Val::idx(0);
        let below = self.emit.op(Op::Lt, &[index.clone(), zero.clone()]);
        let raised = self.emit.op(Op::Add, &[index.clone(), extent.clone()]);
        let raised = self.emit.blend(&below, &raised, index);
        let above = self.emit.op(Op::Ge, &[raised.clone(), extent.clone()]);
        let lowered = self.emit.op(Op::Sub, &[raised.clone(), extent.clone()]);
        let near = self.emit.blend(&above, &lowered, &raised);
        let not_below = self.emit.op(Op::Ge, &[near.clone(), zero]);
        let not_above = self.emit.op(Op::Lt, &[near.clone(), extent.clone()]);
        let inside = self.emit.and(&not_below, &not_above);
        let outside = self.emit.not(&inside);
        let slot = Variable::varying(self.emit, ScalarType::Idx);
        slot.store(self.emit, &near);
        let (divide, done) = (self.emit.label(), self.emit.label());
        // Includes inactive lanes: the reader relies on all of them.
        let any = self.emit.any(&outside);
        self.emit.branch(&any, divide, done);
        self.emit.text.begin(divide);
        let rest = full(self);
        slot.store(self.emit, &rest);
        self.emit.fall_into(done);
        slot.load(self.emit)
    }
}

fn is_below(axis: &AxisRef, at: &At) -> bool {
    at.val.uniform_depth().is_some() && at.below == Some(axis.axis) && matches!(axis.step, StepRef::Extent(_))
}
