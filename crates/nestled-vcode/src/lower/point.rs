//! What happens at one position, as lines of λcu. Host code and thunks are written alike, so one text serves both.

use super::Options;
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Elem, Point};
use crate::syntax::listing::{Node, Param, Superoperator};
use nestled_ir::ScalarType;
use std::fmt::Write;

/// What an integer division by zero is reported as.
pub const BY_ZERO: &str = "division by zero";

impl Options {
    /// The λcu type of a type of elements.
    pub fn scalar(&self, elem: Elem) -> ScalarType {
        match elem {
            Elem::Int => self.int,
            Elem::Bool => ScalarType::Bool,
            Elem::Float => self.float,
        }
    }

    /// Its zero, as a literal.
    pub fn zero(&self, elem: Elem) -> &'static str {
        match elem {
            Elem::Int => "0",
            Elem::Bool => "false",
            Elem::Float => "0.0",
        }
    }

    /// The least integer as the place says it, and where integers end, as floats.
    fn int_limits(&self) -> (&'static str, &'static str) {
        if self.int == ScalarType::I64 {
            ("-9223372036854775808", "9223372036854775808.0")
        } else {
            ("-2147483648", "2147483648.0")
        }
    }
}

/// The lines that compute an instruction of named operands; the result is named `r`, and what else is named begins with `r`.
pub fn lines(options: &Options, point: Point, elem: Elem, args: &[String], r: &str, out: &mut String) {
    let int = options.int;
    let arg = |position: usize| args.get(position).map_or("", String::as_str);
    let (a, b, c) = (arg(0), arg(1), arg(2));
    let plain = |name: &str| format!("{r} = {name} {}", args.join(" "));
    // What is outside of the integers, or no number, becomes the least of them, as on the machines of the original.
    let to_int = |value: &str| {
        let (least, end) = options.int_limits();
        format!(
            "{r}w = {value}\n{r}f = and (ge {r}w -{end}) (lt {r}w {end})\n{r}i = {int} {r}w\n{r} = select {r}f {r}i {least}{int}"
        )
    };
    let divide = |name: &str| {
        let check = if options.checks { format!("check (ne {b} 0) \"{BY_ZERO}\"\n") } else { String::new() };
        format!("{check}{r} = {name} {a} {b}")
    };
    let text = match point {
        Point::Add => plain("add"),
        Point::Sub => plain("sub"),
        Point::Mul => plain("mul"),
        Point::Div if elem == Elem::Int => divide("div"),
        Point::Div => plain("div"),
        Point::Rem => divide("rem"),
        Point::Lt => plain("lt"),
        Point::Le => plain("le"),
        Point::Gt => plain("gt"),
        Point::Ge => plain("ge"),
        Point::Eq => plain("eq"),
        Point::Ne => plain("ne"),
        Point::Lshift => plain("shl"),
        Point::Rshift => plain("shr"),
        Point::Not => plain("not"),
        Point::And => plain("and"),
        Point::Or => plain("or"),
        Point::Xor => plain("xor"),
        Point::Select => format!("{r} = select {a} {b} {c}"),
        Point::Floor => to_int(&format!("floor {a}")),
        Point::Ceil => to_int(&format!("ceil {a}")),
        Point::Trunc => to_int(&format!("trunc {a}")),
        Point::Round => to_int(&format!("trunc (add {a} 0.5)")),
        Point::Log => plain("ln"),
        Point::Sqrt => plain("sqrt"),
        Point::Exp => plain("exp"),
        Point::Sin => plain("sin"),
        Point::Cos => plain("cos"),
        Point::Tan => plain("tan"),
        Point::Asin => plain("asin"),
        Point::Acos => plain("acos"),
        Point::Atan => plain("atan"),
        Point::Sinh => plain("sinh"),
        Point::Cosh => plain("cosh"),
        Point::Tanh => plain("tanh"),
        Point::IToF => plain(options.float.name()),
        Point::IToB => format!("{r} = ne {a} 0"),
        Point::BToI => plain(int.name()),
    };
    out.push_str(&text);
    out.push('\n');
}

/// A constant as a literal with its type.
pub fn literal(options: &Options, constant: &Constant) -> String {
    match constant {
        Constant::Ints(all) | Constant::Segdes(all) => {
            let value = all.first().copied().unwrap_or(0);
            let value = if options.int == ScalarType::I64 { value } else { i64::from(value as i32) };
            format!("{value}{}", options.int)
        }
        Constant::Floats(all) => {
            let value = all.first().copied().unwrap_or(0.0);
            let value = if options.float == ScalarType::F32 { f64::from(value as f32) } else { value };
            format!("{:?}", nestled_ir::Scalar::from_bits(ScalarType::F64, value.to_bits()))
                .replace("f64", options.float.name())
        }
        Constant::Bools(all) => all.first().copied().unwrap_or(false).to_string(),
    }
}

/// The lines of a superoperator. Its vectors are named `a0`, `a1`, … by their positions; the name of the result is given back.
pub fn fused(options: &Options, op: &Superoperator, out: &mut String) -> String {
    let mut names: Vec<String> = Vec::with_capacity(op.nodes.len());
    for (number, node) in op.nodes.iter().enumerate() {
        let name = format!("r{number}");
        match node {
            Node::Param(position) => match op.params[*position] {
                Param::Vector(_) => {
                    names.push(format!("a{position}"));
                    continue;
                }
                Param::Segdes => {}
            },
            Node::Const(constant) => {
                let _ = writeln!(out, "{name} = {}", literal(options, constant));
            }
            Node::Point(point, elem, args) => {
                let args: Vec<String> = args.iter().map(|&arg| names[arg].clone()).collect();
                lines(options, *point, *elem, &args, &name, out);
            }
        }
        names.push(name);
    }
    names.pop().unwrap_or_default()
}
