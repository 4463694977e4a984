//! Concrete types of the core, interned: equal types have equal numbers.

use crate::token::Text;
use crate::typed::{GlobalId, Lambda, LambdaId};
use crate::types::{RecordId, TypeId};
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
    /// A value of a datatype with variants. What these hold is known by [`CoreTypes::variants`].
    Data(Data),
    /// A function value. The function is part of the type; the value holds only what was captured.
    Closure(Closure),
}

/// A datatype with variants, at the types of its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Data {
    /// The datatype.
    pub record: RecordId,
    /// Its name.
    pub name: Text,
    /// What its parameters are.
    pub arguments: Vec<Ty>,
}

/// A variant of a datatype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The constructor.
    pub name: Text,
    /// The type of its content; a variant without one is a constant.
    pub content: Option<Ty>,
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
    /// For each type, whether it has a datatype with variants in it.
    nominal: Vec<bool>,
    /// The variants of datatypes.
    variants: HashMap<Ty, Arc<[Variant]>>,
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
            CoreType::Data(_) => 2,
            CoreType::Closure(closure) => {
                closure.captured.iter().fold(0, |size, captured| self.size(*captured).saturating_add(size))
            }
        });
        self.flat.push(match &ty {
            CoreType::Int | CoreType::Float | CoreType::Char | CoreType::Bool => true,
            CoreType::Seq(_) | CoreType::Data(_) => false,
            CoreType::Pair(left, right) => self.is_flat(*left) && self.is_flat(*right),
            CoreType::Closure(closure) => closure.captured.iter().all(|captured| self.is_flat(*captured)),
        });
        self.nominal.push(match &ty {
            CoreType::Int | CoreType::Float | CoreType::Char | CoreType::Bool => false,
            CoreType::Seq(element) => self.is_nominal(*element),
            CoreType::Pair(left, right) => self.is_nominal(*left) || self.is_nominal(*right),
            CoreType::Data(_) => true,
            CoreType::Closure(closure) => closure.captured.iter().any(|captured| self.is_nominal(*captured)),
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

    /// True if values of the type hold values of datatypes with variants.
    pub fn is_nominal(&self, ty: Ty) -> bool {
        self.nominal[ty.0 as usize]
    }

    /// Returns the variants of a datatype, once they are known.
    pub fn variants(&self, ty: Ty) -> Option<&Arc<[Variant]>> {
        self.variants.get(&ty)
    }

    /// Records the variants of a datatype. Types that hold it and were made before take it for small.
    pub fn define(&mut self, ty: Ty, variants: Vec<Variant>) {
        let contents = variants.iter().filter_map(|variant| variant.content);
        self.sizes[ty.0 as usize] = contents.fold(1, |size, content| self.size(content).saturating_add(size));
        self.variants.insert(ty, variants.into());
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
            CoreType::Data(data) => {
                out.push_str(&data.name);
                for (position, argument) in data.arguments.iter().enumerate() {
                    out.push_str(if position == 0 { "(" } else { ", " });
                    self.print(out, *argument, true);
                }
                out.push_str(if data.arguments.is_empty() { "" } else { ")" });
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
