//! The interface of the rules of scalar algebra: their view of operands, and their results.

use nestled_ir::{Atom, Op, Scalar, ScalarType};

/// The rules' view of operands.
pub trait Operands {
    /// The type of an operand.
    fn ty(&self, atom: Atom) -> ScalarType;
    /// The operation that computed an operand, if its own operands are visible here as well.
    fn definition(&self, atom: Atom) -> Option<(Op, &[Atom])>;
}

/// A simplified operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Simple {
    /// An operand or literal that it equals.
    Atom(Atom),
    /// A simpler operation.
    Op(Op, Vec<Atom>),
}

/// Returns the value of a literal operand.
pub fn constant(atom: Atom) -> Option<Scalar> {
    match atom {
        Atom::Const(scalar) => Some(scalar),
        Atom::Local(_) | Atom::Value(_) => None,
    }
}

/// Makes the result of a rule that found an operand.
pub fn atom(atom: Atom) -> Option<Simple> {
    Some(Simple::Atom(atom))
}

/// Makes a literal number of a type.
pub fn number(ty: ScalarType, value: i64) -> Atom {
    Atom::Const(match ty {
        ScalarType::F32 => Scalar::F32(value as f32),
        ScalarType::F64 => Scalar::F64(value as f64),
        integer => Scalar::from_bits(integer, value as u64),
    })
}

/// Makes a literal truth value.
pub fn boolean(value: bool) -> Atom {
    Atom::Const(Scalar::Bool(value))
}
