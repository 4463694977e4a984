//! FCODE: chains of elementwise instructions as superoperators.
//!
//! Going forward, an operand of an elementwise instruction that is itself elementwise, or a constant that is distributed, becomes part of the instruction, for
//! every use; what is not used by itself any more is removed afterwards. An instruction with parts is a superoperator. That is how the original derives FCODE
//! (but what would grow beyond a bound stays apart).

use super::code::{Block, Function, Kind, Program, Type, Var, is_lone};
use super::text;
use crate::syntax::instr::Instr;
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

/// Largest number of parameters of a superoperator, as in the original.
const MOST_PARAMS: usize = 40;

/// Largest number of operations of a superoperator.
const MOST_PARTS: usize = 64;

/// The expression of a superoperator, computed for each element.
#[derive(Debug)]
enum Expr {
    /// A parameter.
    Param(Var),
    /// An operator with its operands; a constant has none.
    Apply(String, Vec<Rc<Expr>>),
}

impl Expr {
    /// Returns the numbers of parameters and of operations.
    fn size(&self) -> (usize, usize) {
        match self {
            Expr::Param(_) => (1, 0),
            Expr::Apply(_, args) => args.iter().fold((0, 1), |sum, arg| {
                let (params, parts) = arg.size();
                (sum.0 + params, sum.1 + parts)
            }),
        }
    }

    /// Writes the body of the superoperator, and collects its parameters in the order in which they occur.
    fn body(&self, params: &mut Vec<Var>, out: &mut String) {
        match self {
            Expr::Param(var) => {
                let _ = write!(out, "${}", params.len());
                params.push(*var);
            }
            Expr::Apply(operator, args) => {
                let _ = write!(out, "({operator}{}", if args.is_empty() { "" } else { " @" });
                for arg in args {
                    out.push(' ');
                    arg.body(params, out);
                }
                out.push(')');
            }
        }
    }
}

/// The superoperators so far: the text behind the name of each, and how often it is used.
#[derive(Default)]
struct Operators {
    numbers: HashMap<String, usize>,
    all: Vec<(String, usize)>,
}

/// Makes superoperators in all functions; returns their listing.
pub fn fuse(program: &mut Program) -> String {
    let mut operators = Operators::default();
    for function in &mut program.functions {
        let Function { body, types, .. } = function;
        block(body, types, &mut HashMap::new(), &mut operators);
    }
    let mut out = String::new();
    for (number, (text, uses)) in operators.all.iter().enumerate() {
        let _ = writeln!(out, "fused OP{number}#{uses} {text}");
    }
    out
}

type Known = HashMap<Var, Rc<Expr>>;

fn block(block: &mut Block, types: &[Type], known: &mut Known, operators: &mut Operators) {
    let mut constants: HashMap<Var, String> = HashMap::new();
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            Kind::If(_, then, otherwise) => {
                self::block(then, types, known, operators);
                self::block(otherwise, types, known, operators);
            }
            Kind::Const(constant) if is_lone(constant) => {
                constants.insert(stmt.binds[0], text::constant(constant));
            }
            Kind::Do(Instr::Dist(elem), args) if constants.contains_key(&args[0]) => {
                let constant = Rc::new(Expr::Apply(constants[&args[0]].clone(), Vec::new()));
                let operator = format!("DIST {}", elem.word());
                let expr = Expr::Apply(operator, vec![constant, Rc::new(Expr::Param(args[1]))]);
                known.insert(stmt.binds[0], Rc::new(expr));
            }
            Kind::Do(instr @ Instr::Point(..), args) => {
                let (expr, alone) = expression(*instr, args, known);
                known.insert(stmt.binds[0], expr.clone());
                if !alone {
                    stmt.kind = operators.applied(&expr, types);
                }
            }
            Kind::Do(Instr::StartTimer | Instr::StopTimer, _) => known.clear(),
            Kind::Do(..) | Kind::Fused(..) | Kind::Const(_) | Kind::Text(_) | Kind::Call(..) | Kind::Exit => {
            }
        }
    }
}

/// Returns what an elementwise instruction computes, and whether it is the instruction alone.
fn expression(instr: Instr, args: &[Var], known: &Known) -> (Rc<Expr>, bool) {
    let param = |var: &Var| Rc::new(Expr::Param(*var));
    let parts = args.iter().map(|arg| known.get(arg).cloned().unwrap_or_else(|| param(arg))).collect();
    let whole = Expr::Apply(instr.to_string(), parts);
    let (params, parts) = whole.size();
    if params > MOST_PARAMS || parts > MOST_PARTS {
        return (Rc::new(Expr::Apply(instr.to_string(), args.iter().map(param).collect())), true);
    }
    (Rc::new(whole), parts == 1)
}

impl Operators {
    /// Returns the use of the superoperator that computes this.
    fn applied(&mut self, expr: &Expr, types: &[Type]) -> Kind {
        let (mut params, mut body) = (Vec::new(), String::new());
        expr.body(&mut params, &mut body);
        let declared: Vec<String> = params
            .iter()
            .enumerate()
            .map(|(position, var)| match types[var.index()] {
                Type::Vector(elem) => format!("${position} : {}", elem.word()),
                Type::Segdes => format!("${position} : SEGDES"),
            })
            .collect();
        let text = format!("({}) = {body}", declared.join(", "));
        let number = *self.numbers.entry(text.clone()).or_insert_with(|| {
            self.all.push((text, 0));
            self.all.len() - 1
        });
        self.all[number].1 += 1;
        Kind::Fused(number, params)
    }
}
