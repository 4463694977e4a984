//! Intermediate representation in single-assignment form: functions over named values. Types are not known yet.

use crate::syntax::ast::Constant;
use crate::syntax::instr::Instr;
use nestled_ir::Span;
use std::sync::Arc;

/// A named value of one function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

impl Var {
    /// Returns its place in tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its functions.
    pub functions: Vec<Function>,
    /// The number of the function that runs. It has no parameters.
    pub entry: usize,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// The place of the definition.
    pub span: Span,
    /// The parameters, deepest slot first.
    pub params: Vec<Var>,
    /// The statements and results.
    pub body: Block,
    /// Number of values.
    pub n_vars: usize,
}

/// Statements, and the end of the block.
#[derive(Clone, Debug)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// The end of the block.
    pub end: End,
}

/// The end of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The block ends with these values, deepest first.
    Yield(Vec<Var>),
    /// The end is not reached: the program ends before it.
    Never,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The operation.
    pub kind: Kind,
    /// The values that it binds.
    pub binds: Vec<Var>,
    /// The place in the source.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum Kind {
    /// An instruction. The machine's state besides the stack is an explicit operand and result: for `RAND` and `SRAND` the state of the generator (last), for
    /// `START_TIMER` and `STOP_TIMER` the time.
    Do(Instr, Vec<Var>),
    /// A superoperator.
    Fused(usize, Vec<Var>),
    /// A constant.
    Const(Constant),
    /// The initial value of a part of the machine's state.
    Initial(State),
    /// A call.
    Call(usize, Vec<Var>),
    /// A conditional.
    If {
        /// The flag.
        cond: Var,
        /// The block for a true flag.
        then: Block,
        /// The block for a false flag.
        otherwise: Block,
    },
    /// The end of the program.
    Exit,
}

/// A part of the machine's state besides the stack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum State {
    /// The state of the random generator.
    Random,
    /// The time at which the timer was started.
    Timer,
}

impl State {
    /// All parts.
    pub const ALL: [State; 2] = [State::Random, State::Timer];
}

impl Kind {
    /// Returns the operands of the statement itself, without those in its blocks, to be changed.
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

    /// Returns the nesting depth of blocks, this one included.
    pub fn nesting(&self) -> usize {
        let inner = self.stmts.iter().map(|stmt| match &stmt.kind {
            Kind::If { then, otherwise, .. } => then.nesting().max(otherwise.nesting()),
            _ => 0,
        });
        1 + inner.max().unwrap_or(0)
    }
}
