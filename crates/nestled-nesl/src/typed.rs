//! The typed tree, the output of type inference: every name resolved, every node typed, operators and abbreviations desugared.
//!
//! ```text
//! {x * 2 : x | plusp(x)}   →   each x in x: apply(`*`[int], (x, 2)) where apply(plusp[int], x)
//! ```

use crate::token::Text;
use crate::types::{RecordId, TypeId};
use nestled_ir::Span;
use std::sync::Arc;

/// A name of the top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// A local name, unique within its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// The identity of a function value in the source, unique within its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LambdaId(pub u32);

/// An expression with its type and place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The kind of expression.
    pub kind: Kind,
    /// Its type.
    pub ty: TypeId,
    /// The place in the source.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum Kind {
    /// An integer that fits.
    Int(i64),
    /// A float.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A character.
    Char(u8),
    /// A string.
    Str(Arc<[u8]>),
    /// A local name.
    Local(LocalId),
    /// A name of the top level, with the types at which this use instantiates its scheme. There are none where a function is used inside its own body.
    Global(GlobalId, Vec<TypeId>),
    /// A pair.
    Pair(Box<Expr>, Box<Expr>),
    /// A function applied to its argument.
    Apply(Box<Expr>, Box<Expr>),
    /// A value and the seconds it took.
    Time(Box<Expr>),
    /// A sequence by its elements, at least one.
    Sequence(Vec<Expr>),
    /// The empty sequence of the node's type.
    Empty,
    /// An apply-to-each.
    Each(Box<Each>),
    /// A conditional.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A choice by the variant of a value.
    Match(Box<Match>),
    /// Bindings, each visible in the next.
    Let(Vec<(Pattern, Expr)>, Box<Expr>),
    /// A function value.
    Lambda(Arc<Lambda>),
}

/// An apply-to-each with its abbreviations expanded.
#[derive(Clone, Debug)]
pub struct Each {
    /// Evaluates one element after another.
    pub serial: bool,
    /// The patterns bound to elements, each with its source; at least one.
    pub iterations: Vec<(Pattern, Expr)>,
    /// The body, computed for each element.
    pub body: Expr,
    /// The condition that an element must fulfil to be kept.
    pub filter: Option<Expr>,
}

/// A `match`: its arms cover every variant, each once.
#[derive(Clone, Debug)]
pub struct Match {
    /// The value.
    pub value: Expr,
    /// The arms of variants, in the order in which they were written.
    pub arms: Vec<Arm>,
    /// The value for all variants without an arm.
    pub others: Option<Expr>,
}

/// An arm of a `match`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The number of the variant.
    pub variant: usize,
    /// The pattern bound to the content.
    pub content: Option<Pattern>,
    /// The value.
    pub body: Expr,
}

/// A function: a parameter and a body.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// Its identity, which is part of its type.
    pub id: LambdaId,
    /// The name used in messages.
    pub name: Text,
    /// True if it belongs to the library: its places mean nothing to the reader of a message.
    pub library: bool,
    /// The parameter.
    pub pattern: Pattern,
    /// The body.
    pub body: Expr,
    /// The type of the parameter.
    pub from: TypeId,
    /// The captured names: locals of enclosing functions that it uses.
    pub captured: Vec<LocalId>,
}

/// A pattern, which takes a value apart.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// The value has a name.
    Local(LocalId, Text),
    /// A pair.
    Pair(Box<Pattern>, Box<Pattern>),
    /// A record, opened.
    Record(RecordId, Box<Pattern>),
}

impl Expr {
    /// Calls `see` with each direct subexpression.
    pub fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            Kind::Int(_)
            | Kind::Float(_)
            | Kind::Bool(_)
            | Kind::Char(_)
            | Kind::Str(_)
            | Kind::Local(_)
            | Kind::Global(..)
            | Kind::Empty => {}
            Kind::Pair(x, y) | Kind::Apply(x, y) => {
                see(x);
                see(y);
            }
            Kind::Time(x) => see(x),
            Kind::Sequence(elements) => elements.iter().for_each(see),
            Kind::Each(each) => {
                each.iterations.iter().for_each(|(_, source)| see(source));
                see(&each.body);
                if let Some(filter) = &each.filter {
                    see(filter);
                }
            }
            Kind::If(condition, yes, no) => {
                see(condition);
                see(yes);
                see(no);
            }
            Kind::Match(matching) => {
                see(&matching.value);
                matching.arms.iter().for_each(|arm| see(&arm.body));
                matching.others.iter().for_each(see);
            }
            Kind::Let(bindings, body) => {
                bindings.iter().for_each(|(_, value)| see(value));
                see(body);
            }
            Kind::Lambda(lambda) => see(&lambda.body),
        }
    }
}

impl Pattern {
    /// Collects the local names that the pattern binds, from left to right.
    pub fn locals(&self, found: &mut Vec<LocalId>) {
        match self {
            Pattern::Local(local, _) => found.push(*local),
            Pattern::Pair(left, right) => {
                left.locals(found);
                right.locals(found);
            }
            Pattern::Record(_, content) => content.locals(found),
        }
    }
}
