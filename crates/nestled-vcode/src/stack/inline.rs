//! Inlining of functions: those that are called once, and small ones. Recursive functions stay.

use super::ir::{Block, End, Function, Kind, Program, Stmt, Var};
use super::order::order;
use std::collections::HashMap;

/// Functions of at most so many instructions and calls are inlined at every call.
const SMALL: usize = 8;

/// A function called once is inlined unless it is larger than this: copying is not free.
const LARGE: usize = 2_000;

/// Largest nesting depth of blocks made by inlining.
const MAX_NESTING: usize = 120;

/// Largest size in instructions to which inlining of small functions makes a function grow.
const MAX_SIZE: usize = 20_000;

/// Inlines, and drops functions that are no longer called.
pub fn inline(program: &mut Program) {
    let callees: Vec<Vec<usize>> = program.functions.iter().map(|function| calls(&function.body)).collect();
    let order = order(&callees, program.entry);
    let mut n_calls = vec![0usize; program.functions.len()];
    callees.iter().flatten().for_each(|&callee| n_calls[callee] += 1);
    let mut functions: Vec<Option<Function>> =
        std::mem::take(&mut program.functions).into_iter().map(Some).collect();
    // Callees are done before their callers, and what is called once is moved.
    let mut done: Vec<Option<Done>> = functions.iter().map(|_| None).collect();
    for &index in &order.postorder {
        let Some(mut function) = functions[index].take() else { continue };
        let mut vars = function.n_vars as u32;
        let mut room = MAX_SIZE;
        let body = std::mem::replace(&mut function.body, Block { stmts: Vec::new(), end: End::Never });
        let mut work = Inline {
            done: &done,
            recursive: &order.recursive,
            n_calls: &n_calls,
            vars: &mut vars,
            room: &mut room,
            copies: HashMap::new(),
        };
        function.body = work.block(body, 1);
        function.n_vars = vars as usize;
        let (size, nesting) = (size(&function.body), function.body.nesting());
        done[index] = Some(Done { function, size, nesting });
    }
    // Functions that are still called, in their old order.
    let mut functions: Vec<Option<Function>> =
        done.into_iter().map(|done| done.map(|done| done.function)).collect();
    let mut kept = vec![false; functions.len()];
    let mut open = vec![program.entry];
    while let Some(index) = open.pop() {
        if let (Some(function), false) = (&functions[index], kept[index]) {
            kept[index] = true;
            open.extend(calls(&function.body));
        }
    }
    let mut place = vec![0; functions.len()];
    for (new, old) in (0..functions.len()).filter(|&index| kept[index]).enumerate() {
        place[old] = new;
    }
    for (index, keep) in kept.iter().enumerate() {
        if let (Some(mut function), true) = (functions[index].take(), *keep) {
            retarget(&mut function.body, &place);
            program.functions.push(function);
        }
    }
    program.entry = place[program.entry];
}

struct Done {
    function: Function,
    size: usize,
    nesting: usize,
}

/// Returns the functions that are called, once for each call.
fn calls(block: &Block) -> Vec<usize> {
    let mut found = Vec::new();
    block.walk(&mut |stmt| {
        if let Kind::Call(callee, _) = stmt.kind {
            found.push(callee);
        }
    });
    found
}

/// Returns the number of instructions, calls among them: a body inlined at two calls doubles its size in the caller.
fn size(block: &Block) -> usize {
    let mut size = 0;
    block.walk(&mut |stmt| {
        size += usize::from(match stmt.kind {
            Kind::Do(..) | Kind::Fused(..) | Kind::Const(_) | Kind::Call(..) | Kind::If { .. } => true,
            Kind::Initial(_) | Kind::Exit => false,
        })
    });
    size
}

fn retarget(block: &mut Block, place: &[usize]) {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            Kind::Call(callee, _) => *callee = place[*callee],
            Kind::If { then, otherwise, .. } => {
                retarget(then, place);
                retarget(otherwise, place);
            }
            _ => {}
        }
    }
}

struct Inline<'a> {
    done: &'a [Option<Done>],
    recursive: &'a [bool],
    n_calls: &'a [usize],
    vars: &'a mut u32,
    room: &'a mut usize,
    /// Results of calls that are copies of other values.
    copies: HashMap<Var, Var>,
}

impl Inline<'_> {
    /// Returns the block with calls inlined; its nesting depth is `depth`.
    fn block(&mut self, block: Block, depth: usize) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in block.stmts {
            self.rename(stmt.kind.args_mut());
            match stmt.kind {
                Kind::Call(callee, ref args) => {
                    if let Some(body) = self.body(callee, args, &stmt.binds, depth) {
                        stmts.extend(body.stmts);
                        if body.end == End::Never {
                            return Block { stmts, end: End::Never };
                        }
                        continue;
                    }
                }
                Kind::If { cond, then, otherwise } => {
                    let (then, otherwise) = (self.block(then, depth + 1), self.block(otherwise, depth + 1));
                    stmt.kind = Kind::If { cond, then, otherwise };
                }
                _ => {}
            }
            stmts.push(stmt);
        }
        let mut end = block.end;
        if let End::Yield(vars) = &mut end {
            self.rename(vars);
        }
        Block { stmts, end }
    }

    fn rename(&self, vars: &mut [Var]) {
        if !self.copies.is_empty() {
            vars.iter_mut().for_each(|var| *var = self.copies.get(var).copied().unwrap_or(*var));
        }
    }

    /// Returns the body of a callee in the names of its caller, if it is to be inlined.
    fn body(&mut self, callee: usize, args: &[Var], binds: &[Var], depth: usize) -> Option<Block> {
        let Done { function, size, nesting } = self.done[callee].as_ref()?;
        let once = self.n_calls[callee] == 1;
        let fits = (once && *size <= LARGE) || (*size <= SMALL && *size <= *self.room);
        if self.recursive[callee] || !fits || depth + nesting > MAX_NESTING {
            return None;
        }
        if !once {
            *self.room -= size;
        }
        let mut names: Vec<Option<Var>> = vec![None; function.n_vars];
        for (param, arg) in function.params.iter().zip(args) {
            names[param.index()] = Some(*arg);
        }
        if let End::Yield(results) = &function.body.end {
            for (result, bind) in results.iter().zip(binds) {
                match &mut names[result.index()] {
                    Some(name) => {
                        self.copies.insert(*bind, *name);
                    }
                    free => *free = Some(*bind),
                }
            }
        }
        Some(self.copy(&function.body, &mut names))
    }

    fn name(&mut self, var: Var, names: &mut [Option<Var>]) -> Var {
        *names[var.index()].get_or_insert_with(|| {
            *self.vars += 1;
            Var(*self.vars - 1)
        })
    }

    fn copy(&mut self, block: &Block, names: &mut [Option<Var>]) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for stmt in &block.stmts {
            let mut rename = |vars: &[Var]| vars.iter().map(|&var| self.name(var, names)).collect::<Vec<_>>();
            let kind = match &stmt.kind {
                Kind::Do(instr, args) => Kind::Do(*instr, rename(args)),
                Kind::Fused(number, args) => Kind::Fused(*number, rename(args)),
                Kind::Call(callee, args) => Kind::Call(*callee, rename(args)),
                Kind::Const(constant) => Kind::Const(constant.clone()),
                Kind::Initial(state) => Kind::Initial(*state),
                Kind::Exit => Kind::Exit,
                Kind::If { cond, then, otherwise } => Kind::If {
                    cond: self.name(*cond, names),
                    then: self.copy(then, names),
                    otherwise: self.copy(otherwise, names),
                },
            };
            let binds = stmt.binds.iter().map(|&bind| self.name(bind, names)).collect();
            stmts.push(Stmt { kind, binds, span: stmt.span });
        }
        let end = match &block.end {
            End::Yield(vars) => End::Yield(vars.iter().map(|&var| self.name(var, names)).collect()),
            End::Never => End::Never,
        };
        Block { stmts, end }
    }
}
