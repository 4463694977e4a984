//! `nestled run` for NESL: statement after statement, up to the first error.

use super::world::Machine;
use super::{arguments, backend, dialect, json, numpy, tell_of_user};
use crate::cli::Run;
use crate::device;
use crate::exit_codes::{FAILED, Failure, INTERRUPTED};
use crate::load::read;
use crate::signals;
use crate::watch::Watch;
use nestled_nesl::ast::{PatternKind, Statement, StatementKind};
use nestled_nesl::interp::World;
use nestled_nesl::{FaultCode, Flow, Session, TopLevel, result_line};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;

/// Runs a program, then the statements of `-e`.
pub fn run(options: &Run) -> Result<(), Failure> {
    if let Some(argument) = options.args.first() {
        let text = format!("a NESL program has named arguments; write `--arg name={argument}`");
        return Err(Failure::usage(text));
    }
    let interrupt = signals::interrupt_or_exit();
    let gate = options.gate();
    let room = device::room(options.memory.as_deref())?;
    let mut world = Machine::new(gate, &options.drawings, room, interrupt.clone());
    let mut top = TopLevel::new(dialect(&options.nesl));
    let watch = Watch::new(options, &top.session.sources, Instant::now())?;
    let watch = Rc::new(RefCell::new(watch));
    top.session.engine = backend::engine(options, &interrupt, &watch)?;
    tell_of_user(&mut top.session, gate);
    if options.full {
        top.session.style.print_length = usize::MAX;
    }
    top.stops = true;
    top.session.limits.bytes = room;
    let outcome = program(options, &mut top, room, &mut world);
    let _ending = signals::enter(signals::Phase::Ending);
    world.finish()?;
    outcome?;
    watch.borrow_mut().finish()?;
    match &options.output {
        Some(path) => numpy::write(path, &mut top.session),
        None => Ok(()),
    }
}

fn program(options: &Run, top: &mut TopLevel, room: u64, world: &mut Machine) -> Result<(), Failure> {
    // Names that the program's own assignments must leave alone.
    let mut given = BTreeSet::new();
    for (name, value) in &options.named {
        arguments::bind(&mut top.session, (name, value), room, world)?;
        given.insert(name.as_str());
    }
    if let Some(file) = &options.file {
        let (name, text) = read(file)?;
        if text_runs(options, top, (&name, &text), &mut given, world)? == Flow::Leave {
            return Ok(());
        }
    }
    if let Some(text) = &options.expression {
        text_runs(options, top, ("-e", text), &mut given, world)?;
    }
    Ok(())
}

fn text_runs(
    options: &Run,
    top: &mut TopLevel,
    (name, text): (&str, &str),
    given: &mut BTreeSet<&str>,
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
            _ => {
                one(options, &mut top.session, &statement, world)?;
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

/// A command failed, or was interrupted.
fn stopped(world: &Machine) -> Failure {
    let code = if world.interrupted() { INTERRUPTED } else { FAILED };
    Failure { message: String::new(), code }
}

/// Whether an argument takes the place of this assignment; of later ones to the same name it does not.
fn is_given(pattern: &PatternKind, given: &mut BTreeSet<&str>) -> bool {
    matches!(pattern, PatternKind::Name(name) if given.remove(&**name))
}

fn one(
    options: &Run,
    session: &mut Session,
    statement: &Statement,
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
    } else if options.output.is_none() {
        world.print(&result_line(shown));
    }
    Ok(())
}
