//! Checks the ids of a kernel.

use super::values::Values;
use super::{check_id, check_site, thunk};
use crate::kernel::{Combinator, CombinatorPart, Kernel};
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
    step.kind.for_each_part(&mut |part| match part {
        CombinatorPart::Level(_) => {}
        CombinatorPart::Monoid(op) => monoid(program, op, step.span, report),
        CombinatorPart::Axis(axis) => values.use_axis(*axis, step.span, report),
        CombinatorPart::Base(base) => values.use_value(*base, step.span, report),
        CombinatorPart::Site(site) => check_site(program, *site, step.span, report),
    });
    thunk::check(program, &step.body, Some(values), step.span, report);
    for &bind in &step.binds {
        values.define(bind, step.span, report);
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
