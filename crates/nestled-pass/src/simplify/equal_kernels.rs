//! Merging of equal kernels (hash consing): kernels that differ only in names become one.
//!
//! Sites are compared: two kernels that may fault report different places. The program must be numbered canonically.

use nestled_ir::{HostBlock, HostOp, Kernel, KernelId, Name, Program, Span, Thunk};
use std::collections::HashMap;

/// Redirects all runs of equal kernels to the first of them; the others are dead then. Returns whether anything changed.
pub fn merge(program: &mut Program) -> bool {
    let mut first: HashMap<Kernel, KernelId> = HashMap::new();
    let kernels = program.kernels.iter().enumerate();
    let stands_for: Vec<KernelId> = kernels
        .map(|(at, kernel)| *first.entry(canonical_names(kernel)).or_insert(KernelId::from(at)))
        .collect();
    let mut changed = false;
    program.functions.iter_mut().for_each(|function| changed |= redirect(&mut function.body, &stands_for));
    changed
}

fn canonical_names(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    let none: Name = "".into();
    kernel.name = none.clone();
    kernel.span = Span::NONE;
    for value in &mut kernel.values {
        value.name = none.clone();
        value.span = Span::NONE;
    }
    for step in &mut kernel.steps {
        step.span = Span::NONE;
        forget_names(&mut step.body, &none);
    }
    kernel
}

fn forget_names(thunk: &mut Thunk, none: &Name) {
    thunk.locals.iter_mut().for_each(|local| local.name = none.clone());
    thunk.privates.iter_mut().for_each(|private| private.name = none.clone());
    forget_spans(&mut thunk.body);
}

fn forget_spans(block: &mut nestled_ir::Block) {
    for stmt in &mut block.stmts {
        stmt.span = Span::NONE;
        stmt.kind.blocks_mut().into_iter().for_each(forget_spans);
    }
}

fn redirect(block: &mut HostBlock, stands_for: &[KernelId]) -> bool {
    let mut changed = false;
    for stmt in &mut block.stmts {
        if let HostOp::Run { kernel, .. } = &mut stmt.op {
            changed |= stands_for[kernel.index()] != *kernel;
            *kernel = stands_for[kernel.index()];
        }
        for block in stmt.op.blocks_mut() {
            changed |= redirect(block, stands_for);
        }
    }
    changed
}
