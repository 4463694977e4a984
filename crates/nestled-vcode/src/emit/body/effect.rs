//! Effects and faults: output, and the message on standard error and the `EXIT` that end a program which faults, as the original's compiler wrote them.

use super::super::code::Var;
use super::super::value::Value;
use super::{Body, Written};
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Instr, Medium};
use nestled_nesl::core::Atom;
use nestled_nesl::primitive::Primitive;

impl Body<'_, '_> {
    /// Writes what stops the program, with a message.
    pub(super) fn stop(&mut self, message: Var) {
        self.out.effect(Instr::Write(Medium::Char), &[message], true);
        self.out.exit();
    }

    /// Writes a primitive that acts on the world.
    pub(super) fn effect(&mut self, primitive: Primitive, atoms: &[Atom]) -> Written<Value> {
        match primitive {
            Primitive::Abort => Ok(self.abort(atoms[0])),
            Primitive::Check(code) => {
                let holds = self.atom(atoms[0]);
                self.require(holds.scalar(), code);
                Ok(holds)
            }
            Primitive::PrintString if self.extent.is_none() => {
                let text = self.atom(atoms[0]);
                let (_, text) = self.full_sequence(&text);
                let out = self.out.int(1);
                let made = self.out.effect(Instr::Fwrite(Medium::Char), &[text.scalar(), out], true);
                self.out.is_one(made[1]);
                Ok(Value::Scalar(made[1]))
            }
            Primitive::StartTimer if self.extent.is_none() => {
                self.out.effect(Instr::StartTimer, &[], true);
                Ok(self.atom(atoms[0]))
            }
            Primitive::StopTimer if self.extent.is_none() => {
                let made = self.out.effect(Instr::StopTimer, &[], true);
                self.out.is_one(made[0]);
                Ok(Value::Scalar(made[0]))
            }
            Primitive::PrintString => Err(self.refusal("printing in an apply-to-each")),
            Primitive::StartTimer | Primitive::StopTimer => {
                Err(self.refusal("measuring time in an apply-to-each"))
            }
            Primitive::Rand | Primitive::RandSeed | Primitive::RandInOrder | Primitive::SeedInOrder => {
                Err(self.refusal("the random numbers of NESL"))
            }
            _ => Err(self.refusal("files, processes and drawings")),
        }
    }

    /// Writes `error`, which stops the program if there is an instance that calls it: with the message of the first.
    fn abort(&mut self, message: Atom) -> Value {
        let message = self.atom(message);
        let some = match self.extent {
            None => self.out.constant(Constant::Bools(vec![true])),
            Some(extent) => {
                let count = self.out.op(Instr::Lengths, &[extent]);
                self.out.op(super::super::code::ints(crate::syntax::instr::Point::IToB), &[count])
            }
        };
        self.out.open();
        let (seg, text) = self.full_sequence(&message);
        let text = self.first_of(seg, text.scalar());
        let line = self.out.int(10);
        let one = self.out.constant(Constant::Segdes(vec![1]));
        self.out.is_under(line, one);
        let first = self.out.extent(text);
        let (_, text) = self.out.append((first, &Value::Scalar(text)), (one, &Value::Scalar(line)));
        self.stop(text.scalar());
        let then = self.out.close(Vec::new());
        self.out.open();
        let otherwise = self.out.close(Vec::new());
        self.out.branch(some, then, otherwise, &[]);
        self.atom(Atom::Bool(true))
    }

    /// Returns the elements of the first segment.
    fn first_of(&mut self, seg: Var, elements: Var) -> Var {
        if self.out.one(seg) {
            return elements;
        }
        let (zero, step) = (self.out.int(0), self.out.int(1));
        let lengths = self.out.op(Instr::Lengths, &[seg]);
        let all = self.out.extent(seg);
        let elem = self.out.elem(elements);
        let length = self.out.op(Instr::Extract(elem), &[lengths, zero, all]);
        let first = self.out.op(Instr::MakeSegdes, &[length]);
        let at = self.out.op(Instr::Index, &[zero, step, first]);
        let from = self.out.total(seg);
        self.out.op(super::super::code::gather(elem), &[elements, at, from, first])
    }
}
