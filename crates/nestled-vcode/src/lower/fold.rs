//! Scans and reductions.

use super::slot::{Descr, Form, Vector};
use super::vector::{Space, per_segment, space, symbols, under};
use super::{Lower, Lowering, single};
use crate::syntax::instr::{Elem, Fold, Instr};
use nestled_ir::{Axis, HostAtom, Span};

impl Lowering<'_> {
    /// `op_SCAN`
    pub fn scan(
        &mut self,
        (fold, elem): (Fold, Elem),
        v: &Vector,
        descr: Descr,
        span: Span,
    ) -> Lower<Vector> {
        let form = under(descr);
        let given = self.shaped(v, form, span)?;
        let name = Instr::Scan(fold, elem).to_string();
        let Some(monoid) = monoid(fold, elem) else {
            let text = self.extreme_scan(fold, descr);
            let result = self.run(text, &name, symbols(descr), vec![given], span)?[0];
            return Ok(Vector::new(elem, form, HostAtom::Value(result)));
        };
        let Space { shapes, over, map, at, own, ty } = space(form);
        let scalar = self.options.scalar(elem);
        let within = if matches!(descr, Descr::Many { .. }) { "@1" } else { "@0" };
        let scan = format!("scan {within} {{ {at} => v{own} }} {monoid} exclusive forward");
        let body = if from_zero(fold, elem) {
            format!("t = {scan}\nscan0 = {map} add t[{at}] 0.0 }}")
        } else {
            format!("scan0 = {scan}")
        };
        let text = format!("kernel k{shapes}(v: {ty}{scalar}) {over} {{\n{body}\nret scan0\n}}");
        let result = self.run(text, &name, symbols(descr), vec![given], span)?[0];
        Ok(Vector::new(elem, form, HostAtom::Value(result)))
    }

    /// `op_REDUCE`
    pub fn reduce(
        &mut self,
        (fold, elem): (Fold, Elem),
        v: &Vector,
        descr: Descr,
        span: Span,
    ) -> Lower<Vector> {
        // One element is its own reduction; of floats only nearly (`from_zero`).
        if let (Some(axis), Form::One, Elem::Int | Elem::Bool) = (single(descr), v.form, elem) {
            self.same(axis, Axis::Const(1), span)?;
            return Ok(Vector::new(elem, Form::One, v.atom));
        }
        let form = under(descr);
        let given = self.shaped(v, form, span)?;
        let name = Instr::Reduce(fold, elem).to_string();
        let Some(monoid) = monoid(fold, elem) else {
            let result = self.extreme_reduce(fold, &name, given, descr, span)?;
            return Ok(Vector::new(elem, per_segment(descr), HostAtom::Value(result)));
        };
        let Space { shapes, over, at, own, ty, .. } = space(form);
        let scalar = self.options.scalar(elem);
        let (to, sum) = match descr {
            Descr::Single(_) => ("@0", "once { => add t 0.0 }"),
            Descr::Many { .. } => ("@1", "map { i => add t[i] 0.0 }"),
        };
        let reduce = format!("reduce {to} {{ {at} => v{own} }} {monoid}");
        let body = if from_zero(fold, elem) {
            format!("t = {reduce}\nreduce0 = {sum}")
        } else {
            format!("reduce0 = {reduce}")
        };
        let text = format!("kernel k{shapes}(v: {ty}{scalar}) {over} {{\n{body}\nret reduce0\n}}");
        let result = self.run(text, &name, symbols(descr), vec![given], span)?[0];
        Ok(Vector::new(elem, per_segment(descr), HostAtom::Value(result)))
    }
}

/// The monoid of λcu that a fold is, unless it is the greatest or least of floats.
fn monoid(fold: Fold, elem: Elem) -> Option<&'static str> {
    match fold {
        Fold::Add => Some("add"),
        Fold::Mul => Some("mul"),
        Fold::Max => (elem != Elem::Float).then_some("max"),
        Fold::Min => (elem != Elem::Float).then_some("min"),
        Fold::And => Some("and"),
        Fold::Or => Some("or"),
        Fold::Xor => Some("xor"),
    }
}

/// Whether the original adds to a zero what λcu only adds up: so that the sum of −0.0 is +0.0.
fn from_zero(fold: Fold, elem: Elem) -> bool {
    fold == Fold::Add && elem == Elem::Float
}
