//! Values during specialisation: pairs and closures stay decomposed until a single value is needed.

use crate::core::{Atom, Ty};
use std::rc::Rc;

/// A value of a body.
#[derive(Clone)]
pub(super) struct Value {
    pub ty: Ty,
    pub form: Form,
}

/// The form in which a value is available.
#[derive(Clone)]
pub(super) enum Form {
    /// As a single operand.
    Atom(Atom),
    /// By its components.
    Pair(Rc<(Value, Value)>),
    /// By its captured values.
    Closure(Rc<Vec<Value>>),
}

impl Value {
    /// Returns the number of parts of the value in its present form.
    pub(super) fn size(&self) -> usize {
        match &self.form {
            Form::Atom(_) => 1,
            Form::Pair(parts) => parts.0.size() + parts.1.size(),
            Form::Closure(captured) => 1 + captured.iter().map(Value::size).sum::<usize>(),
        }
    }
}
