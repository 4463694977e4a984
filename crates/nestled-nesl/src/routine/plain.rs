//! Types of what goes in and out of routines.

use crate::core::{CoreType, CoreTypes, Ty};
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
    /// A datatype with variants, none of which holds values of the datatype itself.
    Data(Datatype),
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
        Datatype { name: Some(name.into()), arguments, variants: Vec::new() }
    }

    /// Makes the type of values of one of several types.
    pub fn union(variants: Vec<Plain>) -> Datatype {
        let variants =
            variants.into_iter().map(|content| DataVariant { name: String::new(), content: Some(content) });
        Datatype { name: None, arguments: Vec::new(), variants: variants.collect() }
    }

    /// Makes the type of values that may be missing: whoever compiles a function takes it for the datatype that the function wants there, which has one constant and one
    /// variant that holds something.
    pub fn option(content: Plain) -> Datatype {
        let variant = |content| DataVariant { name: String::new(), content };
        let variants = vec![variant(None), variant(Some(content))];
        Datatype { name: None, arguments: Vec::new(), variants }
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

    /// True if two datatypes have the same variants, by names that differ in large letters and `_` only.
    fn has_variants_of(&self, other: &Datatype) -> bool {
        let alike = |(own, other): (&DataVariant, &DataVariant)| {
            let contents = match (&own.content, &other.content) {
                (Some(own), Some(other)) => own.is_like(other),
                (own, other) => own == other,
            };
            contents && letters(&own.name) == letters(&other.name)
        };
        self.variants.len() == other.variants.len() && self.variants.iter().zip(&other.variants).all(alike)
    }
}

/// Returns a name without what other languages write otherwise.
pub(super) fn letters(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

impl Plain {
    /// True if two types are the same, but for large letters and `_` in the names of datatypes. An option is each datatype that has one constant and one variant that holds as much.
    pub fn is_like(&self, other: &Plain) -> bool {
        match (self, other) {
            (Plain::Seq(own), Plain::Seq(other)) => own.is_like(other),
            (Plain::Pair(left, right), Plain::Pair(first, second)) => {
                left.is_like(first) && right.is_like(second)
            }
            (Plain::Data(own), Plain::Data(other)) => {
                if let Some(content) = other.option_content() {
                    return own.optional().is_some_and(|optional| optional.content.is_like(content));
                }
                let name = |data: &Datatype| data.name.as_deref().map(letters);
                name(own) == name(other) && own.has_variants_of(other)
            }
            (own, other) => own == other,
        }
    }

    /// Returns the type of a scalar.
    pub(super) fn scalar(&self, dialect: Dialect) -> ScalarType {
        match self {
            Plain::Int => dialect.int_type(),
            Plain::Float => dialect.float_type(),
            Plain::Char => ScalarType::U8,
            Plain::Bool => ScalarType::Bool,
            Plain::Seq(_) | Plain::Pair(..) | Plain::Data(_) => unreachable!("these have parts"),
        }
    }

    /// Returns a concrete type; none if it has functions. No datatype may hold itself.
    pub(super) fn of(ty: Ty, types: &CoreTypes) -> Option<Plain> {
        Some(match types.get(ty) {
            CoreType::Int => Plain::Int,
            CoreType::Float => Plain::Float,
            CoreType::Char => Plain::Char,
            CoreType::Bool => Plain::Bool,
            CoreType::Seq(element) => Plain::Seq(Box::new(Plain::of(*element, types)?)),
            CoreType::Pair(left, right) => {
                Plain::Pair(Box::new(Plain::of(*left, types)?), Box::new(Plain::of(*right, types)?))
            }
            CoreType::Data(data) => {
                let all = |parts: &[Ty]| parts.iter().map(|ty| Plain::of(*ty, types)).collect::<Option<_>>();
                let variants = types.variants(ty)?.iter().map(|variant| {
                    let content = match variant.content {
                        Some(content) => Some(Plain::of(content, types)?),
                        None => None,
                    };
                    Some(DataVariant { name: variant.name.to_string(), content })
                });
                Plain::Data(Datatype {
                    name: Some(data.name.to_string()),
                    arguments: all(&data.arguments)?,
                    variants: variants.collect::<Option<_>>()?,
                })
            }
            CoreType::Closure(_) => return None,
        })
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
