//! Dead code elimination: drops kernels and functions of iteration rounds that were given up.

use nestled_ir::{FunctionId, HostBlock, HostPart, HostPartMut, KernelId, Program};

/// Returns the program with only the parts that its entry, the first function, reaches.
pub fn finish(mut program: Program) -> Program {
    let mut kernels = vec![false; program.kernels.len()];
    let mut functions = vec![false; program.functions.len()];
    let mut open = vec![0];
    while let Some(function) = open.pop() {
        if std::mem::replace(&mut functions[function], true) {
            continue;
        }
        program.functions[function].body.walk(&mut |stmt| {
            stmt.op.for_each_part(&mut |part| match part {
                HostPart::Kernel(kernel) => kernels[kernel.index()] = true,
                HostPart::Function(function) => open.push(function.index()),
                HostPart::Atom(_)
                | HostPart::Value(_)
                | HostPart::Axis(_)
                | HostPart::Block(_)
                | HostPart::Site(_) => {}
            });
        });
    }
    let new_kernels = places(&kernels);
    let new_functions = places(&functions);
    keep(&mut program.kernels, &kernels);
    keep(&mut program.functions, &functions);
    for function in &mut program.functions {
        renumber(&mut function.body, &new_functions, &new_kernels);
    }
    nestled_ir::compact::compact(&program)
}

/// Returns the new place of each entry that is kept.
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

fn renumber(block: &mut HostBlock, functions: &[usize], kernels: &[usize]) {
    for stmt in &mut block.stmts {
        stmt.op.for_each_part_mut(&mut |part| match part {
            HostPartMut::Kernel(kernel) => *kernel = KernelId::from(kernels[kernel.index()]),
            HostPartMut::Function(function) => *function = FunctionId::from(functions[function.index()]),
            HostPartMut::Block(block) => renumber(block, functions, kernels),
            HostPartMut::Atom(_) | HostPartMut::Value(_) | HostPartMut::Axis(_) | HostPartMut::Site(_) => {}
        });
    }
}
