//! Scans and reductions.

use super::slot::{Descr, Form, Vector};
use super::vector::{Space, per_segment, space, symbols, under};
use super::{Lower, Lowering, single};
use crate::syntax::instr::{Elem, Fold, Instr};
use nestled_ir::{Axis, HostAtom, Span};

impl Lowering<'_> {
    /// What a fold starts from, and the monoid; and how its result becomes the original's, if it is not.
    fn fold(&self, fold: Fold, elem: Elem) -> (&'static str, Option<String>) {
        // Of floats the greatest and least start from ordinary numbers.
        let bounded = |name: &'static str, bound: f32| {
            let own = elem == Elem::Float;
            (name, own.then(|| format!("{name} t {:?}{}", f64::from(bound), self.options.float)))
        };
        match fold {
            Fold::Add => ("add", None),
            Fold::Mul => ("mul", None),
            Fold::Max => bounded("max", -1e36),
            Fold::Min => bounded("min", 1e36),
            Fold::And => ("and", None),
            Fold::Or => ("or", None),
            Fold::Xor => ("xor", None),
        }
    }

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
        let Space { shapes, over, map, at, own, ty } = space(form);
        let scalar = self.options.scalar(elem);
        let within = if matches!(descr, Descr::Many { .. }) { "@1" } else { "@0" };
        let (monoid, own_start) = self.fold(fold, elem);
        let scan = format!("scan {within} {{ {at} => v{own} }} {monoid} exclusive forward");
        let body = match own_start {
            Some(bounded) => format!("t0 = {scan}\nscan0 = {map} t = t0[{at}]\n{bounded} }}\n"),
            None => format!("scan0 = {scan}\n"),
        };
        let text = format!("kernel k{shapes}(v: {ty}{scalar}) {over} {{\n{body}ret scan0\n}}");
        let name = Instr::Scan(fold, elem).to_string();
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
        // One element is its own reduction; of floats only nearly: the sum of −0.0 is +0.0.
        if let (Some(axis), Form::One, Elem::Int | Elem::Bool) = (single(descr), v.form, elem) {
            self.same(axis, Axis::Const(1), span)?;
            return Ok(Vector::new(elem, Form::One, v.atom));
        }
        let form = under(descr);
        let given = self.shaped(v, form, span)?;
        let Space { shapes, over, at, own, ty, .. } = space(form);
        let scalar = self.options.scalar(elem);
        let (to, outer) = match descr {
            Descr::Single(_) => ("@0", "once { => t = t0"),
            Descr::Many { .. } => ("@1", "map { i => t = t0[i]"),
        };
        let (monoid, own_start) = self.fold(fold, elem);
        let reduce = format!("reduce {to} {{ {at} => v{own} }} {monoid}");
        let body = match own_start {
            Some(bounded) => format!("t0 = {reduce}\nreduce0 = {outer}\n{bounded} }}\n"),
            None => format!("reduce0 = {reduce}\n"),
        };
        let text = format!("kernel k{shapes}(v: {ty}{scalar}) {over} {{\n{body}ret reduce0\n}}");
        let name = Instr::Reduce(fold, elem).to_string();
        let result = self.run(text, &name, symbols(descr), vec![given], span)?[0];
        Ok(Vector::new(elem, per_segment(descr), HostAtom::Value(result)))
    }
}
