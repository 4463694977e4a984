//! Thunks: scalar code for one point. No allocation, no recursion, no kernels.
//!
//! A thunk is in A-normal form: each statement computes something from *atoms*; control flow is structured; the last thing in a block
//! is its results. Every local is assigned once and is visible from its statement to the end of its block.

mod parts;

pub use parts::{ThunkPart, ThunkPartMut};

use crate::describe::{described, list, part};
use crate::id::{LocalId, PrivateId, SiteId, ThunkId, ValueId};
use crate::name::Name;
use crate::op::Op;
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;

/// Scalar code: parameters to results.
///
/// In a kernel the parameters are the coordinates of the point (type `idx`), outermost first.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Thunk {
    /// Every scalar that the code names; the first [`n_params`](Self::n_params) are the parameters.
    pub locals: Vec<Local>,
    /// Every private array that the code names; the first [`n_given`](Self::n_given) are given.
    pub privates: Vec<Private>,
    /// Number of locals that are parameters; they come first.
    pub n_params: usize,
    /// Number of private arrays that are inputs and outputs, first in the list: those of a `serial`, one for each base.
    pub n_given: usize,
    /// The code.
    pub body: Block,
}

/// A scalar that a thunk names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    /// The name in the source; empty for an intermediate result.
    pub name: Name,
    /// Its type.
    pub ty: ScalarType,
}

/// A private array: mutable memory of one point, such as a stack or a small table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Private {
    /// The name in the source.
    pub name: Name,
    /// The type of its elements.
    pub elem: ScalarType,
}

/// A named thunk that other thunks call. It captures nothing.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ThunkDef {
    /// Its name.
    pub name: Name,
    /// The types of its results.
    pub results: Vec<ScalarType>,
    /// The code.
    pub thunk: Thunk,
    /// The source place of its definition.
    pub span: Span,
}

/// Statements, then results.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Block {
    /// Run in order.
    pub stmts: Vec<Stmt>,
    /// The values of the block.
    pub results: Vec<Atom>,
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// A scalar of this thunk.
    Local(LocalId),
    /// A literal.
    Const(Scalar),
    /// A scalar or extent parameter of the kernel around the thunk: the same at every point.
    Value(ValueId),
}

/// One statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stmt {
    /// The operation.
    pub kind: StmtKind,
    /// Its place in the source.
    pub span: Span,
}

/// Bounds rule: the treatment of an index outside of its axis. It applies axis by axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// The lane faults.
    Fault,
    /// The nearest index inside is meant; in an empty axis the read gives zero.
    Clamp,
    /// The index modulo the extent is meant; in an empty axis the read gives zero.
    Wrap,
    /// The read gives its default.
    Else,
    /// It cannot happen: a pass showed it. The interpreter reports a violation as a bug of the pass.
    Proved,
}

described! {
    ThunkPart, ThunkPartMut;

    /// An index along one axis.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Index {
        /// The position, of type `idx`.
        pub at: Atom as Atom,
        /// The bounds rule.
        pub rule: Rule as Rule,
    }
}

described! {
    ThunkPart, ThunkPartMut;

    /// A constant offset along one axis of a grid.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Offset {
        /// Added to the own coordinate.
        pub by: i64 as Data,
        /// The bounds rule for the sum.
        pub rule: Rule as Rule,
    }
}

described! {
    ThunkPart, ThunkPartMut;

    /// A value carried through the rounds of a loop.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Carried {
        /// Its name inside the loop.
        pub local: LocalId as LoopLocal,
        /// Its value in the first round.
        pub init: Atom as Atom,
    }
}

described! {
    ThunkPart, ThunkPartMut; lists dsts: Dst [LocalId];

    /// A statement of a thunk. Unless said otherwise, work and depth are O(1).
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub enum StmtKind {
        /// `dst = op args`. Typed by [`Op::result_type`].
        Op {
            /// The result.
            dst: LocalId as Dst,
            /// The operation.
            op: Op as Data,
            /// As many as the operation takes.
            args: Vec<Atom> as Atom,
        },
        /// `(a, b) = threefry k0 k1 c0 c1`: Threefry-2x32 with 20 rounds. `u32 ×4 => u32 ×2`. A pure function of key and counter,
        /// the same on every device.
        Threefry {
            /// Both results.
            dsts: [LocalId; 2] as Dst,
            /// The key.
            key: [Atom; 2] as Atom,
            /// The counter.
            counter: [Atom; 2] as Atom,
        },
        /// `dst = array[i, j]`: read a captured array, `[..]T, idx… => T`, one index for each coordinate of its shape. In a
        /// segmented array the last index of a segment is relative to the segment; views and dense arrays read alike.
        Read {
            /// The result.
            dst: LocalId as Dst,
            /// An array parameter of the kernel.
            array: ValueId as Param,
            /// One for each coordinate, outermost first. They are judged in that order.
            index: Vec<Index> as Parts,
            /// The result where an axis with [`Rule::Else`] is outside; present exactly if there is such an axis.
            default: Option<Atom> as Atom,
            /// Present exactly if an axis has [`Rule::Fault`].
            site: Option<SiteId> as Site,
        },
        /// `dst = p[i, j]`: reads an earlier combinator of this or an outer level at the own coordinates. A register, except
        /// that reading a `reduce` from inside its own group costs another sweep.
        Own {
            /// The result.
            dst: LocalId as Dst,
            /// A value bound by an earlier `map`, `scan` or `reduce` of the kernel.
            bind: ValueId as Earlier,
        },
        /// `dst = p[i + 1, j - 2]`: reads an earlier combinator of the same level at constant offsets on a grid.
        Window {
            /// The result.
            dst: LocalId as Dst,
            /// A value bound by an earlier `map` or `scan` of the kernel, at the same level.
            bind: ValueId as Earlier,
            /// One for each axis of the level.
            offsets: Vec<Offset> as Parts,
            /// As in [`StmtKind::Read`].
            default: Option<Atom> as Atom,
            /// As in [`StmtKind::Read`].
            site: Option<SiteId> as Site,
        },
        /// `dst = len s[i]`: the length of a segment, `seg[..], idx… => idx`. 0 for a segment that does not exist.
        Len {
            /// The result.
            dst: LocalId as Dst,
            /// A segmentation parameter of the kernel.
            seg: ValueId as Param,
            /// One for each coordinate of the parent.
            at: Vec<Atom> as Atom,
        },
        /// `dst = start s[i]`: the number of elements before a segment, `seg[..], idx… => idx`. 0 for a segment that does not exist.
        Start {
            /// The result.
            dst: LocalId as Dst,
            /// A segmentation parameter of the kernel.
            seg: ValueId as Param,
            /// One for each coordinate of the parent.
            at: Vec<Atom> as Atom,
        },
        /// `(a, b) = f(x, y)`: call a named thunk. Work and depth are those of its body.
        Call {
            /// The results.
            dsts: Vec<LocalId> as Dst,
            /// The callee.
            thunk: ThunkId as Thunk,
            /// Its parameters.
            args: Vec<Atom> as Atom,
        },
        /// `(a, b) = if c { … } else { … }`: runs one branch.
        If {
            /// The results of the branch that ran.
            dsts: Vec<LocalId> as Dst,
            /// A `bool`.
            cond: Atom as Atom,
            /// The branch taken if it is true.
            then: Block as Block,
            /// The branch taken if it is false.
            otherwise: Block as Block,
        },
        /// `(a) = for k in from..to with (x = 0) { … }`: one round for each k, in order; the body's results are the carried values
        /// of the next round. Work and depth: the sum over the rounds.
        For {
            /// The carried values after the last round.
            dsts: Vec<LocalId> as Dst,
            /// The counter, an `idx`.
            var: LocalId as LoopLocal,
            /// Its first value, an `idx`.
            from: Atom as Atom,
            /// One past its last, an `idx`.
            to: Atom as Atom,
            /// The carried values.
            carried: Vec<Carried> as Parts,
            /// One round.
            body: Block as Block,
        },
        /// `(a) = while (x = 0) { cond } do { … }`: rounds as long as the condition holds, judged before each. Work and depth: the
        /// sum over the rounds.
        While {
            /// The carried values after the last round.
            dsts: Vec<LocalId> as Dst,
            /// The carried values; visible in both blocks.
            carried: Vec<Carried> as Parts,
            /// One `bool`.
            cond: Block as Block,
            /// One round.
            body: Block as Block,
        },
        /// `private stack: [64]i32`: a fresh private array, zeroed. Its size is a literal or the same for all points.
        PrivateNew {
            /// The array.
            array: PrivateId as NewPrivate,
            /// Number of elements: an `idx` literal or a scalar of the kernel. Negative means 0.
            size: Atom as Atom,
        },
        /// `dst = stack[i]`: faults outside, or is proved not to.
        PrivateGet {
            /// The result.
            dst: LocalId as Dst,
            /// The array.
            array: PrivateId as Private,
            /// The position, an `idx`.
            at: Atom as Atom,
            /// The site of its fault; absent where it is proved.
            site: Option<SiteId> as Site,
        },
        /// `stack[i] = x`: faults outside, or is proved not to.
        PrivateSet {
            /// The array.
            array: PrivateId as Private,
            /// The position, an `idx`.
            at: Atom as Atom,
            /// The new element.
            value: Atom as Atom,
            /// The site of its fault; absent where it is proved.
            site: Option<SiteId> as Site,
        },
        /// `check c "E12"`: the lane faults with this code unless the condition holds.
        Check {
            /// A `bool`.
            cond: Atom as Atom,
            /// The fault code.
            code: Name as Data,
            /// The site of the fault.
            site: SiteId as Site,
        },
    }
}

impl Thunk {
    /// The private arrays that are there when the code begins.
    pub fn given(&self) -> impl Iterator<Item = PrivateId> {
        (0..self.n_given).map(PrivateId::from)
    }

    /// The coordinates or parameters.
    pub fn params(&self) -> impl Iterator<Item = LocalId> {
        (0..self.n_params).map(LocalId::from)
    }

    /// The type of a local.
    pub fn local_type(&self, local: LocalId) -> ScalarType {
        self.locals[local.index()].ty
    }
}

impl Block {
    /// Calls `visit` on every statement in pre-order: a statement comes before those inside its blocks.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Stmt)) {
        for stmt in &self.stmts {
            visit(stmt);
            for block in stmt.kind.blocks() {
                block.walk(visit);
            }
        }
    }
}

impl StmtKind {
    /// True if the statement itself, its blocks and callees aside, relies on a proof that an access is in range.
    pub fn has_proof(&self) -> bool {
        match self {
            StmtKind::Read { index, .. } => index.iter().any(|axis| axis.rule == Rule::Proved),
            StmtKind::Window { offsets, .. } => offsets.iter().any(|axis| axis.rule == Rule::Proved),
            StmtKind::PrivateGet { site, .. } | StmtKind::PrivateSet { site, .. } => site.is_none(),
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Own { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::Check { .. } => false,
        }
    }
}
