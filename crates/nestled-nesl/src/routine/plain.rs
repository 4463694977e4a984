//! Types of what goes in and out of routines.

use crate::core::{CoreType, CoreTypes, Ty};
use crate::data::Forms;
use crate::dialect::Dialect;
use nestled_ir::ScalarType;
use std::fmt;

/// A type without functions, whose values can be passed in and out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plain {
    /// `int`
    Int,
    /// `float`
    Float,
    /// `char`
    Char,
    /// `bool`
    Bool,
    /// `[element]`
    Seq(Box<Plain>),
    /// `(left, right)`
    Pair(Box<Plain>, Box<Plain>),
    /// A datatype with variants.
    Data(Datatype),
    /// The datatype that this is inside of, which holds itself: the innermost is 0, that around it 1.
    Outer(usize),
}

/// A datatype with variants.
///
/// ```
/// use nestled_nesl::{Datatype, Plain};
/// assert_eq!(Datatype::named("option", vec![Plain::Int]).to_string(), "option(int)");
/// assert_eq!(Datatype::union(vec![Plain::Int, Plain::Bool]).to_string(), "union[int, bool]");
/// assert_eq!(Datatype::option(Plain::Int).to_string(), "?int");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Datatype {
    /// Its name; none for a union or an option: whoever compiles a function takes it for the datatype that the function wants there.
    pub name: Option<String>,
    /// The types that its parameters are.
    pub arguments: Vec<Plain>,
    /// The variants in order. Those of a name may be left out: the program has them.
    pub variants: Vec<DataVariant>,
    /// In the types of a routine, if values of the datatype may hold others of it: for each variant that has a content the pool in which contents lie.
    pub pools: Vec<Option<usize>>,
}

/// A variant of a datatype.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataVariant {
    /// Its constructor; empty in a union and in an option.
    pub name: String,
    /// The type of its content; a variant without one is a constant.
    pub content: Option<Plain>,
}

/// The sides of a datatype whose values may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Optional<'a> {
    /// The place of the constant.
    pub nothing: usize,
    /// The place of the other variant.
    pub something: usize,
    /// The type of what that holds.
    pub content: &'a Plain,
}

impl Datatype {
    /// Makes the type of a datatype that the program has, whose parameters are these types.
    pub fn named(name: impl Into<String>, arguments: Vec<Plain>) -> Datatype {
        Datatype { name: Some(name.into()), arguments, variants: Vec::new(), pools: Vec::new() }
    }

    /// Makes the type of values of one of several types.
    pub fn union(variants: Vec<Plain>) -> Datatype {
        let variants =
            variants.into_iter().map(|content| DataVariant { name: String::new(), content: Some(content) });
        Datatype { name: None, arguments: Vec::new(), variants: variants.collect(), pools: Vec::new() }
    }

    /// Makes the type of values that may be missing: whoever compiles a function takes it for the datatype that the function wants there, which has one constant and one
    /// variant that holds something.
    pub fn option(content: Plain) -> Datatype {
        let variant = |content| DataVariant { name: String::new(), content };
        let variants = vec![variant(None), variant(Some(content))];
        Datatype { name: None, arguments: Vec::new(), variants, pools: Vec::new() }
    }

    /// Returns the sides of a datatype that has one constant and one variant that holds something, and nothing else.
    pub fn optional(&self) -> Option<Optional<'_>> {
        let [first, second] = &*self.variants else { return None };
        match (&first.content, &second.content) {
            (None, Some(content)) => Some(Optional { nothing: 0, something: 1, content }),
            (Some(content), None) => Some(Optional { nothing: 1, something: 0, content }),
            (None, None) | (Some(_), Some(_)) => None,
        }
    }

    /// Returns what values hold that may be missing, if this is no datatype of the program.
    pub(super) fn option_content(&self) -> Option<&Plain> {
        if self.name.is_some() { None } else { self.optional().map(|optional| optional.content) }
    }

    /// True if no variant holds anything.
    pub fn is_enumeration(&self) -> bool {
        self.variants.iter().all(|variant| variant.content.is_none())
    }

    /// True if values may hold others of the datatype.
    pub fn holds_itself(&self) -> bool {
        !self.pools.is_empty()
    }
}

/// Returns a name without what other languages write otherwise.
pub(super) fn letters(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

impl Plain {
    /// True if two types are the same, but for large letters and `_` in the names of datatypes. An option is each datatype that has one constant and one variant that holds as much.
    pub fn is_like(&self, other: &Plain) -> bool {
        Comparison::default().alike(self, other)
    }

    /// Returns the type of a scalar.
    pub(super) fn scalar(&self, dialect: Dialect) -> ScalarType {
        match self {
            Plain::Int => dialect.int_type(),
            Plain::Float => dialect.float_type(),
            Plain::Char => ScalarType::U8,
            Plain::Bool => ScalarType::Bool,
            Plain::Seq(_) | Plain::Pair(..) | Plain::Data(_) | Plain::Outer(_) => {
                unreachable!("these have parts")
            }
        }
    }

    /// Returns a concrete type; none if it has functions.
    pub(super) fn of(ty: Ty, types: &mut CoreTypes, forms: &mut Forms) -> Option<Plain> {
        Plain::inside(ty, types, forms, &mut Vec::new())
    }

    /// As `of`, of a type inside of these datatypes.
    fn inside(ty: Ty, types: &mut CoreTypes, forms: &mut Forms, around: &mut Vec<Ty>) -> Option<Plain> {
        Some(match types.get(ty).clone() {
            CoreType::Int => Plain::Int,
            CoreType::Float => Plain::Float,
            CoreType::Char => Plain::Char,
            CoreType::Bool => Plain::Bool,
            CoreType::Seq(element) => Plain::Seq(Box::new(Plain::inside(element, types, forms, around)?)),
            CoreType::Pair(left, right) => {
                let left = Box::new(Plain::inside(left, types, forms, around)?);
                Plain::Pair(left, Box::new(Plain::inside(right, types, forms, around)?))
            }
            CoreType::Data(data) => {
                if let Some(place) = around.iter().rev().position(|own| *own == ty) {
                    return Some(Plain::Outer(place));
                }
                let arguments = data.arguments.iter().map(|ty| Plain::inside(*ty, types, forms, around));
                let arguments = arguments.collect::<Option<_>>()?;
                let form = forms.form(types, ty);
                around.push(ty);
                let variants = form.variants.iter().map(|variant| {
                    let content = match variant.content {
                        Some(content) => Some(Plain::inside(content, types, forms, around)?),
                        None => None,
                    };
                    Some(DataVariant { name: variant.name.to_string(), content })
                });
                let variants = variants.collect::<Option<_>>();
                around.pop();
                Plain::Data(Datatype {
                    name: Some(data.name.to_string()),
                    arguments,
                    variants: variants?,
                    pools: form.pools.clone().unwrap_or_default(),
                })
            }
            CoreType::Closure(_) => return None,
        })
    }

    /// True if values may hold others of the same datatype, at any depth.
    pub fn holds_itself(&self) -> bool {
        match self {
            Plain::Int | Plain::Float | Plain::Char | Plain::Bool => false,
            Plain::Seq(element) => element.holds_itself(),
            Plain::Pair(left, right) => left.holds_itself() || right.holds_itself(),
            Plain::Data(data) => {
                let contents = data.variants.iter().filter_map(|variant| variant.content.as_ref());
                data.holds_itself() || contents.into_iter().any(Plain::holds_itself)
            }
            Plain::Outer(_) => true,
        }
    }
}

/// A comparison of two types: the datatypes around, and the pairs of datatypes that are being compared or have been.
#[derive(Default)]
struct Comparison<'a> {
    around: [Vec<&'a Datatype>; 2],
    begun: Vec<[*const Datatype; 2]>,
}

impl<'a> Comparison<'a> {
    fn alike(&mut self, own: &'a Plain, other: &'a Plain) -> bool {
        match (own, other) {
            (Plain::Seq(own), Plain::Seq(other)) => self.alike(own, other),
            (Plain::Pair(left, right), Plain::Pair(first, second)) => {
                self.alike(left, first) && self.alike(right, second)
            }
            (Plain::Data(_) | Plain::Outer(_), Plain::Data(_) | Plain::Outer(_)) => {
                let before = self.around.clone();
                let datatypes = self.enter(own, 0).zip(self.enter(other, 1));
                let alike = datatypes.is_some_and(|(own, other)| self.datatypes(own, other));
                self.around = before;
                alike
            }
            (own, other) => own == other,
        }
    }

    /// Returns a datatype, with those around it and itself on the stack of a side.
    fn enter(&mut self, ty: &'a Plain, side: usize) -> Option<&'a Datatype> {
        let around = &mut self.around[side];
        match ty {
            Plain::Data(data) => around.push(data),
            Plain::Outer(place) => around.truncate(around.len().checked_sub(*place)?),
            _ => return None,
        }
        around.last().copied()
    }

    fn datatypes(&mut self, own: &'a Datatype, other: &'a Datatype) -> bool {
        let both = [std::ptr::from_ref(own), std::ptr::from_ref(other)];
        if self.begun.contains(&both) {
            return true;
        }
        self.begun.push(both);
        if let Some(content) = other.option_content() {
            return own.optional().is_some_and(|optional| self.alike(optional.content, content));
        }
        let name = |data: &Datatype| data.name.as_deref().map(letters);
        let variants = own.variants.iter().zip(&other.variants);
        name(own) == name(other)
            && own.variants.len() == other.variants.len()
            && variants.into_iter().all(|(own, other)| self.variants(own, other))
    }

    fn variants(&mut self, own: &'a DataVariant, other: &'a DataVariant) -> bool {
        let contents = match (&own.content, &other.content) {
            (Some(own), Some(other)) => self.alike(own, other),
            (own, other) => own.is_none() && other.is_none(),
        };
        contents && letters(&own.name) == letters(&other.name)
    }
}

/// Prints the type as the language writes it.
impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plain::Int => f.write_str("int"),
            Plain::Float => f.write_str("float"),
            Plain::Char => f.write_str("char"),
            Plain::Bool => f.write_str("bool"),
            Plain::Seq(element) => write!(f, "[{element}]"),
            Plain::Pair(left, right) => write!(f, "({left}, {right})"),
            Plain::Data(data) => data.fmt(f),
            Plain::Outer(_) => f.write_str("…"),
        }
    }
}

/// Prints the name with the parameters, a union with its variants.
impl fmt::Display for Datatype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |f: &mut fmt::Formatter<'_>, parts: &mut dyn Iterator<Item = &Plain>| {
            for (place, part) in parts.enumerate() {
                write!(f, "{}{part}", if place == 0 { "" } else { ", " })?;
            }
            Ok(())
        };
        match &self.name {
            Some(name) if self.arguments.is_empty() => f.write_str(name),
            Some(name) => {
                write!(f, "{name}(")?;
                listed(f, &mut self.arguments.iter())?;
                f.write_str(")")
            }
            None => {
                if let Some(content) = self.option_content() {
                    return write!(f, "?{content}");
                }
                f.write_str("union[")?;
                listed(f, &mut self.variants.iter().filter_map(|variant| variant.content.as_ref()))?;
                f.write_str("]")
            }
        }
    }
}
