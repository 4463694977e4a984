//! The interactive top level (read–eval–print loop): runs statements and commands one after another, with results on standard output and messages on standard
//! error, and goes on after every error.
//!
//! ```
//! use nestled_nesl::{Dialect, TopLevel, interp::TestWorld};
//!
//! let mut world = TestWorld::typing("x = 2;\nx + ;\nset print_length 1;\n[x, 4];");
//! TopLevel::new(Dialect::default()).converse(&mut world);
//! assert_eq!(world.output, b"\nx = 2 : int\n\nit = [2,...] : [int]\n");
//! assert!(world.errors.starts_with(b"Error at top level.\nerror[N0005]"));
//! ```

mod background;
mod commands;
mod describe;
mod dump;
mod load;
mod reading;
mod trace;

use crate::ast::{Statement, StatementKind};
use crate::dialect::Dialect;
use crate::fault::FaultCode;
use crate::infer::Redefinition;
use crate::interp::{Fault, World};
use crate::layout::{COLUMNS, Layout};
use crate::session::{Session, Shown, StatementResult};
use crate::token::Text;
use background::Jobs;
use nestled_ir::{Diagnostic, Span};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use trace::Watched;

/// A session with the switches of the top level.
#[derive(Debug)]
pub struct TopLevel {
    /// Names, types and values.
    pub session: Session,
    /// True if the top level prompts for statements, as on a terminal.
    pub prompts: bool,
    /// True if the first error ends the run, as for programs.
    pub stops: bool,
    /// True if a statement or a command had an error.
    failed: Cell<bool>,
    /// True if more is printed than results.
    verbose: bool,
    editor: String,
    last_file: Option<String>,
    /// Number of files that are being loaded.
    loading: usize,
    watched: BTreeMap<Text, Watched>,
    jobs: Jobs,
    /// The names of `defconfig`, which has no other effect here.
    configurations: Vec<Text>,
    configuration: Text,
    /// The translation to VCODE, for `dump vcode`; a library of its own brings it.
    pub to_vcode: Option<ToVcode>,
    /// The places of the definitions and assignments that succeeded, which `dump vcode` translates before its expression.
    defined: Vec<Span>,
}

/// Translates an expression, the last of these statements, with what it needs of those before it, which a session has run.
pub type ToVcode = fn(&Session, &[Statement]) -> Result<String, Vec<Diagnostic>>;

/// The continuation of the conversation after a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Goes on with the next statement.
    On,
    /// Ends.
    Leave,
    /// Ends because of an error, the message of which has been printed.
    Fail,
}

impl TopLevel {
    /// Makes a top level with the library loaded.
    pub fn new(dialect: Dialect) -> TopLevel {
        TopLevel {
            session: Session::new(dialect),
            prompts: false,
            stops: false,
            failed: Cell::new(false),
            verbose: true,
            editor: "vi".to_owned(),
            last_file: None,
            loading: 0,
            watched: BTreeMap::new(),
            jobs: Jobs::default(),
            configurations: vec![Text::from("local")],
            configuration: Text::from("local"),
            to_vcode: None,
            defined: Vec::new(),
        }
    }

    /// Runs a statement or a command; if `quiet`, does not print the result.
    pub fn statement(&mut self, statement: &Statement, quiet: bool, world: &mut dyn World) -> Flow {
        self.failed.set(false);
        match self.one(statement, quiet, world) {
            Flow::On if self.stops && self.failed.get() => Flow::Fail,
            flow => flow,
        }
    }

    fn one(&mut self, statement: &Statement, quiet: bool, world: &mut dyn World) -> Flow {
        match &statement.kind {
            StatementKind::Command { name, words } => return self.command(&name.text, words, world),
            StatementKind::Config { name, .. } => {
                self.configurations.push(name.text.clone());
                return Flow::On;
            }
            StatementKind::Background { name, value, .. } => {
                let result = self.session.execute(statement, world);
                if self.say_errors(statement, &result, world) {
                    self.jobs.start(name.clone(), value.clone());
                }
                return Flow::On;
            }
            StatementKind::Function(function) => drop(self.watched.remove(&function.name.text)),
            _ => {}
        }
        let result = self.session.execute(statement, world);
        let is_run = self.say_errors(statement, &result, world);
        if is_run {
            self.note(statement);
        }
        if is_run && let Some(shown) = result.shown.filter(|_| !quiet) {
            say_redefinition(&shown, world);
            world.print(b"\n");
            print_result(&shown, world);
        }
        Flow::On
    }

    /// Notes a statement that has run, if it gives a name, for what `dump vcode` writes.
    pub fn note(&mut self, statement: &Statement) {
        if self.to_vcode.is_some() && !matches!(statement.kind, StatementKind::Expr(_)) {
            self.defined.push(statement.span);
        }
    }

    /// Prints warnings and errors of a statement; returns whether there were no errors.
    fn say_errors(&mut self, statement: &Statement, result: &StatementResult, world: &mut dyn World) -> bool {
        for warning in &result.warnings {
            world.report(warning.render_warning(&self.session.sources).as_bytes());
        }
        if !result.errors.is_empty() {
            self.say_static(&place(statement), &result.errors, world);
        }
        if let Some(fault) = &result.fault {
            self.say_fault(fault, world);
        }
        result.errors.is_empty() && result.fault.is_none()
    }

    fn say_static(&self, place: &str, errors: &[Diagnostic], world: &mut dyn World) {
        self.failed.set(true);
        world.report(format!("Error {place}.\n").as_bytes());
        world.report(nestled_ir::render_all(errors, &self.session.sources).as_bytes());
    }

    fn say_fault(&self, fault: &Fault, world: &mut dyn World) {
        self.failed.set(true);
        if fault.code == FaultCode::Interrupted {
            return world.report(b"interrupted\n");
        }
        let diagnostic = fault.diagnostic();
        world.report(format!("RUNTIME ERROR: {}\n", diagnostic.message).as_bytes());
        world.report(diagnostic.render(&self.session.sources).as_bytes());
    }

    /// Prints an error message about a command.
    fn complain(&self, message: &str, world: &mut dyn World) -> Flow {
        self.failed.set(true);
        world.report(format!("Error at top level.\nerror: {message}\n").as_bytes());
        Flow::On
    }
}

/// Returns the place of an error in the original's words.
fn place(statement: &Statement) -> String {
    match &statement.kind {
        StatementKind::Function(function) => {
            format!("in the definition of the function {}", function.name.text)
        }
        StatementKind::Datatype { name, .. } | StatementKind::Variants { name, .. } => {
            format!("in the definition of the datatype {}", name.text)
        }
        _ => "at top level".to_owned(),
    }
}

fn say_redefinition(shown: &Shown, world: &mut dyn World) {
    let notice = match shown.redefinition {
        Redefinition::New => return,
        Redefinition::Same => format!("note: `{}` is redefined, also where it is used already\n", shown.name),
        Redefinition::OtherType => {
            format!("note: `{}` has another type now; what used it keeps the older one\n", shown.name)
        }
    };
    world.report(notice.as_bytes());
}

/// Prints `name = value : type` with its line end, broken where it would become too long.
pub fn print_result(shown: &Shown, world: &mut dyn World) {
    // A value that is longer than a line has one of its own, however long it is.
    let long = vec![0; COLUMNS + 1];
    let short = shown.value.as_ref().map(|value| value.short(COLUMNS));
    let mut parts = vec![Layout::word(shown.name.as_str())];
    if let Some(text) = &short {
        parts.extend([Layout::word(" = "), Layout::word(text.as_ref().unwrap_or(&long).clone())]);
    }
    parts.extend([Layout::word(" : "), shown.ty.clone()]);
    for (indent, text) in Layout::Row(parts).lines() {
        world.print(&vec![b' '; indent]);
        match (&shown.value, &short) {
            (Some(value), Some(None)) if text == long => value.write(&mut |bytes| {
                world.print(bytes);
                !world.interrupted()
            }),
            _ => world.print(&text),
        }
        world.print(b"\n");
    }
}

/// Makes a name that no program can write.
fn hidden(name: &str) -> Text {
    Arc::from(format!("*{name}*"))
}
