//! Materialises values of pairs and closures as single values of the core, and takes them apart.

use super::Specialise;
use super::body::Body;
use super::value::{Form, Value};
use crate::core::{Atom, CoreType, Op, Ty};
use nestled_ir::Span;
use std::rc::Rc;

impl Specialise<'_> {
    pub(super) fn pair(&mut self, left: Value, right: Value) -> Value {
        let ty = self.ty(CoreType::Pair(left.ty, right.ty));
        Value { ty, form: Form::Pair(Rc::new((left, right))) }
    }

    /// Returns the value as a single operand.
    pub(super) fn atom(&mut self, body: &mut Body, value: &Value, span: Span) -> Atom {
        let op = match &value.form {
            Form::Atom(atom) => return *atom,
            Form::Pair(parts) => {
                let left = self.atom(body, &parts.0, span);
                Op::Pair(left, self.atom(body, &parts.1, span))
            }
            Form::Closure(captured) => {
                Op::Closure(captured.iter().map(|one| self.atom(body, one, span)).collect())
            }
        };
        body.emit(op, value.ty, span)
    }

    /// Returns the components of a pair.
    pub(super) fn components(&mut self, body: &mut Body, value: &Value, span: Span) -> (Value, Value) {
        let atom = match &value.form {
            Form::Pair(parts) => return (parts.0.clone(), parts.1.clone()),
            Form::Atom(atom) => *atom,
            Form::Closure(_) => unreachable!("inference keeps pairs and functions apart"),
        };
        let CoreType::Pair(left, right) = *self.types.get(value.ty) else {
            unreachable!("inference knows what is a pair")
        };
        let first = body.emit(Op::First(atom), left, span);
        let second = body.emit(Op::Second(atom), right, span);
        (Value { ty: left, form: Form::Atom(first) }, Value { ty: right, form: Form::Atom(second) })
    }

    /// Returns the captured values of a closure.
    pub(super) fn captured(
        &mut self,
        body: &mut Body,
        value: &Value,
        types: &[Ty],
        span: Span,
    ) -> Vec<Value> {
        match &value.form {
            Form::Closure(captured) => captured.to_vec(),
            Form::Atom(atom) => {
                let one = |(position, &ty)| {
                    let form = Form::Atom(body.emit(Op::Captured(*atom, position), ty, span));
                    Value { ty, form }
                };
                types.iter().enumerate().map(one).collect()
            }
            Form::Pair(_) => unreachable!("inference keeps pairs and functions apart"),
        }
    }
}
