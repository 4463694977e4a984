//! Generation of reads in thunks: parameters of the kernel under every rule, earlier combinators, windows, lengths of segments.

use super::class::Class;
use super::expr::{self, Known};
use super::surroundings::{ArrayFacts, BindFacts, Coordinate};
use super::thunk::{SITE, ThunkCode};
use nestled_ir::{Atom, Index, LocalId, Offset, Op, Rule, ScalarType, StmtKind, ValueId};

/// An index, and whether it is certainly inside of its axis.
struct Place {
    at: Known<Atom>,
    inside: bool,
}

impl ThunkCode<'_> {
    /// A value of a type from the surroundings.
    pub(super) fn fetch(&mut self, ty: ScalarType) -> Option<Known<Atom>> {
        if self.random.chance(50) {
            let binds = self.readable(Some(ty));
            if !binds.is_empty() {
                let bind = self.random.pick(&binds).clone();
                return Some(self.read_own(&bind));
            }
        }
        let arrays: Vec<ArrayFacts> = self.around.arrays.iter().filter(|a| a.elem == ty).cloned().collect();
        if arrays.is_empty() || self.nest > 2 || self.reading > 0 {
            return None;
        }
        let array = self.random.pick(&arrays).clone();
        self.read_array(&array)
    }

    pub(super) fn read(&mut self) -> Option<Known<Atom>> {
        if self.around.arrays.is_empty() {
            return None;
        }
        let array = self.random.pick(&self.around.arrays).clone();
        self.read_array(&array)
    }

    pub(super) fn own(&mut self) -> Option<Known<Atom>> {
        let binds = self.readable(None);
        if binds.is_empty() {
            return None;
        }
        let bind = self.random.pick(&binds).clone();
        Some(self.read_own(&bind))
    }

    /// The results of earlier combinators that may be read at the own coordinates.
    fn readable(&self, ty: Option<ScalarType>) -> Vec<BindFacts> {
        let fine = |bind: &&BindFacts| {
            bind.level <= self.level()
                && (bind.guard.is_none() || bind.guard == self.guard)
                && ty.is_none_or(|ty| ty == bind.ty)
        };
        self.around.binds.iter().filter(fine).cloned().collect()
    }

    fn read_own(&mut self, bind: &BindFacts) -> Known<Atom> {
        let dst = self.bind(bind.ty, bind.class);
        self.push(StmtKind::Own { dst, bind: bind.id });
        Known { atom: Atom::Local(dst), ty: bind.ty, class: bind.class }
    }

    fn read_array(&mut self, array: &ArrayFacts) -> Option<Known<Atom>> {
        self.reading += 1;
        let read = self.read_somewhere(array);
        self.reading -= 1;
        Some(read)
    }

    fn read_somewhere(&mut self, array: &ArrayFacts) -> Known<Atom> {
        let own = self.around.own_prefix(&array.coordinates, self.level());
        let mut places: Vec<Place> = Vec::new();
        for (axis, &coordinate) in array.coordinates.iter().enumerate() {
            let so_far = places.iter().enumerate().all(|(a, p)| p.inside && self.is_own(a, p));
            let stay = axis < own && so_far && self.random.chance(85);
            let place = if stay {
                Place { at: self.coordinate(axis), inside: true }
            } else {
                self.somewhere(coordinate, &places)
            };
            places.push(place);
        }
        let index: Vec<Index> =
            places.iter().map(|place| Index { at: place.at.atom, rule: self.rule(place.inside) }).collect();
        let (default, site, class) = self.outside(index.iter().map(|i| i.rule), array.elem, array.class);
        let dst = self.bind(array.elem, class);
        self.push(StmtKind::Read { dst, array: array.id, index, default, site });
        Known { atom: Atom::Local(dst), ty: array.elem, class }
    }

    fn is_own(&self, axis: usize, place: &Place) -> bool {
        axis < self.level() && place.at.atom == Atom::Local(LocalId::from(axis))
    }

    /// An index along an axis that is not simply the own coordinate.
    fn somewhere(&mut self, coordinate: Coordinate, before: &[Place]) -> Place {
        if self.random.chance(45) {
            return Place { at: self.arbitrary(), inside: false };
        }
        match coordinate {
            Coordinate::Const(0) => Place { at: self.arbitrary(), inside: false },
            Coordinate::Const(n) => {
                let range = Class::Range(0, n as i64 - 1);
                Place { at: expr::want_in(self, ScalarType::Idx, range, 1), inside: true }
            }
            Coordinate::Extent(n) => {
                let extent = Known { atom: Atom::Value(n), ty: ScalarType::Idx, class: Class::Any };
                self.inside_of(extent)
            }
            Coordinate::Segment(seg) => {
                let at = before.iter().map(|place| place.at.atom).collect();
                let length = self.segment_length(seg, at);
                self.inside_of(length)
            }
        }
    }

    /// An index inside the extent, unless the extent is 0.
    fn inside_of(&mut self, extent: Known<Atom>) -> Place {
        let any = self.arbitrary();
        Place { at: expr::must(self, Op::RemFloor, &[any, extent]), inside: false }
    }

    fn arbitrary(&mut self) -> Known<Atom> {
        if self.level() > 0 && self.random.chance(60) {
            let axis = self.random.below(self.level().min(self.around.space.len()).max(1));
            let own = self.coordinate(axis);
            if own.ty == ScalarType::Idx {
                let offset = self.random.between(-2, 2);
                let offset = expr::index(self, offset);
                let op = *self.random.pick(&[Op::Add, Op::Sub, Op::Mul]);
                return expr::must(self, op, &[own, offset]);
            }
        }
        expr::want(self, ScalarType::Idx, 1)
    }

    fn rule(&mut self, inside: bool) -> Rule {
        if inside {
            let fault = if self.may_fault { 5 } else { 0 };
            let rules = [Rule::Fault, Rule::Proved, Rule::Clamp, Rule::Wrap, Rule::Else];
            return rules[self.random.weighted(&[fault, 2, 1, 1, 1])];
        }
        if self.may_fault && self.random.chance(self.size.faults) {
            return Rule::Fault;
        }
        *self.random.pick(&[Rule::Clamp, Rule::Wrap, Rule::Else])
    }

    /// Default, site and class of a read with these rules.
    fn outside(
        &mut self,
        rules: impl Iterator<Item = Rule>,
        ty: ScalarType,
        class: Class,
    ) -> (Option<Atom>, Option<nestled_ir::SiteId>, Class) {
        let rules: Vec<Rule> = rules.collect();
        let zero = Class::of(nestled_ir::Scalar::zero(ty));
        let mut result = class.join(zero);
        let default = rules.contains(&Rule::Else).then(|| {
            let default = expr::want(self, ty, 0);
            result = result.join(default.class);
            default.atom
        });
        (default, rules.contains(&Rule::Fault).then_some(SITE), result)
    }

    pub(super) fn window(&mut self) {
        if !self.around.is_grid(self.level()) || self.level() == 0 {
            return;
        }
        let here = |bind: &BindFacts| bind.window && bind.level == self.level();
        let binds: Vec<BindFacts> = self.readable(None).into_iter().filter(here).collect();
        if binds.is_empty() {
            return;
        }
        let bind = self.random.pick(&binds).clone();
        let mut offsets = Vec::new();
        for _ in 0..self.level() {
            let by = if self.random.chance(40) { 0 } else { self.random.between(-3, 3) };
            offsets.push(Offset { by, rule: self.rule(by == 0) });
        }
        let (default, site, class) = self.outside(offsets.iter().map(|o| o.rule), bind.ty, bind.class);
        let dst = self.bind(bind.ty, class);
        self.push(StmtKind::Window { dst, bind: bind.id, offsets, default, site });
    }

    /// The length or start of some segment.
    pub(super) fn length(&mut self) {
        if self.around.segs.is_empty() {
            return;
        }
        let seg = self.random.pick(&self.around.segs).clone();
        let own = self.around.own_prefix(&seg.parent, self.level());
        let at: Vec<Atom> = (0..seg.parent.len())
            .map(|axis| {
                let stay = axis < own && self.random.chance(80);
                if stay { self.coordinate(axis).atom } else { self.arbitrary().atom }
            })
            .collect();
        if self.random.chance(50) {
            self.segment_length(seg.id, at);
        } else {
            let dst = self.bind(ScalarType::Idx, Class::Range(0, seg.bound as i64));
            self.push(StmtKind::Start { dst, seg: seg.id, at });
        }
    }

    fn segment_length(&mut self, seg: ValueId, at: Vec<Atom>) -> Known<Atom> {
        let bound = self.around.segs.iter().find(|facts| facts.id == seg).map_or(0, |facts| facts.bound);
        let class = Class::Range(0, bound as i64);
        let dst = self.bind(ScalarType::Idx, class);
        self.push(StmtKind::Len { dst, seg, at });
        Known { atom: Atom::Local(dst), ty: ScalarType::Idx, class }
    }

    /// A position inside of a segment, unless it is empty.
    pub(super) fn inside_segment(&mut self, seg: ValueId, parent: &[Known<Atom>]) -> Known<Atom> {
        let length = self.segment_length(seg, parent.iter().map(|known| known.atom).collect());
        let place = expr::want(self, ScalarType::Idx, 2);
        expr::must(self, Op::RemFloor, &[place, length])
    }

    /// The element of an array at the own coordinates.
    pub(super) fn read_own_element(&mut self, array: ValueId) -> Known<Atom> {
        let facts = self.around.arrays.iter().find(|facts| facts.id == array).cloned();
        let facts = facts.expect("the array was captured");
        let own = |axis| Index { at: self.coordinate(axis).atom, rule: Rule::Fault };
        let index = (0..facts.coordinates.len()).map(own).collect();
        let dst = self.bind(facts.elem, facts.class);
        self.push(StmtKind::Read { dst, array, index, default: None, site: Some(SITE) });
        Known { atom: Atom::Local(dst), ty: facts.elem, class: facts.class }
    }

    /// A start for the own segment inside a buffer; its size is the first scalar parameter.
    pub(super) fn random_start(&mut self, seg: ValueId) -> Known<Atom> {
        let size = self.scope[0];
        let at = (0..self.level()).map(|axis| self.coordinate(axis).atom).collect();
        let length = self.segment_length(seg, at);
        let room = expr::must(self, Op::Sub, &[size, length]);
        let one = expr::index(self, 1);
        let room = expr::must(self, Op::Add, &[room, one]);
        let any = expr::want(self, ScalarType::Idx, 1);
        expr::must(self, Op::RemFloor, &[any, room])
    }
}
