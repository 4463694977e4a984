//! Types of what a block of host code gives: the branches of an `if`, and the body of a function.

use super::host::HostTypes;
use crate::diagnostic::Diagnostic;
use crate::host::{HostAtom, HostBlock};
use crate::id::ValueId;
use crate::span::Span;
use crate::types::{Axis, Type};
use crate::typing::{Scope, Substitution};
use crate::verify::names;

impl HostTypes<'_, '_> {
    /// Checks a branch of an `if`, and its results against what the `if` binds.
    pub(super) fn branch(&mut self, binds: &[ValueId], block: &HostBlock, what: &str, span: Span) {
        let mark = self.equal.enter();
        self.stmts(block);
        self.results("L0358", what, binds, &block.results, span);
        self.equal.leave(mark);
    }

    /// Checks the results of the function's body against those of its signature.
    pub(super) fn function_results(&mut self) {
        let function = self.function;
        let what = format!("the body of `{}`", function.name);
        self.results("L0359", &what, &function.results, &function.body.results, function.span);
    }

    /// Checks each result against the type of `wanted`, in which extents and segmentations among them stand for the actual ones.
    fn results(
        &mut self,
        code: &'static str,
        what: &str,
        wanted: &[ValueId],
        found: &[HostAtom],
        span: Span,
    ) {
        if wanted.len() != found.len() {
            let message =
                format!("{what} gives {}, not {}", names::count(found.len(), "result"), wanted.len());
            return self.report.add(Diagnostic::new(code, message, span));
        }
        let mut substitution = Substitution::default();
        for (&formal, &atom) in wanted.iter().zip(found) {
            let declared = self.ty(formal);
            let ty = substitution.ty(declared);
            self.result(code, what, (formal, &ty), atom, span);
            if let (HostAtom::Value(actual), true) = (atom, declared.is_shape()) {
                substitution.insert(formal, Axis::Sym(actual));
            }
        }
    }

    fn result(
        &mut self,
        code: &'static str,
        what: &str,
        (formal, wanted): (ValueId, &Type),
        atom: HostAtom,
        span: Span,
    ) {
        let found = Scope::new(self.values()).host_atom(atom);
        if self.equal.fits(&found, wanted) {
            return;
        }
        let (name, text) = (self.name(formal), self.atom_text(atom));
        let message = format!(
            "{what} gives `{text}`, which is `{}`, for `{name}`, which is `{}`",
            self.type_text(&found),
            self.type_text(wanted)
        );
        let diagnostic =
            Diagnostic::new(code, message, span).label(self.values()[formal.index()].span, "declared here");
        self.report.add(match help(&found, wanted, &text) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }
}

/// A change that may work, by how the types differ.
fn help(found: &Type, wanted: &Type, text: &str) -> Option<String> {
    match (found, wanted) {
        (_, Type::Dim) if found.as_scalar().is_some() => {
            Some(format!("make an extent of it: `k = dim {text}`"))
        }
        (Type::Seg(_), Type::Seg(_)) => Some(format!("give it offsets: `t = widen {text}`")),
        (Type::Array(found), Type::Array(wanted))
            if found.elem == wanted.elem && !found.shape.is_scalar() =>
        {
            Some("make the extents `same`, or give the shape as a result before the array".to_owned())
        }
        _ => None,
    }
}
