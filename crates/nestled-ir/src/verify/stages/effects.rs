//! Checks effects: no faults in monoids, and no commands in functions that `each` calls.

use crate::diagnostic::Diagnostic;
use crate::host::{Function, HostOp, HostPart};
use crate::program::Program;
use crate::span::Span;
use crate::thunk::{Stmt, ThunkDef, ThunkPart};
use crate::verify::report::Report;

/// Checks that the thunks that combine values of monoids cannot fault: they run in an order of the device's choosing.
pub(super) fn check_monoids(program: &Program, report: &mut Report) {
    let faults = reach(&program.thunks, thunk_fault, thunk_calls);
    for monoid in &program.monoids {
        let Some(place) = faults[monoid.combine.index()] else { continue };
        let combine = program.thunk(monoid.combine);
        let message = format!("`{}` can fault, and cannot combine values of `{}`", combine.name, monoid.name);
        report.add(
            Diagnostic::new("L0441", message, monoid.span)
                .label(place, "this can fault")
                .help("check the values before they are combined"),
        );
    }
}

/// Checks that functions called by `each` run no commands: instances have no order.
pub(super) fn check_each(program: &Program, report: &mut Report) {
    let commands = reach(&program.functions, function_command, function_calls);
    for function in &program.functions {
        function.body.walk(&mut |stmt| {
            let HostOp::Each { function: callee, .. } = &stmt.op else { return };
            let Some(place) = commands[callee.index()] else { return };
            let message = format!("`each` calls `{}`, which runs a command", program.function(*callee).name);
            report.add(
                Diagnostic::new("L0442", message, stmt.span)
                    .label(place, "this command")
                    .help("return what is to be printed or written, and run the command after `each`"),
            );
        });
    }
}

/// For each definition, the first place that `has` finds in it or, transitively, in its callees. A worklist over the call graph.
fn reach<T>(defs: &[T], has: fn(&T) -> Option<Span>, calls: fn(&T) -> Vec<usize>) -> Vec<Option<Span>> {
    let mut found: Vec<Option<Span>> = defs.iter().map(has).collect();
    let mut callers = vec![Vec::new(); defs.len()];
    for (caller, def) in defs.iter().enumerate() {
        for callee in calls(def) {
            callers[callee].push(caller);
        }
    }
    let mut open: Vec<usize> = (0..defs.len()).filter(|&def| found[def].is_some()).collect();
    while let Some(callee) = open.pop() {
        for &caller in &callers[callee] {
            if found[caller].is_none() {
                found[caller] = found[callee];
                open.push(caller);
            }
        }
    }
    found
}

fn thunk_fault(def: &ThunkDef) -> Option<Span> {
    let mut found = None;
    def.thunk.body.walk(&mut |stmt: &Stmt| {
        if stmt.kind.site().is_some() {
            found.get_or_insert(stmt.span);
        }
    });
    found
}

fn thunk_calls(def: &ThunkDef) -> Vec<usize> {
    let mut calls = Vec::new();
    def.thunk.body.walk(&mut |stmt| {
        stmt.kind.for_each_part(&mut |part| {
            if let ThunkPart::Thunk(thunk) = part {
                calls.push(thunk.index());
            }
        });
    });
    calls
}

fn function_command(function: &Function) -> Option<Span> {
    let mut found = None;
    function.body.walk(&mut |stmt| {
        if matches!(stmt.op, HostOp::Command(_)) {
            found.get_or_insert(stmt.span);
        }
    });
    found
}

fn function_calls(function: &Function) -> Vec<usize> {
    let mut calls = Vec::new();
    function.body.walk(&mut |stmt| {
        stmt.op.for_each_part(&mut |part| {
            if let HostPart::Function(function) = part {
                calls.push(function.index());
            }
        });
    });
    calls
}
