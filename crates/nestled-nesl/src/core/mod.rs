//! The core language, the intermediate representation between type inference and flattening: names, classes, patterns, records and function values are gone.
//!
//! A core program is a list of first-order functions over concrete types, monomorphised: one copy for each type at which a function is used. Bodies are in
//! A-normal form: every intermediate value has a name and is bound once. The core is still nested: an apply-to-each holds a block and lists the values that it
//! captures. Its meaning is defined by the interpreter, [`interp`](crate::interp); flattening starts here.
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
pub use types::{Closure, ClosureCode, CoreType, CoreTypes, Data, Ty, Variant};
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
    /// The function without parameters whose result is the program's value.
    pub main: FunctionId,
    /// The pools of its recursive datatypes; only programs that are flattened have some.
    pub pools: Pools,
}

/// The pools of a program: sequences of the contents of values that hold values of their own type.
#[derive(Clone, Debug, Default)]
pub struct Pools {
    /// For each pool the type of its elements.
    pub elements: Vec<Ty>,
    /// True if they are given with the values of the top level; else they begin empty.
    pub given: bool,
    /// True if they are wanted with the program's value.
    pub wanted: bool,
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
    /// The parameters: first the values that a closure captured, then the names of the pattern.
    pub parameters: Vec<Local>,
    /// The types of all its values.
    pub locals: Vec<Ty>,
    /// The statements and the result.
    pub body: Block,
    /// The type of the result.
    pub result: Ty,
    /// True if the function belongs to the language's library.
    pub library: bool,
}

/// Statements, and the value they are for.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// In order of evaluation.
    pub statements: Vec<Statement>,
    /// The value of the block.
    pub result: Atom,
}

/// `local = op`
#[derive(Clone, Debug)]
pub struct Statement {
    /// The value that is bound.
    pub local: Local,
    /// The operation that computes it.
    pub op: Op,
    /// Its place in the program. In a function of the library it has none (`Span::NONE`): it happens where the program calls the library.
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

/// The operation of a statement.
#[derive(Clone, Debug)]
pub enum Op {
    /// A primitive of the language.
    Primitive(Primitive, Vec<Atom>),
    /// A call of a function of the program. A call in tail position (the last statement of a function, or of a branch in tail position) needs no stack.
    Call(FunctionId, Vec<Atom>),
    /// The value of a name of the top level.
    Global(GlobalId),
    /// `(left, right)`
    Pair(Atom, Atom),
    /// The left component.
    First(Atom),
    /// The right component.
    Second(Atom),
    /// A closure with the values that it captured.
    Closure(Vec<Atom>),
    /// A captured value of a closure, by its position.
    Captured(Atom, usize),
    /// A sequence literal; it may be empty.
    Sequence(Vec<Atom>),
    /// A string.
    Str(Arc<[u8]>),
    /// An operation on a datatype with variants.
    Data(DataOp, Vec<Atom>),
    /// A conditional of two blocks.
    If(Atom, Block, Block),
    /// An apply-to-each.
    Each(Each),
}

/// An operation on values of datatypes with variants. Programs that are flattened have pools in the place of recursive datatypes: for each variant a
/// sequence of contents, where a value has its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataOp {
    /// Makes a value of a variant, of its content if it has one.
    Construct(usize),
    /// The number of a value's variant.
    Tag,
    /// The content of a value that is of this variant.
    Content(usize),
    /// Appends a content to a pool, and gives its position there.
    Keep(usize),
    /// The content at a position of a pool.
    Fetch(usize),
}

/// An apply-to-each.
#[derive(Clone, Debug)]
pub struct Each {
    /// One element after another, in order.
    pub serial: bool,
    /// The sequences; they must be equally long, or the statement faults with `E:length`.
    pub sources: Vec<Atom>,
    /// The places in the source where they are written.
    pub written: Vec<Span>,
    /// The names of the elements in the block.
    pub elements: Vec<Local>,
    /// The captured values: values from outside that the block uses, in increasing order. They are the same for all elements.
    pub captured: Vec<Local>,
    /// The block computed for each element.
    pub body: Block,
}

impl Op {
    /// Calls `see` with every operand, those of inner blocks included.
    pub fn visit_atoms(&self, see: &mut dyn FnMut(Atom)) {
        match self {
            Op::Primitive(_, atoms)
            | Op::Call(_, atoms)
            | Op::Closure(atoms)
            | Op::Sequence(atoms)
            | Op::Data(_, atoms) => atoms.iter().copied().for_each(see),
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
    /// Calls `see` with every operand, those of inner blocks included.
    pub fn visit_atoms(&self, see: &mut dyn FnMut(Atom)) {
        for statement in &self.statements {
            statement.op.visit_atoms(see);
        }
        see(self.result);
    }
}
