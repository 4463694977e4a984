//! Nesting depth of blocks, limited. Checked first, and without recursion, so that all later code may recur over blocks.

use super::MAX_NESTING;
use super::report::Report;
use crate::diagnostic::Diagnostic;
use crate::host::HostBlock;
use crate::program::Program;
use crate::span::Span;
use crate::thunk::Block;

/// Checks the depth of all blocks of a program.
pub(super) fn check(program: &Program, report: &mut Report) {
    for def in &program.thunks {
        check_thunk(&def.thunk.body, report);
    }
    for kernel in &program.kernels {
        for step in &kernel.steps {
            check_thunk(&step.body.body, report);
        }
    }
    for function in &program.functions {
        check_host(&function.body, report);
    }
}

/// Looks at the blocks of a thunk with a stack of its own; one message is enough for each.
fn check_thunk(body: &Block, report: &mut Report) {
    let mut open = vec![(body, 1)];
    while let Some((block, depth)) = open.pop() {
        for stmt in &block.stmts {
            let inner = stmt.kind.blocks();
            if !inner.is_empty() && depth == MAX_NESTING {
                return report.add(too_deep(stmt.span));
            }
            open.extend(inner.into_iter().map(|block| (block, depth + 1)));
        }
    }
}

/// Looks at the blocks of a function, as [`check_thunk`] does.
fn check_host(body: &HostBlock, report: &mut Report) {
    let mut open = vec![(body, 1)];
    while let Some((block, depth)) = open.pop() {
        for stmt in &block.stmts {
            let inner = stmt.op.blocks();
            if !inner.is_empty() && depth == MAX_NESTING {
                return report.add(too_deep(stmt.span));
            }
            open.extend(inner.into_iter().map(|block| (block, depth + 1)));
        }
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new("L0201", format!("blocks lie more than {MAX_NESTING} deep inside one another"), span)
        .help("move inner blocks into a `thunk` or `fn` of their own")
}
