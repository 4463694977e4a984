//! Expressions of the syntax tree, with a bound on their height so that every recursive walk fits on the stack.

use super::{Arm, Keyword, Name, Pattern, TypeExpr};
use crate::token::Text;
use nestled_ir::Span;

/// Largest height of a tree, so that every recursive walk fits on any stack. A tuple counts as one level however long it is: its pairs hang on one another, and
/// walks that do much at each pair follow them in a loop.
pub const MAX_HEIGHT: u16 = 250;
/// Largest number of components of a tuple, and largest number of nodes on a path from the root, pairs of tuples included.
pub const MAX_TUPLE: u16 = 2_000;

/// An expression with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// The place in the source.
    pub span: Span,
    height: u16,
    reach: u16,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An unsigned integer.
    Int(u64),
    /// A float.
    Float(f64),
    /// `t` or `f`.
    Bool(bool),
    /// A character.
    Char(u8),
    /// A string.
    Str(Vec<u8>),
    /// A name; a quoted operator is one too.
    Name(Text),
    /// `-x`, `#x`, `@x`.
    Prefix(Name, Box<Expr>),
    /// `x + y` and its like.
    Infix(Name, Box<Expr>, Box<Expr>),
    /// `x, y`
    Pair(Box<Expr>, Box<Expr>),
    /// `function(argument, keyword := value)`, also by juxtaposition.
    Apply(Box<Expr>, Box<Expr>, Vec<Keyword>),
    /// `sequence[position]`
    Index(Box<Expr>, Box<Expr>),
    /// `time(x)`
    Time(Box<Expr>),
    /// `[x, y, z]`
    Sequence(Vec<Expr>),
    /// `[] type`
    Empty(Box<TypeExpr>),
    /// `[start : end : step]`
    Range(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// `{…}`
    Each(Each),
    /// `if … then … else …`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `match … with … => … | …`
    Match(Box<Expr>, Vec<Arm>),
    /// `let … in …`
    Let(Vec<LetBinding>, Box<Expr>),
    /// `pattern => body`
    Lambda(Box<Pattern>, Box<Expr>),
}

/// An apply-to-each.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// `{* …}`: one element after another.
    pub serial: bool,
    /// The expression before the colon; absent in `{x | g}`.
    pub body: Option<Box<Expr>>,
    /// At least one.
    pub iterations: Vec<Iteration>,
    /// The condition after the bar.
    pub filter: Option<Box<Expr>>,
}

/// `pattern in source`, or a name alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// The pattern bound to each element.
    pub pattern: Pattern,
    /// Absent for a name alone, which is then its own source.
    pub source: Option<Expr>,
}

/// `pattern = value` in a `let`.
#[derive(Clone, Debug, PartialEq)]
pub struct LetBinding {
    /// The pattern that is bound.
    pub pattern: Pattern,
    /// The value.
    pub value: Expr,
}

impl Expr {
    /// Makes an expression; the caller checks [`Expr::height`] before it builds a higher tree.
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        let (mut height, mut reach) = (0, 0);
        kind.visit(&mut |child| {
            height = height.max(child.height);
            reach = reach.max(child.reach);
        });
        if let ExprKind::Pair(left, right) = &kind
            && matches!(right.kind, ExprKind::Pair(..))
        {
            height = left.height.max(right.height.saturating_sub(1));
        }
        // Its arms become conditionals inside of one another.
        if let ExprKind::Match(_, arms) = &kind {
            height = height.saturating_add(u16::try_from(arms.len()).unwrap_or(u16::MAX));
        }
        Expr { kind, span, height: height.saturating_add(1), reach: reach.saturating_add(1) }
    }

    /// Returns the number of nodes on the longest path from the root; all pairs of one tuple count as one.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// Returns the number of nodes on the longest path from the root, pairs of tuples included.
    pub fn reach(&self) -> u16 {
        self.reach
    }

    /// Returns the components of a tuple: each but the last with the span of the pair that begins with it, then the last one. An expression that is no pair has
    /// one component.
    pub fn components(&self) -> (Vec<(&Expr, Span)>, &Expr) {
        let (mut parts, mut rest) = (Vec::new(), self);
        while let ExprKind::Pair(left, right) = &rest.kind {
            parts.push((&**left, rest.span));
            rest = right;
        }
        (parts, rest)
    }
}

impl ExprKind {
    /// Calls `see` with each direct subexpression, in the order of the text.
    pub fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Expr)) {
        match self {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::Empty(_) => {}
            ExprKind::Prefix(_, x) | ExprKind::Time(x) | ExprKind::Lambda(_, x) => see(x),
            ExprKind::Infix(_, x, y) | ExprKind::Pair(x, y) | ExprKind::Index(x, y) => {
                see(x);
                see(y);
            }
            ExprKind::Apply(x, y, keywords) => {
                see(x);
                see(y);
                keywords.iter().for_each(|keyword| see(&keyword.value));
            }
            ExprKind::Sequence(elements) => elements.iter().for_each(see),
            ExprKind::Range(start, end, step) => {
                see(start);
                see(end);
                if let Some(step) = step {
                    see(step);
                }
            }
            ExprKind::Each(each) => {
                if let Some(body) = &each.body {
                    see(body);
                }
                each.iterations.iter().filter_map(|iteration| iteration.source.as_ref()).for_each(&mut *see);
                if let Some(filter) = &each.filter {
                    see(filter);
                }
            }
            ExprKind::If(condition, yes, no) => {
                see(condition);
                see(yes);
                see(no);
            }
            ExprKind::Match(value, arms) => {
                see(value);
                arms.iter().for_each(|arm| see(&arm.body));
            }
            ExprKind::Let(bindings, body) => {
                bindings.iter().for_each(|binding| see(&binding.value));
                see(body);
            }
        }
    }
}
