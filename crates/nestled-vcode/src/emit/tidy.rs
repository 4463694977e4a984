//! Removes what nobody needs: statements whose values are not used, results of conditionals, and functions that say the same as others.

use super::code::{Block, Kind, Program, Var};
use std::collections::{HashMap, HashSet};

/// Removes statements of all functions.
pub fn dead(program: &mut Program) {
    for function in &mut program.functions {
        block(&mut function.body, &mut HashSet::new());
    }
}

/// Removes statements of a block. `used` are the values that are used behind it and, afterwards, in it.
fn block(block: &mut Block, used: &mut HashSet<Var>) {
    used.extend(block.yields.iter().flatten().copied());
    let mut kept = Vec::with_capacity(block.stmts.len());
    while let Some(mut stmt) = block.stmts.pop() {
        if let Kind::If(_, then, otherwise) = &mut stmt.kind {
            let wanted: Vec<bool> = stmt.binds.iter().map(|bind| used.contains(bind)).collect();
            keep(&mut stmt.binds, &wanted);
            for inner in [then, otherwise] {
                if let Some(yields) = &mut inner.yields {
                    keep(yields, &wanted);
                }
                self::block(inner, used);
            }
        }
        if is_needed(&stmt.kind, stmt.stays) || stmt.binds.iter().any(|bind| used.contains(bind)) {
            used.extend(stmt.kind.args().iter().copied());
            kept.push(stmt);
        }
    }
    kept.reverse();
    block.stmts = kept;
}

fn keep(vars: &mut Vec<Var>, wanted: &[bool]) {
    let mut wanted = wanted.iter();
    vars.retain(|_| *wanted.next().expect("as many as there are results"));
}

/// True if a statement acts, or may fault. A conditional does what its blocks do.
fn is_needed(kind: &Kind, stays: bool) -> bool {
    match kind {
        Kind::If(_, then, otherwise) => [then, otherwise].iter().any(|block| {
            block.yields.is_none() || block.stmts.iter().any(|stmt| is_needed(&stmt.kind, stmt.stays))
        }),
        Kind::Do(..) | Kind::Fused(..) | Kind::Const(_) | Kind::Text(_) | Kind::Call(..) | Kind::Exit => {
            stays
        }
    }
}

/// Makes one function of those that say the same, and removes those that are not called.
pub fn alike(program: &mut Program) {
    loop {
        let mut first: HashMap<String, usize> = HashMap::new();
        let mut stands_for: Vec<usize> = Vec::with_capacity(program.functions.len());
        for (at, function) in program.functions.iter().enumerate() {
            let mut body = function.body.clone();
            // A recursive function calls itself, whatever its number.
            calls(&mut body, &mut |callee| {
                if *callee == at {
                    *callee = usize::MAX
                }
            });
            let key = format!("{:?} {body:?}", function.params);
            stands_for.push(*first.entry(key).or_insert(at));
        }
        let same = stands_for.iter().enumerate().all(|(at, stands)| at == *stands);
        for function in &mut program.functions {
            calls(&mut function.body, &mut |callee| *callee = stands_for[*callee]);
        }
        if same {
            break;
        }
        called_only(program);
    }
    called_only(program);
}

/// Removes functions that are not called.
fn called_only(program: &mut Program) {
    let mut reached = HashSet::from([0]);
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        calls(&mut program.functions[at].body.clone(), &mut |callee| {
            if reached.insert(*callee) {
                open.push(*callee);
            }
        });
    }
    let mut numbers = vec![0; program.functions.len()];
    let mut next = 0;
    for (at, number) in numbers.iter_mut().enumerate() {
        *number = next;
        next += usize::from(reached.contains(&at));
    }
    let mut at = 0..;
    program.functions.retain(|_| at.next().is_some_and(|at| reached.contains(&at)));
    for function in &mut program.functions {
        calls(&mut function.body, &mut |callee| *callee = numbers[*callee]);
    }
}

fn calls(block: &mut Block, see: &mut dyn FnMut(&mut usize)) {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            Kind::Call(callee, _) => see(callee),
            Kind::If(_, then, otherwise) => {
                calls(then, see);
                calls(otherwise, see);
            }
            Kind::Do(..) | Kind::Fused(..) | Kind::Const(_) | Kind::Text(_) | Kind::Exit => {}
        }
    }
}
