//! Elaborates definitions in two passes: all signatures first, then all bodies, so that definitions may be in any order.

use super::host::elaborate_body;
use super::kernel::elaborate_kernel;
use super::names::Names;
use super::signature::{Values, bound_twice};
use super::thunk::elaborate_thunk;
use super::{Elab, Reports, literal, unknown};
use crate::host::{Function, HostBlock};
use crate::id::{FunctionId, KernelId, MonoidId, ThunkId};
use crate::monoid::{Monoid, MonoidDef, MonoidOp, MonoidPart};
use crate::op::Op;
use crate::program::Program;
use crate::scalar::ScalarType;
use crate::text::ast::{File, Ident, MonoidItem, MonoidName, ThunkItem, TypeExpr, TypeKind};
use crate::thunk::{Local, Thunk, ThunkDef};

/// The definitions by name; each kind has names of its own.
pub(super) struct Items {
    pub thunks: Names<ThunkId>,
    pub monoids: Names<MonoidId>,
    pub kernels: Names<KernelId>,
    pub functions: Names<FunctionId>,
}

impl Items {
    fn new(file: &File, reports: &mut Reports) -> Items {
        Items {
            thunks: table(file.thunks.iter().map(|item| &item.name), reports),
            monoids: table(file.monoids.iter().map(|item| &item.name), reports),
            kernels: table(file.kernels.iter().map(|item| &item.name), reports),
            functions: table(file.functions.iter().map(|item| &item.name), reports),
        }
    }
}

fn table<'a, T: From<usize>>(names: impl Iterator<Item = &'a Ident>, reports: &mut Reports) -> Names<T> {
    let mut table = Names::new();
    for (index, name) in names.enumerate() {
        if let Some(before) = table.bind(name, T::from(index)) {
            reports.diagnostics.push(bound_twice(name, before));
        }
    }
    table
}

/// Elaborates thunks, monoids, kernels and functions, in this order: later ones need the types of earlier ones.
pub(super) fn elaborate(file: &File, program: &mut Program, reports: &mut Reports) {
    let items = Items::new(file, reports);
    for item in &file.thunks {
        program.thunks.push(thunk_signature(item, reports));
    }
    for (index, item) in file.thunks.iter().enumerate() {
        let thunk = elaborate_thunk(item, &program.thunks[index], program, &items, reports);
        program.thunks[index].thunk = thunk;
    }
    for item in &file.monoids {
        if let Ok(monoid) = monoid(item, program, &items, reports) {
            program.monoids.push(monoid);
        }
    }
    if program.monoids.len() != file.monoids.len() {
        // Ids of monoids would be wrong from here on.
        return;
    }
    for item in &file.kernels {
        let known = reports.diagnostics.len();
        let kernel = elaborate_kernel(item, program, &items, reports);
        reports.broken_kernels.push(reports.diagnostics.len() > known);
        program.kernels.push(kernel);
    }
    functions(file, program, &items, reports);
}

fn functions(file: &File, program: &mut Program, items: &Items, reports: &mut Reports) {
    let mut scopes = Vec::new();
    for item in &file.functions {
        let mut values = Values::signature(&item.shapes, &item.params, reports);
        let results = values.results(&item.results, reports);
        program.functions.push(Function {
            name: item.name.name.clone(),
            values: values.table.clone(),
            shapes: values.shapes.clone(),
            params: values.params.clone(),
            results,
            body: HostBlock::default(),
            span: item.span,
        });
        scopes.push(values);
    }
    let mut bodies = Vec::new();
    for (index, (item, values)) in file.functions.iter().zip(scopes).enumerate() {
        bodies.push(elaborate_body(item, &program.functions[index], values, program, items, reports));
    }
    program.functions = bodies;
}

fn thunk_signature(item: &ThunkItem, reports: &mut Reports) -> ThunkDef {
    let mut locals = Vec::new();
    for param in &item.params {
        let name = param.name.as_ref().map_or_else(|| "".into(), |name| name.name.clone());
        locals.push(Local { name, ty: scalar_type(&param.ty, reports) });
    }
    let results = item.results.iter().map(|ty| scalar_type(ty, reports)).collect();
    let thunk = Thunk { n_params: locals.len(), locals, ..Thunk::default() };
    ThunkDef { name: item.name.name.clone(), results, thunk, span: item.span }
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

fn monoid(item: &MonoidItem, program: &Program, items: &Items, reports: &mut Reports) -> Elab<MonoidDef> {
    let Some(&combine) = items.thunks.get(&item.combine) else {
        return reports.report(unknown("thunk", &item.combine, items.thunks.texts()));
    };
    let thunk = &program.thunk(combine).thunk;
    let mut unit = Vec::new();
    for (position, value) in item.unit.iter().enumerate() {
        let place = thunk.locals[..thunk.n_params].get(position).map(|local| local.ty);
        match literal::scalar(value, place) {
            Ok(scalar) => unit.push(scalar),
            Err(diagnostic) => return reports.report(diagnostic),
        }
    }
    let (commutative, exact) = (item.commutative, item.exact);
    Ok(MonoidDef { name: item.name.name.clone(), unit, combine, commutative, exact, span: item.span })
}

/// A tuple of monoids.
pub(super) fn monoid_parts(parts: &[MonoidName], items: &Items, reports: &mut Reports) -> Elab<Monoid> {
    let mut monoid = Monoid { parts: Vec::new() };
    for part in parts {
        monoid.parts.push(match part {
            MonoidName::ArgMin => MonoidPart::ArgMin,
            MonoidName::ArgMax => MonoidPart::ArgMax,
            MonoidName::Op(op, span) => match monoid_op(*op) {
                Some(op) => MonoidPart::Op(op),
                None => return reports.error("L0101", format!("`{op}` is not a monoid"), *span),
            },
            MonoidName::User(name) => match items.monoids.get(name) {
                Some(&id) => MonoidPart::User(id),
                None => return reports.report(unknown("monoid", name, items.monoids.texts())),
            },
        });
    }
    Ok(monoid)
}

fn monoid_op(op: Op) -> Option<MonoidOp> {
    MonoidOp::ALL.into_iter().find(|monoid| monoid.op() == op)
}
