//! Values of NESL as slots of the stack.
//!
//! Code runs in a *context*, as many instances at once as its extent says: one at the top level, and as many as there are elements inside an apply-to-each. An
//! integer is a vector with an element for each instance; a sequence is a descriptor with a segment for each instance, and what its elements are in the context
//! of all these elements together.
//!
//! A sequence from outside an apply-to-each that is the same for several instances is not repeated before it must be: it stays as it is, and a descriptor
//! says for how many instances each of its segments is meant.

use super::code::{Type, Var};
use super::writer::Writer;
use crate::syntax::instr::Elem;
use nestled_nesl::core::{CoreType, CoreTypes, Ty};
use std::rc::Rc;

/// A value of NESL in a context.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number, truth value or character.
    Scalar(Var),
    /// Several values: a pair, or what a function value holds.
    Tuple(Vec<Value>),
    /// A sequence.
    Seq(Var, Rc<Value>),
    /// A sequence of an outer context, with a descriptor that has a segment for each of its instances: the instances of this context.
    Outer(Var, Rc<Value>),
}

/// The shape of a value: how many slots it has, and of what types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// See `Value::Scalar`.
    Scalar(Elem),
    /// See `Value::Tuple`.
    Tuple(Vec<Form>),
    /// See `Value::Seq`.
    Seq(Box<Form>),
    /// See `Value::Outer`.
    Outer(Box<Form>),
}

impl Form {
    /// Returns the form of values of a type; none if a type has no representation.
    pub fn of(types: &CoreTypes, ty: Ty) -> Option<Form> {
        Some(match types.get(ty) {
            CoreType::Int | CoreType::Char => Form::Scalar(Elem::Int),
            CoreType::Float => Form::Scalar(Elem::Float),
            CoreType::Bool => Form::Scalar(Elem::Bool),
            CoreType::Seq(element) => Form::Seq(Box::new(Form::of(types, *element)?)),
            CoreType::Pair(left, right) => {
                Form::Tuple(vec![Form::of(types, *left)?, Form::of(types, *right)?])
            }
            CoreType::Closure(closure) => {
                let captured = closure.captured.iter().map(|ty| Form::of(types, *ty));
                Form::Tuple(captured.collect::<Option<Vec<_>>>()?)
            }
            CoreType::Data(_) => return None,
        })
    }

    /// Returns the types of the slots, deepest first.
    pub fn slots(&self) -> Vec<Type> {
        match self {
            Form::Scalar(elem) => vec![Type::Vector(*elem)],
            Form::Tuple(parts) => parts.iter().flat_map(Form::slots).collect(),
            Form::Seq(inner) | Form::Outer(inner) => {
                let mut slots = vec![Type::Segdes];
                slots.extend(inner.slots());
                slots
            }
        }
    }

    /// True if values of the form are made of scalars only.
    pub fn is_flat(&self) -> bool {
        match self {
            Form::Scalar(_) => true,
            Form::Tuple(parts) => parts.iter().all(Form::is_flat),
            Form::Seq(_) | Form::Outer(_) => false,
        }
    }

    /// Reads a value of this form from slots, deepest first, and records what is known of their lengths. `extent` is that of the context, none for one instance.
    pub fn take(&self, out: &mut Writer, extent: Option<Var>, slots: &mut dyn Iterator<Item = Var>) -> Value {
        let mut next = |out: &mut Writer| {
            let var = slots.next().expect("as many slots as the form has");
            match extent {
                None => out.is_one(var),
                Some(extent) => out.is_under(var, extent),
            }
            var
        };
        match self {
            Form::Scalar(_) => Value::Scalar(next(out)),
            Form::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|part| part.take(out, extent, slots)).collect())
            }
            Form::Seq(inner) => {
                let seg = next(out);
                Value::Seq(seg, Rc::new(inner.take(out, Some(seg), slots)))
            }
            Form::Outer(inner) => {
                // How many instances the outer context has is not known.
                let seg = slots.next().expect("as many slots as the form has");
                let around = out.extent(seg);
                Value::Outer(seg, Rc::new(inner.take(out, Some(around), slots)))
            }
        }
    }
}

impl Value {
    /// Returns its form.
    pub fn form(&self, out: &Writer) -> Form {
        match self {
            Value::Scalar(var) => Form::Scalar(out.elem(*var)),
            Value::Tuple(parts) => Form::Tuple(parts.iter().map(|part| part.form(out)).collect()),
            Value::Seq(_, inner) => Form::Seq(Box::new(inner.form(out))),
            Value::Outer(_, inner) => Form::Outer(Box::new(inner.form(out))),
        }
    }

    /// Appends its slots, deepest first.
    pub fn slots(&self, slots: &mut Vec<Var>) {
        match self {
            Value::Scalar(var) => slots.push(*var),
            Value::Tuple(parts) => parts.iter().for_each(|part| part.slots(slots)),
            Value::Seq(seg, inner) | Value::Outer(seg, inner) => {
                slots.push(*seg);
                inner.slots(slots);
            }
        }
    }

    /// Returns the only slot of a scalar.
    pub fn scalar(&self) -> Var {
        match self {
            Value::Scalar(var) => *var,
            Value::Tuple(_) | Value::Seq(..) | Value::Outer(..) => {
                unreachable!("the core knows what is a scalar")
            }
        }
    }

    /// Returns the parts of a pair or of a function value.
    pub fn parts(&self) -> &[Value] {
        match self {
            Value::Tuple(parts) => parts,
            Value::Scalar(_) | Value::Seq(..) | Value::Outer(..) => {
                unreachable!("the core knows what is a pair")
            }
        }
    }
}
