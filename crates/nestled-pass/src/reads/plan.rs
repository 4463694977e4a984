//! Legality of replacing one read by rematerialised code, and the new rules of that code's reads.

use super::affine::Affine;
use super::rematerialised::Rematerialised;
use super::rules::{Inner, Outer, Prover, compose};
use super::splice::Access;
use crate::ranges::{Coordinate, Linear, Ranges, Var, extent};
use nestled_ir::{Atom, Index, LocalId, Rule, Scalar, StmtKind, ValueId};
use std::collections::{HashMap, HashSet};

/// A read of an array that can be rematerialised.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The array, a parameter of the kernel.
    pub array: ValueId,
    /// The indices of the read.
    pub index: &'a [Index],
    /// The default of the read, for indices out of bounds.
    pub default: Option<Atom>,
    /// The code of one element of the array.
    pub rematerialised: &'a Rematerialised,
    /// The captures of that code, in the kernel's names.
    pub values: &'a HashMap<ValueId, Atom>,
}

impl Prover for Ranges<'_> {
    fn is_natural(&self, x: &Linear) -> bool {
        Ranges::is_natural(self, x)
    }
}

/// Returns the reads of the rematerialised code that change when it replaces a read; `None` where the replacement would not be equivalent.
pub fn plan(request: &Request<'_>, ranges: &Ranges<'_>) -> Option<HashMap<LocalId, Access>> {
    let coordinates = ranges.coordinates(request.array);
    let mut acting = HashMap::new();
    for (position, (&coordinate, index)) in coordinates.iter().zip(request.index).enumerate() {
        let outer = outer(coordinate, index, ranges);
        if outer.as_ref().is_none_or(Outer::acts) {
            acting.insert(LocalId::from(position), outer.filter(|outer| outer.rule != Rule::Fault)?);
        }
    }
    if acting.is_empty() {
        return Some(HashMap::new());
    }
    if coordinates.iter().any(|coordinate| matches!(coordinate, Coordinate::Segment(_))) {
        return None;
    }
    Acting { request, ranges, acting }.plan()
}

/// Makes the outer read along an axis; `None` for an axis of segments, unless its index is proved.
fn outer(coordinate: Coordinate, index: &Index, ranges: &Ranges<'_>) -> Option<Outer> {
    let at = ranges.form(index.at);
    match coordinate {
        _ if index.rule == Rule::Proved => {
            Some(Outer { rule: Rule::Proved, extent: Linear::default(), acts_low: false, acts_high: false })
        }
        Coordinate::Extent(axis) => {
            let extent = extent(axis);
            let acts_low = !ranges.is_natural(&at);
            let acts_high = !ranges.is_below(&at, &extent);
            Some(Outer { rule: index.rule, extent, acts_low, acts_high })
        }
        Coordinate::Segment(_) => None,
    }
}

/// A read with indices that may be out of bounds, so that a rule may act.
struct Acting<'a> {
    request: &'a Request<'a>,
    ranges: &'a Ranges<'a>,
    /// The axes along which a rule may act, by the parameter of the rematerialised thunk.
    acting: HashMap<LocalId, Outer>,
}

impl Acting<'_> {
    fn plan(&self) -> Option<HashMap<LocalId, Access>> {
        let thunk = &self.request.rematerialised.thunk;
        let affine = Affine::of(thunk);
        let moved = self.moved()?;
        let result = thunk.body.results[0];
        if matches!(result, Atom::Local(local) if moved.contains(&local)) {
            return None;
        }
        let is_read = |kind: &StmtKind| matches!(kind, StmtKind::Read { .. });
        let reads: Vec<&StmtKind> =
            thunk.body.stmts.iter().map(|stmt| &stmt.kind).filter(|kind| is_read(kind)).collect();
        let is_result = reads.iter().any(|read| result == Atom::Local(read.dsts()[0]));
        for outer in self.acting.values() {
            let brings_inside = matches!(outer.rule, Rule::Clamp | Rule::Wrap);
            // Outside of an array the default is meant, and not what is made of defaults; zero, and not what is made of zeros.
            if !is_result && (outer.rule == Rule::Else || brings_inside && !self.is_some(&outer.extent)) {
                return None;
            }
        }
        reads.into_iter().map(|read| Some((read.dsts()[0], self.access(read, &affine, &moved)?))).collect()
    }

    fn is_some(&self, extent: &Linear) -> bool {
        self.ranges.is_below(&Linear::constant(0), extent)
    }

    /// Returns the scalars of the rematerialised code that depend on coordinates along which a rule acts; `None` if other statements than operations and reads do.
    fn moved(&self) -> Option<HashSet<LocalId>> {
        let mut moved: HashSet<LocalId> = self.acting.keys().copied().collect();
        for stmt in &self.request.rematerialised.thunk.body.stmts {
            let is_moved = |atom: &Atom| matches!(atom, Atom::Local(local) if moved.contains(local));
            let moves = stmt.kind.atoms().iter().any(is_moved);
            match &stmt.kind {
                StmtKind::Op { dst, .. } if moves => {
                    moved.insert(*dst);
                }
                StmtKind::Read { default, .. } if !default.as_ref().is_some_and(is_moved) => {}
                kind if moves || !kind.blocks().is_empty() => return None,
                _ => {}
            }
        }
        Some(moved)
    }

    fn access(&self, read: &StmtKind, affine: &Affine, moved: &HashSet<LocalId>) -> Option<Access> {
        let StmtKind::Read { array, index, default, .. } = read else { return None };
        let Some(Atom::Value(array)) = self.request.values.get(array) else { return None };
        let coordinates = self.ranges.coordinates(*array);
        let own_default = default.and_then(|default| self.constant(default));
        let same_default = own_default.is_some() && own_default == self.request.default.and_then(literal);
        let mut rules = Vec::new();
        let mut met = HashSet::new();
        for (index, coordinate) in index.iter().zip(&coordinates) {
            let Atom::Local(at) = index.at else {
                rules.push(index.rule);
                continue;
            };
            if !moved.contains(&at) {
                rules.push(index.rule);
                continue;
            }
            let Coordinate::Extent(axis) = *coordinate else { return None };
            let (param, mirrored, by) = self.split(&affine.form(index.at)?)?;
            let outer = self.acting.get(&param)?;
            self.stays_in_type(param, mirrored, &by)?;
            let inner = Inner { rule: index.rule, extent: extent(axis), mirrored, by };
            rules.push(compose(outer, &inner, same_default, self.ranges)?);
            met.insert(param);
        }
        for (param, outer) in &self.acting {
            // Nothing here says whether the index is inside.
            let brings_inside = matches!(outer.rule, Rule::Clamp | Rule::Wrap) && self.is_some(&outer.extent);
            if !met.contains(param) && !brings_inside {
                return None;
            }
        }
        let access = self.with_default(rules, default.is_some(), same_default)?;
        self.keeps_order(&access, &coordinates, own_default).then_some(access)
    }

    /// Splits a form into one coordinate, forward or mirrored, and a rest in the kernel's names.
    fn split(&self, form: &Linear) -> Option<(LocalId, bool, Linear)> {
        let mut by = Linear::constant(form.offset());
        let mut found = None;
        for &(var, factor) in form.terms() {
            match var {
                Var::Local(param) if found.is_none() && factor.abs() == 1 => {
                    found = Some((param, factor < 0))
                }
                Var::Local(_) | Var::Length(_) => return None,
                Var::Value(value) => {
                    by = by.plus(factor, &self.ranges.form(*self.request.values.get(&value)?))?;
                }
            }
        }
        found.map(|(param, mirrored)| (param, mirrored, by))
    }

    /// Returns `Some` if the index of the composed read does not wrap.
    fn stays_in_type(&self, param: LocalId, mirrored: bool, by: &Linear) -> Option<()> {
        let at = self.ranges.form(self.request.index[param.index()].at);
        let sum = by.plus(if mirrored { -1 } else { 1 }, &at)?;
        let (low, high) = self.ranges.range(&sum);
        (low >= i128::from(i64::MIN) && high <= i128::from(i64::MAX)).then_some(())
    }

    fn constant(&self, atom: Atom) -> Option<Scalar> {
        match atom {
            Atom::Value(value) => self.request.values.get(&value).copied().and_then(literal),
            Atom::Const(scalar) => Some(scalar),
            Atom::Local(_) => None,
        }
    }

    fn with_default(&self, rules: Vec<Rule>, has_own: bool, same_default: bool) -> Option<Access> {
        let outer_else = self.acting.values().any(|outer| outer.rule == Rule::Else);
        let has_else = rules.contains(&Rule::Else);
        if outer_else && has_else && has_own && !same_default {
            return None;
        }
        let default = if outer_else { self.request.default } else { None };
        Some(Access { rules, default })
    }

    /// True if it does not matter which axis is out of bounds: the outermost such axis decides the result, and it may be another axis in the composed read.
    fn keeps_order(&self, access: &Access, coordinates: &[Coordinate], own_default: Option<Scalar>) -> bool {
        let is_else = |rule: &Rule| *rule == Rule::Else;
        if !access.rules.iter().chain(self.acting.values().map(|outer| &outer.rule)).any(is_else) {
            return true;
        }
        let brings_inside = |rule: Rule| matches!(rule, Rule::Clamp | Rule::Wrap);
        let inner_may_be_empty = access.rules.iter().zip(coordinates).any(|(rule, coordinate)| {
            let is_some = matches!(coordinate, Coordinate::Extent(axis) if self.is_some(&extent(*axis)));
            brings_inside(*rule) && !is_some
        });
        let outer_may_be_empty =
            self.acting.values().any(|outer| brings_inside(outer.rule) && !self.is_some(&outer.extent));
        let default = access.default.map_or(own_default, literal);
        let zero = default.is_some_and(|default| default == Scalar::zero(default.ty()));
        zero || !(inner_may_be_empty || outer_may_be_empty)
    }
}

fn literal(atom: Atom) -> Option<Scalar> {
    match atom {
        Atom::Const(scalar) => Some(scalar),
        Atom::Local(_) | Atom::Value(_) => None,
    }
}
