//! Elaborates definitions in two passes: all signatures first, then all bodies, so that definitions may be in any order.

use super::host::elaborate_body;
use super::items::Items;
use super::kernel::elaborate_kernel;
use super::signature::{Values, scalar_type};
use super::thunk::elaborate_thunk;
use super::{Elab, Reports, literal, unknown};
use crate::host::{Function, HostBlock};
use crate::monoid::MonoidDef;
use crate::program::Program;
use crate::text::ast::{File, MonoidItem, ThunkItem};
use crate::thunk::{Local, Thunk, ThunkDef};

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
