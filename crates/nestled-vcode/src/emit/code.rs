//! Code that is being written: functions over named values, before they are turned into moves of a stack.
//!
//! A value is bound once, and is a vector or a descriptor. Blocks see the values of the blocks around them. Types are known, since the writer knows what it
//! writes; this is what the representation of the reading direction (`stack::ir`) does not have.

use crate::syntax::ast::Constant;
use crate::syntax::instr::{Elem, Fold, Instr, Move, Point};

/// A value of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

impl Var {
    /// Returns its place in tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The type of a value: a vector of elements, or a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A vector.
    Vector(Elem),
    /// A descriptor.
    Segdes,
}

/// A program; the first function runs.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The functions; calls name them by position.
    pub functions: Vec<Function>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, different from all others.
    pub name: String,
    /// The parameters, deepest slot first.
    pub params: Vec<Var>,
    /// Its code.
    pub body: Block,
    /// The types of its values.
    pub types: Vec<Type>,
}

/// Statements, and the values with which the block ends.
#[derive(Clone, Debug)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// The results, deepest slot first; none if the program has ended before.
    pub yields: Option<Vec<Var>>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The operation.
    pub kind: Kind,
    /// The values that it binds.
    pub binds: Vec<Var>,
    /// True if it must stay although nobody uses its values: it may fault, or acts on the world.
    pub stays: bool,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum Kind {
    /// An instruction.
    Do(Instr, Vec<Var>),
    /// A superoperator.
    Fused(usize, Vec<Var>),
    /// A constant.
    Const(Constant),
    /// The codes of a text.
    Text(Vec<u8>),
    /// A call.
    Call(usize, Vec<Var>),
    /// A conditional.
    If(Var, Block, Block),
    /// The end of the program.
    Exit,
}

impl Kind {
    /// Returns the operands of the statement itself, without those of its blocks.
    pub fn args(&self) -> &[Var] {
        match self {
            Kind::Do(_, args) | Kind::Fused(_, args) | Kind::Call(_, args) => args,
            Kind::If(cond, ..) => std::slice::from_ref(cond),
            Kind::Const(_) | Kind::Text(_) | Kind::Exit => &[],
        }
    }

    /// Returns the operands of the statement itself, to be changed.
    pub fn args_mut(&mut self) -> &mut [Var] {
        match self {
            Kind::Do(_, args) | Kind::Fused(_, args) | Kind::Call(_, args) => args,
            Kind::If(cond, ..) => std::slice::from_mut(cond),
            Kind::Const(_) | Kind::Text(_) | Kind::Exit => &mut [],
        }
    }

    /// Calls `see` with every operand, those of inner blocks and their results included.
    pub fn visit(&self, see: &mut dyn FnMut(Var)) {
        self.args().iter().copied().for_each(&mut *see);
        if let Kind::If(_, then, otherwise) = self {
            then.visit(see);
            otherwise.visit(see);
        }
    }
}

impl Block {
    /// Calls `see` with every operand and result.
    pub fn visit(&self, see: &mut dyn FnMut(Var)) {
        for stmt in &self.stmts {
            stmt.kind.visit(see);
        }
        self.yields.iter().flatten().copied().for_each(see);
    }
}

/// The lone element of a constant that every use may write again.
pub fn is_lone(constant: &Constant) -> bool {
    match constant {
        Constant::Ints(all) | Constant::Segdes(all) => all.len() == 1,
        Constant::Floats(all) => all.len() == 1,
        Constant::Bools(all) => all.len() == 1,
    }
}

/// Returns the types of the results of an instruction; `None` where it is not one that is written here.
pub fn results(instr: Instr) -> Option<Vec<Type>> {
    use Type::{Segdes, Vector};
    let int = Vector(Elem::Int);
    Some(match instr {
        Instr::Point(point, elem) => vec![Vector(point.signature(elem).1)],
        Instr::Scan(_, elem)
        | Instr::Reduce(_, elem)
        | Instr::Move(_, elem)
        | Instr::Extract(elem)
        | Instr::Replace(elem)
        | Instr::Dist(elem) => vec![Vector(elem)],
        Instr::Pack(elem) => vec![Vector(elem), Segdes],
        Instr::Length(_) | Instr::Rank { .. } | Instr::Index | Instr::Lengths => vec![int],
        Instr::MakeSegdes => vec![Segdes],
        Instr::StartTimer => Vec::new(),
        Instr::StopTimer => vec![Vector(Elem::Float)],
        Instr::Write(_) | Instr::Fwrite(_) => vec![int, Vector(Elem::Bool)],
        Instr::Rand
        | Instr::Pair
        | Instr::Unpair
        | Instr::Srand
        | Instr::Read(_)
        | Instr::Fread(_)
        | Instr::Fopen
        | Instr::Fclose
        | Instr::FreadChar
        | Instr::Spawn => return None,
    })
}

/// `+_REDUCE INT`, the instruction that is written most.
pub const SUM: Instr = Instr::Reduce(Fold::Add, Elem::Int);

/// A scan by addition of integers, which gives the starts of segments of these lengths.
pub const STARTS: Instr = Instr::Scan(Fold::Add, Elem::Int);

/// An elementwise instruction on integers, or one whose word has no type.
pub const fn ints(point: Point) -> Instr {
    Instr::Point(point, Elem::Int)
}

/// An elementwise instruction on truth values.
pub const fn bools(point: Point) -> Instr {
    Instr::Point(point, Elem::Bool)
}

/// An elementwise instruction on floats.
pub const fn floats(point: Point) -> Instr {
    Instr::Point(point, Elem::Float)
}

/// A gather.
pub const fn gather(elem: Elem) -> Instr {
    Instr::Move(Move::Bpermute, elem)
}
