//! Checks the ids inside a thunk: locals, private arrays and captures.

use super::table::{State, Table};
use super::values::Values;
use super::{check_id, check_site, out_of_range};
use crate::diagnostic::Diagnostic;
use crate::id::{LocalId, PrivateId, ValueId};
use crate::program::Program;
use crate::span::Span;
use crate::thunk::{Atom, Block, Stmt, Thunk, ThunkPart};
use crate::verify::names;
use crate::verify::report::Report;

/// Checks a thunk; `captured` are the values of the kernel around it, absent for a named thunk. `span` is the place of the definition.
pub(super) fn check(
    program: &Program,
    thunk: &Thunk,
    captured: Option<&Values<'_>>,
    span: Span,
    report: &mut Report,
) {
    if thunk.n_params > thunk.locals.len() {
        let message = format!(
            "the thunk has {}, but only {}",
            names::count(thunk.n_params, "parameter"),
            names::count(thunk.locals.len(), "local")
        );
        return report.add(Diagnostic::new("L0202", message, span));
    }
    if thunk.n_given > thunk.privates.len() {
        let message = format!(
            "the thunk is given {}, but has only {}",
            names::count(thunk.n_given, "private array"),
            thunk.privates.len()
        );
        return report.add(Diagnostic::new("L0202", message, span));
    }
    let mut walk = Walk {
        program,
        thunk,
        captured,
        locals: Table::new(thunk.locals.len()),
        privates: Table::new(thunk.privates.len()),
        report,
    };
    for param in thunk.params() {
        walk.define(param, span);
    }
    for given in thunk.given() {
        walk.new_private(given, span);
    }
    walk.stmts_and_results(&thunk.body, span);
}

/// Walks a thunk with the names in scope at each place.
struct Walk<'a, 'r> {
    program: &'a Program,
    thunk: &'a Thunk,
    captured: Option<&'a Values<'a>>,
    locals: Table,
    privates: Table,
    report: &'r mut Report,
}

impl Walk<'_, '_> {
    /// A block of its own.
    fn block(&mut self, block: &Block, span: Span) {
        let marks = (self.locals.enter(), self.privates.enter());
        self.stmts_and_results(block, span);
        self.locals.leave(marks.0);
        self.privates.leave(marks.1);
    }

    fn stmts_and_results(&mut self, block: &Block, span: Span) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        block.results.iter().for_each(|&result| self.atom(result, span));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        stmt.kind.for_each_part(&mut |part| self.operand(part, stmt.span));
        let mark = self.locals.enter();
        stmt.kind.for_each_part(&mut |part| self.inner(part, stmt.span));
        self.locals.leave(mark);
        stmt.kind.for_each_part(&mut |part| self.definition(part, stmt.span));
    }

    /// Checks an operand that the statement itself uses.
    fn operand(&mut self, part: ThunkPart<'_>, span: Span) {
        match part {
            ThunkPart::Atom(atom) => self.atom(*atom, span),
            ThunkPart::Param(value) | ThunkPart::Earlier(value) => self.value(*value, span),
            ThunkPart::Private(array) => self.private(*array, span),
            ThunkPart::Thunk(thunk) => {
                check_id("thunk", thunk.index(), self.program.thunks.len(), span, self.report);
            }
            ThunkPart::Site(site) => check_site(self.program, *site, span, self.report),
            ThunkPart::Dst(_)
            | ThunkPart::LoopLocal(_)
            | ThunkPart::Block(_)
            | ThunkPart::NewPrivate(_)
            | ThunkPart::Rule(_) => {}
        }
    }

    /// Checks the blocks of the statement: carried values are in scope in each of them, other locals only in their own block.
    fn inner(&mut self, part: ThunkPart<'_>, span: Span) {
        match part {
            ThunkPart::LoopLocal(local) => self.define(*local, span),
            ThunkPart::Block(block) => self.block(block, span),
            ThunkPart::Dst(_)
            | ThunkPart::Atom(_)
            | ThunkPart::Param(_)
            | ThunkPart::Earlier(_)
            | ThunkPart::NewPrivate(_)
            | ThunkPart::Private(_)
            | ThunkPart::Thunk(_)
            | ThunkPart::Rule(_)
            | ThunkPart::Site(_) => {}
        }
    }

    /// Brings a name that the statement defines into scope, for the rest of its block.
    fn definition(&mut self, part: ThunkPart<'_>, span: Span) {
        match part {
            ThunkPart::Dst(dst) => self.define(*dst, span),
            ThunkPart::NewPrivate(array) => self.new_private(*array, span),
            ThunkPart::LoopLocal(_)
            | ThunkPart::Atom(_)
            | ThunkPart::Param(_)
            | ThunkPart::Earlier(_)
            | ThunkPart::Block(_)
            | ThunkPart::Private(_)
            | ThunkPart::Thunk(_)
            | ThunkPart::Rule(_)
            | ThunkPart::Site(_) => {}
        }
    }

    fn atom(&mut self, atom: Atom, span: Span) {
        match atom {
            Atom::Local(id) => self.local(id, span),
            Atom::Const(_) => {}
            Atom::Value(id) => self.value(id, span),
        }
    }

    /// Uses something that the thunk captures.
    fn value(&mut self, id: ValueId, span: Span) {
        let Some(values) = self.captured else {
            let message =
                format!("a named thunk captures nothing, but this one uses {id:?} of something around it");
            let diagnostic = Diagnostic::new("L0210", message, span);
            return self.report.add(diagnostic.help("give the thunk a parameter for it"));
        };
        values.use_value(id, span, self.report);
    }

    fn local(&mut self, id: LocalId, span: Span) {
        let name = || names::local(self.thunk, id);
        let diagnostic = match self.locals.state(id.index()) {
            State::InScope => return,
            State::OutOfRange => out_of_range("local", id.index(), self.locals.len(), span),
            State::Unseen => {
                Diagnostic::new("L0205", format!("`{}` is used before it is assigned", name()), span)
            }
            State::Gone => {
                Diagnostic::new("L0205", format!("`{}` is used after the end of its block", name()), span)
                    .help(format!("make `{}` a result of the block", name()))
            }
        };
        self.report.add(diagnostic);
    }

    fn define(&mut self, id: LocalId, span: Span) {
        let diagnostic = match self.locals.define(id.index()) {
            State::Unseen => return,
            State::OutOfRange => out_of_range("local", id.index(), self.locals.len(), span),
            State::InScope | State::Gone => twice(&names::local(self.thunk, id), span),
        };
        self.report.add(diagnostic);
    }

    fn private(&mut self, id: PrivateId, span: Span) {
        let name = || self.private_name(id);
        let diagnostic = match self.privates.state(id.index()) {
            State::InScope => return,
            State::OutOfRange => out_of_range("private array", id.index(), self.privates.len(), span),
            State::Unseen => {
                Diagnostic::new("L0205", format!("`{}` is used before its `private`", name()), span)
            }
            State::Gone => {
                let message = format!("the private array `{}` is used after the end of its block", name());
                Diagnostic::new("L0205", message, span).help("move its `private` out of the block")
            }
        };
        self.report.add(diagnostic);
    }

    fn new_private(&mut self, id: PrivateId, span: Span) {
        let diagnostic = match self.privates.define(id.index()) {
            State::Unseen => return,
            State::OutOfRange => out_of_range("private array", id.index(), self.privates.len(), span),
            State::InScope | State::Gone => twice(&self.private_name(id), span),
        };
        self.report.add(diagnostic);
    }

    fn private_name(&self, id: PrivateId) -> String {
        match self.thunk.privates.get(id.index()) {
            Some(private) if !private.name.is_empty() => private.name.to_string(),
            Some(_) | None => format!("{id:?}"),
        }
    }
}

fn twice(name: &str, span: Span) -> Diagnostic {
    Diagnostic::new("L0204", format!("`{name}` is assigned twice"), span)
        .help("use a new name for the second")
}
