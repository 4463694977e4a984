//! Concrete types of the core, interned: equal types have equal numbers.

use crate::typed::{GlobalId, Lambda, LambdaId};
use crate::types::TypeId;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// A concrete type; equal types have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ty(u32);

/// A type constructor with its parts. Records are represented by their contents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CoreType {
    /// Integers of the dialect's width.
    Int,
    /// Floats of the dialect's width.
    Float,
    /// Bytes.
    Char,
    /// Truth values.
    Bool,
    /// `[element]`
    Seq(Ty),
    /// `(left, right)`
    Pair(Ty, Ty),
    /// A function value. The function is part of the type; the value holds only what was captured.
    Closure(Closure),
}

/// A function value's type.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The function.
    pub code: ClosureCode,
    /// The concrete types of the type variables around the function, sorted.
    pub chosen: Vec<(TypeId, Ty)>,
    /// The types of the captured values.
    pub captured: Vec<Ty>,
}

/// The function that a function value calls.
#[derive(Clone, Debug)]
pub enum ClosureCode {
    /// A function with a body.
    Lambda(Arc<Lambda>),
    /// A primitive, a constructor, or a function that was only declared.
    Global(GlobalId),
}

impl ClosureCode {
    fn key(&self) -> (Option<LambdaId>, Option<GlobalId>) {
        match self {
            ClosureCode::Lambda(lambda) => (Some(lambda.id), None),
            ClosureCode::Global(id) => (None, Some(*id)),
        }
    }
}

impl PartialEq for Closure {
    fn eq(&self, other: &Closure) -> bool {
        self.code.key() == other.code.key() && self.chosen == other.chosen && self.captured == other.captured
    }
}

impl Eq for Closure {}

impl std::hash::Hash for Closure {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.code.key(), &self.chosen, &self.captured).hash(state);
    }
}

/// The interner of the concrete types of a session.
#[derive(Clone, Debug, Default)]
pub struct CoreTypes {
    types: Vec<CoreType>,
    numbers: HashMap<CoreType, Ty>,
    /// For each type, the number of leaf types in it.
    sizes: Vec<u32>,
    /// For each type, whether it has no sequences in it.
    flat: Vec<bool>,
}

impl CoreTypes {
    /// Interns a type and returns its number.
    pub fn number(&mut self, ty: CoreType) -> Ty {
        if let Some(&number) = self.numbers.get(&ty) {
            return number;
        }
        let number = Ty(self.types.len() as u32);
        self.sizes.push(match &ty {
            CoreType::Int | CoreType::Float | CoreType::Char | CoreType::Bool => 1,
            CoreType::Seq(element) => self.size(*element).saturating_add(1),
            CoreType::Pair(left, right) => self.size(*left).saturating_add(self.size(*right)),
            CoreType::Closure(closure) => {
                closure.captured.iter().fold(0, |size, captured| self.size(*captured).saturating_add(size))
            }
        });
        self.flat.push(match &ty {
            CoreType::Int | CoreType::Float | CoreType::Char | CoreType::Bool => true,
            CoreType::Seq(_) => false,
            CoreType::Pair(left, right) => self.is_flat(*left) && self.is_flat(*right),
            CoreType::Closure(closure) => closure.captured.iter().all(|captured| self.is_flat(*captured)),
        });
        self.types.push(ty.clone());
        self.numbers.insert(ty, number);
        number
    }

    /// Returns roughly the number of arrays of which a value of the type consists. It may double with each nested pair.
    pub fn size(&self, ty: Ty) -> u32 {
        self.sizes[ty.0 as usize]
    }

    /// True if values of the type are made of scalars only.
    pub fn is_flat(&self, ty: Ty) -> bool {
        self.flat[ty.0 as usize]
    }

    /// Returns the outermost constructor of a type.
    pub fn get(&self, ty: Ty) -> &CoreType {
        &self.types[ty.0 as usize]
    }

    /// Returns the element type of a sequence type.
    pub fn element(&self, ty: Ty) -> Option<Ty> {
        match self.get(ty) {
            CoreType::Seq(element) => Some(*element),
            _ => None,
        }
    }

    /// Returns the type as it is written in messages.
    pub fn show(&self, ty: Ty) -> String {
        let mut out = String::new();
        self.print(&mut out, ty, false);
        out
    }

    fn print(&self, out: &mut String, ty: Ty, bracket: bool) {
        if out.len() > 2000 {
            return;
        }
        match self.get(ty) {
            CoreType::Int => out.push_str("int"),
            CoreType::Float => out.push_str("float"),
            CoreType::Char => out.push_str("char"),
            CoreType::Bool => out.push_str("bool"),
            CoreType::Seq(element) => {
                out.push('[');
                self.print(out, *element, true);
                out.push(']');
            }
            CoreType::Pair(left, right) => {
                out.push_str(if bracket { "(" } else { "" });
                self.print(out, *left, true);
                out.push_str(", ");
                self.print(out, *right, false);
                out.push_str(if bracket { ")" } else { "" });
            }
            CoreType::Closure(closure) => {
                let _ = match &closure.code {
                    ClosureCode::Lambda(lambda) => write!(out, "fn {}", lambda.name),
                    ClosureCode::Global(id) => write!(out, "fn #{}", id.0),
                };
                for (position, captured) in closure.captured.iter().enumerate() {
                    out.push_str(if position == 0 { "<" } else { "; " });
                    self.print(out, *captured, false);
                }
                out.push_str(if closure.captured.is_empty() { "" } else { ">" });
            }
        }
    }
}
