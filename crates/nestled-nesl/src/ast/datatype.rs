//! Syntax of datatypes with variants: their definition, and the arms of a `match`.

use super::{Expr, Name, Pattern, TypeExpr};

/// A variant of a datatype, as it is defined: `name(type)`, or a name alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The constructor.
    pub name: Name,
    /// The type of its content; a variant without one is a constant.
    pub content: Option<TypeExpr>,
}

/// `constructor(pattern) => body` in a `match`; the name `_` stands for all other variants.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The constructor, or `_`.
    pub name: Name,
    /// The pattern bound to the content.
    pub content: Option<Pattern>,
    /// The value if it matches.
    pub body: Expr,
}
