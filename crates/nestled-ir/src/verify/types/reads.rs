//! Checks the types of reads: one index for each coordinate, a default exactly where a rule asks for it, a site exactly where it can fault.

use super::thunk::ThunkTypes;
use super::type_error;
use crate::diagnostic::Diagnostic;
use crate::id::{LocalId, SiteId, ValueId};
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::thunk::{Atom, Rule};
use crate::types::ArrayType;
use crate::typing::{Scope, TypeError};
use crate::verify::names;

impl ThunkTypes<'_, '_> {
    /// `dst = array[i, j]`; `rules` has one entry for each index.
    pub(super) fn read(
        &mut self,
        dst: LocalId,
        array: ValueId,
        rules: &[Rule],
        default: Option<Atom>,
        site: Option<SiteId>,
        span: Span,
    ) {
        let Some(ty) = self.array(array, span) else { return };
        if ty.shape.is_scalar() {
            let name = names::value(self.values, array);
            let message = format!("`{name}` is a scalar, and has no elements");
            return self.report.add(
                Diagnostic::new("L0315", message, span).help(format!("write `{name}` without the brackets")),
            );
        }
        let wanted = Scope::new(self.values).coordinates(&ty.shape);
        self.n_indices(array, wanted, rules.len(), span);
        self.rules(ty.elem, rules, default, site, span);
        self.declared(dst, ty.elem, span);
    }

    /// `dst = p[i, j]` at the own coordinates.
    pub(super) fn own(&mut self, dst: LocalId, bind: ValueId, span: Span) {
        if let Some(ty) = self.array(bind, span) {
            self.declared(dst, ty.elem, span);
        }
    }

    /// `dst = p[i + 1, j]`; `rules` has one entry for each offset.
    pub(super) fn window(
        &mut self,
        dst: LocalId,
        bind: ValueId,
        rules: &[Rule],
        default: Option<Atom>,
        site: Option<SiteId>,
        span: Span,
    ) {
        let Some(ty) = self.array(bind, span) else { return };
        let wanted = Scope::new(self.values).coordinates(&ty.shape);
        self.n_indices(bind, wanted, rules.len(), span);
        self.rules(ty.elem, rules, default, site, span);
        self.declared(dst, ty.elem, span);
    }

    /// `dst = len s[i]` and `dst = start s[i]`
    pub(super) fn segment(&mut self, dst: LocalId, seg: ValueId, n_indices: usize, span: Span) {
        let scope = Scope::new(self.values);
        match scope.ty(seg).as_seg() {
            Some(ty) => self.n_indices(seg, scope.coordinates(&ty.parent), n_indices, span),
            None => {
                let diagnostic = type_error(&TypeError::NotASegmentation(seg), self.values, span);
                self.report.add(diagnostic);
            }
        }
        self.declared(dst, ScalarType::Idx, span);
    }

    fn array(&mut self, id: ValueId, span: Span) -> Option<ArrayType> {
        let ty = Scope::new(self.values).ty(id).as_array().cloned();
        if ty.is_none() {
            self.report.add(type_error(&TypeError::NotAnArray(id), self.values, span));
        }
        ty
    }

    fn n_indices(&mut self, id: ValueId, wanted: usize, found: usize, span: Span) {
        if wanted == found {
            return;
        }
        let value = &self.values[id.index()];
        let message = format!(
            "`{}` is `{}`: {} wanted, not {found}",
            names::value(self.values, id),
            names::ty(self.values, &value.ty),
            if wanted == 1 { "1 index is".to_owned() } else { format!("{wanted} indices are") },
        );
        self.report.add(Diagnostic::new("L0317", message, span).label(value.span, "bound here"));
    }

    /// A default for `else`, a site for `fault`, and neither without.
    fn rules(
        &mut self,
        elem: ScalarType,
        rules: &[Rule],
        default: Option<Atom>,
        site: Option<SiteId>,
        span: Span,
    ) {
        let has = |wanted: Rule| rules.contains(&wanted);
        if has(Rule::Else) != default.is_some() {
            let message = match default {
                Some(_) => "an `else` value is given, but no axis of the read uses it",
                None => "an axis of the read has the rule `else`, but no value is given",
            };
            self.report.add(Diagnostic::new("L0318", message, span));
        }
        if has(Rule::Fault) != site.is_some() {
            let message = match site {
                Some(_) => "the read has a site, but no axis can fault",
                None => "an axis of the read can fault, but the read has no site",
            };
            self.report.add(Diagnostic::new("L0325", message, span));
        }
        if let Some(default) = default {
            self.expect("L0319", "the `else` value of the read", elem, default, span);
        }
    }
}
