//! Checks the values of one function or kernel: scope, single assignment, and the symbols in their types.

use super::out_of_range;
use super::table::{State, Table};
use crate::diagnostic::Diagnostic;
use crate::id::ValueId;
use crate::name::Value;
use crate::span::Span;
use crate::types::{Axis, Type};
use crate::verify::names;
use crate::verify::report::Report;

/// The values of one function or kernel while it is walked.
pub(super) struct Values<'a> {
    values: &'a [Value],
    table: Table,
    formal: Vec<bool>,
}

impl<'a> Values<'a> {
    /// Values of which none is assigned. Checks by themselves the symbols of all types, also of values that nothing uses.
    pub(super) fn new(values: &'a [Value], report: &mut Report) -> Values<'a> {
        let table = Table::new(values.len());
        let formal = vec![false; values.len()];
        check_symbols(values, report);
        Values { values, table, formal }
    }

    /// Begins a block.
    pub(super) fn enter(&self) -> usize {
        self.table.enter()
    }

    /// Ends a block.
    pub(super) fn leave(&mut self, mark: usize) {
        self.table.leave(mark);
    }

    /// Assigns a value at `span`.
    pub(super) fn define(&mut self, id: ValueId, span: Span, report: &mut Report) {
        if self.formal.get(id.index()) == Some(&true) {
            let name = names::value(self.values, id);
            let message = format!("`{name}` names a result in the signature, and cannot be assigned");
            return report.add(Diagnostic::new("L0206", message, span));
        }
        match self.table.define(id.index()) {
            State::OutOfRange => report.add(out_of_range("value", id.index(), self.table.len(), span)),
            State::Unseen => self.check_type_scope(id, span, report),
            State::InScope | State::Gone => report.add(self.twice(id, span)),
        }
    }

    /// Declares the formal results of a function: they are in scope for the types of later ones only.
    pub(super) fn define_formals(&mut self, results: &[ValueId], span: Span, report: &mut Report) {
        let mark = self.enter();
        for &id in results {
            let span = self.span(id, span);
            match self.table.define(id.index()) {
                State::OutOfRange => report.add(out_of_range("value", id.index(), self.table.len(), span)),
                State::Unseen => self.check_type_scope(id, span, report),
                State::InScope | State::Gone => {
                    let name = names::value(self.values, id);
                    let message = format!("the result `{name}` is also a parameter or another result");
                    report.add(Diagnostic::new("L0206", message, span));
                }
            }
        }
        self.leave(mark);
        for &id in results {
            if let Some(formal) = self.formal.get_mut(id.index()) {
                *formal = true;
            }
        }
    }

    /// Uses a value at `span`.
    pub(super) fn use_value(&self, id: ValueId, span: Span, report: &mut Report) {
        let name = || names::value(self.values, id);
        let diagnostic = match self.table.state(id.index()) {
            State::InScope => return,
            State::OutOfRange => {
                return report.add(out_of_range("value", id.index(), self.table.len(), span));
            }
            State::Unseen => {
                Diagnostic::new("L0205", format!("`{}` is used before it is assigned", name()), span)
            }
            State::Gone if self.formal[id.index()] => {
                let message = format!("`{}` names a result in the signature, and has no value here", name());
                Diagnostic::new("L0206", message, span)
            }
            State::Gone => {
                Diagnostic::new("L0205", format!("`{}` is used after the end of its block", name()), span)
                    .help(format!("make `{}` a result of the block", name()))
            }
        };
        report.add(diagnostic.label(self.span(id, Span::NONE), "bound here"));
    }

    /// Uses an axis at `span`.
    pub(super) fn use_axis(&self, axis: Axis, span: Span, report: &mut Report) {
        match axis {
            Axis::Const(_) => {}
            Axis::Sym(id) => self.use_value(id, span, report),
        }
    }

    /// Checks that the symbols in a value's type are in scope where the value is bound.
    fn check_type_scope(&self, id: ValueId, span: Span, report: &mut Report) {
        let value = &self.values[id.index()];
        for symbol in symbols(&value.ty) {
            let inside = self.table.state(symbol.index()) == State::InScope;
            if !inside || symbol == id {
                let name = names::value(self.values, id);
                let ty = names::ty(self.values, &value.ty);
                let symbol = names::value(self.values, symbol);
                let message =
                    format!("the type `{ty}` of `{name}` uses `{symbol}`, which is not bound before it");
                let help = format!("give `{symbol}` as a result before `{name}`");
                report.add(Diagnostic::new("L0207", message, self.span(id, span)).help(help));
            }
        }
    }

    fn twice(&self, id: ValueId, span: Span) -> Diagnostic {
        let name = names::value(self.values, id);
        Diagnostic::new("L0204", format!("`{name}` is assigned twice"), span)
            .label(self.span(id, Span::NONE), "first assigned here")
            .help("use a new name for the second")
    }

    /// Source place of a value's binding; `otherwise` if it is unknown.
    fn span(&self, id: ValueId, otherwise: Span) -> Span {
        self.values
            .get(id.index())
            .map(|value| value.span)
            .filter(|span| span.is_known())
            .unwrap_or(otherwise)
    }
}

/// The symbols in a type.
fn symbols(ty: &Type) -> impl Iterator<Item = ValueId> {
    let axes = match ty {
        Type::Array(array) => array.shape.axes.as_slice(),
        Type::Dim => &[],
        Type::Seg(seg) => seg.parent.axes.as_slice(),
    };
    axes.iter().filter_map(|axis| match axis {
        Axis::Const(_) => None,
        Axis::Sym(id) => Some(*id),
    })
}

/// Checks that symbols are in range, and that no type leads back to its own value.
fn check_symbols(values: &[Value], report: &mut Report) {
    let before = report.len();
    for value in values {
        for symbol in symbols(&value.ty).filter(|symbol| symbol.index() >= values.len()) {
            report.add(out_of_range("value", symbol.index(), values.len(), value.span));
        }
    }
    if report.len() == before {
        check_cycles(values, report);
    }
}

/// Rejects cyclic types, by topological sorting: removes values with types over removed values only. The rest are on a cycle, or lead to one.
fn check_cycles(values: &[Value], report: &mut Report) {
    let mut waiting: Vec<usize> = values.iter().map(|value| symbols(&value.ty).count()).collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); values.len()];
    for (user, value) in values.iter().enumerate() {
        for symbol in symbols(&value.ty) {
            users[symbol.index()].push(user);
        }
    }
    let mut free: Vec<usize> = (0..values.len()).filter(|&value| waiting[value] == 0).collect();
    while let Some(value) = free.pop() {
        for &user in &users[value] {
            waiting[user] -= 1;
            if waiting[user] == 0 {
                free.push(user);
            }
        }
    }
    for (value, _) in values.iter().zip(&waiting).filter(|(_, waiting)| **waiting > 0) {
        let message = format!("the type `{}` leads back to itself", names::ty(values, &value.ty));
        report.add(Diagnostic::new("L0208", message, value.span));
    }
}
