//! Ids of a kernel.

use super::values::Values;
use super::{check_id, check_site, thunk};
use crate::kernel::{Base, Collision, Combinator, CombinatorKind, Kernel};
use crate::monoid::{Monoid, MonoidPart};
use crate::program::Program;
use crate::span::Span;
use crate::verify::report::Report;

/// Checks a kernel.
pub(super) fn check(program: &Program, kernel: &Kernel, report: &mut Report) {
    let mut values = Values::new(&kernel.values, report);
    for &param in kernel.shapes.iter().chain(&kernel.params) {
        values.define(param, kernel.span, report);
    }
    for &axis in &kernel.space {
        values.use_axis(axis, kernel.span, report);
    }
    for step in &kernel.steps {
        combinator(program, step, &mut values, report);
    }
    for &value in &kernel.ret {
        values.use_value(value, kernel.span, report);
    }
}

fn combinator(program: &Program, step: &Combinator, values: &mut Values<'_>, report: &mut Report) {
    if let Some(guard) = step.guard {
        values.use_value(guard, step.span, report);
    }
    kind(program, &step.kind, values, step.span, report);
    thunk::check(program, &step.body, Some(values), step.span, report);
    for site in step.kind.sites() {
        check_site(program, site, step.span, report);
    }
    for &bind in &step.binds {
        values.define(bind, step.span, report);
    }
}

fn kind(program: &Program, kind: &CombinatorKind, values: &Values<'_>, span: Span, report: &mut Report) {
    match kind {
        CombinatorKind::Map
        | CombinatorKind::Filter { within: _ }
        | CombinatorKind::Partition { within: _, classes: _, site: _ } => {}
        CombinatorKind::Serial { bases } => {
            bases.iter().for_each(|&base| values.use_value(base, span, report))
        }
        CombinatorKind::Reduce { to: _, monoid: op }
        | CombinatorKind::Scan { within: _, monoid: op, inclusion: _, direction: _ } => {
            monoid(program, op, span, report);
        }
        CombinatorKind::Permute { dest, base, range: _, collision } => {
            values.use_shape(dest, span, report);
            match base {
                Base::Fill(_) => {}
                Base::Arrays(arrays) => {
                    arrays.iter().for_each(|&array| values.use_value(array, span, report));
                }
            }
            match collision {
                Collision::Combine(op) => monoid(program, op, span, report),
                Collision::Proved | Collision::Fault(_) | Collision::First | Collision::Last => {}
            }
        }
    }
}

fn monoid(program: &Program, monoid: &Monoid, span: Span, report: &mut Report) {
    for part in &monoid.parts {
        match part {
            MonoidPart::Op(_) | MonoidPart::ArgMin | MonoidPart::ArgMax => {}
            MonoidPart::User(id) => check_id("monoid", id.index(), program.monoids.len(), span, report),
        }
    }
}
