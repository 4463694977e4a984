//! Type checks of an instruction's operands on the stack.

use super::slot::{Descr, Slot, Vector};
use super::{Lower, Lowering};
use crate::stack::ir::Var;
use crate::syntax::codes;
use crate::syntax::instr::Elem;
use nestled_ir::{Diagnostic, HostAtom, Span};

/// The operands of an instruction, to be checked.
pub struct Operands<'a, 'b> {
    pub lowering: &'a mut Lowering<'b>,
    /// The name of the instruction.
    pub what: &'a str,
    pub args: &'a [Var],
    pub span: Span,
}

impl Operands<'_, '_> {
    pub fn slot(&self, position: usize) -> &Slot {
        self.lowering.frame.slot(self.args[position])
    }

    /// Returns an operand that must be a vector of a type.
    pub fn vector(&mut self, position: usize, elem: Elem) -> Lower<Vector> {
        match self.slot(position) {
            Slot::Vector(vector) if vector.elem == elem => Ok(*vector),
            other => Err(wrong_operand(self.what, other, elem.word(), self.span)),
        }
    }

    /// Returns an operand that must be a vector of any type.
    pub fn any_vector(&mut self, position: usize) -> Lower<Vector> {
        match self.slot(position) {
            Slot::Vector(vector) => Ok(*vector),
            other => Err(wrong_operand(self.what, other, "a vector", self.span)),
        }
    }

    /// Returns an operand that must be a descriptor.
    pub fn descr(&mut self, position: usize) -> Lower<Descr> {
        match self.slot(position) {
            Slot::Descr(descr) => Ok(*descr),
            other => Err(wrong_operand(self.what, other, "SEGDES", self.span)),
        }
    }

    /// Returns an operand that must be a part of the machine's state.
    pub fn state(&mut self, position: usize) -> Lower<HostAtom> {
        match self.slot(position) {
            Slot::State(_, atom) => Ok(*atom),
            other => Err(wrong_operand(self.what, other, "state", self.span)),
        }
    }
}

/// The message that an operand has another type.
pub fn wrong_operand(what: &str, found: &Slot, wanted: &str, span: Span) -> Box<Diagnostic> {
    let message = format!("`{what}` takes {wanted} where the stack holds {}", found.describe());
    Box::new(Diagnostic::new(codes::OPERAND, message, span))
}
