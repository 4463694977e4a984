//! Bounds-check elimination: reads, windows and private accesses whose indices are in bounds become `proved`, and an access that can only fault bounds its indices afterwards.

use super::linear::{Linear, Var};
use super::{Ranges, extent};
use nestled_ir::{
    Atom, Axis, Index, LocalId, Offset, Rule, Shape, SiteId, StmtKind, ThunkPart, Type, ValueId,
};

/// One coordinate of a position in an array.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Coordinate {
    /// Along an extent.
    Extent(Axis),
    /// Inside a segment.
    Segment(ValueId),
}

impl Ranges<'_> {
    /// Marks the in-bounds axes of an access as proved, and learns the range of its result and of its indices behind it.
    pub fn prove(&mut self, access: &mut StmtKind) {
        match access {
            StmtKind::Read { dst: _, array, index, default, site } => {
                let coordinates = self.coordinates(*array);
                self.prove_index(&coordinates, index);
                keep_what_rules_need(index.iter().map(|index| index.rule), default, site);
            }
            StmtKind::Window { dst: _, bind: _, offsets, default, site } => {
                self.prove_window(offsets);
                keep_what_rules_need(offsets.iter().map(|offset| offset.rule), default, site);
            }
            StmtKind::Own { dst, bind } => self.own(*dst, *bind),
            StmtKind::Len { dst, seg, at } => {
                let at = at.iter().map(|&at| self.form(at)).collect();
                let length = self.length(*seg, at);
                self.forms.insert(*dst, length);
            }
            StmtKind::Start { dst, .. } => {
                self.facts.bound(Var::Local(*dst), (0, i128::from(i64::MAX)));
            }
            StmtKind::PrivateNew { array, size } => {
                let size = self.form(*size);
                self.sizes.insert(*array, size);
            }
            StmtKind::PrivateGet { array, at, site, .. } | StmtKind::PrivateSet { array, at, site, .. } => {
                let at = self.form(*at);
                let size = self.sizes.get(array).cloned();
                if let Some(size) = size {
                    if self.is_inside(&at, &size) {
                        *site = None;
                    }
                    self.learn_inside(&at, &size);
                }
            }
            StmtKind::Threefry { .. }
            | StmtKind::Op { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Check { .. } => {}
        }
        if !matches!(access, StmtKind::Own { .. } | StmtKind::Len { .. } | StmtKind::Start { .. }) {
            access.dsts().iter().for_each(|&dst| self.unknown(dst, self.thunk.local_type(dst)));
        }
    }

    /// True if all axes of a read or window that are marked as proved are in bounds by the facts known here.
    pub fn is_proved(&mut self, access: &StmtKind) -> bool {
        let rules = |access: &StmtKind| {
            let mut rules = Vec::new();
            access.for_each_part(&mut |part| {
                if let ThunkPart::Rule(rule) = part {
                    rules.push(*rule);
                }
            });
            rules
        };
        let mut judged = access.clone();
        // What the access itself would say of its indices is not known yet.
        self.enter();
        match &mut judged {
            StmtKind::Read { array, index, .. } => {
                let proved = index.iter_mut().filter(|index| index.rule == Rule::Proved);
                proved.for_each(|index| index.rule = Rule::Fault);
                let coordinates = self.coordinates(*array);
                self.prove_index(&coordinates, index);
            }
            StmtKind::Window { offsets, .. } => {
                let proved = offsets.iter_mut().filter(|offset| offset.rule == Rule::Proved);
                proved.for_each(|offset| offset.rule = Rule::Fault);
                self.prove_window(offsets);
            }
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Own { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => {}
        }
        self.leave();
        rules(access).iter().zip(rules(&judged)).all(|(said, found)| *said != Rule::Proved || found == *said)
    }

    fn own(&mut self, dst: LocalId, bind: ValueId) {
        let outer = self.outer;
        match outer.form(bind) {
            Some(form) => {
                self.forms.insert(dst, form.clone());
            }
            None => {
                self.unknown(dst, self.thunk.local_type(dst));
                if let Some(bounds) = outer.bounds(bind) {
                    self.facts.bound(Var::Local(dst), bounds);
                }
            }
        }
        self.guard(dst, bind);
    }

    /// True if `0 ≤ at < extent` is known.
    pub fn is_inside(&self, at: &Linear, extent: &Linear) -> bool {
        self.is_natural(at) && self.is_below(at, extent)
    }

    fn learn_inside(&mut self, at: &Linear, extent: &Linear) {
        self.learn_at_most(&Linear::constant(0), at);
        self.learn_below(at, extent);
    }

    /// The coordinates of an array's shape.
    pub fn coordinates(&self, array: ValueId) -> Vec<Coordinate> {
        let mut coordinates = Vec::new();
        if let Some(array) = self.scope().ty(array).as_array() {
            self.expand(&array.shape, &mut coordinates);
        }
        coordinates
    }

    /// The coordinates of a shape: for a segmentation those of its parent, then the position in the segment.
    fn expand(&self, shape: &Shape, coordinates: &mut Vec<Coordinate>) {
        for &axis in &shape.axes {
            match axis {
                Axis::Sym(symbol) => match self.scope().ty(symbol) {
                    Type::Seg(seg) => {
                        self.expand(&seg.parent, coordinates);
                        coordinates.push(Coordinate::Segment(symbol));
                    }
                    Type::Dim | Type::Array(_) => coordinates.push(Coordinate::Extent(axis)),
                },
                Axis::Const(_) => coordinates.push(Coordinate::Extent(axis)),
            }
        }
    }

    fn prove_index(&mut self, coordinates: &[Coordinate], index: &mut [Index]) {
        // Where a rule of an outer axis may act, another segment is meant than the index says.
        let mut outer = Some(Vec::new());
        let mut may_fault = Vec::new();
        // Behind a rule on an empty axis nothing is judged: the read gives zero.
        let mut judged = true;
        for (&coordinate, index) in coordinates.iter().zip(&mut *index) {
            let at = self.form(index.at);
            let limit = match coordinate {
                Coordinate::Extent(axis) => Some(extent(axis)),
                Coordinate::Segment(seg) => outer.clone().map(|outer| self.length(seg, outer)),
            };
            if limit.as_ref().is_some_and(|limit| self.is_inside(&at, limit)) {
                index.rule = Rule::Proved;
            }
            match index.rule {
                Rule::Clamp | Rule::Wrap => {
                    outer = None;
                    let first = Linear::constant(0);
                    judged &= limit.as_ref().is_some_and(|limit| self.is_inside(&first, limit));
                }
                Rule::Fault | Rule::Else | Rule::Proved => {
                    outer.iter_mut().for_each(|outer| outer.push(at.clone()));
                }
            }
            if let (true, Rule::Fault, Some(limit)) = (judged, index.rule, limit) {
                may_fault.push((at, limit));
            }
        }
        // Behind a read that could only fault its indices are inside.
        if index.iter().all(|index| index.rule != Rule::Else) {
            for (at, limit) in may_fault {
                self.learn_inside(&at, &limit);
            }
        }
    }

    fn prove_window(&mut self, offsets: &mut [Offset]) {
        for (position, offset) in offsets.iter_mut().enumerate() {
            let own = Linear::var(Var::Local(LocalId::from(position)));
            let at = own.shifted(i128::from(offset.by));
            if at.is_some_and(|at| self.is_inside(&at, &extent(self.space[position]))) {
                offset.rule = Rule::Proved;
            }
        }
    }

    /// True if scalars are known to name a point of a shape.
    pub fn names_point(&mut self, shape: &Shape, at: &[Atom]) -> bool {
        let mut coordinates = Vec::new();
        self.expand(shape, &mut coordinates);
        let forms: Vec<Linear> = at.iter().map(|&at| self.form(at)).collect();
        (0..coordinates.len()).all(|position| {
            let limit = match coordinates[position] {
                Coordinate::Extent(axis) => extent(axis),
                Coordinate::Segment(seg) => self.length(seg, forms[..position].to_vec()),
            };
            self.is_inside(&forms[position], &limit)
        })
    }
}

/// Restores the invariant of accesses: a default exactly if an axis has the rule `else`, and a site exactly if an axis may fault.
pub fn keep_what_rules_need(
    rules: impl Iterator<Item = Rule> + Clone,
    default: &mut Option<Atom>,
    site: &mut Option<SiteId>,
) {
    if rules.clone().all(|rule| rule != Rule::Else) {
        *default = None;
    }
    if rules.clone().all(|rule| rule != Rule::Fault) {
        *site = None;
    }
}
