//! The core: what NESL is once names, classes, patterns, records and function values are gone.
//!
//! First-order functions over concrete types, one copy for each type they are used at; bodies are lists of statements that name
//! every intermediate value; still nested: an apply-to-each holds a block, and says which values it takes from outside.
//! What a program means, [`interp`](crate::interp) says; flattening starts from here.
//!
//! ```text
//! {x * n : x in v | x > 2}
//!
//! 1 : [(int, bool)] = each 2 in v with n {
//!   3 : int = Multiply(2, n)
//!   4 : bool = Greater(2, 2)
//!   5 : (int, bool) = pair(3, 4)
//!   => 5
//! }
//! 6 : [int] = Pack(1)
//! ```

mod print;
mod types;
mod typing;
pub mod verify;

pub use print::print;
pub use types::{Closure, ClosureCode, CoreType, CoreTypes, Ty};
pub use typing::{arity, primitive_result};

use crate::primitive::Primitive;
use crate::token::Text;
use crate::typed::GlobalId;
use nestled_ir::Span;
use std::sync::Arc;

/// A program: the value of a statement.
#[derive(Clone, Debug)]
pub struct Program {
    /// The functions; calls name them by position.
    pub functions: Vec<Function>,
    /// The one without parameters whose result is the value.
    pub main: FunctionId,
}

/// A function of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A value of a function, bound once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(pub u32);

/// A function at concrete types.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name in the source, for messages.
    pub name: Text,
    /// What it is called with: first what a function value took along, then the names of its pattern.
    pub parameters: Vec<Local>,
    /// The types of all its values.
    pub locals: Vec<Ty>,
    /// What it does.
    pub body: Block,
    /// The type of what it gives.
    pub result: Ty,
    /// Whether the language's library has it.
    pub library: bool,
}

/// Statements, and the value they are for.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// In order of evaluation.
    pub statements: Vec<Statement>,
    /// What the block gives.
    pub result: Atom,
}

/// `local = op`
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it binds.
    pub local: Local,
    /// What it computes.
    pub op: Op,
    /// The place in the source that asks for it.
    pub span: Span,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Atom {
    /// A value of the function.
    Local(Local),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A character.
    Char(u8),
}

impl Default for Atom {
    fn default() -> Atom {
        Atom::Bool(false)
    }
}

/// What a statement computes.
#[derive(Clone, Debug)]
pub enum Op {
    /// A function of the language.
    Primitive(Primitive, Vec<Atom>),
    /// A function of the program. As the last statement of a function or of a branch that is, it takes no room.
    Call(FunctionId, Vec<Atom>),
    /// The value of a name of the top level.
    Global(GlobalId),
    /// `(left, right)`
    Pair(Atom, Atom),
    /// The left component.
    First(Atom),
    /// The right component.
    Second(Atom),
    /// What a function value took along.
    Closure(Vec<Atom>),
    /// One of these values.
    Captured(Atom, usize),
    /// A sequence by its elements; there may be none.
    Sequence(Vec<Atom>),
    /// A string.
    Str(Arc<[u8]>),
    /// One of two blocks.
    If(Atom, Block, Block),
    /// A block for each element.
    Each(Each),
}

/// An apply-to-each.
#[derive(Clone, Debug)]
pub struct Each {
    /// One element after another, in order.
    pub serial: bool,
    /// The sequences; they must be equally long, or the statement faults with `E:length`.
    pub sources: Vec<Atom>,
    /// Where they are written.
    pub written: Vec<Span>,
    /// What the block calls their elements.
    pub elements: Vec<Local>,
    /// Values from outside that the block uses, in increasing order: the same for all elements.
    pub captured: Vec<Local>,
    /// What is computed for each element.
    pub body: Block,
}

impl Op {
    /// Shows the operands, those of blocks too.
    pub fn visit_atoms(&self, see: &mut dyn FnMut(Atom)) {
        match self {
            Op::Primitive(_, atoms) | Op::Call(_, atoms) | Op::Closure(atoms) | Op::Sequence(atoms) => {
                atoms.iter().copied().for_each(see)
            }
            Op::Global(_) | Op::Str(_) => {}
            Op::Pair(left, right) => {
                see(*left);
                see(*right);
            }
            Op::First(atom) | Op::Second(atom) | Op::Captured(atom, _) => see(*atom),
            Op::If(condition, yes, no) => {
                see(*condition);
                yes.visit_atoms(see);
                no.visit_atoms(see);
            }
            Op::Each(each) => {
                each.sources.iter().copied().for_each(&mut *see);
                each.body.visit_atoms(see);
            }
        }
    }
}

impl Block {
    /// Shows every operand, inner blocks included.
    pub fn visit_atoms(&self, see: &mut dyn FnMut(Atom)) {
        for statement in &self.statements {
            statement.op.visit_atoms(see);
        }
        see(self.result);
    }
}
