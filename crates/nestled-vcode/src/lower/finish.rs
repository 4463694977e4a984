//! Drops what was written in vain: kernels and functions of rounds that were given up.

use nestled_ir::{FunctionId, HostBlock, HostOp, KernelId, Program};

/// The program with what its entry reaches, which is the first function.
pub fn finish(mut program: Program) -> Program {
    let mut kernels = vec![false; program.kernels.len()];
    let mut functions = vec![false; program.functions.len()];
    let mut open = vec![0];
    while let Some(function) = open.pop() {
        if std::mem::replace(&mut functions[function], true) {
            continue;
        }
        visit(&mut program.functions[function].body, &mut |op| match op {
            HostOp::Run { kernel, .. } => kernels[kernel.index()] = true,
            HostOp::Call { function, .. } => open.push(function.index()),
            _ => {}
        });
    }
    let new_kernels = places(&kernels);
    let new_functions = places(&functions);
    keep(&mut program.kernels, &kernels);
    keep(&mut program.functions, &functions);
    for function in &mut program.functions {
        visit(&mut function.body, &mut |op| match op {
            HostOp::Run { kernel, .. } => *kernel = KernelId::from(new_kernels[kernel.index()]),
            HostOp::Call { function, .. } => *function = FunctionId::from(new_functions[function.index()]),
            _ => {}
        });
    }
    nestled_ir::compact::compact(&program)
}

/// The new place of each entry that is kept.
fn places(kept: &[bool]) -> Vec<usize> {
    let mut next = 0;
    kept.iter()
        .map(|&keep| {
            next += usize::from(keep);
            next - usize::from(keep)
        })
        .collect()
}

fn keep<T>(all: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    all.retain(|_| kept.next() == Some(&true));
}

fn visit(block: &mut HostBlock, with: &mut dyn FnMut(&mut HostOp)) {
    for stmt in &mut block.stmts {
        with(&mut stmt.op);
        for inner in stmt.op.blocks_mut() {
            visit(inner, with);
        }
    }
}
