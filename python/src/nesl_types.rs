//! Types of NESL as text, with tuples of any number of parts: `[(int, float, [char])]`.

use crate::errors::exception;
use nestled_array::NeslType;
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
                "`{text}` is no type: one is `int`, `float`, `bool`, `char`, `[int]`, `(int, float)` …"
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
        }
    }
}

/// Takes a word or a sign from the beginning.
fn eat(rest: &mut &str, word: &str) -> bool {
    match rest.trim_start().strip_prefix(word) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

fn parse(rest: &mut &str, depth: usize) -> Option<Type> {
    if depth > DEEPEST {
        return None;
    }
    let words = [("int", Type::Int), ("float", Type::Float), ("char", Type::Char), ("bool", Type::Bool)];
    if let Some((_, found)) = words.into_iter().find(|(word, _)| eat(rest, word)) {
        return Some(found);
    }
    if eat(rest, "[") {
        let element = parse(rest, depth + 1)?;
        return eat(rest, "]").then(|| Type::Seq(Box::new(element)));
    }
    if !eat(rest, "(") {
        return None;
    }
    let mut parts = vec![parse(rest, depth + 1)?];
    while eat(rest, ",") {
        parts.push(parse(rest, depth + 1)?);
    }
    if !eat(rest, ")") {
        return None;
    }
    // Brackets around one type mean nothing.
    if parts.len() == 1 { parts.pop() } else { Some(Type::Tuple(parts)) }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int => f.write_str("int"),
            Type::Float => f.write_str("float"),
            Type::Char => f.write_str("char"),
            Type::Bool => f.write_str("bool"),
            Type::Seq(element) => write!(f, "[{element}]"),
            Type::Tuple(parts) => {
                for (place, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if place == 0 { "(" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
}
