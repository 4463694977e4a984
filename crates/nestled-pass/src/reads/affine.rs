//! Affine indices: the scalars of a thunk that are sums of multiples of coordinates and uniform scalars, and a constant, modulo 2⁶⁴.
//!
//! Wrapping does not matter here: additions that wrap are additions of numbers modulo 2⁶⁴, whatever the coordinates are. So a relation found here also holds at points outside of
//! the array, unlike a relation that was proved only for points inside.

use crate::ranges::{Linear, Var};
use nestled_ir::{Atom, LocalId, Op, StmtKind, Thunk};
use std::collections::HashMap;

/// The affine scalars of a thunk, as linear forms of its parameters and of scalars of the kernel, modulo 2⁶⁴.
#[derive(Debug)]
pub struct Affine {
    forms: HashMap<LocalId, Linear>,
}

impl Affine {
    /// Collects them from the statements of a thunk that are in no inner block.
    pub fn of(thunk: &Thunk) -> Affine {
        let params = thunk.params().map(|param| (param, Linear::var(Var::Local(param))));
        let mut affine = Affine { forms: params.collect() };
        for stmt in &thunk.body.stmts {
            let StmtKind::Op { dst, op, args } = &stmt.kind else { continue };
            if thunk.local_type(*dst) != nestled_ir::ScalarType::Idx {
                continue;
            }
            if let Some(form) = affine.operation(*op, args) {
                affine.forms.insert(*dst, form);
            }
        }
        affine
    }

    fn operation(&self, op: Op, args: &[Atom]) -> Option<Linear> {
        let form = |at: usize| self.form(args[at]);
        match op {
            Op::Add => form(0)?.plus(1, &form(1)?),
            Op::Sub => form(0)?.plus(-1, &form(1)?),
            Op::Neg => form(0)?.scaled(-1),
            Op::Mul => form(0)?.scaled(form(1)?.as_constant()?),
            _ => None,
        }
    }

    /// Returns the form of an operand, if it is affine.
    pub fn form(&self, atom: Atom) -> Option<Linear> {
        match atom {
            Atom::Local(local) => self.forms.get(&local).cloned(),
            Atom::Const(scalar) => scalar.as_integer().map(|value| Linear::constant(i128::from(value))),
            Atom::Value(value) => Some(Linear::var(Var::Value(value))),
        }
    }
}
