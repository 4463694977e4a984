//! Values while a body is read: pairs and function values stay apart as long as nobody needs them in one piece.

use crate::core::{Atom, Ty};
use std::rc::Rc;

/// A value of a body.
#[derive(Clone)]
pub(super) struct Value {
    pub ty: Ty,
    pub form: Form,
}

/// How a value is at hand.
#[derive(Clone)]
pub(super) enum Form {
    /// In one piece.
    Atom(Atom),
    /// By its components.
    Pair(Rc<(Value, Value)>),
    /// By what it took along.
    Closure(Rc<Vec<Value>>),
}

impl Value {
    /// The number of pieces it is at hand in.
    pub(super) fn size(&self) -> usize {
        match &self.form {
            Form::Atom(_) => 1,
            Form::Pair(parts) => parts.0.size() + parts.1.size(),
            Form::Closure(captured) => 1 + captured.iter().map(Value::size).sum::<usize>(),
        }
    }
}
