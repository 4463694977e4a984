//! From named values to the stack: where values lie, and the moves that bring operands to the top.
//!
//! A value is moved where it is used last, and copied before. Values that a conditional leaves alone stay where they are, so that both branches end with the same
//! stack: what lives on, in its order, and the results on top. A constant of one element has no slot: it is written where it is used.

use super::code::{Block, Function, Kind, Program, Stmt, Var, is_lone};
use super::text;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Prints a program.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    for function in &program.functions {
        let _ = writeln!(out, "FUNC {}", function.name);
        let mut machine = Machine::of(function, program);
        machine.block(&function.body, &HashSet::new());
        out.push_str(&machine.out);
        out.push_str("RET\n\n");
    }
    out
}

/// Largest number of slots that one instruction moves, as in the original.
const MOST: usize = 100;

struct Machine<'a> {
    program: &'a Program,
    out: String,
    stack: Vec<Var>,
    constants: HashMap<Var, String>,
    indent: usize,
}

impl<'a> Machine<'a> {
    fn of(function: &Function, program: &'a Program) -> Machine<'a> {
        let stack = function.params.clone();
        Machine { program, out: String::new(), stack, constants: HashMap::new(), indent: 1 }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "{}{line}", "  ".repeat(self.indent));
    }

    /// Writes a block. `behind` are the values that are used behind it.
    fn block(&mut self, block: &Block, behind: &HashSet<Var>) {
        let mut live: HashSet<Var> = behind.clone();
        live.extend(block.yields.iter().flatten().copied());
        // For each statement the values that it uses last.
        let mut last = Vec::with_capacity(block.stmts.len());
        for stmt in block.stmts.iter().rev() {
            let mut dying = Vec::new();
            stmt.kind.visit(&mut |var| {
                if live.insert(var) {
                    dying.push(var);
                }
            });
            last.push(dying);
        }
        last.reverse();
        self.drop_all_but(&live);
        for (stmt, dying) in block.stmts.iter().zip(&last) {
            self.stmt(stmt, dying, &mut live);
        }
        if let Some(yields) = &block.yields {
            self.end(yields, behind);
        }
    }

    /// Writes a statement, after which `live` no longer has what it uses last.
    fn stmt(&mut self, stmt: &Stmt, dying: &[Var], live: &mut HashSet<Var>) {
        match &stmt.kind {
            Kind::Const(constant) if is_lone(constant) => {
                self.constants.insert(stmt.binds[0], text::constant(constant));
                return;
            }
            Kind::Const(constant) => self.line(&text::constant(constant)),
            Kind::Text(bytes) => self.line(&text::characters(bytes)),
            Kind::Exit => self.line("EXIT"),
            Kind::Do(..) | Kind::Fused(..) | Kind::Call(..) => {
                self.push(stmt.kind.args(), &|var| dying.contains(&var));
                self.stack.truncate(self.stack.len() - stmt.kind.args().len());
                let line = match &stmt.kind {
                    Kind::Do(instr, _) => instr.to_string(),
                    Kind::Call(callee, _) => format!("CALL {}", self.program.functions[*callee].name),
                    Kind::Fused(number, _) => format!("FUSED {number}"),
                    Kind::Const(_) | Kind::Text(_) | Kind::If(..) | Kind::Exit => unreachable!("not here"),
                };
                self.line(&line);
            }
            Kind::If(cond, then, otherwise) => {
                self.conditional((*cond, then, otherwise), dying, live);
                self.stack.retain(|var| live.contains(var) && !dying.contains(var));
            }
        }
        dying.iter().for_each(|var| {
            live.remove(var);
        });
        self.stack.extend(&stmt.binds);
        // What the statement gives and nobody wants lies on top.
        let unused: HashSet<Var> = stmt.binds.iter().copied().filter(|bind| !live.contains(bind)).collect();
        if !unused.is_empty() && !matches!(stmt.kind, Kind::Exit) {
            self.drop(&|var| !unused.contains(&var));
        }
    }

    fn conditional(
        &mut self,
        (cond, then, otherwise): (Var, &Block, &Block),
        dying: &[Var],
        live: &HashSet<Var>,
    ) {
        let behind: HashSet<Var> = live.iter().copied().filter(|var| !dying.contains(var)).collect();
        let mut inside = false;
        let mut see = |var| inside |= var == cond;
        then.visit(&mut see);
        otherwise.visit(&mut see);
        let moved = dying.contains(&cond) && !inside;
        self.push(&[cond], &|_| moved);
        self.stack.pop();
        self.line("IF");
        let before = self.stack.clone();
        self.indent += 1;
        self.block(then, &behind);
        self.indent -= 1;
        self.line("ELSE");
        self.stack.clone_from(&before);
        self.indent += 1;
        self.block(otherwise, &behind);
        self.indent -= 1;
        self.line("ENDIF");
        self.stack = before;
    }

    /// Leaves what is used behind a block, and its results on top.
    fn end(&mut self, yields: &[Var], behind: &HashSet<Var>) {
        let below = self.stack.iter().copied().filter(|var| behind.contains(var));
        let wanted: Vec<Var> = below.chain(yields.iter().copied()).collect();
        let lies = self.stack == wanted && yields.iter().all(|var| !behind.contains(var));
        if lies {
            return;
        }
        let count = self.push(yields, &|var| !behind.contains(&var));
        let results = self.stack.split_off(self.stack.len() - count);
        self.drop_under(&|var| behind.contains(&var), count);
        self.stack.extend(results);
    }

    fn drop_all_but(&mut self, live: &HashSet<Var>) {
        self.drop(&|var| live.contains(&var));
    }

    fn drop(&mut self, keep: &dyn Fn(Var) -> bool) {
        self.drop_under(keep, 0);
    }

    /// Removes values that are not kept; `above` slots lie on top of the stack.
    fn drop_under(&mut self, keep: &dyn Fn(Var) -> bool, above: usize) {
        let mut at = self.stack.len();
        let mut kept = above;
        while at > 0 {
            let mut count = 0;
            while at > 0 && !keep(self.stack[at - 1]) {
                at -= 1;
                count += 1;
            }
            if count > 0 {
                self.stack.drain(at..at + count);
                self.line(&format!("POP {count} {kept}"));
            }
            if at > 0 {
                at -= 1;
                kept += 1;
            }
        }
    }

    /// Brings operands to the top: moves those that are used last, and copies the others. Returns how many there are.
    fn push(&mut self, args: &[Var], dies: &dyn Fn(Var) -> bool) -> usize {
        // The first operands may be on top already.
        let mut there = args.len().min(self.stack.len());
        while there > 0 {
            let top = &self.stack[self.stack.len() - there..];
            let again = |var: &Var| args.iter().filter(|arg| *arg == var).count() > 1;
            if *top == args[..there] && top.iter().all(|var| dies(*var) && !again(var)) {
                break;
            }
            there -= 1;
        }
        let mut base = self.stack.len() - there;
        let mut at = there;
        while at < args.len() {
            if let Some(constant) = self.constants.get(&args[at]).cloned() {
                self.line(&constant);
                self.stack.push(args[at]);
                at += 1;
                continue;
            }
            let moves = |at: usize| dies(args[at]) && !args[at + 1..].contains(&args[at]);
            let find = |stack: &[Var], var: Var| stack.iter().position(|other| *other == var);
            let from = find(&self.stack[..base], args[at]).expect("an operand lies on the stack");
            let mut count = 1;
            while count < MOST
                && at + count < args.len()
                && from + count < base
                && self.stack[from + count] == args[at + count]
                && moves(at + count) == moves(at)
            {
                count += 1;
            }
            let depth = self.stack.len() - from - count;
            let slots: Vec<Var> = self.stack[from..from + count].to_vec();
            if moves(at) {
                if depth > 0 {
                    self.line(&format!("CPOP {count} {depth}"));
                }
                self.stack.drain(from..from + count);
                base -= count;
            } else {
                self.line(&format!("COPY {count} {depth}"));
            }
            self.stack.extend(slots);
            at += count;
        }
        args.len()
    }
}
