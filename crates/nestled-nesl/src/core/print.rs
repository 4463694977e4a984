//! Printer of core programs, for reading by people.

use super::{Atom, Block, CoreTypes, Function, Op, Program, Statement, Ty};
use std::fmt::Write;

/// Prints a whole program.
pub fn print(program: &Program, types: &CoreTypes) -> String {
    let mut out = String::new();
    for (position, function) in program.functions.iter().enumerate() {
        let mut printer = Printer { types, locals: &function.locals, out: &mut out };
        printer.function(position, function);
    }
    let _ = writeln!(out, "main {}", program.main.0);
    out
}

struct Printer<'a> {
    types: &'a CoreTypes,
    locals: &'a [Ty],
    out: &'a mut String,
}

impl Printer<'_> {
    fn function(&mut self, position: usize, function: &Function) {
        let _ = write!(self.out, "fn {position} {}(", function.name);
        for (position, parameter) in function.parameters.iter().enumerate() {
            let separator = if position == 0 { "" } else { "; " };
            let ty = self.types.show(self.locals[parameter.0 as usize]);
            let _ = write!(self.out, "{separator}{} : {ty}", parameter.0);
        }
        let _ = writeln!(self.out, ") -> {} {{", self.types.show(function.result));
        self.block(&function.body, 1);
        self.out.push_str("}\n");
    }

    fn indent(&mut self, depth: usize) {
        self.out.push_str(&"  ".repeat(depth));
    }

    fn block(&mut self, block: &Block, depth: usize) {
        for statement in &block.statements {
            self.statement(statement, depth);
        }
        self.indent(depth);
        let _ = writeln!(self.out, "=> {}", atom(block.result));
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        self.indent(depth);
        let local = statement.local.0;
        let ty = self.types.show(self.locals[local as usize]);
        let _ = write!(self.out, "{local} : {ty} = ");
        match &statement.op {
            Op::Primitive(primitive, atoms) => {
                let _ = write!(self.out, "{primitive:?}({})", list(atoms));
            }
            Op::Call(function, atoms) => {
                let _ = write!(self.out, "call {}({})", function.0, list(atoms));
            }
            Op::Global(id) => {
                let _ = write!(self.out, "global {}", id.0);
            }
            Op::Pair(left, right) => {
                let _ = write!(self.out, "pair({}, {})", atom(*left), atom(*right));
            }
            Op::First(pair) => {
                let _ = write!(self.out, "first({})", atom(*pair));
            }
            Op::Second(pair) => {
                let _ = write!(self.out, "second({})", atom(*pair));
            }
            Op::Closure(atoms) => {
                let _ = write!(self.out, "closure({})", list(atoms));
            }
            Op::Captured(closure, position) => {
                let _ = write!(self.out, "captured({}, {position})", atom(*closure));
            }
            Op::Sequence(atoms) => {
                let _ = write!(self.out, "[{}]", list(atoms));
            }
            Op::Data(op, atoms) => {
                let _ = write!(self.out, "{op:?}({})", list(atoms));
            }
            Op::Str(bytes) => {
                let _ = write!(self.out, "{:?}", String::from_utf8_lossy(bytes));
            }
            Op::If(condition, yes, no) => {
                let _ = writeln!(self.out, "if {} {{", atom(*condition));
                self.block(yes, depth + 1);
                self.indent(depth);
                self.out.push_str("} else {\n");
                self.block(no, depth + 1);
                self.indent(depth);
                self.out.push('}');
            }
            Op::Each(each) => {
                self.out.push_str(if each.serial { "serial each" } else { "each" });
                for (element, source) in each.elements.iter().zip(&each.sources) {
                    let _ = write!(self.out, " {} in {}", element.0, atom(*source));
                }
                let captured: Vec<String> = each.captured.iter().map(|local| local.0.to_string()).collect();
                let _ = writeln!(self.out, " with {} {{", captured.join(", "));
                self.block(&each.body, depth + 1);
                self.indent(depth);
                self.out.push('}');
            }
        }
        self.out.push('\n');
    }
}

fn list(atoms: &[Atom]) -> String {
    atoms.iter().map(|one| atom(*one)).collect::<Vec<_>>().join(", ")
}

fn atom(atom: Atom) -> String {
    match atom {
        Atom::Local(local) => local.0.to_string(),
        Atom::Int(value) => format!("{value}int"),
        Atom::Float(value) => format!("{value:?}float"),
        Atom::Bool(value) => format!("{value}"),
        Atom::Char(code) => format!("{code}char"),
    }
}
