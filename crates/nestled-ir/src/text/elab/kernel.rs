//! Elaborates kernels, combinator by combinator; each sees the types of the earlier ones.

use super::items::{Items, monoid_parts};
use super::kernel_scope::KernelScope;
use super::signature::{Binding, Values, check_annotation};
use super::thunk::{self, ThunkCx};
use super::{Broken, Elab, Reports, literal};
use crate::diagnostic::Diagnostic;
use crate::host::HostAtom;
use crate::id::{LocalId, PrivateId, ValueId};
use crate::kernel::{Base, Collision, Combinator, CombinatorKind, Kernel, Level, Range};
use crate::monoid::{MonoidDef, MonoidPart};
use crate::program::Program;
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::text::ast::{BaseExpr, ClashExpr, Ident, KernelItem, RangeExpr, Step, StepKind};
use crate::thunk::{Atom, Local, Private, Thunk};
use crate::types::Type;
use crate::typing::{Scope, TypeError, combinator_types};

pub(super) fn elaborate_kernel(
    item: &KernelItem,
    program: &Program,
    items: &Items,
    reports: &mut Reports,
) -> Kernel {
    let values = Values::signature(&item.shapes, &item.params, reports);
    let mut kernel = Kernel {
        name: item.name.name.clone(),
        values: Vec::new(),
        shapes: values.shapes.clone(),
        params: values.params.clone(),
        space: item.space.iter().filter_map(|axis| values.axis(axis, reports).ok()).collect(),
        steps: Vec::new(),
        ret: Vec::new(),
        span: item.span,
    };
    let mut scope = KernelScope::new(values);
    for step in &item.steps {
        let binds = bind_values(step, &mut scope);
        let known = reports.diagnostics.len();
        let result = combinator(step, &binds, &kernel.space, &mut scope, (program, items), reports);
        // What is wrong inside the thunk says more than what that makes of the step.
        let result =
            result.and_then(
                |combinator| {
                    if reports.diagnostics.len() > known { Err(Broken) } else { Ok(combinator) }
                },
            );
        finish_step(step, &binds, result, &mut kernel, &mut scope, reports);
    }
    kernel.ret = item.ret.iter().filter_map(|name| scope.values.value(name, reports).ok()).collect();
    kernel.values = scope.values.table;
    kernel
}

/// Makes the values of a step; their types are set later.
fn bind_values(step: &Step, scope: &mut KernelScope) -> Vec<ValueId> {
    let mut binds = Vec::new();
    for binder in &step.binders {
        let name = binder.name.as_ref().map_or_else(|| "".into(), |name| name.name.clone());
        binds.push(scope.values.add(name, Type::Dim, binder.span));
    }
    let level = match step.kind {
        StepKind::Reduce { .. } | StepKind::Filter | StepKind::Partition { .. } => step.level,
        StepKind::Map | StepKind::Scan { .. } | StepKind::Permute { .. } => step.params.len(),
        StepKind::Serial { .. } => 0,
    };
    scope.at_level(level);
    binds
}

/// Sets the types and binds the names of a step's values.
fn finish_step(
    step: &Step,
    binds: &[ValueId],
    result: Elab<Combinator>,
    kernel: &mut Kernel,
    scope: &mut KernelScope,
    reports: &mut Reports,
) {
    let types = result.and_then(|combinator| {
        // Types are asked of a kernel, so it has the table of values for a moment.
        kernel.values = std::mem::take(&mut scope.values.table);
        let types = combinator_types(kernel, &combinator.kind, &combinator.body, binds);
        scope.values.table = std::mem::take(&mut kernel.values);
        kernel.steps.push(combinator);
        types.or_else(|error| reports.report(wrong_step(error, step.span)))
    });
    for (position, (binder, &bind)) in step.binders.iter().zip(binds).enumerate() {
        let mut binding = Binding::Broken;
        if let Ok(types) = &types {
            binding = Binding::Atom(HostAtom::Value(bind));
            scope.values.table[bind.index()].ty = types[position].clone();
        }
        if let Some(name) = &binder.name {
            scope.values.bind(name, binding, reports);
        }
        if let (Some(ty), Ok(types)) = (&binder.ty, &types) {
            check_annotation(scope.values.ty(ty, reports), &types[position], ty.span, reports);
        }
    }
}

fn wrong_step(error: TypeError, span: Span) -> Diagnostic {
    let code = match error {
        TypeError::Binds { .. } | TypeError::Results { .. } | TypeError::Arguments { .. } => "L0106",
        _ => "L0105",
    };
    Diagnostic::new(code, error.to_string(), span)
}

fn combinator(
    step: &Step,
    binds: &[ValueId],
    space: &[crate::types::Axis],
    scope: &mut KernelScope,
    (program, items): (&Program, &Items),
    reports: &mut Reports,
) -> Elab<Combinator> {
    let level = Level(step.level);
    let kind = match &step.kind {
        StepKind::Map => Ok(CombinatorKind::Map),
        StepKind::Reduce { monoid } => {
            monoid_parts(monoid, items, reports).map(|monoid| CombinatorKind::Reduce { to: level, monoid })
        }
        StepKind::Scan { monoid, inclusion, direction } => {
            let (inclusion, direction) = (*inclusion, *direction);
            monoid_parts(monoid, items, reports).map(|monoid| CombinatorKind::Scan {
                within: level,
                monoid,
                inclusion,
                direction,
            })
        }
        StepKind::Filter => Ok(CombinatorKind::Filter { within: level }),
        StepKind::Partition { classes, site } => {
            let site = match site {
                Some(mark) => Some(reports.sites.take(*mark, step.span)?),
                None => None,
            };
            Ok(CombinatorKind::Partition { within: level, classes: *classes, site })
        }
        StepKind::Permute { .. } => permute(step, scope, items, reports),
        StepKind::Serial { bases } => {
            let bases = bases.iter().map(|name| scope.values.value(name, reports));
            bases.collect::<Elab<Vec<ValueId>>>().map(|bases| CombinatorKind::Serial { bases })
        }
    };
    let guard = match &step.guard {
        Some(name) => scope.values.value(name, reports).map(Some),
        None => Ok(None),
    };
    let mut places = match &kind {
        Ok(kind) => result_places(kind, coordinates(kind, scope), &program.monoids),
        Err(Broken) => Vec::new(),
    };
    if let StepKind::Permute { base: BaseExpr::Fill(literals), .. } = &step.kind {
        places.extend(literals.iter().map(literal::own_type));
    }
    let _ = space;
    let before = reports.diagnostics.len();
    let body = match &kind {
        Ok(CombinatorKind::Serial { bases }) => serial_body(step, bases, scope, (program, items), reports),
        Ok(
            CombinatorKind::Map
            | CombinatorKind::Reduce { .. }
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Partition { .. }
            | CombinatorKind::Permute { .. },
        )
        | Err(Broken) => body(step, &places, scope, (program, items), reports),
    };
    let (mut kind, body) = (kind?, body?);
    if reports.diagnostics.len() > before {
        // The types of its results may be made up.
        return Err(Broken);
    }
    if let StepKind::Permute { base: BaseExpr::Fill(literals), .. } = &step.kind {
        fill(literals, &mut kind, &body, scope, reports)?;
    }
    Ok(Combinator { binds: binds.to_vec(), kind, guard: guard?, body, span: step.span })
}

fn body(
    step: &Step,
    places: &[Option<ScalarType>],
    scope: &KernelScope,
    (program, items): (&Program, &Items),
    reports: &mut Reports,
) -> Elab<Thunk> {
    let name = |param: &Option<Ident>| param.as_ref().map_or_else(|| "".into(), |name| name.name.clone());
    let locals = step.params.iter().map(|param| Local { name: name(param), ty: ScalarType::Idx }).collect();
    let thunk = Thunk { n_params: step.params.len(), locals, ..Thunk::default() };
    let mut cx = ThunkCx::new(program, items, reports, Some(scope), thunk);
    for (index, param) in step.params.iter().enumerate() {
        if let Some(param) = param {
            cx.bind(param, thunk::Binding::Atom(Atom::Local(LocalId::from(index))));
        }
    }
    let (thunk, whole) = cx.finish(&step.body, places);
    whole.map(|()| thunk)
}

/// The thunk of a `serial`: its parameters are private arrays, as bases are.
fn serial_body(
    step: &Step,
    bases: &[ValueId],
    scope: &KernelScope,
    (program, items): (&Program, &Items),
    reports: &mut Reports,
) -> Elab<Thunk> {
    if step.params.len() != bases.len() {
        let message = format!("{} bases are given {} names", bases.len(), step.params.len());
        return reports.error("L0106", message, step.span);
    }
    let mut privates = Vec::new();
    for (param, base) in step.params.iter().zip(bases) {
        let name = param.as_ref().map_or_else(|| "".into(), |name| name.name.clone());
        let ty = &scope.values.table[base.index()].ty;
        let Some(elem) = ty.as_array().map(|array| array.elem) else {
            return reports.error("L0105", TypeError::NotAnArray(*base).to_string(), step.span);
        };
        privates.push(Private { name, elem });
    }
    let thunk = Thunk { n_given: privates.len(), privates, ..Thunk::default() };
    let mut cx = ThunkCx::new(program, items, reports, Some(scope), thunk);
    for (index, param) in step.params.iter().enumerate() {
        if let Some(param) = param {
            cx.bind(param, thunk::Binding::Private(PrivateId::from(index)));
        }
    }
    let (thunk, whole) = cx.finish(&step.body, &[]);
    whole.map(|()| thunk)
}

/// Elaborates a scatter; fill values are left out, since they take the types of the thunk's results.
fn permute(step: &Step, scope: &KernelScope, items: &Items, reports: &mut Reports) -> Elab<CombinatorKind> {
    let StepKind::Permute { dest, base, range, clash } = &step.kind else { return Err(Broken) };
    let dest = scope.values.shape(dest, reports);
    let base = match base {
        BaseExpr::Fill(_) => Ok(Base::Fill(Vec::new())),
        BaseExpr::Arrays(names) => {
            let values = names.iter().map(|name| scope.values.value(name, reports));
            values.collect::<Elab<Vec<ValueId>>>().map(Base::Arrays)
        }
    };
    let range = match range {
        RangeExpr::Fault(mark) => Range::Fault(reports.sites.take(*mark, step.span)?),
        RangeExpr::Drop => Range::Drop,
        RangeExpr::Proved => Range::Proved,
    };
    let collision = match clash {
        ClashExpr::Proved => Collision::Proved,
        ClashExpr::Fault(mark) => Collision::Fault(reports.sites.take(*mark, step.span)?),
        ClashExpr::First => Collision::First,
        ClashExpr::Last => Collision::Last,
        ClashExpr::Combine(monoid) => Collision::Combine(monoid_parts(monoid, items, reports)?),
    };
    Ok(CombinatorKind::Permute { dest: dest?, base: base?, range, collision })
}

/// Number of destination coordinates that a scatter's thunk returns before its values.
fn coordinates(kind: &CombinatorKind, scope: &KernelScope) -> usize {
    match kind {
        CombinatorKind::Permute { dest, .. } => Scope::new(&scope.values.table).coordinates(dest),
        CombinatorKind::Map
        | CombinatorKind::Reduce { .. }
        | CombinatorKind::Scan { .. }
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. }
        | CombinatorKind::Serial { .. } => 0,
    }
}

fn fill(
    literals: &[crate::text::ast::Literal],
    kind: &mut CombinatorKind,
    body: &Thunk,
    scope: &KernelScope,
    reports: &mut Reports,
) -> Elab<()> {
    let skip = coordinates(kind, scope);
    let CombinatorKind::Permute { base: Base::Fill(values), .. } = kind else { return Ok(()) };
    let types = Scope::new(&scope.values.table);
    for (position, literal) in literals.iter().enumerate() {
        let result = body.body.results.get(skip + position);
        let place = result.and_then(|&atom| types.thunk_atom(body, atom).ok());
        match literal::scalar(literal, place) {
            Ok(scalar) => values.push(scalar),
            Err(diagnostic) => return reports.report(diagnostic),
        }
    }
    Ok(())
}

/// The types that a combinator asks of the results of its thunk, as far as it does. `coordinates` are those of the destination of
/// a scatter.
pub(in crate::text) fn result_places(
    kind: &CombinatorKind,
    coordinates: usize,
    monoids: &[MonoidDef],
) -> Vec<Option<ScalarType>> {
    match kind {
        CombinatorKind::Map | CombinatorKind::Filter { .. } | CombinatorKind::Serial { .. } => Vec::new(),
        CombinatorKind::Partition { .. } => vec![Some(ScalarType::Idx)],
        CombinatorKind::Permute { .. } => vec![Some(ScalarType::Idx); coordinates],
        CombinatorKind::Reduce { monoid, .. } | CombinatorKind::Scan { monoid, .. } => {
            let mut places = Vec::new();
            for part in &monoid.parts {
                match part {
                    MonoidPart::Op(_) => places.push(None),
                    MonoidPart::ArgMin | MonoidPart::ArgMax => places.extend([None, Some(ScalarType::Idx)]),
                    MonoidPart::User(id) => {
                        let unit = monoids.get(id.index()).map_or(&[][..], |monoid| &monoid.unit);
                        places.extend(unit.iter().map(|scalar| Some(scalar.ty())));
                    }
                }
            }
            places
        }
    }
}
