//! Abstract syntax tree of a program, with nested conditionals.

use super::instr::{Elem, Instr};
use nestled_ir::Span;
use std::sync::Arc;

/// A program: its functions in order of the text, the last of each name.
#[derive(Clone, Debug)]
pub struct Program {
    /// The functions; names are unique.
    pub functions: Vec<Function>,
    /// The number of the function that runs: `MAIN`, or else the first.
    pub entry: usize,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// The place of the name.
    pub span: Span,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The kind of statement.
    pub kind: StmtKind,
    /// The place in the source.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An instruction that takes operands and leaves results.
    Do(Instr),
    /// `COPY count depth`
    Copy {
        /// Number of slots.
        count: usize,
        /// Number of slots above them.
        depth: usize,
    },
    /// `POP count depth`
    Pop {
        /// Number of slots.
        count: usize,
        /// Number of slots above them.
        depth: usize,
    },
    /// `CPOP count depth`
    Cpop {
        /// Number of slots.
        count: usize,
        /// Number of slots above them.
        depth: usize,
    },
    /// `CONST …`
    Const(Constant),
    /// `CALL f`
    Call(usize),
    /// `IF … ELSE … ENDIF`
    If {
        /// The statements for a true flag.
        then: Vec<Stmt>,
        /// The statements for a false flag.
        otherwise: Vec<Stmt>,
    },
    /// `EXIT`
    Exit,
    /// `FUSED n`
    Fused(usize),
}

/// A constant.
#[derive(Clone, PartialEq, Debug)]
pub enum Constant {
    /// Integers, of any width: they are reduced to that of `INT` later.
    Ints(Vec<i64>),
    /// Floats.
    Floats(Vec<f64>),
    /// Truth values.
    Bools(Vec<bool>),
    /// The lengths of a descriptor; none is negative.
    Segdes(Vec<i64>),
}

impl Constant {
    /// Returns the type of its elements; there is none for a descriptor.
    pub fn elem(&self) -> Option<Elem> {
        match self {
            Constant::Ints(_) => Some(Elem::Int),
            Constant::Floats(_) => Some(Elem::Float),
            Constant::Bools(_) => Some(Elem::Bool),
            Constant::Segdes(_) => None,
        }
    }
}
