//! The names of definitions, and what those of monoids mean.

use super::names::Names;
use super::signature::bound_twice;
use super::{Elab, Reports, unknown};
use crate::id::{FunctionId, KernelId, MonoidId, ThunkId};
use crate::monoid::{Monoid, MonoidOp, MonoidPart};
use crate::op::Op;
use crate::text::ast::{File, Ident, MonoidName};

/// The definitions by name; each kind has names of its own.
pub(super) struct Items {
    pub thunks: Names<ThunkId>,
    pub monoids: Names<MonoidId>,
    pub kernels: Names<KernelId>,
    pub functions: Names<FunctionId>,
}

impl Items {
    /// The names that a file defines.
    pub fn new(file: &File, reports: &mut Reports) -> Items {
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
