//! Checks the results of blocks of host code: the branches of an `if`, and the body of a function.

use super::host::HostTypes;
use crate::diagnostic::Diagnostic;
use crate::host::{HostAtom, HostBlock};
use crate::id::ValueId;
use crate::span::Span;
use crate::types::{Axis, Form, Type};
use crate::typing::{Scope, Substitution};
use crate::verify::names;

/// An expected result of a block.
struct Wanted {
    formal: ValueId,
    /// Its name in messages.
    name: String,
    /// In the symbols of the block.
    ty: Type,
}

impl HostTypes<'_, '_> {
    /// Checks a branch of an `if`, and its results against the values that the `if` binds.
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
        for (position, (&formal, &atom)) in wanted.iter().zip(found).enumerate() {
            let declared = self.ty(formal);
            let ty = substitution.ty(declared);
            let name = match &*self.values()[formal.index()].name {
                "" => format!("result {}", position + 1),
                name => format!("`{name}`"),
            };
            self.result(code, what, &Wanted { formal, name, ty }, atom, span);
            if let (HostAtom::Value(actual), true) = (atom, declared.is_shape()) {
                substitution.insert(formal, Axis::Sym(actual));
            }
        }
    }

    fn result(&mut self, code: &'static str, what: &str, wanted: &Wanted, atom: HostAtom, span: Span) {
        let found = Scope::new(self.values()).host_atom(atom);
        if self.equal.fits(&found, &wanted.ty) {
            return;
        }
        let text = self.atom_text(atom);
        let message = format!(
            "{what} gives `{text}`, which is `{}`, for {}, which is `{}`",
            self.type_text(&found),
            wanted.name,
            self.type_text(&wanted.ty)
        );
        let declared = self.values()[wanted.formal.index()].span;
        let diagnostic = Diagnostic::new(code, message, span).label(declared, "declared here");
        self.report.add(match help(&found, &wanted.ty, &text) {
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
        (Type::Seg(found), Type::Seg(wanted))
            if found.form == Form::Regular && wanted.form == Form::Offsets =>
        {
            Some(format!("give it offsets: `t = widen {text}`"))
        }
        (Type::Array(found), Type::Array(wanted))
            if found.elem == wanted.elem && !found.shape.is_scalar() =>
        {
            Some("make the extents `same`, or give the shape as a result before the array".to_owned())
        }
        _ => None,
    }
}
