//! Elaborates signatures: shape parameters, parameters, results and their types.

use super::names::Names;
use super::{Elab, Reports, unknown};
use crate::diagnostic::Diagnostic;
use crate::host::HostAtom;
use crate::id::ValueId;
use crate::name::{Name, Value};
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::text::ast::{AxisExpr, Ident, Param, ShapeParam, TypeExpr, TypeKind};
use crate::types::{ArrayType, Axis, Placement, SegType, Shape, Type};
use std::collections::HashSet;

/// The meaning of a name in a function or kernel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    /// A value, or a constant.
    Atom(HostAtom),
    /// Its definition was wrong; that was reported already.
    Broken,
}

/// The values of a function or kernel as they are made.
pub(super) struct Values {
    pub table: Vec<Value>,
    pub names: Names<Binding>,
    pub shapes: Vec<ValueId>,
    pub params: Vec<ValueId>,
}

impl Values {
    /// A value without a place among the names.
    pub fn add(&mut self, name: Name, ty: Type, span: Span) -> ValueId {
        self.table.push(Value { name, ty, span });
        ValueId::from(self.table.len() - 1)
    }

    pub fn bind(&mut self, name: &Ident, binding: Binding, reports: &mut Reports) {
        if let Some(before) = self.names.bind(name, binding) {
            reports.diagnostics.push(bound_twice(name, before));
        }
    }

    /// The parameters of a function or kernel. Extents that are declared nowhere come first, in order of appearance.
    pub fn signature(shapes: &[ShapeParam], params: &[Param], reports: &mut Reports) -> Values {
        let names = Names::new();
        let mut values = Values { table: Vec::new(), names, shapes: Vec::new(), params: Vec::new() };
        for name in undeclared(shapes, params) {
            let id = values.add(name.name.clone(), Type::Dim, name.span);
            values.bind(name, Binding::Atom(HostAtom::Value(id)), reports);
            values.shapes.push(id);
        }
        for shape in shapes {
            let ty = match &shape.ty {
                None => Ok(Type::Dim),
                Some(ty) => values.ty(ty, reports),
            };
            let id = values.param(Some(&shape.name), ty, shape.name.span, reports);
            values.shapes.push(id);
        }
        for param in params {
            let ty = values.ty(&param.ty, reports);
            let id = values.param(param.name.as_ref(), ty, param.span, reports);
            values.params.push(id);
        }
        values
    }

    fn param(&mut self, name: Option<&Ident>, ty: Elab<Type>, span: Span, reports: &mut Reports) -> ValueId {
        let broken = ty.is_err();
        let text = name.map_or_else(|| "".into(), |name| name.name.clone());
        let id = self.add(text, ty.unwrap_or(Type::Dim), span);
        let binding = if broken { Binding::Broken } else { Binding::Atom(HostAtom::Value(id)) };
        if let Some(name) = name {
            self.bind(name, binding, reports);
        }
        id
    }

    /// Formal results, whose names are visible in later ones only.
    pub fn results(&mut self, results: &[Param], reports: &mut Reports) -> Vec<ValueId> {
        self.names.open();
        let mut ids = Vec::new();
        for result in results {
            let ty = self.ty(&result.ty, reports);
            ids.push(self.param(result.name.as_ref(), ty, result.span, reports));
        }
        self.names.close();
        ids
    }

    /// Resolves a name.
    pub fn resolve(&self, name: &Ident, reports: &mut Reports) -> Elab<HostAtom> {
        match self.names.get(name) {
            Some(Binding::Atom(atom)) => Ok(*atom),
            Some(Binding::Broken) => Err(super::Broken),
            None => reports.report(unknown("name", name, self.names.texts())),
        }
    }

    /// The value that a name means.
    pub fn value(&self, name: &Ident, reports: &mut Reports) -> Elab<ValueId> {
        match self.resolve(name, reports)? {
            HostAtom::Value(value) => Ok(value),
            HostAtom::Const(_) => reports.error(
                "L0109",
                format!("`{}` is a literal, and a value is wanted", name.text()),
                name.span,
            ),
        }
    }

    pub fn axis(&self, axis: &AxisExpr, reports: &mut Reports) -> Elab<Axis> {
        let name = match axis {
            AxisExpr::Const(extent) => return Ok(Axis::Const(*extent)),
            AxisExpr::Name(name) => name,
        };
        let value = self.value(name, reports)?;
        let ty = &self.table[value.index()].ty;
        if ty.is_shape() {
            return Ok(Axis::Sym(value));
        }
        let text = name.text();
        let diagnostic =
            Diagnostic::new("L0109", format!("`{text}` is neither an extent nor a segmentation"), name.span);
        match ty.as_scalar() {
            Some(_) => reports.report(
                diagnostic.help(format!("`k = dim {text}` makes an extent of an `idx`, in host code")),
            ),
            None => reports.report(diagnostic),
        }
    }

    pub fn shape(&self, axes: &[AxisExpr], reports: &mut Reports) -> Elab<Shape> {
        let axes: Vec<Elab<Axis>> = axes.iter().map(|axis| self.axis(axis, reports)).collect();
        axes.into_iter().collect::<Elab<Vec<Axis>>>().map(Shape::new)
    }

    pub fn ty(&self, ty: &TypeExpr, reports: &mut Reports) -> Elab<Type> {
        Ok(match &ty.kind {
            TypeKind::Dim => Type::Dim,
            TypeKind::Seg { parent, form } => {
                Type::Seg(SegType { parent: self.shape(parent, reports)?, form: *form })
            }
            TypeKind::Array { elem, shape, view } => {
                let placement = if *view { Placement::View } else { Placement::Dense };
                Type::Array(ArrayType { elem: *elem, shape: self.shape(shape, reports)?, placement })
            }
        })
    }
}

/// The names of extents that are used in types of shape parameters and parameters and declared nowhere.
fn undeclared<'a>(shapes: &'a [ShapeParam], params: &'a [Param]) -> Vec<&'a Ident> {
    let declared =
        shapes.iter().map(|shape| &shape.name).chain(params.iter().filter_map(|p| p.name.as_ref()));
    let mut known: HashSet<_> = declared.map(Ident::key).collect();
    let types =
        shapes.iter().filter_map(|shape| shape.ty.as_ref()).chain(params.iter().map(|param| &param.ty));
    let axes = types.flat_map(|ty| match &ty.kind {
        TypeKind::Array { shape, .. } => shape.as_slice(),
        TypeKind::Seg { parent, .. } => parent.as_slice(),
        TypeKind::Dim => &[],
    });
    axes.filter_map(|axis| match axis {
        AxisExpr::Name(name) if known.insert(name.key()) => Some(name),
        _ => None,
    })
    .collect()
}

/// The message about a name that is bound twice in one block.
pub(super) fn bound_twice(name: &Ident, before: Span) -> Diagnostic {
    Diagnostic::new("L0102", format!("`{}` is bound twice", name.text()), name.span)
        .label(before, "here for the first time")
        .help("values are assigned once; choose another name")
}

/// The type of a parameter or result of a thunk.
pub(super) fn scalar_type(ty: &TypeExpr, reports: &mut Reports) -> ScalarType {
    match &ty.kind {
        TypeKind::Array { elem, shape, .. } if shape.is_empty() => *elem,
        TypeKind::Array { .. } | TypeKind::Dim | TypeKind::Seg { .. } => {
            let _: Elab<()> = reports.error("L0108", "thunks take and give scalars only", ty.span);
            ScalarType::Idx
        }
    }
}

/// Reports an annotation that is not the type that was found.
pub(super) fn check_annotation(annotated: Elab<Type>, found: &Type, span: Span, reports: &mut Reports) {
    if annotated.is_ok_and(|annotated| annotated != *found) {
        reports.diagnostics.push(Diagnostic::new("L0112", "the value has another type than this", span));
    }
}
