//! Ids inside a thunk: locals, private arrays, and what it captures.

use super::table::{State, Table};
use super::values::Values;
use super::{check_id, check_site, out_of_range};
use crate::diagnostic::Diagnostic;
use crate::id::{LocalId, PrivateId, ValueId};
use crate::program::Program;
use crate::span::Span;
use crate::thunk::{Atom, Block, Carried, Stmt, StmtKind, Thunk};
use crate::verify::names;
use crate::verify::report::Report;

/// Checks a thunk; `captured` are the values of the kernel around it, absent for a named thunk. `span` is the place of the
/// whole.
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

/// What is in scope at one place of a thunk.
struct Walk<'a, 'r> {
    program: &'a Program,
    thunk: &'a Thunk,
    captured: Option<&'a Values<'a>>,
    locals: Table,
    privates: Table,
    report: &'r mut Report,
}

impl Walk<'_, '_> {
    /// A block of its own; `names` are bound at its start.
    fn block(&mut self, block: &Block, names: impl IntoIterator<Item = LocalId>, span: Span) {
        let marks = (self.locals.enter(), self.privates.enter());
        for name in names {
            self.define(name, span);
        }
        self.stmts_and_results(block, span);
        self.locals.leave(marks.0);
        self.privates.leave(marks.1);
    }

    fn stmts_and_results(&mut self, block: &Block, span: Span) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.atoms(&block.results, span);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.operands(stmt);
        self.inner_blocks(stmt);
        if let Some(site) = stmt.kind.site() {
            check_site(self.program, site, stmt.span, self.report);
        }
        for &dst in stmt.kind.dsts() {
            self.define(dst, stmt.span);
        }
    }

    /// What the statement itself uses.
    fn operands(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Op { dst: _, op: _, args } => self.atoms(args, span),
            StmtKind::Threefry { dsts: _, key, counter } => {
                self.atoms(key, span);
                self.atoms(counter, span);
            }
            StmtKind::Read { dst: _, array, index, default, site: _ } => {
                self.value(*array, span);
                index.iter().for_each(|index| self.atom(index.at, span));
                default.iter().for_each(|&default| self.atom(default, span));
            }
            StmtKind::Own { dst: _, bind } => self.value(*bind, span),
            StmtKind::Window { dst: _, bind, offsets: _, default, site: _ } => {
                self.value(*bind, span);
                default.iter().for_each(|&default| self.atom(default, span));
            }
            StmtKind::Len { dst: _, seg, at } | StmtKind::Start { dst: _, seg, at } => {
                self.value(*seg, span);
                self.atoms(at, span);
            }
            StmtKind::Call { dsts: _, thunk, args } => {
                check_id("thunk", thunk.index(), self.program.thunks.len(), span, self.report);
                self.atoms(args, span);
            }
            StmtKind::If { dsts: _, cond, then: _, otherwise: _ } => self.atom(*cond, span),
            StmtKind::For { dsts: _, var: _, from, to, carried, body: _ } => {
                self.atom(*from, span);
                self.atom(*to, span);
                self.inits(carried, span);
            }
            StmtKind::While { dsts: _, carried, cond: _, body: _ } => self.inits(carried, span),
            StmtKind::PrivateNew { array, size } => {
                self.atom(*size, span);
                self.new_private(*array, span);
            }
            StmtKind::PrivateGet { dst: _, array, at, site: _ } => {
                self.private(*array, span);
                self.atom(*at, span);
            }
            StmtKind::PrivateSet { array, at, value, site: _ } => {
                self.private(*array, span);
                self.atom(*at, span);
                self.atom(*value, span);
            }
            StmtKind::Check { cond, code: _, site: _ } => self.atom(*cond, span),
        }
    }

    /// The blocks of the statement, each with what is bound at its start.
    fn inner_blocks(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                self.block(then, [], stmt.span);
                self.block(otherwise, [], stmt.span);
            }
            StmtKind::For { var, carried, body, .. } => {
                let names = std::iter::once(*var).chain(carried.iter().map(|carried| carried.local));
                self.block(body, names, stmt.span);
            }
            StmtKind::While { carried, cond, body, .. } => {
                // What is carried is in scope in both blocks, what the condition computes only in its own.
                let mark = self.locals.enter();
                carried.iter().for_each(|carried| self.define(carried.local, stmt.span));
                self.block(cond, [], stmt.span);
                self.block(body, [], stmt.span);
                self.locals.leave(mark);
            }
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => {}
        }
    }

    fn inits(&mut self, carried: &[Carried], span: Span) {
        for carried in carried {
            self.atom(carried.init, span);
        }
    }

    fn atoms(&mut self, atoms: &[Atom], span: Span) {
        for &atom in atoms {
            self.atom(atom, span);
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
