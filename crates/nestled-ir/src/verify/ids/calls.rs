//! Rejects recursive thunks: a device may inline the code of a thunk at its call.

use crate::diagnostic::Diagnostic;
use crate::program::Program;
use crate::span::Span;
use crate::thunk::{Block, StmtKind};
use crate::verify::report::Report;

/// Checks that calls among the named thunks lead to no circle.
pub(super) fn check(program: &Program, report: &mut Report) {
    let calls: Vec<Vec<(usize, Span)>> =
        program.thunks.iter().map(|def| calls(&def.thunk.body, program.thunks.len())).collect();
    let mut state = vec![State::New; calls.len()];
    for start in 0..calls.len() {
        if let Some((from, to, span)) = find_circle(start, &calls, &mut state) {
            let (from, to) = (&program.thunks[from], &program.thunks[to]);
            let message = format!("the thunk `{}` leads back to itself: thunks cannot recur", to.name);
            let diagnostic = Diagnostic::new("L0209", message, span)
                .here(format!("called from `{}`", from.name))
                .label(to.span, "defined here")
                .help("write a `while` loop, or a `fn`, which may recur");
            report.add(diagnostic);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Searches in depth from `start`, with a stack of its own; gives the first call that closes a circle.
fn find_circle(
    start: usize,
    calls: &[Vec<(usize, Span)>],
    state: &mut [State],
) -> Option<(usize, usize, Span)> {
    if state[start] != State::New {
        return None;
    }
    let mut found = None;
    let mut open = vec![(start, 0)];
    state[start] = State::Open;
    while let Some((thunk, next)) = open.pop() {
        let Some(&(callee, span)) = calls[thunk].get(next) else {
            state[thunk] = State::Done;
            continue;
        };
        open.push((thunk, next + 1));
        match state[callee] {
            State::New => {
                state[callee] = State::Open;
                open.push((callee, 0));
            }
            State::Open if found.is_none() => found = Some((thunk, callee, span)),
            State::Open | State::Done => {}
        }
    }
    found
}

/// The calls of a block that are in range.
fn calls(body: &Block, n_thunks: usize) -> Vec<(usize, Span)> {
    let mut calls = Vec::new();
    body.walk(&mut |stmt| {
        if let StmtKind::Call { thunk, .. } = &stmt.kind
            && thunk.index() < n_thunks
        {
            calls.push((thunk.index(), stmt.span));
        }
    });
    calls
}
