//! Programs as trees of text, in which every part knows its type.

use super::generate::datatypes::Data;
use std::fmt;

/// A type of the generator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    /// `int`
    Int,
    /// `float`
    Float,
    /// `bool`
    Bool,
    /// `char`
    Char,
    /// `[element]`
    Seq(Box<Ty>),
    /// `(left, right)`
    Pair(Box<Ty>, Box<Ty>),
    /// A datatype with variants.
    Data(Data),
}

impl Ty {
    /// `[ty]`
    pub fn seq(ty: Ty) -> Ty {
        Ty::Seq(Box::new(ty))
    }

    /// True if values of the type hold some of datatypes.
    pub fn has_data(&self) -> bool {
        match self {
            Ty::Int | Ty::Float | Ty::Bool | Ty::Char => false,
            Ty::Seq(element) => element.has_data(),
            Ty::Pair(left, right) => left.has_data() || right.has_data(),
            Ty::Data(_) => true,
        }
    }

    /// The shortest value of the type.
    pub fn least(&self) -> String {
        match self {
            Ty::Int => "1".to_owned(),
            Ty::Float => "0.5".to_owned(),
            Ty::Bool => "t".to_owned(),
            Ty::Char => "`a".to_owned(),
            Ty::Data(of) => of.least().to_owned(),
            Ty::Seq(element) => format!("[{}]", element.least()),
            Ty::Pair(left, right) => format!("({}, {})", left.least(), right.least()),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Int => f.write_str("int"),
            Ty::Float => f.write_str("float"),
            Ty::Bool => f.write_str("bool"),
            Ty::Char => f.write_str("char"),
            Ty::Data(of) => f.write_str(of.name()),
            Ty::Seq(element) => write!(f, "[{element}]"),
            Ty::Pair(left, right) => write!(f, "({left}, {right})"),
        }
    }
}

/// An expression: `text` has a `\0` for each part.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its type.
    pub ty: Ty,
    /// The text around the parts.
    pub text: String,
    /// The parts.
    pub parts: Vec<Node>,
}

impl Node {
    /// An expression without parts.
    pub fn leaf(ty: &Ty, text: impl Into<String>) -> Node {
        Node { ty: ty.clone(), text: text.into(), parts: Vec::new() }
    }

    /// An expression with parts.
    pub fn new(ty: &Ty, text: impl Into<String>, parts: Vec<Node>) -> Node {
        Node { ty: ty.clone(), text: text.into(), parts }
    }

    /// The number of expressions.
    pub fn size(&self) -> usize {
        1 + self.parts.iter().map(Node::size).sum::<usize>()
    }

    /// One of its expressions, counted from the outside.
    pub fn at(&self, mut number: usize) -> Option<&Node> {
        if number == 0 {
            return Some(self);
        }
        number -= 1;
        for part in &self.parts {
            let size = part.size();
            if number < size {
                return part.at(number);
            }
            number -= size;
        }
        None
    }

    /// The same with another expression at a place.
    pub fn with(&self, mut number: usize, new: &Node) -> Node {
        if number == 0 {
            return new.clone();
        }
        number -= 1;
        let mut copy = self.clone();
        for part in &mut copy.parts {
            let size = part.size();
            if number < size {
                *part = part.with(number, new);
                return copy;
            }
            number -= size;
        }
        copy
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pieces = self.text.split('\0');
        f.write_str(pieces.next().unwrap_or(""))?;
        for (part, piece) in self.parts.iter().zip(pieces) {
            write!(f, "{part}{piece}")?;
        }
        Ok(())
    }
}

/// Functions, and an expression.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text before the functions.
    pub prelude: &'static str,
    /// The functions: the text before each body, and the body.
    pub functions: Vec<(String, Node)>,
    /// The expression to compute.
    pub main: Node,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.prelude)?;
        for (head, body) in &self.functions {
            writeln!(f, "{head} = {body};")?;
        }
        writeln!(f, "{};", self.main)
    }
}
