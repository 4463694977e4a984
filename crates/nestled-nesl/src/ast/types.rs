//! Type expressions of the syntax tree, as they were written.

use super::Name;
use nestled_ir::Span;

/// A type with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// The kind of type.
    pub kind: TypeExprKind,
    /// The classes of its variables; only at the top of a declaration.
    pub context: Option<Context>,
    /// The place in the source.
    pub span: Span,
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeExprKind {
    /// A type, a type variable, or a record type without parameters.
    Name(Name),
    /// A record type with its parameters (a right-nested pair of them).
    Record(Name, Box<TypeExpr>),
    /// `[element]`
    Sequence(Box<TypeExpr>),
    /// `left, right`
    Pair(Box<TypeExpr>, Box<TypeExpr>),
    /// `from -> to`
    Function(Box<TypeExpr>, Box<TypeExpr>),
}

/// `a in number; b in any`
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// One for each variable.
    pub binds: Vec<ClassBind>,
}

/// `variable in class`
#[derive(Clone, Debug, PartialEq)]
pub struct ClassBind {
    /// The type variable.
    pub variable: Name,
    /// Its class.
    pub class: Name,
}
