//! Dead parameter and result elimination: drops results of functions and branches that are copies of parameters or outer values, and then unused parameters and
//! results.
//!
//! ```text
//! fn f(a, b) { c = a + b;  a, c }         fn f(a, b) { c = a + b;  c }
//! (x, y) = f(p, q)                        y = f(p, q)                      and `p` where `x` stood
//! ```
//!
//! Instructions stay even if their results are unused, since they may fault. Unused constants are dropped.

use super::ir::{Block, End, Function, Kind, Program, Var};

/// Drops all of these.
pub fn trim(program: &mut Program) {
    pass_through(program);
    drop_unused(program);
}

/// The origin of a value, as seen by the function's caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// Not known yet; it joins with any other origin.
    Open,
    /// A parameter.
    Param(usize),
    /// Computed in the function.
    Made,
}

impl Origin {
    fn join(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::Open, known) | (known, Origin::Open) => known,
            (a, b) if a == b => a,
            _ => Origin::Made,
        }
    }
}

fn pass_through(program: &mut Program) {
    let mut results: Vec<Vec<Origin>> = program
        .functions
        .iter()
        .map(|function| match &function.body.end {
            End::Yield(vars) => vec![Origin::Open; vars.len()],
            End::Never => Vec::new(),
        })
        .collect();
    loop {
        let mut moved = false;
        for (index, function) in program.functions.iter().enumerate() {
            let mut origins = vec![Origin::Made; function.n_vars];
            for (position, param) in function.params.iter().enumerate() {
                origins[param.index()] = Origin::Param(position);
            }
            trace(&function.body, &results, &mut origins);
            if let End::Yield(vars) = &function.body.end {
                for (old, var) in results[index].iter_mut().zip(vars) {
                    let new = old.join(origins[var.index()]);
                    moved |= new != *old;
                    *old = new;
                }
            }
        }
        if !moved {
            break;
        }
    }
    let entry = program.entry;
    for function in &mut program.functions {
        let mut names: Vec<Var> = (0..function.n_vars as u32).map(Var).collect();
        rename(&mut function.body, &results, &mut names);
    }
    for (index, function) in program.functions.iter_mut().enumerate() {
        if let (End::Yield(vars), true) = (&mut function.body.end, index != entry) {
            let mut origins = results[index].iter();
            vars.retain(|_| !matches!(origins.next(), Some(Origin::Param(_))));
        }
    }
}

/// Traces the origins of the values of a block.
fn trace(block: &Block, results: &[Vec<Origin>], origins: &mut [Origin]) {
    for stmt in &block.stmts {
        match &stmt.kind {
            Kind::Call(callee, args) => {
                for (bind, origin) in stmt.binds.iter().zip(&results[*callee]) {
                    origins[bind.index()] = match origin {
                        Origin::Param(position) => origins[args[*position].index()],
                        other => *other,
                    };
                }
            }
            Kind::If { then, otherwise, .. } => {
                trace(then, results, origins);
                trace(otherwise, results, origins);
                for (position, bind) in stmt.binds.iter().enumerate() {
                    let side = |block: &Block| match &block.end {
                        End::Yield(vars) => origins[vars[position].index()],
                        End::Never => Origin::Open,
                    };
                    origins[bind.index()] = side(then).join(side(otherwise));
                }
            }
            Kind::Do(..) | Kind::Fused(..) | Kind::Const(_) | Kind::Initial(_) | Kind::Exit => {}
        }
    }
}

/// Replaces results of calls that are copies of arguments, and results of branches that are outer values.
fn rename(block: &mut Block, results: &[Vec<Origin>], names: &mut [Var]) {
    for stmt in &mut block.stmts {
        for arg in stmt.kind.args_mut() {
            *arg = names[arg.index()];
        }
        match &mut stmt.kind {
            Kind::Call(callee, args) => {
                let mut origins = results[*callee].iter();
                stmt.binds.retain(|bind| match origins.next() {
                    Some(Origin::Param(position)) => {
                        names[bind.index()] = args[*position];
                        false
                    }
                    _ => true,
                });
            }
            Kind::If { then, otherwise, .. } => {
                rename(then, results, names);
                rename(otherwise, results, names);
                branch_results(&mut stmt.binds, then, otherwise, names);
            }
            Kind::Do(..) | Kind::Fused(..) | Kind::Const(_) | Kind::Initial(_) | Kind::Exit => {}
        }
    }
    if let End::Yield(vars) = &mut block.end {
        for var in vars {
            *var = names[var.index()];
        }
    }
}

/// Drops the results of an `if` that are the same outer value in both branches.
fn branch_results(binds: &mut Vec<Var>, then: &mut Block, otherwise: &mut Block, names: &mut [Var]) {
    let mut inside: std::collections::HashSet<Var> = std::collections::HashSet::new();
    for block in [&*then, &*otherwise] {
        block.walk(&mut |stmt| inside.extend(&stmt.binds));
    }
    let side = |block: &Block, position: usize| match &block.end {
        End::Yield(vars) => Some(vars[position]),
        End::Never => None,
    };
    let mut kept = Vec::new();
    for (position, bind) in binds.iter().enumerate() {
        let same = match (side(then, position), side(otherwise, position)) {
            (Some(left), Some(right)) => (left == right).then_some(left),
            (left, right) => left.or(right),
        };
        match same.filter(|var| !inside.contains(var)) {
            Some(var) => names[bind.index()] = var,
            None => kept.push(position),
        }
    }
    keep(binds, &kept);
    for block in [then, otherwise] {
        if let End::Yield(vars) = &mut block.end {
            keep(vars, &kept);
        }
    }
}

/// Keeps the entries at these positions, which are in increasing order.
fn keep(vars: &mut Vec<Var>, positions: &[usize]) {
    *vars = positions.iter().map(|&position| vars[position]).collect();
}

/// Liveness: the parameters that each function needs, and the results that its callers need.
struct Needed {
    params: Vec<Vec<bool>>,
    results: Vec<Vec<bool>>,
}

fn drop_unused(program: &mut Program) {
    let mut needed = Needed {
        params: program.functions.iter().map(|function| vec![false; function.params.len()]).collect(),
        results: program.functions.iter().map(|function| vec![false; n_results(function)]).collect(),
    };
    needed.results[program.entry].fill(true);
    loop {
        let mut moved = false;
        // Callers come after callees, so that what they ask for is known soon.
        for (index, function) in program.functions.iter().enumerate().rev() {
            let mut live = vec![false; function.n_vars];
            if let End::Yield(vars) = &function.body.end {
                for (var, needed) in vars.iter().zip(&needed.results[index]) {
                    live[var.index()] |= needed;
                }
            }
            moved |= mark(&function.body, &mut needed, &mut live);
            for (param, needed) in function.params.iter().zip(&mut needed.params[index]) {
                moved |= live[param.index()] && !*needed;
                *needed |= live[param.index()];
            }
        }
        if !moved {
            break;
        }
    }
    for (index, function) in program.functions.iter_mut().enumerate() {
        let mut live = vec![false; function.n_vars];
        if let End::Yield(vars) = &mut function.body.end {
            let mut wanted = needed.results[index].iter();
            vars.retain(|_| wanted.next() == Some(&true));
            vars.iter().for_each(|var| live[var.index()] = true);
        }
        mark(&function.body, &mut needed, &mut live);
        sweep(&mut function.body, &needed, &live);
        let mut wanted = needed.params[index].iter();
        function.params.retain(|_| wanted.next() == Some(&true));
    }
}

fn n_results(function: &Function) -> usize {
    match &function.body.end {
        End::Yield(vars) => vars.len(),
        End::Never => 0,
    }
}

/// Marks live values of a block backward from its end; returns whether more is needed of some function than before.
fn mark(block: &Block, needed: &mut Needed, live: &mut [bool]) -> bool {
    let mut moved = false;
    for stmt in block.stmts.iter().rev() {
        match &stmt.kind {
            Kind::Do(_, args) | Kind::Fused(_, args) => args.iter().for_each(|arg| live[arg.index()] = true),
            Kind::Call(callee, args) => {
                for (bind, wanted) in stmt.binds.iter().zip(&mut needed.results[*callee]) {
                    moved |= live[bind.index()] && !*wanted;
                    *wanted |= live[bind.index()];
                }
                for (arg, wanted) in args.iter().zip(&needed.params[*callee]) {
                    live[arg.index()] |= wanted;
                }
            }
            Kind::If { cond, then, otherwise } => {
                live[cond.index()] = true;
                for block in [then, otherwise] {
                    if let End::Yield(vars) = &block.end {
                        for (var, bind) in vars.iter().zip(&stmt.binds) {
                            live[var.index()] |= live[bind.index()];
                        }
                    }
                    moved |= mark(block, needed, live);
                }
            }
            Kind::Const(_) | Kind::Initial(_) | Kind::Exit => {}
        }
    }
    moved
}

/// Drops dead results, constants and parameters.
fn sweep(block: &mut Block, needed: &Needed, live: &[bool]) {
    block.stmts.retain_mut(|stmt| match &mut stmt.kind {
        Kind::Const(_) | Kind::Initial(_) => live[stmt.binds[0].index()],
        Kind::Call(callee, args) => {
            let mut wanted = needed.params[*callee].iter();
            args.retain(|_| wanted.next() == Some(&true));
            let mut wanted = needed.results[*callee].iter();
            stmt.binds.retain(|_| wanted.next() == Some(&true));
            true
        }
        Kind::If { then, otherwise, .. } => {
            let positions = stmt.binds.iter().enumerate().filter(|(_, bind)| live[bind.index()]);
            let kept: Vec<usize> = positions.map(|(position, _)| position).collect();
            keep(&mut stmt.binds, &kept);
            for block in [then, otherwise] {
                if let End::Yield(vars) = &mut block.end {
                    keep(vars, &kept);
                }
                sweep(block, needed, live);
            }
            true
        }
        Kind::Do(..) | Kind::Fused(..) | Kind::Exit => true,
    });
}
