//! Thunks: scalar code for one point. No allocation, no recursion, no kernels.
//!
//! A thunk is in A-normal form: each statement computes something from *atoms*; control flow is structured; the last thing in a block
//! is its results. Every local is assigned once and is visible from its statement to the end of its block.

use crate::id::{LocalId, PrivateId, SiteId, ThunkId, ValueId};
use crate::op::Op;
use crate::program::Name;
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
    /// How many of the locals are parameters.
    pub n_params: usize,
    /// How many of the private arrays are there when the code begins, and leave when it ends: those of a `serial`, one for each base.
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
    /// Where it is defined.
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
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands in the source.
    pub span: Span,
}

/// What an index outside of its axis does. It is decided axis by axis.
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

/// An index along one axis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Index {
    /// The position, of type `idx`.
    pub at: Atom,
    /// What to do when it is outside.
    pub rule: Rule,
}

/// A constant offset along one axis of a grid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Offset {
    /// Added to the own coordinate.
    pub by: i64,
    /// What to do when the sum is outside.
    pub rule: Rule,
}

/// A value carried through the rounds of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Carried {
    /// Its name inside the loop.
    pub local: LocalId,
    /// Its value in the first round.
    pub init: Atom,
}

/// What a statement does. Unless said otherwise, work and depth are O(1).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StmtKind {
    /// `dst = op args`. Typed by [`Op::result_type`].
    Op {
        /// The result.
        dst: LocalId,
        /// The operation.
        op: Op,
        /// As many as the operation takes.
        args: Vec<Atom>,
    },
    /// `(a, b) = threefry k0 k1 c0 c1`: Threefry-2x32 with 20 rounds. `u32 ×4 => u32 ×2`. A pure function of key and counter,
    /// the same on every device.
    Threefry {
        /// Both results.
        dsts: [LocalId; 2],
        /// The key.
        key: [Atom; 2],
        /// The counter.
        counter: [Atom; 2],
    },
    /// `dst = array[i, j]`: read a captured array, `[..]T, idx… => T`, one index for each coordinate of its shape. In a
    /// segmented array the last index of a segment is relative to the segment; views and dense arrays read alike.
    Read {
        /// The result.
        dst: LocalId,
        /// An array parameter of the kernel.
        array: ValueId,
        /// One for each coordinate, outermost first. They are judged in that order.
        index: Vec<Index>,
        /// What the read gives where an axis with [`Rule::Else`] is outside; present exactly if there is such an axis.
        default: Option<Atom>,
        /// Present exactly if an axis has [`Rule::Fault`].
        site: Option<SiteId>,
    },
    /// `dst = p[i, j]`: what an earlier combinator of this or an outer level computed at the own coordinates. A register, except
    /// that reading a `reduce` from inside its own group costs another sweep.
    Own {
        /// The result.
        dst: LocalId,
        /// A value bound by an earlier `map`, `scan` or `reduce` of the kernel.
        bind: ValueId,
    },
    /// `dst = p[i + 1, j - 2]`: what an earlier combinator of the same level computed at constant offsets on a grid.
    Window {
        /// The result.
        dst: LocalId,
        /// A value bound by an earlier `map` or `scan` of the kernel, at the same level.
        bind: ValueId,
        /// One for each axis of the level.
        offsets: Vec<Offset>,
        /// As in [`StmtKind::Read`].
        default: Option<Atom>,
        /// As in [`StmtKind::Read`].
        site: Option<SiteId>,
    },
    /// `dst = len s[i]`: the length of a segment, `seg[..], idx… => idx`. 0 for a segment that does not exist.
    Len {
        /// The result.
        dst: LocalId,
        /// A segmentation parameter of the kernel.
        seg: ValueId,
        /// One for each coordinate of the parent.
        at: Vec<Atom>,
    },
    /// `dst = start s[i]`: how many elements lie before a segment, `seg[..], idx… => idx`. 0 for a segment that does not exist.
    Start {
        /// The result.
        dst: LocalId,
        /// A segmentation parameter of the kernel.
        seg: ValueId,
        /// One for each coordinate of the parent.
        at: Vec<Atom>,
    },
    /// `(a, b) = f(x, y)`: call a named thunk. Work and depth are those of its body.
    Call {
        /// The results.
        dsts: Vec<LocalId>,
        /// Which thunk.
        thunk: ThunkId,
        /// Its parameters.
        args: Vec<Atom>,
    },
    /// `(a, b) = if c { … } else { … }`: runs one branch.
    If {
        /// The results of the branch that ran.
        dsts: Vec<LocalId>,
        /// A `bool`.
        cond: Atom,
        /// Where it is true.
        then: Block,
        /// Where it is false.
        otherwise: Block,
    },
    /// `(a) = for k in from..to with (x = 0) { … }`: one round for each k, in order; the body's results are the carried values
    /// of the next round. Work and depth: the sum over the rounds.
    For {
        /// The carried values after the last round.
        dsts: Vec<LocalId>,
        /// The counter, an `idx`.
        var: LocalId,
        /// Its first value, an `idx`.
        from: Atom,
        /// One past its last, an `idx`.
        to: Atom,
        /// What is carried.
        carried: Vec<Carried>,
        /// One round.
        body: Block,
    },
    /// `(a) = while (x = 0) { cond } do { … }`: rounds as long as the condition holds, judged before each. Work and depth: the
    /// sum over the rounds.
    While {
        /// The carried values after the last round.
        dsts: Vec<LocalId>,
        /// What is carried; visible in both blocks.
        carried: Vec<Carried>,
        /// One `bool`.
        cond: Block,
        /// One round.
        body: Block,
    },
    /// `private stack: [64]i32`: a fresh private array, zeroed. Its size is a literal or the same for all points.
    PrivateNew {
        /// Which array.
        array: PrivateId,
        /// How many elements, an `idx` literal or a scalar of the kernel; negative means 0.
        size: Atom,
    },
    /// `dst = stack[i]`: faults outside, or is proved not to.
    PrivateGet {
        /// The result.
        dst: LocalId,
        /// Which array.
        array: PrivateId,
        /// The position, an `idx`.
        at: Atom,
        /// The site of its fault; absent where it is proved.
        site: Option<SiteId>,
    },
    /// `stack[i] = x`: faults outside, or is proved not to.
    PrivateSet {
        /// Which array.
        array: PrivateId,
        /// The position, an `idx`.
        at: Atom,
        /// The new element.
        value: Atom,
        /// The site of its fault; absent where it is proved.
        site: Option<SiteId>,
    },
    /// `check c "E12"`: the lane faults with this code unless the condition holds.
    Check {
        /// A `bool`.
        cond: Atom,
        /// What is reported.
        code: Name,
        /// The site of the fault.
        site: SiteId,
    },
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
    /// Calls `visit` on every statement, those inside other statements after the one that holds them.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Stmt)) {
        for stmt in &self.stmts {
            visit(stmt);
            for block in stmt.kind.blocks() {
                block.walk(visit);
            }
        }
    }
}

impl Block {
    /// Calls `visit` on every value of the kernel that the code reads or mentions.
    pub fn for_each_captured(&self, visit: &mut dyn FnMut(ValueId)) {
        let atom = |atom: &Atom, visit: &mut dyn FnMut(ValueId)| {
            if let Atom::Value(value) = atom {
                visit(*value);
            }
        };
        for stmt in &self.stmts {
            stmt.kind.atoms().iter().for_each(|operand| atom(operand, visit));
            stmt.kind.captured().into_iter().for_each(&mut *visit);
            for inner in stmt.kind.blocks() {
                inner.for_each_captured(visit);
            }
        }
        self.results.iter().for_each(|result| atom(result, visit));
    }
}

impl StmtKind {
    /// The array, segmentation or earlier combinator of the kernel that the statement reads.
    pub fn captured(&self) -> Option<ValueId> {
        match self {
            StmtKind::Read { array: value, .. }
            | StmtKind::Own { bind: value, .. }
            | StmtKind::Window { bind: value, .. }
            | StmtKind::Len { seg: value, .. }
            | StmtKind::Start { seg: value, .. } => Some(*value),
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => None,
        }
    }

    /// The blocks inside the statement, in order of the text.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::For { body, .. } => vec![body],
            StmtKind::While { cond, body, .. } => vec![cond, body],
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => Vec::new(),
        }
    }

    /// The blocks inside the statement, to change them.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::For { body, .. } => vec![body],
            StmtKind::While { cond, body, .. } => vec![cond, body],
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Own { .. }
            | StmtKind::Window { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => Vec::new(),
        }
    }

    /// What the statement defines for the rest of its block.
    pub fn dsts(&self) -> &[LocalId] {
        match self {
            StmtKind::Op { dst, .. }
            | StmtKind::Read { dst, .. }
            | StmtKind::Own { dst, .. }
            | StmtKind::Window { dst, .. }
            | StmtKind::Len { dst, .. }
            | StmtKind::Start { dst, .. }
            | StmtKind::PrivateGet { dst, .. } => std::slice::from_ref(dst),
            StmtKind::Threefry { dsts, .. } => dsts,
            StmtKind::Call { dsts, .. }
            | StmtKind::If { dsts, .. }
            | StmtKind::For { dsts, .. }
            | StmtKind::While { dsts, .. } => dsts,
            StmtKind::PrivateNew { .. } | StmtKind::PrivateSet { .. } | StmtKind::Check { .. } => &[],
        }
    }

    /// The operands of the statement itself, in order of the text; those inside its blocks are left out.
    pub fn atoms(&self) -> Vec<Atom> {
        match self {
            StmtKind::Op { args, .. } | StmtKind::Call { args, .. } => args.clone(),
            StmtKind::Threefry { key, counter, .. } => [*key, *counter].concat(),
            StmtKind::Read { index, default, .. } => {
                index.iter().map(|index| index.at).chain(*default).collect()
            }
            StmtKind::Own { .. } => Vec::new(),
            StmtKind::Window { default, .. } => default.iter().copied().collect(),
            StmtKind::Len { at, .. } | StmtKind::Start { at, .. } => at.clone(),
            StmtKind::If { cond, .. } | StmtKind::Check { cond, .. } => vec![*cond],
            StmtKind::For { from, to, carried, .. } => {
                [*from, *to].into_iter().chain(carried.iter().map(|carried| carried.init)).collect()
            }
            StmtKind::While { carried, .. } => carried.iter().map(|carried| carried.init).collect(),
            StmtKind::PrivateNew { size, .. } => vec![*size],
            StmtKind::PrivateGet { at, .. } => vec![*at],
            StmtKind::PrivateSet { at, value, .. } => vec![*at, *value],
        }
    }

    /// Calls `visit` on each operand of the statement itself, to change it; those inside its blocks are left out.
    pub fn for_each_atom(&mut self, visit: &mut dyn FnMut(&mut Atom)) {
        match self {
            StmtKind::Op { args, .. } | StmtKind::Call { args, .. } => args.iter_mut().for_each(visit),
            StmtKind::Threefry { key, counter, .. } => {
                key.iter_mut().chain(counter).for_each(visit);
            }
            StmtKind::Read { index, default, .. } => {
                index.iter_mut().map(|index| &mut index.at).chain(default).for_each(visit);
            }
            StmtKind::Own { .. } => {}
            StmtKind::Window { default, .. } => default.iter_mut().for_each(visit),
            StmtKind::Len { at, .. } | StmtKind::Start { at, .. } => at.iter_mut().for_each(visit),
            StmtKind::If { cond, .. } | StmtKind::Check { cond, .. } => visit(cond),
            StmtKind::For { from, to, carried, .. } => {
                visit(from);
                visit(to);
                carried.iter_mut().for_each(|carried| visit(&mut carried.init));
            }
            StmtKind::While { carried, .. } => {
                carried.iter_mut().for_each(|carried| visit(&mut carried.init));
            }
            StmtKind::PrivateNew { size, .. } => visit(size),
            StmtKind::PrivateGet { at, .. } => visit(at),
            StmtKind::PrivateSet { at, value, .. } => {
                visit(at);
                visit(value);
            }
        }
    }

    /// Calls `visit` on each local that the statement itself binds: its results, and the counter and carried values of a loop.
    pub fn for_each_local(&mut self, visit: &mut dyn FnMut(&mut LocalId)) {
        match self {
            StmtKind::Op { dst, .. }
            | StmtKind::Read { dst, .. }
            | StmtKind::Own { dst, .. }
            | StmtKind::Window { dst, .. }
            | StmtKind::Len { dst, .. }
            | StmtKind::Start { dst, .. }
            | StmtKind::PrivateGet { dst, .. } => visit(dst),
            StmtKind::Threefry { dsts, .. } => dsts.iter_mut().for_each(visit),
            StmtKind::Call { dsts, .. } | StmtKind::If { dsts, .. } => dsts.iter_mut().for_each(visit),
            StmtKind::For { dsts, var, carried, .. } => {
                dsts.iter_mut().for_each(&mut *visit);
                visit(var);
                carried.iter_mut().for_each(|carried| visit(&mut carried.local));
            }
            StmtKind::While { dsts, carried, .. } => {
                dsts.iter_mut().for_each(&mut *visit);
                carried.iter_mut().for_each(|carried| visit(&mut carried.local));
            }
            StmtKind::PrivateNew { .. } | StmtKind::PrivateSet { .. } | StmtKind::Check { .. } => {}
        }
    }

    /// The site of the statement itself, if it can fault.
    pub fn site(&self) -> Option<SiteId> {
        match self {
            StmtKind::Read { site, .. }
            | StmtKind::Window { site, .. }
            | StmtKind::PrivateGet { site, .. }
            | StmtKind::PrivateSet { site, .. } => *site,
            StmtKind::Check { site, .. } => Some(*site),
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Own { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. } => None,
        }
    }
}
