//! A program as it is written, with its conditionals nested.

use super::instr::{Elem, Instr};
use nestled_ir::Span;
use std::sync::Arc;

/// A program: its functions in order of the text, the last of each name.
#[derive(Clone, Debug)]
pub struct Program {
    /// The functions; names are unique.
    pub functions: Vec<Function>,
    /// Which of them runs: `MAIN`, or else the first.
    pub entry: usize,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// Where the name stands.
    pub span: Span,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An instruction that takes operands and leaves results.
    Do(Instr),
    /// `COPY count depth`
    Copy {
        /// How many slots.
        count: usize,
        /// How many lie above them.
        depth: usize,
    },
    /// `POP count depth`
    Pop {
        /// How many slots.
        count: usize,
        /// How many lie above them.
        depth: usize,
    },
    /// `CPOP count depth`
    Cpop {
        /// How many slots.
        count: usize,
        /// How many lie above them.
        depth: usize,
    },
    /// `CONST …`
    Const(Constant),
    /// `CALL f`
    Call(usize),
    /// `IF … ELSE … ENDIF`
    If {
        /// Where the flag is true.
        then: Vec<Stmt>,
        /// Where it is false.
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
    /// The type of its elements; none for a descriptor.
    pub fn elem(&self) -> Option<Elem> {
        match self {
            Constant::Ints(_) => Some(Elem::Int),
            Constant::Floats(_) => Some(Elem::Float),
            Constant::Bools(_) => Some(Elem::Bool),
            Constant::Segdes(_) => None,
        }
    }
}
