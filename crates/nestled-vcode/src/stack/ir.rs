//! Functions over named values. Every value is bound once; types are not known yet.

use crate::syntax::ast::Constant;
use crate::syntax::instr::Instr;
use nestled_ir::Span;
use std::sync::Arc;

/// A named value of one function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

impl Var {
    /// Its place in tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its functions.
    pub functions: Vec<Function>,
    /// The one that runs. It has no parameters.
    pub entry: usize,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// Where it is defined.
    pub span: Span,
    /// What it is given, deepest first.
    pub params: Vec<Var>,
    /// What it does.
    pub body: Block,
    /// How many values it names.
    pub n_vars: usize,
}

/// Statements, and how they end.
#[derive(Clone, Debug)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// How the block ends.
    pub end: End,
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// With these values, deepest first.
    Yield(Vec<Var>),
    /// Never: the program has ended before.
    Never,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: Kind,
    /// What it binds.
    pub binds: Vec<Var>,
    /// Where it stands.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum Kind {
    /// An instruction. What the machine keeps besides the stack is an operand and result like any other: of `RAND` and `SRAND` the state of
    /// the generator (last), of `START_TIMER` and `STOP_TIMER` the time.
    Do(Instr, Vec<Var>),
    /// A superoperator.
    Fused(usize, Vec<Var>),
    /// A constant.
    Const(Constant),
    /// What the machine keeps, as it is in the beginning.
    Initial(State),
    /// A call.
    Call(usize, Vec<Var>),
    /// A branch.
    If {
        /// The flag.
        cond: Var,
        /// Where it is true.
        then: Block,
        /// Where it is false.
        otherwise: Block,
    },
    /// The end of the program.
    Exit,
}

/// What the machine keeps besides the stack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum State {
    /// The state of the random generator.
    Random,
    /// When the timer was started.
    Timer,
}

impl State {
    /// All of it.
    pub const ALL: [State; 2] = [State::Random, State::Timer];
}

impl Kind {
    /// The operands of the statement itself, without those in its blocks, to change them.
    pub fn args_mut(&mut self) -> &mut [Var] {
        match self {
            Kind::Do(_, args) | Kind::Fused(_, args) | Kind::Call(_, args) => args,
            Kind::If { cond, .. } => std::slice::from_mut(cond),
            Kind::Const(_) | Kind::Initial(_) | Kind::Exit => &mut [],
        }
    }
}

impl Block {
    /// Calls `visit` on every statement, those inside others after the one that holds them.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Stmt)) {
        for stmt in &self.stmts {
            visit(stmt);
            if let Kind::If { then, otherwise, .. } = &stmt.kind {
                then.walk(visit);
                otherwise.walk(visit);
            }
        }
    }

    /// How many blocks lie inside one another, itself included.
    pub fn nesting(&self) -> usize {
        let inner = self.stmts.iter().map(|stmt| match &stmt.kind {
            Kind::If { then, otherwise, .. } => then.nesting().max(otherwise.nesting()),
            _ => 0,
        });
        1 + inner.max().unwrap_or(0)
    }
}
