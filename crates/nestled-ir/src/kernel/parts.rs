//! Operand roles of combinators, and the queries over them: bases, monoid, sites, symbols.

use super::{Base, Collision, CombinatorKind, Level, Range};
use crate::describe::{each_is_itself, part_types};
use crate::id::{SiteId, ValueId};
use crate::monoid::Monoid;
use crate::types::Axis;

each_is_itself!(Level, Monoid, Base, Collision, Range);

part_types! {
    CombinatorPart, CombinatorPartMut;

    /// A part of a combinator, its thunk and its guard aside.
    parts {
        /// The outer level that groups the points.
        Level(Level),
        /// The monoid that combines elements.
        Monoid(Monoid),
        /// An axis of the shape of its results.
        Axis(Axis),
        /// An array parameter that gives the initial contents of a result.
        Base(ValueId),
        /// The site of its fault.
        Site(SiteId),
    }
}

impl CombinatorKind {
    /// The array parameters that give the initial contents of results.
    pub fn bases(&self) -> Vec<ValueId> {
        let mut bases = Vec::new();
        self.for_each_part(&mut |part| {
            if let CombinatorPart::Base(base) = part {
                bases.push(*base);
            }
        });
        bases
    }

    /// Calls `visit` on the sites of the combinator itself, to change them; those of its thunk are left out.
    pub fn for_each_site_mut(&mut self, visit: &mut dyn FnMut(&mut SiteId)) {
        self.for_each_part_mut(&mut |part| {
            if let CombinatorPartMut::Site(site) = part {
                visit(site);
            }
        });
    }

    /// The monoid that combines elements, if the combinator has one.
    pub fn monoid(&self) -> Option<&Monoid> {
        let mut found = None;
        self.for_each_part(&mut |part| {
            if let CombinatorPart::Monoid(monoid) = part {
                found = Some(monoid);
            }
        });
        found
    }

    /// The monoid that combines elements, to change it.
    pub fn monoid_mut(&mut self) -> Option<&mut Monoid> {
        let mut found = None;
        self.for_each_part_mut(&mut |part| {
            if let CombinatorPartMut::Monoid(monoid) = part {
                found = Some(monoid);
            }
        });
        found
    }

    /// The symbols of the shape of its results, where it names one: the destination of a `permute`.
    pub fn symbols(&self) -> Vec<ValueId> {
        let mut symbols = Vec::new();
        self.for_each_part(&mut |part| {
            if let CombinatorPart::Axis(Axis::Sym(symbol)) = part {
                symbols.push(*symbol);
            }
        });
        symbols
    }

    /// Calls `visit` on each value that the combinator itself mentions, to change it: bases and symbols of shapes.
    pub fn for_each_value(&mut self, visit: &mut dyn FnMut(&mut ValueId)) {
        self.for_each_part_mut(&mut |part| match part {
            CombinatorPartMut::Base(value) | CombinatorPartMut::Axis(Axis::Sym(value)) => visit(value),
            CombinatorPartMut::Axis(Axis::Const(_))
            | CombinatorPartMut::Level(_)
            | CombinatorPartMut::Monoid(_)
            | CombinatorPartMut::Site(_) => {}
        });
    }

    /// The outer level that groups the points: of `reduce`, `scan`, `filter` and `partition`.
    pub fn group(&self) -> Option<Level> {
        let mut group = None;
        self.for_each_part(&mut |part| {
            if let CombinatorPart::Level(level) = part {
                group = Some(*level);
            }
        });
        group
    }

    /// The sites of the combinator itself; those of its thunk are left out.
    pub fn sites(&self) -> Vec<SiteId> {
        let mut sites = Vec::new();
        self.for_each_part(&mut |part| {
            if let CombinatorPart::Site(site) = part {
                sites.push(*site);
            }
        });
        sites
    }
}
