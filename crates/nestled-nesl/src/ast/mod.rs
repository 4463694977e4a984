//! The abstract syntax tree (AST): programs as they were written, every node with its span.
//!
//! Abbreviations stay (`{x | g}` has no body here), so that `print` gives back what was read:
//! `parse(print(tree)) == tree`.

mod datatype;
mod expr;
pub mod print;
mod types;

pub use datatype::{Arm, Variant};
pub use expr::{Each, Expr, ExprKind, Iteration, LetBinding, MAX_HEIGHT, MAX_TUPLE};
pub use types::{ClassBind, Context, TypeExpr, TypeExprKind};

use crate::token::{Text, Token};
use nestled_ir::Span;

/// A name with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// In lower case.
    pub text: Text,
    /// The place in the source.
    pub span: Span,
}

/// A pattern, which takes a value apart: a name, a pair or a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// The kind of pattern.
    pub kind: PatternKind,
    /// The place in the source.
    pub span: Span,
}

/// The kinds of patterns.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// Binds the whole value.
    Name(Text),
    /// Opens a pair.
    Pair(Box<Pattern>, Box<Pattern>),
    /// Opens a record of the named datatype.
    Record(Name, Box<Pattern>),
}

/// `name := value`, as a default of a parameter or an option.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyword {
    /// The parameter.
    pub name: Name,
    /// Its value.
    pub value: Expr,
}

/// A definition or declaration of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name; may be an operator, which is then rejected.
    pub name: Name,
    /// The positional part of the parameter.
    pub pattern: Pattern,
    /// Trailing parameters with defaults.
    pub defaults: Vec<Keyword>,
    /// The declared type.
    pub declared: Option<TypeExpr>,
    /// Documentation.
    pub doc: Option<Vec<u8>>,
    /// Absent in a forward declaration.
    pub body: Option<Expr>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The kind of statement.
    pub kind: StatementKind,
    /// All of it, without the terminator.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `function name pattern [: type] ["doc"] [= body]`
    Function(Function),
    /// `datatype name type`
    Datatype {
        /// Type and constructor.
        name: Name,
        /// The type of the content.
        content: TypeExpr,
    },
    /// `datatype name = variant(type) | variant | …`
    Variants {
        /// The type.
        name: Name,
        /// The variants.
        variants: Vec<Variant>,
        /// The classes of the type parameters.
        context: Option<Context>,
    },
    /// `pattern = value`
    Assign {
        /// The pattern that is bound.
        pattern: Pattern,
        /// The value.
        value: Expr,
    },
    /// `pattern |= value`: the value is kept in a file.
    FileAssign {
        /// The pattern that is bound.
        pattern: Pattern,
        /// The value.
        value: Expr,
    },
    /// `name &= value, option := …`: evaluated in the background.
    Background {
        /// The name that is bound when the value is asked for.
        name: Name,
        /// The value.
        value: Expr,
        /// Options.
        options: Vec<Keyword>,
    },
    /// `defconfig name, key := value, …`
    Config {
        /// The configuration.
        name: Name,
        /// The settings.
        options: Vec<Keyword>,
    },
    /// An expression, also bound to `it`.
    Expr(Expr),
    /// A command such as `set` or `describe`, with its bare words.
    Command {
        /// The command.
        name: Name,
        /// The words that follow, up to the terminator.
        words: Vec<Token>,
    },
}

impl Pattern {
    /// Returns the names that the pattern binds, from left to right.
    pub fn names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        let mut pending = vec![self];
        while let Some(pattern) = pending.pop() {
            match &pattern.kind {
                PatternKind::Name(text) => names.push(Name { text: text.clone(), span: pattern.span }),
                PatternKind::Pair(left, right) => pending.extend([&**right, &**left]),
                PatternKind::Record(_, content) => pending.push(content),
            }
        }
        names
    }
}
