//! Symbolic execution of the stack: runs each function on a stack of names, so that stack moves vanish.

use super::effect::Effects;
use super::ir::{Block, End, Function, Kind, Program, State, Stmt, Var};
use crate::syntax::ast;
use crate::syntax::instr::Instr;
use crate::syntax::listing::Listing;
use nestled_ir::Span;
use std::collections::HashMap;

/// Returns the reachable functions, over named values.
pub fn build(program: &ast::Program, listing: &Listing, effects: &Effects) -> Program {
    let states = states(program, effects);
    let place: HashMap<usize, usize> =
        effects.order.postorder.iter().enumerate().map(|(new, &old)| (old, new)).collect();
    let functions = effects.order.postorder.iter().map(|&index| {
        let function = &program.functions[index];
        let mut builder =
            Builder { listing, effects, states: &states, place: &place, vars: 0, now: HashMap::new() };
        let mut params: Vec<Var> = states[index].iter().map(|&state| builder.state(state)).collect();
        let mut stack = builder.fresh_many(effects.of[index].reach);
        params.extend(&stack);
        let mut stmts = Vec::new();
        let end = if builder.block(&function.body, &mut stack, &mut stmts) {
            let kept = states[index].iter().map(|state| builder.now[state]);
            End::Yield(kept.chain(stack).collect())
        } else {
            End::Never
        };
        let (name, span) = (function.name.clone(), function.span);
        Function { name, span, params, body: Block { stmts, end }, n_vars: builder.vars as usize }
    });
    let mut functions: Vec<Function> = functions.collect();
    functions.push(start(place[&program.entry], &states[program.entry], &functions));
    Program { entry: functions.len() - 1, functions }
}

/// Makes the function that calls the entry with the initial state of the machine.
fn start(entry: usize, states: &[State], functions: &[Function]) -> Function {
    let called = &functions[entry];
    let span = called.span;
    let mut stmts: Vec<Stmt> = Vec::new();
    for (position, &state) in states.iter().enumerate() {
        stmts.push(Stmt { kind: Kind::Initial(state), binds: vec![Var(position as u32)], span });
    }
    let args: Vec<Var> = stmts.iter().flat_map(|stmt| stmt.binds.clone()).collect();
    let (binds, end) = match &called.body.end {
        End::Never => (Vec::new(), End::Never),
        End::Yield(results) => {
            let first = args.len() as u32;
            let binds: Vec<Var> = (0..results.len() as u32).map(|result| Var(first + result)).collect();
            let slots = binds[states.len()..].to_vec();
            (binds, End::Yield(slots))
        }
    };
    let n_vars = args.len() + binds.len();
    stmts.push(Stmt { kind: Kind::Call(entry, args), binds, span });
    Function { name: "main".into(), span, params: Vec::new(), body: Block { stmts, end }, n_vars }
}

/// Computes the parts of the machine's state that each function needs, itself or by calls.
fn states(program: &ast::Program, effects: &Effects) -> Vec<Vec<State>> {
    fn used(stmts: &[ast::Stmt], of: &[Vec<State>], found: &mut Vec<State>) {
        for stmt in stmts {
            match &stmt.kind {
                ast::StmtKind::Do(Instr::Rand | Instr::Srand) => found.push(State::Random),
                ast::StmtKind::Do(Instr::StartTimer | Instr::StopTimer) => found.push(State::Timer),
                ast::StmtKind::Call(callee) => found.extend(&of[*callee]),
                ast::StmtKind::If { then, otherwise } => {
                    used(then, of, found);
                    used(otherwise, of, found);
                }
                _ => {}
            }
        }
    }
    let mut of = vec![Vec::new(); program.functions.len()];
    loop {
        let mut moved = false;
        for &function in &effects.order.postorder {
            let mut found = Vec::new();
            used(&program.functions[function].body, &of, &mut found);
            found.sort_unstable();
            found.dedup();
            moved |= found.len() != of[function].len();
            of[function] = found;
        }
        if !moved {
            return of;
        }
    }
}

/// The stack, and the machine's state besides it.
type Machine = (Vec<Var>, HashMap<State, Var>);

struct Builder<'a> {
    listing: &'a Listing,
    effects: &'a Effects,
    states: &'a [Vec<State>],
    place: &'a HashMap<usize, usize>,
    vars: u32,
    /// The machine's state besides the stack.
    now: HashMap<State, Var>,
}

impl Builder<'_> {
    fn fresh(&mut self) -> Var {
        self.vars += 1;
        Var(self.vars - 1)
    }

    fn fresh_many(&mut self, count: usize) -> Vec<Var> {
        (0..count).map(|_| self.fresh()).collect()
    }

    /// Runs statements; returns whether they reach their end.
    fn block(&mut self, code: &[ast::Stmt], stack: &mut Vec<Var>, out: &mut Vec<Stmt>) -> bool {
        code.iter().all(|stmt| self.stmt(stmt, stack, out))
    }

    fn stmt(&mut self, stmt: &ast::Stmt, stack: &mut Vec<Var>, out: &mut Vec<Stmt>) -> bool {
        let span = stmt.span;
        let top = stack.len();
        match &stmt.kind {
            ast::StmtKind::Do(instr) => {
                let (takes, leaves) = instr.effect();
                let mut args = stack.split_off(top - takes);
                let mut binds = self.fresh_many(leaves);
                stack.extend(&binds);
                match instr {
                    Instr::Rand | Instr::Srand => {
                        args.push(self.now[&State::Random]);
                        binds.push(self.state(State::Random));
                    }
                    Instr::StartTimer => binds.push(self.state(State::Timer)),
                    Instr::StopTimer => args.push(self.now[&State::Timer]),
                    _ => {}
                }
                out.push(Stmt { kind: Kind::Do(*instr, args), binds, span });
            }
            ast::StmtKind::Fused(number) => {
                let takes = self.listing.get(*number).map_or(0, |op| op.params.len());
                let args = stack.split_off(top - takes);
                let result = self.fresh();
                stack.push(result);
                out.push(Stmt { kind: Kind::Fused(*number, args), binds: vec![result], span });
            }
            ast::StmtKind::Const(constant) => {
                let result = self.fresh();
                stack.push(result);
                out.push(Stmt { kind: Kind::Const(constant.clone()), binds: vec![result], span });
            }
            ast::StmtKind::Copy { count: 0, .. } | ast::StmtKind::Pop { count: 0, .. } => {}
            ast::StmtKind::Cpop { count, depth } if *count == 0 || *depth == 0 => {}
            ast::StmtKind::Copy { count, depth } => {
                stack.extend_from_within(top - depth - count..top - depth);
            }
            ast::StmtKind::Pop { count, depth } => {
                stack.drain(top - depth - count..top - depth);
            }
            ast::StmtKind::Cpop { count, depth } => stack[top - depth - count..].rotate_left(*count),
            ast::StmtKind::Exit => {
                out.push(Stmt { kind: Kind::Exit, binds: Vec::new(), span });
                return false;
            }
            ast::StmtKind::Call(callee) => return self.call(*callee, span, stack, out),
            ast::StmtKind::If { then, otherwise } => {
                return self.branch([then, otherwise], span, stack, out);
            }
        }
        true
    }

    /// Makes a new value for a part of the machine's state.
    fn state(&mut self, state: State) -> Var {
        let var = self.fresh();
        self.now.insert(state, var);
        var
    }

    fn call(&mut self, callee: usize, span: Span, stack: &mut Vec<Var>, out: &mut Vec<Stmt>) -> bool {
        let effect = self.effects.of[callee];
        let states = &self.states[callee];
        let mut args: Vec<Var> = states.iter().map(|state| self.now[state]).collect();
        args.extend(stack.split_off(stack.len() - effect.reach));
        let target = self.place[&callee];
        let Some(leaves) = effect.leaves() else {
            out.push(Stmt { kind: Kind::Call(target, args), binds: Vec::new(), span });
            return false;
        };
        let mut binds: Vec<Var> = states.iter().map(|&state| self.state(state)).collect();
        let results = self.fresh_many(leaves);
        stack.extend(&results);
        binds.extend(results);
        out.push(Stmt { kind: Kind::Call(target, args), binds, span });
        true
    }

    fn branch(
        &mut self,
        code: [&Vec<ast::Stmt>; 2],
        span: Span,
        stack: &mut Vec<Var>,
        out: &mut Vec<Stmt>,
    ) -> bool {
        let Some(cond) = stack.pop() else { return false };
        let before = self.now.clone();
        // What is named from here on is not known outside of the branches.
        let inner = self.vars;
        let mut ends: Vec<Option<Machine>> = Vec::new();
        let mut blocks: Vec<Vec<Stmt>> = Vec::new();
        for code in code {
            let (mut branch_stack, mut stmts) = (stack.clone(), Vec::new());
            self.now.clone_from(&before);
            let returns = self.block(code, &mut branch_stack, &mut stmts);
            ends.push(returns.then(|| (branch_stack, self.now.clone())));
            blocks.push(stmts);
        }
        let sides: Vec<_> = ends.iter().flatten().collect();
        let (first, last) = match sides[..] {
            [only] => (only.clone(), only.clone()),
            [first, last] => (first.clone(), last.clone()),
            _ => {
                self.push_if(cond, blocks, [End::Never, End::Never], Vec::new(), span, out);
                return false;
            }
        };
        // Each pair of values that differ, or that nobody knows outside, becomes one result.
        let mut results: HashMap<(Var, Var), Var> = HashMap::new();
        let (mut yields, mut binds) = ([Vec::new(), Vec::new()], Vec::new());
        let mut join = |left: Var, right: Var, vars: &mut u32| {
            if left == right && left.0 < inner {
                return left;
            }
            *results.entry((left, right)).or_insert_with(|| {
                yields[0].push(left);
                yields[1].push(right);
                binds.push(Var(*vars));
                *vars += 1;
                Var(*vars - 1)
            })
        };
        *stack =
            first.0.iter().zip(&last.0).map(|(&left, &right)| join(left, right, &mut self.vars)).collect();
        for state in State::ALL {
            if let (Some(&left), Some(&right)) = (first.1.get(&state), last.1.get(&state)) {
                let joined = join(left, right, &mut self.vars);
                self.now.insert(state, joined);
            }
        }
        let [left, right] = yields;
        let ends = match &ends[..] {
            [Some(_), None] => [End::Yield(left), End::Never],
            [None, Some(_)] => [End::Never, End::Yield(right)],
            _ => [End::Yield(left), End::Yield(right)],
        };
        self.push_if(cond, blocks, ends, binds, span, out);
        true
    }

    fn push_if(
        &self,
        cond: Var,
        blocks: Vec<Vec<Stmt>>,
        ends: [End; 2],
        binds: Vec<Var>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let mut blocks = blocks.into_iter().zip(ends).map(|(stmts, end)| Block { stmts, end });
        if let (Some(then), Some(otherwise)) = (blocks.next(), blocks.next()) {
            out.push(Stmt { kind: Kind::If { cond, then, otherwise }, binds, span });
        }
    }
}
