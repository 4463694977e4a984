//! The syntax tree: the parsed text, before names and types are resolved.
//!
//! Thunks and host code share it, so that a construct in the wrong place is a message about languages, not about syntax.

use super::token::Number;
use crate::host::Order;
use crate::kernel::{Direction, Inclusion};
use crate::op::Op;
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::thunk::Rule;
use crate::types::Form;
use std::sync::Arc;

/// The lookup key of a name: the name and its numeric tag, as in `x.7`.
pub(super) type Key = (Arc<str>, Option<u32>);

/// A name in the text.
#[derive(Clone, Debug)]
pub(super) struct Ident {
    pub name: Arc<str>,
    pub tag: Option<u32>,
    pub span: Span,
}

/// The definitions of one source text.
#[derive(Debug, Default)]
pub(super) struct File {
    pub sites: Option<(u32, Span)>,
    pub thunks: Vec<ThunkItem>,
    pub monoids: Vec<MonoidItem>,
    pub kernels: Vec<KernelItem>,
    pub functions: Vec<FunctionItem>,
}

#[derive(Debug)]
pub(super) struct ThunkItem {
    pub name: Ident,
    pub params: Vec<Param>,
    pub results: Vec<TypeExpr>,
    pub body: Block,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct MonoidItem {
    pub name: Ident,
    pub commutative: bool,
    pub exact: bool,
    pub unit: Vec<Literal>,
    pub combine: Ident,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct KernelItem {
    pub name: Ident,
    pub shapes: Vec<ShapeParam>,
    pub params: Vec<Param>,
    pub space: Vec<AxisExpr>,
    pub steps: Vec<Step>,
    pub ret: Vec<Ident>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct FunctionItem {
    pub name: Ident,
    pub shapes: Vec<ShapeParam>,
    pub params: Vec<Param>,
    pub results: Vec<Param>,
    pub body: Block,
    pub span: Span,
}

/// `s: seg[n]`, or a bare name for an extent.
#[derive(Debug)]
pub(super) struct ShapeParam {
    pub name: Ident,
    pub ty: Option<TypeExpr>,
}

/// `x: f32`; without a name among results and where `_` is written.
#[derive(Debug)]
pub(super) struct Param {
    pub name: Option<Ident>,
    pub ty: TypeExpr,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct TypeExpr {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TypeKind {
    Array { elem: ScalarType, shape: Vec<AxisExpr>, view: bool },
    Dim,
    Seg { parent: Vec<AxisExpr>, form: Form },
}

#[derive(Clone, Debug)]
pub(super) enum AxisExpr {
    Const(u64),
    Name(Ident),
}

/// A combinator.
#[derive(Debug)]
pub(super) struct Step {
    pub binders: Vec<Binder>,
    pub kind: StepKind,
    pub level: usize,
    pub guard: Option<Ident>,
    pub params: Vec<Option<Ident>>,
    pub body: Block,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum StepKind {
    Map,
    Reduce {
        monoid: Vec<MonoidName>,
    },
    Scan {
        monoid: Vec<MonoidName>,
        inclusion: Inclusion,
        direction: Direction,
    },
    Filter,
    Partition {
        classes: u64,
        site: Option<SiteMark>,
    },
    Permute {
        dest: Vec<AxisExpr>,
        base: BaseExpr,
        range: RangeExpr,
        clash: ClashExpr,
    },
    /// The parameters of its thunk are private arrays.
    Serial {
        bases: Vec<Ident>,
    },
}

/// A mark that a construct can fault, with the site number written after `!`, if any.
#[derive(Clone, Copy, Debug)]
pub(super) struct SiteMark {
    pub number: Option<u32>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum MonoidName {
    Op(Op, Span),
    ArgMin,
    ArgMax,
    User(Ident),
}

#[derive(Debug)]
pub(super) enum BaseExpr {
    Fill(Vec<Literal>),
    Arrays(Vec<Ident>),
}

#[derive(Debug)]
pub(super) enum RangeExpr {
    Fault(SiteMark),
    Drop,
    Proved,
}

#[derive(Debug)]
pub(super) enum ClashExpr {
    Proved,
    Fault(SiteMark),
    First,
    Last,
    Combine(Vec<MonoidName>),
}

#[derive(Debug, Default)]
pub(super) struct Block {
    pub stmts: Vec<Stmt>,
    pub results: Vec<Expr>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum StmtKind {
    /// `(a, b) = …`, or an expression that acts.
    Bind { binders: Vec<Binder>, expr: Expr },
    /// `private stack: [64]i32`
    Private { name: Ident, size: Expr, elem: ScalarType },
    /// `stack[k] = x`
    Set { array: Ident, index: Vec<IndexExpr>, site: SiteMark, value: Expr },
}

/// The scalar types written at names, for the literals that they are bound to.
pub(super) fn annotated(binders: &[Binder]) -> Vec<Option<ScalarType>> {
    let scalar = |ty: &TypeExpr| match &ty.kind {
        TypeKind::Array { elem, shape, view: false } if shape.is_empty() => Some(*elem),
        TypeKind::Array { .. } | TypeKind::Dim | TypeKind::Seg { .. } => None,
    };
    binders.iter().map(|binder| binder.ty.as_ref().and_then(scalar)).collect()
}

/// The left side of a binding: a name with an optional type; the name is `None` for `_`.
#[derive(Debug)]
pub(super) struct Binder {
    pub name: Option<Ident>,
    pub ty: Option<TypeExpr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Literal {
    pub number: Number,
    pub negative: bool,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct IndexExpr {
    pub at: Expr,
    pub rule: Option<Rule>,
}

#[derive(Debug)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum ExprKind {
    Name(Ident),
    Literal(Literal),
    Op {
        op: Op,
        args: Vec<Expr>,
    },
    Threefry {
        args: Vec<Expr>,
    },
    Read {
        array: Ident,
        index: Vec<IndexExpr>,
        default: Option<Box<Expr>>,
        site: SiteMark,
    },
    /// `len s[i]` or `start s[i]`.
    Segment {
        start: bool,
        seg: Ident,
        at: Vec<Expr>,
    },
    /// `f<n>(x)` or `run k<n>(x)`.
    Call {
        run: bool,
        callee: Ident,
        shapes: Option<Vec<ShapeArg>>,
        args: Vec<Expr>,
    },
    If {
        cond: Box<Expr>,
        then: Block,
        otherwise: Block,
    },
    For {
        var: Option<Ident>,
        from: Box<Expr>,
        to: Box<Expr>,
        carried: Vec<CarriedExpr>,
        body: Block,
    },
    While {
        carried: Vec<CarriedExpr>,
        cond: Block,
        body: Block,
    },
    Check {
        cond: Box<Expr>,
        code: Arc<str>,
        site: SiteMark,
    },
    Text(Arc<str>),
    Array(ArrayLiteral),
    Host {
        word: HostWord,
        args: Vec<Expr>,
        site: SiteMark,
    },
    /// `size [s]`, `regular [n] m`, `reshape xs [n, m]`.
    Shaped {
        word: ShapeWord,
        shape: Vec<AxisExpr>,
        array: Option<Box<Expr>>,
        length: Option<AxisExpr>,
        site: SiteMark,
    },
    Same {
        left: AxisExpr,
        right: AxisExpr,
        site: SiteMark,
    },
    Each {
        extent: AxisExpr,
        callee: Ident,
        shapes: Option<Vec<ShapeArg>>,
        args: Vec<EachExpr>,
    },
    Sort {
        args: Vec<Expr>,
        order: Order,
    },
    Rank {
        keys: Box<Expr>,
        order: Order,
    },
    Print {
        items: Vec<Expr>,
        to_error: bool,
    },
}

/// Constructs of host code that take plain operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HostWord {
    Dim,
    Segments,
    Widen,
    Lengths,
    Starts,
    View,
    MatMul,
    ReadFile,
    WriteFile,
    AppendFile,
    Clock,
    Entropy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShapeWord {
    Size,
    Regular,
    Reshape,
}

#[derive(Debug)]
pub(super) enum ShapeArg {
    Axis(AxisExpr),
    Hole(Span),
}

#[derive(Debug)]
pub(super) enum EachExpr {
    Uniform(Expr),
    Element(Ident),
}

#[derive(Debug)]
pub(super) struct CarriedExpr {
    pub name: Option<Ident>,
    pub init: Expr,
}

#[derive(Debug)]
pub(super) struct ArrayLiteral {
    pub elem: ScalarType,
    pub extents: Vec<u64>,
    pub elements: Vec<Literal>,
}

impl Expr {
    /// True if the expression, where it binds nothing, gives its results to the block that it ends.
    pub fn gives_all(&self) -> bool {
        matches!(self.kind, ExprKind::If { .. } | ExprKind::For { .. } | ExprKind::While { .. })
    }
}

impl Ident {
    /// The lookup key of the name.
    pub fn key(&self) -> Key {
        (self.name.clone(), self.tag)
    }

    /// The name in its written form.
    pub fn text(&self) -> String {
        match self.tag {
            None => self.name.to_string(),
            Some(tag) if self.name.is_empty() => format!("%{tag}"),
            Some(tag) => format!("{}.{tag}", self.name),
        }
    }
}
