//! What rules of scalar algebra ask, and what they answer.

use nestled_ir::{Atom, Op, Scalar, ScalarType};

/// What the rules ask about operands.
pub trait Operands {
    /// The type of an operand.
    fn ty(&self, atom: Atom) -> ScalarType;
    /// The operation that computed an operand, if its own operands are visible here as well.
    fn definition(&self, atom: Atom) -> Option<(Op, &[Atom])>;
}

/// What an operation came down to.
#[derive(Clone, Debug, PartialEq)]
pub enum Simple {
    /// It has this value.
    Atom(Atom),
    /// It is this operation.
    Op(Op, Vec<Atom>),
}

/// The literal, if an operand is one.
pub fn constant(atom: Atom) -> Option<Scalar> {
    match atom {
        Atom::Const(scalar) => Some(scalar),
        Atom::Local(_) | Atom::Value(_) => None,
    }
}

/// The value of an operand.
pub fn atom(atom: Atom) -> Option<Simple> {
    Some(Simple::Atom(atom))
}

/// A literal number of a type.
pub fn number(ty: ScalarType, value: i64) -> Atom {
    Atom::Const(match ty {
        ScalarType::F32 => Scalar::F32(value as f32),
        ScalarType::F64 => Scalar::F64(value as f64),
        integer => Scalar::from_bits(integer, value as u64),
    })
}

/// A literal truth value.
pub fn boolean(value: bool) -> Atom {
    Atom::Const(Scalar::Bool(value))
}
