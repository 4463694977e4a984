//! Types of NESL as text, with tuples of any number of parts: `[(int, float, [char])]`.

use crate::errors::exception;
use nestled_array::{NeslDatatype, NeslType, NeslVariant};
use pyo3::PyErr;
use std::fmt;

/// A type without functions. A tuple of more than two parts is a pair of the first and the tuple of the others, as NESL has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Int,
    Float,
    Char,
    Bool,
    Seq(Box<Type>),
    Tuple(Vec<Type>),
    Data(Datatype),
}

/// A datatype with variants. Its name says it, before the text is read without variants; a union has only the types of its variants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Datatype {
    pub name: Option<String>,
    pub arguments: Vec<Type>,
    pub variants: Vec<Variant>,
}

/// A variant: its name, and the type of what it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    pub name: String,
    pub content: Option<Type>,
}

impl Datatype {
    pub fn plain(&self) -> NeslDatatype {
        let variant = |variant: &Variant| NeslVariant {
            name: variant.name.clone(),
            content: variant.content.as_ref().map(Type::plain),
        };
        NeslDatatype {
            name: self.name.clone(),
            arguments: self.arguments.iter().map(Type::plain).collect(),
            variants: self.variants.iter().map(variant).collect(),
            pools: Vec::new(),
        }
    }

    fn of(plain: &NeslDatatype) -> Datatype {
        let variant = |variant: &NeslVariant| Variant {
            name: variant.name.clone(),
            content: variant.content.as_ref().map(Type::flat),
        };
        Datatype {
            name: plain.name.clone(),
            arguments: plain.arguments.iter().map(Type::flat).collect(),
            variants: plain.variants.iter().map(variant).collect(),
        }
    }
}

/// Levels of nesting that are read. NESL has fewer.
const DEEPEST: usize = 100;

impl Type {
    /// Reads a type.
    pub fn parse(text: &str) -> Result<Type, PyErr> {
        let mut rest = text;
        let found = parse(&mut rest, 0).filter(|_| rest.trim().is_empty());
        found.ok_or_else(|| {
            let message = format!(
                "`{text}` is no type: one is `int`, `float`, `bool`, `char`, `[int]`, `(int, float)`, the name of a datatype …"
            );
            exception("NeslError", message)
        })
    }

    /// The type as NESL has it.
    pub fn plain(&self) -> NeslType {
        match self {
            Type::Int => NeslType::Int,
            Type::Float => NeslType::Float,
            Type::Char => NeslType::Char,
            Type::Bool => NeslType::Bool,
            Type::Seq(element) => NeslType::Seq(Box::new(element.plain())),
            Type::Tuple(parts) => {
                let (last, before) = parts.split_last().expect("a tuple has two parts at least");
                before
                    .iter()
                    .rev()
                    .fold(last.plain(), |rest, part| NeslType::Pair(Box::new(part.plain()), Box::new(rest)))
            }
            Type::Data(datatype) => NeslType::Data(datatype.plain()),
        }
    }

    /// A type of NESL's, with pairs as tuples of two.
    pub fn of(plain: &NeslType) -> Type {
        match plain {
            NeslType::Int => Type::Int,
            NeslType::Float => Type::Float,
            NeslType::Char => Type::Char,
            NeslType::Bool => Type::Bool,
            NeslType::Seq(element) => Type::Seq(Box::new(Type::of(element))),
            NeslType::Pair(left, right) => Type::Tuple(vec![Type::of(left), Type::of(right)]),
            NeslType::Data(datatype) => Type::Data(Datatype::of(datatype)),
            NeslType::Outer(_) => unreachable!("a routine takes and gives no datatype that holds itself"),
        }
    }

    /// A type of NESL's, with a pair of something and a pair as a tuple of three: as datatypes write what they hold.
    fn flat(plain: &NeslType) -> Type {
        match plain {
            NeslType::Seq(element) => Type::Seq(Box::new(Type::flat(element))),
            NeslType::Pair(left, right) => {
                let mut parts = vec![Type::flat(left)];
                match Type::flat(right) {
                    Type::Tuple(others) => parts.extend(others),
                    other => parts.push(other),
                }
                Type::Tuple(parts)
            }
            other => Type::of(other),
        }
    }

    /// The same type with the datatypes that a routine has found for it, where it fits them.
    pub fn with(&self, plain: &NeslType) -> Type {
        match (self, plain) {
            (Type::Data(Datatype { name: Some(name), .. }), NeslType::Data(found))
                if found.name.as_ref().is_some_and(|found| *found != name.to_lowercase()) =>
            {
                self.clone()
            }
            (_, NeslType::Data(found)) => Type::Data(Datatype::of(found)),
            (Type::Data(_), found) => Type::flat(found),
            (Type::Seq(element), NeslType::Seq(found)) => Type::Seq(Box::new(element.with(found))),
            (Type::Tuple(parts), NeslType::Pair(..)) => {
                let mut rest = plain;
                let last = parts.len() - 1;
                let part = |(place, part): (usize, &Type)| match rest {
                    NeslType::Pair(first, others) if place < last => {
                        rest = others;
                        part.with(first)
                    }
                    found => part.with(found),
                };
                Type::Tuple(parts.iter().enumerate().map(part).collect())
            }
            _ => self.clone(),
        }
    }
}

/// Takes a sign from the beginning.
fn eat(rest: &mut &str, sign: char) -> bool {
    match rest.trim_start().strip_prefix(sign) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

/// Takes a word from the beginning.
fn word<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let text = rest.trim_start();
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let length = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    let (word, after) = text.split_at(length);
    if !word.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return None;
    }
    *rest = after;
    Some(word)
}

fn parse(rest: &mut &str, depth: usize) -> Option<Type> {
    if depth > DEEPEST {
        return None;
    }
    if let Some(word) = word(rest) {
        return Some(match word {
            "int" => Type::Int,
            "float" => Type::Float,
            "char" => Type::Char,
            "bool" => Type::Bool,
            "union" if eat(rest, '[') => {
                let variant = |content| Variant { name: String::new(), content: Some(content) };
                let variants = listed(rest, ']', depth)?.into_iter().map(variant).collect();
                Type::Data(Datatype { name: None, arguments: Vec::new(), variants })
            }
            name => {
                let arguments = if eat(rest, '(') { listed(rest, ')', depth)? } else { Vec::new() };
                Type::Data(Datatype { name: Some(name.to_lowercase()), arguments, variants: Vec::new() })
            }
        });
    }
    if eat(rest, '[') {
        let element = parse(rest, depth + 1)?;
        return eat(rest, ']').then(|| Type::Seq(Box::new(element)));
    }
    if !eat(rest, '(') {
        return None;
    }
    let mut parts = listed(rest, ')', depth)?;
    // Brackets around one type mean nothing.
    if parts.len() == 1 { parts.pop() } else { Some(Type::Tuple(parts)) }
}

/// Types between commas, and the sign behind them.
fn listed(rest: &mut &str, end: char, depth: usize) -> Option<Vec<Type>> {
    let mut parts = vec![parse(rest, depth + 1)?];
    while eat(rest, ',') {
        parts.push(parse(rest, depth + 1)?);
    }
    eat(rest, end).then_some(parts)
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |f: &mut fmt::Formatter<'_>, parts: &mut dyn Iterator<Item = &Type>| {
            for (place, part) in parts.enumerate() {
                write!(f, "{}{part}", if place == 0 { "" } else { ", " })?;
            }
            Ok(())
        };
        match self {
            Type::Int => f.write_str("int"),
            Type::Float => f.write_str("float"),
            Type::Char => f.write_str("char"),
            Type::Bool => f.write_str("bool"),
            Type::Seq(element) => write!(f, "[{element}]"),
            Type::Tuple(parts) => {
                f.write_str("(")?;
                listed(f, &mut parts.iter())?;
                f.write_str(")")
            }
            Type::Data(Datatype { name: None, variants, .. }) => {
                f.write_str("union[")?;
                listed(f, &mut variants.iter().filter_map(|variant| variant.content.as_ref()))?;
                f.write_str("]")
            }
            Type::Data(Datatype { name: Some(name), arguments, .. }) => {
                f.write_str(name)?;
                if arguments.is_empty() {
                    return Ok(());
                }
                f.write_str("(")?;
                listed(f, &mut arguments.iter())?;
                f.write_str(")")
            }
        }
    }
}
