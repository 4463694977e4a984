//! Elaborates calls of functions and kernels, and infers the shape arguments that they leave out.

use super::host::HostCx;
use super::{Elab, unknown};
use crate::diagnostic::Diagnostic;
use crate::host::{EachArg, HostAtom, HostOp};
use crate::id::ValueId;
use crate::name::Value;
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::text::ast::{AxisExpr, EachExpr, Expr, Ident, ShapeArg};
use crate::types::{Axis, Shape, Type};
use crate::typing::TypeError;

/// The signature of a callee.
#[derive(Clone, Copy)]
struct Callee<'a> {
    values: &'a [Value],
    shapes: &'a [ValueId],
    params: &'a [ValueId],
}

impl HostCx<'_> {
    pub fn call(
        &mut self,
        run: bool,
        callee: &Ident,
        shapes: Option<&[ShapeArg]>,
        args: &[Expr],
        span: Span,
    ) -> Elab<HostOp> {
        let program = self.program;
        if run {
            let Some(&kernel) = self.items.kernels.get(callee) else {
                let diagnostic = unknown("kernel", callee, self.items.kernels.texts());
                return self.reports.report(diagnostic);
            };
            let found = program.kernel(kernel);
            let target = Callee { values: &found.values, shapes: &found.shapes, params: &found.params };
            let args = self.args(target, args, span)?;
            let shapes = self.shape_args(target, shapes, &args, span)?;
            return Ok(HostOp::Run { kernel, shapes, args });
        }
        let Some(&function) = self.items.functions.get(callee) else { return self.no_function(callee) };
        let found = program.function(function);
        let target = Callee { values: &found.values, shapes: &found.shapes, params: &found.params };
        let args = self.args(target, args, span)?;
        let shapes = self.shape_args(target, shapes, &args, span)?;
        Ok(HostOp::Call { function, shapes, args })
    }

    fn no_function<T>(&mut self, callee: &Ident) -> Elab<T> {
        let mut diagnostic = unknown("function", callee, self.items.functions.texts());
        if self.items.kernels.get(callee).is_some() {
            diagnostic = diagnostic.help(format!("`run {}(…)` runs the kernel of this name", callee.text()));
        } else if self.items.thunks.get(callee).is_some() {
            diagnostic = diagnostic.help("this is a thunk; host code calls functions and runs kernels");
        }
        self.reports.report(diagnostic)
    }

    fn args(&mut self, callee: Callee<'_>, args: &[Expr], span: Span) -> Elab<Vec<HostAtom>> {
        self.count("arguments", callee.params.len(), args.len(), span)?;
        let mut atoms = Vec::new();
        for (arg, &param) in args.iter().zip(callee.params) {
            atoms.push(self.expr(arg, callee.values[param.index()].ty.as_scalar())?);
        }
        Ok(atoms)
    }

    fn count(&mut self, what: &'static str, expected: usize, found: usize, span: Span) -> Elab<()> {
        if expected == found {
            return Ok(());
        }
        self.reports.error("L0106", TypeError::Arguments { what, expected, found }.to_string(), span)
    }

    fn shape_args(
        &mut self,
        callee: Callee<'_>,
        shapes: Option<&[ShapeArg]>,
        args: &[HostAtom],
        span: Span,
    ) -> Elab<Vec<Axis>> {
        let Some(shapes) = shapes else {
            let actuals: Vec<Type> = args.iter().map(|&arg| self.type_of(arg)).collect();
            let inferred =
                infer_shapes(callee.values, callee.shapes, callee.params, &actuals, &self.values.table);
            return self.all_found(callee, inferred, span);
        };
        self.count("shape arguments", callee.shapes.len(), shapes.len(), span)?;
        let mut axes = Vec::new();
        for shape in shapes {
            axes.push(match shape {
                ShapeArg::Axis(axis) => self.values.axis(axis, self.reports)?,
                ShapeArg::Hole(span) => {
                    return self.reports.error("L0108", "only `each` takes `_` as a shape argument", *span);
                }
            });
        }
        Ok(axes)
    }

    fn all_found<T>(&mut self, callee: Callee<'_>, inferred: Vec<Option<T>>, span: Span) -> Elab<Vec<T>> {
        let mut axes = Vec::new();
        for (&shape, found) in callee.shapes.iter().zip(inferred) {
            let Some(axis) = found else {
                let name = &callee.values[shape.index()].name;
                let message = format!("the shape argument `{name}` cannot be inferred from the arguments");
                let diagnostic = Diagnostic::new("L0107", message, span);
                return self
                    .reports
                    .report(diagnostic.help("write all shape arguments in `<…>` after the name"));
            };
            axes.push(axis);
        }
        Ok(axes)
    }

    fn type_of(&self, atom: HostAtom) -> Type {
        match atom {
            HostAtom::Value(value) => self.values.table[value.index()].ty.clone(),
            HostAtom::Const(scalar) => Type::scalar(scalar.ty()),
        }
    }

    pub fn each(
        &mut self,
        extent: &AxisExpr,
        callee: &Ident,
        shapes: Option<&[ShapeArg]>,
        args: &[EachExpr],
        span: Span,
    ) -> Elab<HostOp> {
        let extent = self.values.axis(extent, self.reports)?;
        let Some(&function) = self.items.functions.get(callee) else { return self.no_function(callee) };
        let found = self.program.function(function);
        let callee = Callee { values: &found.values, shapes: &found.shapes, params: &found.params };
        self.count("arguments", callee.params.len(), args.len(), span)?;
        let mut atoms = Vec::new();
        for (arg, &param) in args.iter().zip(callee.params) {
            let place: Option<ScalarType> = callee.values[param.index()].ty.as_scalar();
            atoms.push(match arg {
                EachExpr::Uniform(expr) => EachArg::Uniform(self.expr(expr, place)?),
                EachExpr::Element(name) => EachArg::Element(self.values.value(name, self.reports)?),
            });
        }
        let Some(shapes) = shapes else {
            let shapes = self.each_shapes(callee, &atoms);
            let shapes = self.all_found(callee, shapes, span)?;
            return Ok(HostOp::Each { extent, function, shapes, args: atoms });
        };
        self.count("shape arguments", callee.shapes.len(), shapes.len(), span)?;
        let mut axes = Vec::new();
        for shape in shapes {
            axes.push(match shape {
                ShapeArg::Axis(axis) => Some(self.values.axis(axis, self.reports)?),
                ShapeArg::Hole(_) => None,
            });
        }
        Ok(HostOp::Each { extent, function, shapes: axes, args: atoms })
    }

    /// The shape arguments of an `each`; the extent of an array that gets a segment is the instance's own.
    fn each_shapes(&self, callee: Callee<'_>, args: &[EachArg]) -> Vec<Option<Option<Axis>>> {
        let actuals: Vec<Type> = args
            .iter()
            .map(|arg| match arg {
                EachArg::Uniform(atom) => self.type_of(*atom),
                EachArg::Element(_) => Type::Dim,
            })
            .collect();
        let uniform = infer_shapes(callee.values, callee.shapes, callee.params, &actuals, &self.values.table);
        let mut shapes: Vec<Option<Option<Axis>>> = uniform.into_iter().map(|axis| axis.map(Some)).collect();
        for (arg, &param) in args.iter().zip(callee.params) {
            let (EachArg::Element(_), Type::Array(array)) = (arg, &callee.values[param.index()].ty) else {
                continue;
            };
            let [Axis::Sym(extent)] = array.shape.axes.as_slice() else { continue };
            if let Some(position) = callee.shapes.iter().position(|shape| shape == extent) {
                shapes[position].get_or_insert(None);
            }
        }
        shapes
    }
}

/// Infers shape arguments from the types of the arguments: `formals` of the callee, `actuals` of the caller, with the caller's values in `table`.
pub(in crate::text) fn infer_shapes(
    values: &[Value],
    shapes: &[ValueId],
    params: &[ValueId],
    actuals: &[Type],
    table: &[Value],
) -> Vec<Option<Axis>> {
    let mut unifier = Unifier { values, shapes, table, found: vec![None; shapes.len()] };
    for (&param, actual) in params.iter().zip(actuals) {
        if let (Some(Value { ty: Type::Array(formal), .. }), Type::Array(actual)) =
            (values.get(param.index()), actual)
        {
            unifier.shape(&formal.shape, &actual.shape);
        }
    }
    unifier.found
}

struct Unifier<'a> {
    values: &'a [Value],
    shapes: &'a [ValueId],
    table: &'a [Value],
    found: Vec<Option<Axis>>,
}

impl Unifier<'_> {
    fn shape(&mut self, formal: &Shape, actual: &Shape) {
        if formal.rank() != actual.rank() {
            return;
        }
        for (&formal, &actual) in formal.axes.iter().zip(&actual.axes) {
            self.axis(formal, actual);
        }
    }

    fn axis(&mut self, formal: Axis, actual: Axis) {
        let Axis::Sym(formal) = formal else { return };
        let Some(position) = self.shapes.iter().position(|&shape| shape == formal) else { return };
        if self.found[position].is_some() {
            return;
        }
        self.found[position] = Some(actual);
        // A segmentation also tells what it segments.
        let formal = self.values.get(formal.index()).and_then(|value| value.ty.as_seg());
        let Axis::Sym(actual) = actual else { return };
        let actual = self.table.get(actual.index()).and_then(|value| value.ty.as_seg());
        if let (Some(formal), Some(actual)) = (formal, actual) {
            self.shape(&formal.parent, &actual.parent);
        }
    }
}
