//! `nestled run` for NESL: statement after statement, up to the first error.

use super::world::Machine;
use super::{arguments, backend, dialect, json, numpy, tables, tell_of_user};
use crate::cli::Run;
use crate::device;
use crate::exit_codes::{FAILED, Failure, INTERRUPTED};
use crate::load::nesl_texts;
use crate::watch::Watch;
use crate::{files, signals};
use nestled_nesl::ast::{PatternKind, Statement, StatementKind};
use nestled_nesl::engine::Engine;
use nestled_nesl::interp::World;
use nestled_nesl::parser::parse;
use nestled_nesl::{Checked, FaultCode, Flow, Session, TopLevel, print_result};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// Runs a program, then the statements of `-e`.
pub fn run(options: &Run) -> Result<(), Failure> {
    run_with(options, Shown::All, Ok)
}

/// The values of expressions that are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    All,
    None,
}

/// The same on an engine that `wrap` makes of the one that the command line asks for.
pub fn run_with(
    options: &Run,
    shown: Shown,
    wrap: impl FnOnce(Engine) -> Result<Engine, Failure>,
) -> Result<(), Failure> {
    if let Some(argument) = options.args.first() {
        let text = format!("a NESL program has named arguments; write `--arg name={argument}`");
        return Err(Failure::usage(text));
    }
    if let Some(path) = &options.output {
        files::check_path(path, &numpy::FORMS)?;
    }
    let texts = nesl_texts(options.file.as_deref(), options.expression.as_deref())?;
    let interrupt = signals::interrupt_or_exit();
    let gate = options.gate();
    let room = device::room(options.memory.as_deref())?;
    let mut world = Machine::new(gate, &options.drawings, room, interrupt.clone());
    let mut top = TopLevel::new(dialect(&options.nesl));
    top.to_vcode = Some(nestled_vcode::emit::of_session);
    let watch = Watch::new(options, &top.session.sources, Instant::now())?;
    let watch = Rc::new(RefCell::new(watch));
    top.session.engine = wrap(backend::engine(options, &interrupt, &watch)?)?;
    tell_of_user(&mut top.session, gate);
    if options.full {
        top.session.style.print_length = usize::MAX;
    }
    top.stops = true;
    top.session.limits.bytes = room;
    let outcome = program(options, (&texts, shown), &mut top, room, &mut world);
    let _ending = signals::enter(signals::Phase::Ending);
    // A trace is written also when the program was stopped.
    let watched = watch.borrow_mut().finish();
    world.finish()?;
    outcome?;
    watched?;
    match &options.output {
        Some(path) if tables::is_written(path) => tables::write(path, &mut top.session),
        Some(path) => numpy::write(path, &mut top.session),
        None => Ok(()),
    }
}

fn program(
    options: &Run,
    (texts, shown): (&[(String, String)], Shown),
    top: &mut TopLevel,
    room: u64,
    world: &mut Machine,
) -> Result<(), Failure> {
    let dialect = top.session.dialect();
    let parsed: Vec<Vec<Statement>> =
        texts.iter().map(|(_, text)| parse(text, 0, dialect).statements).collect();
    let is_command = |statement: &Statement| matches!(statement.kind, StatementKind::Command { .. });
    // What a command brings along is not known yet.
    let is_whole = !parsed.iter().flatten().any(is_command);
    if is_whole {
        arguments::check_names(&options.named, texts, dialect)?;
    }
    for named in &options.named {
        arguments::bind(&mut top.session, named, room, world)?;
    }
    // Names that the program's own assignments must leave alone.
    let mut given: BTreeSet<&str> = options.named.iter().map(|named| named.name.as_str()).collect();
    let is_expr = |statement: &Statement| matches!(statement.kind, StatementKind::Expr(_));
    let expressions = parsed.iter().flatten().filter(|statement| is_expr(statement)).count();
    if let Some(path) = &options.output {
        if expressions == 0 && is_whole {
            return Err(Failure::usage("there is no value to write: no statement is an expression"));
        }
        check_form(path, (texts, expressions), given.clone(), &top.session)?;
    }
    // So many values are shown; the last one is not, if it is written.
    let mut left = match shown {
        Shown::All => expressions - usize::from(options.output.is_some()).min(expressions),
        Shown::None => 0,
    };
    for (name, text) in texts {
        if text_runs(options, top, (name, text), (&mut given, &mut left), world)? == Flow::Leave {
            return Ok(());
        }
    }
    Ok(())
}

/// Checks, as far as its type tells, that the value of the last expression of some texts can be written to a file of this name. Errors in
/// the statements themselves are reported when they run.
fn check_form(
    path: &Path,
    (texts, mut expressions): (&[(String, String)], usize),
    mut given: BTreeSet<&str>,
    session: &Session,
) -> Result<(), Failure> {
    let mut session = session.another();
    for (name, text) in texts {
        for item in session.read(name, text) {
            let Ok(statement) = item else { return Ok(()) };
            match &statement.kind {
                StatementKind::Assign { pattern, .. } if is_given(&pattern.kind, &mut given) => continue,
                StatementKind::Command { .. } | StatementKind::Background { .. } => return Ok(()),
                _ => {}
            }
            let result = session.check(&statement);
            if !result.errors.is_empty() {
                return Ok(());
            }
            if let Some(Checked::Expr(expr)) = result.checked {
                expressions -= 1;
                if expressions == 0 {
                    return numpy::check_form(path, expr.ty, &mut session);
                }
            }
        }
    }
    Ok(())
}

/// Runs a text. Shows the values of its expressions, at most `left` of them.
fn text_runs(
    options: &Run,
    top: &mut TopLevel,
    (name, text): (&str, &str),
    (given, left): (&mut BTreeSet<&str>, &mut usize),
    world: &mut Machine,
) -> Result<Flow, Failure> {
    let mut statements = Vec::new();
    let mut errors = Vec::new();
    for item in top.session.read(name, text) {
        match item {
            Ok(statement) => statements.push(statement),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(Failure::failed(nestled_ir::render_all(&errors, &top.session.sources)));
    }
    for statement in statements {
        let flow = match &statement.kind {
            StatementKind::Assign { pattern, .. } if is_given(&pattern.kind, given) => Flow::On,
            StatementKind::Command { .. }
            | StatementKind::Config { .. }
            | StatementKind::Background { .. } => top.statement(&statement, false, world),
            StatementKind::Expr(_) => {
                one(options, &mut top.session, (&statement, *left > 0), world)?;
                *left = left.saturating_sub(1);
                Flow::On
            }
            _ => {
                one(options, &mut top.session, (&statement, false), world)?;
                top.note(&statement);
                Flow::On
            }
        };
        // What a statement printed is not lost with a later one that must be stopped.
        world.flush();
        match flow {
            Flow::On => {}
            Flow::Leave => return Ok(flow),
            // The message is there already.
            Flow::Fail => return Err(stopped(world)),
        }
    }
    Ok(Flow::On)
}

/// The failure of a program that a command has ended.
fn stopped(world: &Machine) -> Failure {
    let code = if world.interrupted() { INTERRUPTED } else { FAILED };
    Failure { message: String::new(), code }
}

/// True if an argument replaces this assignment; only the first assignment to a name is replaced.
fn is_given(pattern: &PatternKind, given: &mut BTreeSet<&str>) -> bool {
    matches!(pattern, PatternKind::Name(name) if given.remove(&**name))
}

fn one(
    options: &Run,
    session: &mut Session,
    (statement, is_shown): (&Statement, bool),
    world: &mut Machine,
) -> Result<(), Failure> {
    let result = session.execute(statement, world);
    for warning in &result.warnings {
        world.report(warning.render_warning(&session.sources).as_bytes());
    }
    if !result.errors.is_empty() {
        return Err(Failure::failed(nestled_ir::render_all(&result.errors, &session.sources)));
    }
    if let Some(fault) = result.fault {
        return Err(match fault.code {
            FaultCode::Interrupted => Failure { message: "interrupted\n".to_owned(), code: INTERRUPTED },
            _ => Failure::failed(fault.diagnostic().render(&session.sources)),
        });
    }
    let (StatementKind::Expr(_), Some(shown)) = (&statement.kind, &result.shown) else { return Ok(()) };
    if options.json {
        world.print(json::line(session, shown).as_bytes());
    } else if is_shown {
        print_result(shown, world);
    }
    Ok(())
}
