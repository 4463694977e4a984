//! Checks the arguments of calls of functions and launches of kernels.

use super::host::HostTypes;
use crate::diagnostic::Diagnostic;
use crate::host::HostAtom;
use crate::id::{FunctionId, KernelId, ValueId};
use crate::name::Value;
use crate::program::Program;
use crate::span::Span;
use crate::types::{Axis, Form, Placement, Shape, Type};
use crate::typing::Substitution;
use crate::verify::names;

/// The signature of a function or kernel, as its caller sees it.
#[derive(Clone, Copy)]
pub(super) struct Callee<'a> {
    pub(super) name: &'a str,
    pub(super) values: &'a [Value],
    pub(super) shapes: &'a [ValueId],
    pub(super) params: &'a [ValueId],
    pub(super) span: Span,
}

impl<'a> Callee<'a> {
    /// A function as its caller sees it.
    pub(super) fn function(program: &'a Program, id: FunctionId) -> Callee<'a> {
        let function = program.function(id);
        let (values, shapes, params) = (&function.values, &function.shapes, &function.params);
        Callee { name: &function.name, values, shapes, params, span: function.span }
    }

    /// A kernel as its caller sees it.
    fn kernel(program: &'a Program, id: KernelId) -> Callee<'a> {
        let kernel = program.kernel(id);
        let (values, shapes, params) = (&kernel.values, &kernel.shapes, &kernel.params);
        Callee { name: &kernel.name, values, shapes, params, span: kernel.span }
    }
}

impl HostTypes<'_, '_> {
    /// `f<n>(xs)`
    pub(super) fn call(&mut self, function: FunctionId, shapes: &[Axis], args: &[HostAtom], span: Span) {
        self.arguments(Callee::function(self.program, function), shapes, args, span);
    }

    /// `run kernel<n>(xs)`
    pub(super) fn run(&mut self, kernel: KernelId, shapes: &[Axis], args: &[HostAtom], span: Span) {
        self.arguments(Callee::kernel(self.program, kernel), shapes, args, span);
    }

    fn arguments(&mut self, callee: Callee<'_>, shapes: &[Axis], args: &[HostAtom], span: Span) {
        let n = [callee.shapes.len(), shapes.len(), callee.params.len(), args.len()];
        if !self.counts(callee, n, span) {
            return;
        }
        let before = self.report.len();
        let shapes: Vec<Option<Axis>> = shapes.iter().copied().map(Some).collect();
        self.shape_arguments(callee, &shapes, span);
        if self.report.len() > before {
            return; // The types of the parameters depend on the shapes.
        }
        let substitution = substitution(callee, &shapes);
        for (&param, &arg) in callee.params.iter().zip(args) {
            let wanted = substitution.ty(&callee.values[param.index()].ty);
            self.argument(callee, param, &wanted, arg, span);
        }
    }

    /// Checks the numbers of shape arguments and arguments: wanted and found, in turn.
    pub(super) fn counts(&mut self, callee: Callee<'_>, [ws, s, wp, p]: [usize; 4], span: Span) -> bool {
        let mut fits = true;
        for (what, wanted, found) in [("shape argument", ws, s), ("argument", wp, p)] {
            if wanted != found {
                let message = format!("`{}` takes {}, not {found}", callee.name, names::count(wanted, what));
                self.report.add(Diagnostic::new("L0360", message, span).label(callee.span, "defined here"));
                fits = false;
            }
        }
        fits
    }

    /// Checks that each shape argument is of the kind of its parameter; `None` stands for the length of a segment.
    pub(super) fn shape_arguments(&mut self, callee: Callee<'_>, shapes: &[Option<Axis>], span: Span) {
        let substitution = substitution(callee, shapes);
        for (&formal, &actual) in callee.shapes.iter().zip(shapes) {
            let wanted = substitution.ty(&callee.values[formal.index()].ty);
            let before = self.report.len();
            let Some(actual) = actual else { continue };
            super::declared::check_axis(self.values(), actual, span, self.report);
            let found = match actual {
                Axis::Const(_) => &Type::Dim,
                Axis::Sym(value) => self.ty(value),
            };
            if self.report.len() > before || self.equal.ty(found, &wanted) {
                continue;
            }
            let message = format!(
                "the shape argument `{}` is `{}`, but `{}` of `{}` is `{}`",
                names::axis(self.values(), actual),
                self.type_text(found),
                names::value(callee.values, formal),
                callee.name,
                self.type_text(&wanted)
            );
            let declared = callee.values[formal.index()].span;
            let diagnostic = Diagnostic::new("L0361", message, span).label(declared, "declared here");
            self.report.add(match (found, &wanted) {
                (Type::Seg(found), Type::Seg(wanted))
                    if found.form == Form::Regular && wanted.form == Form::Offsets =>
                {
                    diagnostic
                        .help(format!("give it offsets: `t = widen {}`", names::axis(self.values(), actual)))
                }
                _ => diagnostic,
            });
        }
    }

    /// Checks one argument against the type of its parameter, in the caller's symbols.
    pub(super) fn argument(
        &mut self,
        callee: Callee<'_>,
        param: ValueId,
        wanted: &Type,
        arg: HostAtom,
        span: Span,
    ) {
        let found = self.scope().host_atom(arg);
        if self.equal.fits(&found, wanted) {
            return;
        }
        let message = format!(
            "the argument `{}` is `{}`, but `{}` of `{}` is `{}` here",
            self.atom_text(arg),
            self.type_text(&found),
            names::value(callee.values, param),
            callee.name,
            self.type_text(wanted)
        );
        let declared = callee.values[param.index()].span;
        let diagnostic = Diagnostic::new("L0362", message, span).label(declared, "declared here");
        self.report.add(match self.argument_help(&found, wanted, arg) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    /// A change that may work, by how the types differ.
    fn argument_help(&self, found: &Type, wanted: &Type, arg: HostAtom) -> Option<String> {
        let (Type::Array(found), Type::Array(wanted)) = (found, wanted) else { return None };
        if found.shape.is_scalar() && wanted.shape.is_scalar() {
            return Some(format!("convert it: `{} {}`", wanted.elem, self.atom_text(arg)));
        }
        match (found.placement, wanted.placement) {
            (Placement::View, Placement::Dense) => Some("copy the view in a kernel before".to_owned()),
            (Placement::Dense, Placement::View) => {
                Some("make a view of it with `view s starts buffer`".to_owned())
            }
            _ if found.elem == wanted.elem => self.same_help(&found.shape, &wanted.shape),
            _ => None,
        }
    }

    /// The `same` that makes two shapes one, if it is a single one.
    pub(super) fn same_help(&self, found: &Shape, wanted: &Shape) -> Option<String> {
        let (found, wanted) = self.equal.difference(found, wanted)?;
        if self.scope().is_seg(found) != self.scope().is_seg(wanted) {
            return None;
        }
        let text = |axis| names::axis(self.values(), axis);
        Some(format!(
            "where they are known to be equal, say so before: `same {} {}`",
            text(wanted),
            text(found)
        ))
    }
}

/// The callee's symbols in the words of the caller.
pub(super) fn substitution(callee: Callee<'_>, shapes: &[Option<Axis>]) -> Substitution {
    let mut substitution = Substitution::default();
    for (&formal, &actual) in callee.shapes.iter().zip(shapes) {
        if let Some(actual) = actual {
            substitution.insert(formal, actual);
        }
    }
    substitution
}
