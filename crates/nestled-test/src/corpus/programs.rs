//! Checks of programs: their stated results on every engine, before and after every rewrite.

use super::directive::{Call, Directive};
use super::engine::{Engine, Rewrite};
use super::files::{File, check_all, panic_text};
use super::report::Report;
use nestled_ir::interp::{Error, Fault, TestWorld};
use nestled_ir::value::{AxisValue, Value, parse_call, parse_results, same_bits};
use nestled_ir::{Program, compact, render_all, text, verify};
use nestled_pass::Limits;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Checks every program below a folder: it is well-formed, prints as it parses, and gives the stated results on every engine, as it is
/// and after every rewrite. Rewritten programs run on the first engine.
pub fn check_programs(root: &Path, engines: &[Engine], rewrites: &[Rewrite]) -> Report {
    check_all(root, |file, report| check_program(file, engines, rewrites, report))
}

fn check_program(file: &File, engines: &[Engine], rewrites: &[Rewrite], report: &mut Report) {
    let program = match load(file) {
        Ok(program) => program,
        Err(error) => return report.fail(&file.path, error),
    };
    if let Err(error) = check_round_trip(&program) {
        report.fail(&file.path, error);
    }
    let mut faults = Vec::new();
    for directive in &file.directives {
        let mut fault = None;
        match directive {
            Directive::Run { .. } | Directive::Fault { .. } => {
                for engine in engines {
                    let found = check_call(file, &program, engine, "", (directive, fault.as_ref()), report);
                    fault = fault.or(found);
                }
            }
            Directive::Structure(_) => check_structure(file, &program, directive, report),
            Directive::Error { .. } | Directive::Pass(_) | Directive::Limits(_) | Directive::Expect(_) => {
                report.fail(&file.path, "this directive has no place among programs");
            }
        }
        faults.push(fault);
    }
    for rewrite in rewrites {
        check_rewrite(file, &program, &faults, &engines[0], rewrite, report);
    }
}

/// Parses and verifies a file.
pub(super) fn load(file: &File) -> Result<Program, String> {
    let name = file.path.display().to_string();
    let program = text::parse(&name, &file.text).map_err(|failure| {
        format!("does not parse\n{}", render_all(&failure.diagnostics, &failure.sources))
    })?;
    verify::verify(&program)
        .map_err(|errors| format!("is not well-formed\n{}", render_all(&errors, &program.sources)))?;
    Ok(program)
}

/// Checks that a program is numbered canonically, and is the same after printing and parsing.
pub(super) fn check_round_trip(program: &Program) -> Result<(), String> {
    if compact::compact(program) != *program {
        return Err("is not numbered in the order of its text".to_owned());
    }
    let printed = text::print(program);
    let again = text::parse("printed", &printed).map_err(|failure| {
        let messages = render_all(&failure.diagnostics, &failure.sources);
        format!("does not parse after printing\n{messages}\n{printed}")
    })?;
    if again != *program {
        return Err(format!(
            "is another program after printing and parsing\n{printed}\n{}",
            text::print(&again)
        ));
    }
    if text::print(&again) != printed {
        return Err(format!("prints otherwise the second time\n{printed}"));
    }
    Ok(())
}

/// The name of `main` while a program is rewritten: without a `main` the program is a library, and every function counts.
const LIBRARY_ENTRY: &str = "main'";

/// Checks a rewritten program, which must fault where the program did: at `faults`, one for each directive.
fn check_rewrite(
    file: &File,
    program: &Program,
    faults: &[Option<Fault>],
    engine: &Engine,
    rewrite: &Rewrite,
    report: &mut Report,
) {
    let mut library = program.clone();
    if let Some(entry) = library.find_function(Program::ENTRY) {
        library.functions[entry.index()].name = LIBRARY_ENTRY.into();
    }
    let rewritten = match rewrite_checked(&library, rewrite, Limits::default()) {
        Ok(rewritten) => rewritten,
        Err(error) => return report.fail(&file.path, format_args!("after `{}`: {error}", rewrite.name)),
    };
    if !rewrite.exact {
        return;
    }
    let after = format!(" after `{}`", rewrite.name);
    for (directive, fault) in file.directives.iter().zip(faults) {
        check_call(file, &rewritten, engine, &after, (directive, fault.as_ref()), report);
    }
}

/// Rewrites a program, and checks the result.
pub(super) fn rewrite_checked(
    program: &Program,
    rewrite: &Rewrite,
    limits: Limits,
) -> Result<Program, String> {
    let rewritten = catch_unwind(AssertUnwindSafe(|| (rewrite.run)(program, limits)))
        .unwrap_or_else(|panic| Err(format!("panic: {}", panic_text(&*panic))))?;
    verify::verify(&rewritten).map_err(|errors| render_all(&errors, &rewritten.sources))?;
    check_round_trip(&rewritten)?;
    Ok(rewritten)
}

pub(super) fn check_structure(file: &File, program: &Program, directive: &Directive, report: &mut Report) {
    let Directive::Structure(counts) = directive else { return };
    for &(count, expected) in counts {
        report.cases += 1;
        let found = count.of(program);
        if found != expected {
            report.fail(&file.path, format_args!("has {} {found}, not {expected}", count.name()));
        }
    }
}

/// Checks a `run` or `fault`, and nothing else. Returns the fault; if one is given, both must be equal.
pub(super) fn check_call(
    file: &File,
    program: &Program,
    engine: &Engine,
    after: &str,
    (directive, known): (&Directive, Option<&Fault>),
    report: &mut Report,
) -> Option<Fault> {
    let (Directive::Run { call, output, .. } | Directive::Fault { call, output, .. }) = directive else {
        return None;
    };
    report.cases += 1;
    let found = try_call(program, engine, call, output, directive).and_then(|found| match (known, &found) {
        (Some(known), Some(found)) if known != found || after.is_empty() && !agree(known, found) => {
            Err(format!("faults with {found:?}, not {known:?}"))
        }
        _ => Ok(found),
    });
    found.unwrap_or_else(|error| {
        report.fail(&file.path, format_args!("{} on {}{after}: {error}", call.text, engine.name));
        None
    })
}

/// True if two faults are at the same coordinates, as far as both engines know them. Rewritten programs may have other axes.
fn agree(one: &Fault, other: &Fault) -> bool {
    let [one, other] = [one, other].map(|fault| &fault.point.0);
    one.is_empty() || other.is_empty() || one == other
}

fn try_call(
    program: &Program,
    engine: &Engine,
    call: &Call,
    output: &[String],
    directive: &Directive,
) -> Result<Option<Fault>, String> {
    let mut name = call.function.as_str();
    if name == Program::ENTRY && program.find_function(name).is_none() {
        name = LIBRARY_ENTRY;
    }
    let function = program.find_function(name).ok_or("no such function")?;
    let args: Vec<&str> = call.args.iter().map(String::as_str).collect();
    let shapes: Option<Vec<&str>> =
        call.shapes.as_ref().map(|shapes| shapes.iter().map(String::as_str).collect());
    let given = parse_call(program, function, shapes.as_deref(), &args).map_err(|error| error.to_string())?;
    let mut world = TestWorld::default();
    let run = || (engine.run)(program, name, &given.shapes, &given.values, &mut world);
    let outcome =
        catch_unwind(AssertUnwindSafe(run)).map_err(|panic| format!("panic: {}", panic_text(&*panic)))?;
    let mut fault = None;
    match directive {
        Directive::Run { results, .. } => {
            let found = outcome.map_err(|error| error.render(&program.sources))?;
            compare(program, function, &given.shapes, results, &found)?;
        }
        Directive::Fault { message, .. } => fault = Some(check_fault(outcome, message)?),
        _ => {}
    }
    if world.output != output {
        return Err(format!("prints {:?}, not {output:?}", world.output));
    }
    Ok(fault)
}

fn compare(
    program: &Program,
    function: nestled_ir::FunctionId,
    shapes: &[AxisValue],
    results: &[String],
    found: &[Value],
) -> Result<(), String> {
    let texts: Vec<&str> = results.iter().map(String::as_str).collect();
    let show = || found.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
    let expected = parse_results(program, function, shapes, &texts)
        .map_err(|error| format!("gives {}; the stated results are wrong: {error}", show()))?;
    let same = expected.len() == found.len() && expected.iter().zip(found).all(|(a, b)| same_bits(a, b));
    if same { Ok(()) } else { Err(format!("gives {}, not {}", show(), results.join(", "))) }
}

fn check_fault(outcome: Result<Vec<Value>, Error>, message: &str) -> Result<Fault, String> {
    let fault = match outcome {
        Ok(values) => {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            return Err(format!("gives {}, not a fault", values.join(", ")));
        }
        Err(Error::Fault(fault)) => fault,
        Err(other) => return Err(format!("ends with something else than a fault: {other}")),
    };
    let found = fault.kind.to_string();
    if found.contains(message) { Ok(fault) } else { Err(format!("faults with `{found}`, not `{message}`")) }
}
