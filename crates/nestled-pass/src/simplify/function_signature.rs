//! Dead parameter and dead result elimination of functions: removes parameters that are read only by calls that pass them on to dead parameters, and results that no call uses.
//!
//! A function changes only together with all its calls: `main` stays as it is, and so do functions that an `each` calls, or that have no call. If the callers are not all known
//! ([`keep_all`](crate::PassOptions::keep_all), or no `main`), nothing changes. An argument is never lost where a call runs, because the fault that lost it was reported when the
//! region ended.

use super::signature::{retain, used_values};
use nestled_ir::{Axis, Function, HostAtom, HostBlock, HostOp, HostStmt, Program, ValueId};

/// The live part of a function's head: for each shape parameter, parameter and result, whether it stays.
struct Head {
    shapes: Vec<bool>,
    params: Vec<bool>,
    results: Vec<bool>,
}

/// Narrows all functions but `main`, and their calls. Returns for each function whether it changed.
pub fn narrow(program: &mut Program) -> Vec<bool> {
    let mut changed = vec![false; program.functions.len()];
    let Some(main) = program.find_function(Program::ENTRY) else { return changed };
    let mut heads = wanted_results(program);
    keep_whole(&mut heads[main.index()]);
    read_params(program, &mut heads);
    if heads.iter().all(Head::is_whole) {
        return changed;
    }
    for ((function, head), changed) in program.functions.iter_mut().zip(&heads).zip(&mut changed) {
        *changed = !head.is_whole();
        retain(&mut function.shapes, &head.shapes);
        retain(&mut function.params, &head.params);
        retain(&mut function.results, &head.results);
        retain(&mut function.body.results, &head.results);
    }
    for (function, changed) in program.functions.iter_mut().zip(&mut changed) {
        narrow_calls(&mut function.body, &heads, changed);
    }
    changed
}

impl Head {
    fn is_whole(&self) -> bool {
        [&self.shapes, &self.params, &self.results].iter().all(|marks| !marks.contains(&false))
    }
}

fn keep_whole(head: &mut Head) {
    for marks in [&mut head.shapes, &mut head.params, &mut head.results] {
        marks.fill(true);
    }
}

/// For each function: the results that some call uses, with the symbols in their types. Functions without a call, or called by an `each`, are kept whole.
fn wanted_results(program: &Program) -> Vec<Head> {
    let head = |function: &Function| Head {
        shapes: vec![false; function.shapes.len()],
        params: vec![false; function.params.len()],
        results: vec![false; function.results.len()],
    };
    let mut heads: Vec<Head> = program.functions.iter().map(head).collect();
    let mut called = vec![false; heads.len()];
    for function in &program.functions {
        let used = used_values(function);
        function.body.walk(&mut |stmt| match &stmt.op {
            HostOp::Call { function, .. } => {
                called[function.index()] = true;
                let marks = &mut heads[function.index()].results;
                marks.iter_mut().zip(&stmt.binds).for_each(|(mark, bind)| *mark |= used[bind.index()]);
            }
            HostOp::Each { function, .. } => keep_whole(&mut heads[function.index()]),
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::If { .. }
            | HostOp::Run { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => {}
        });
    }
    heads.iter_mut().zip(called).filter(|(_, called)| !called).for_each(|(head, _)| keep_whole(head));
    for (head, function) in heads.iter_mut().zip(&program.functions) {
        // From the last: types use earlier results.
        for at in (0..function.results.len()).rev().filter(|&at| head.results[at]).collect::<Vec<_>>() {
            mark_symbols(function, at, &mut head.results);
        }
    }
    heads
}

/// Marks the results that the type of a result names, and transitively those that their types name.
fn mark_symbols(function: &Function, at: usize, results: &mut [bool]) {
    let mut work = vec![function.results[at]];
    while let Some(value) = work.pop() {
        function.values[value.index()].ty.for_each_symbol(&mut |symbol| {
            if let Some(at) = function.results.iter().position(|result| *result == symbol) {
                results[at] = true;
            }
            work.push(symbol);
        });
    }
}

/// Marks the parameters that are read, by a worklist over callers until nothing changes.
fn read_params(program: &Program, heads: &mut [Head]) {
    let callers = callers(program);
    let mut work: Vec<usize> = (0..heads.len()).rev().collect();
    let mut waits = vec![true; heads.len()];
    while let Some(at) = work.pop() {
        waits[at] = false;
        let function = &program.functions[at];
        let read = read_values(function, heads, &heads[at]);
        let head = &mut heads[at];
        let mut changed = false;
        for (marks, formals) in [(&mut head.shapes, &function.shapes), (&mut head.params, &function.params)] {
            for (mark, formal) in marks.iter_mut().zip(formals) {
                changed |= !*mark && read[formal.index()];
                *mark |= read[formal.index()];
            }
        }
        if changed {
            work.extend(callers[at].iter().filter(|&&caller| !std::mem::replace(&mut waits[caller], true)));
        }
    }
}

/// For each function: its callers.
fn callers(program: &Program) -> Vec<Vec<usize>> {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); program.functions.len()];
    for (at, function) in program.functions.iter().enumerate() {
        function.body.walk(&mut |stmt| {
            if let HostOp::Call { function, .. } = &stmt.op
                && callers[function.index()].last() != Some(&at)
            {
                callers[function.index()].push(at);
            }
        });
    }
    callers
}

/// Marks the values of a function that are read if calls pass only the live arguments of their heads, with the symbols in their types.
fn read_values(function: &Function, heads: &[Head], own: &Head) -> Vec<bool> {
    let mut work: Vec<ValueId> = Vec::new();
    for (at, (&formal, &result)) in function.results.iter().zip(&function.body.results).enumerate() {
        if own.results[at] {
            work.push(formal);
            work.extend(by_value(result));
        }
    }
    for (marks, formals) in [(&own.shapes, &function.shapes), (&own.params, &function.params)] {
        work.extend(formals.iter().enumerate().filter(|(at, _)| marks[*at]).map(|(_, formal)| *formal));
    }
    // What scalars are computed from is read if they are.
    let mut operands_of: Vec<Option<&HostOp>> = vec![None; function.values.len()];
    function.body.walk(&mut |stmt| {
        if let (HostOp::Scalar { .. }, &[bind]) = (&stmt.op, stmt.binds.as_slice()) {
            operands_of[bind.index()] = Some(&stmt.op);
            return;
        }
        work.extend(&stmt.binds);
        stmt.op.blocks().into_iter().for_each(|block| block.for_each_result(&mut |value| work.push(value)));
        let HostOp::Call { function, shapes, args } = &stmt.op else {
            return stmt.op.for_each_use(&mut |value| work.push(value));
        };
        let head = &heads[function.index()];
        let shapes = shapes.iter().zip(&head.shapes).filter(|(_, kept)| **kept);
        work.extend(shapes.filter_map(|(axis, _)| match axis {
            Axis::Sym(symbol) => Some(*symbol),
            Axis::Const(_) => None,
        }));
        let args = args.iter().zip(&head.params).filter(|(_, kept)| **kept);
        work.extend(args.filter_map(|(arg, _)| by_value(*arg)));
    });
    let mut read = vec![false; function.values.len()];
    while let Some(value) = work.pop() {
        if !std::mem::replace(&mut read[value.index()], true) {
            function.values[value.index()].ty.for_each_symbol(&mut |symbol| work.push(symbol));
            if let Some(op) = operands_of[value.index()] {
                op.for_each_use(&mut |value| work.push(value));
            }
        }
    }
    read
}

fn by_value(atom: HostAtom) -> Option<ValueId> {
    match atom {
        HostAtom::Value(value) => Some(value),
        HostAtom::Const(_) => None,
    }
}

fn narrow_calls(block: &mut HostBlock, heads: &[Head], changed: &mut bool) {
    for HostStmt { binds, op, span: _ } in &mut block.stmts {
        if let HostOp::Call { function, shapes, args } = op {
            let head = &heads[function.index()];
            *changed |= !head.is_whole();
            retain(shapes, &head.shapes);
            retain(args, &head.params);
            retain(binds, &head.results);
        }
        op.blocks_mut().into_iter().for_each(|block| narrow_calls(block, heads, changed));
    }
}
