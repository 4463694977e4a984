//! Kernels: a fused sweep over nested levels, given as a list of combinators, each at its level.
//!
//! A **space** is a list of axes. Level 0 is the whole; level d are the points named by the first d coordinates; the last
//! level are the elements. An axis is an extent, or a segmentation of the level before it:
//!
//! | Space | Level 0 | Level 1 | Level 2 |
//! |---|---|---|---|
//! | `over n` | whole | elements | |
//! | `over n, m` (a grid) | whole | rows | elements |
//! | `over n, s` with `s: seg[n]` | whole | segments | elements |
//!
//! **Scope of reads.** A thunk reads the kernel's parameters anywhere, and earlier combinators of its own or an outer level at its
//! own coordinates (a register) or, on a grid, at constant offsets (a *window*). Everything else goes through memory: through
//! another kernel. The results of `filter`, `partition`, `permute` and `serial` only leave the kernel; nothing in it reads them.

mod parts;

pub use parts::{CombinatorPart, CombinatorPartMut};

use crate::describe::{described, part};
use crate::id::{SiteId, ValueId};
use crate::monoid::Monoid;
use crate::name::{Name, Value};
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;
use crate::thunk::{Atom, Index, Offset, StmtKind, Thunk};
use crate::types::{Axis, Placement, Shape, Type};

/// Number of leading axes of a space that are fixed: 0 is the whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(pub usize);

impl Level {
    /// The outermost level.
    pub const WHOLE: Level = Level(0);
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: Name,
    /// Everything that the kernel names: shape parameters, parameters, and the values that its combinators bind.
    pub values: Vec<Value>,
    /// Shape parameters (extents and segmentations); a segmentation's type uses only earlier ones.
    pub shapes: Vec<ValueId>,
    /// Array and scalar parameters.
    pub params: Vec<ValueId>,
    /// The axes of the space, outermost first. At most [`Shape::MAX_RANK`]; segmentations never first.
    pub space: Vec<Axis>,
    /// In order; each sees the earlier ones.
    pub steps: Vec<Combinator>,
    /// The results, in order. The shape that a `filter` or `partition` makes comes before the arrays that use it.
    pub ret: Vec<ValueId>,
    /// The source place of its definition.
    pub span: Span,
}

/// One combinator of a kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Combinator {
    /// The values it binds: for `filter` and `partition` first the new shape; then one value for each component.
    pub binds: Vec<ValueId>,
    /// The kind of combinator, with its parameters.
    pub kind: CombinatorKind,
    /// `where p`: a `bool` bound by an earlier `map` of this or an outer level. The thunk runs only where it holds; elsewhere a `map`
    /// and a `scan` hold zero, and the others take nothing.
    pub guard: Option<ValueId>,
    /// Runs at each point of its level; its parameters are the coordinates.
    pub body: Thunk,
    /// Its place in the source.
    pub span: Span,
}

impl Combinator {
    /// The level at whose points the thunk runs.
    pub fn level(&self) -> Level {
        Level(self.body.n_params)
    }

    /// The level of the combinator's readable results; of other combinators the level of the thunk.
    pub fn result_level(&self) -> Level {
        match self.kind {
            CombinatorKind::Reduce { to, .. } => to,
            CombinatorKind::Map
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Partition { .. }
            | CombinatorKind::Permute { .. }
            | CombinatorKind::Serial { .. } => self.level(),
        }
    }

    /// Visits the results of earlier combinators that it reads: its guard and those at its own point, without offsets, and those of windows, with them.
    pub fn for_each_earlier(&self, visit: &mut dyn FnMut(ValueId, Option<&[Offset]>)) {
        self.guard.into_iter().for_each(|guard| visit(guard, None));
        self.body.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Own { bind, .. } => visit(*bind, None),
            StmtKind::Window { bind, offsets, .. } => visit(*bind, Some(offsets)),
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Read { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. }
            | StmtKind::PrivateGet { .. }
            | StmtKind::PrivateSet { .. }
            | StmtKind::Check { .. } => {}
        });
    }

    /// The results of earlier combinators that it reads: at its own point (its guard included), and through windows.
    pub fn reads(&self) -> (Vec<ValueId>, Vec<ValueId>) {
        let (mut own, mut windows) = (Vec::new(), Vec::new());
        self.for_each_earlier(&mut |bind, offsets| match offsets {
            None => own.push(bind),
            Some(_) => windows.push(bind),
        });
        (own, windows)
    }

    /// True if these indices of a read are all of the reader's coordinates, in order.
    pub fn is_own_point(&self, index: &[Index]) -> bool {
        index.len() == self.level().0 && are_own_coordinates(index)
    }
}

/// True if each index of a read is the reader's coordinate along the same axis of its space.
pub fn are_own_coordinates(index: &[Index]) -> bool {
    index.iter().enumerate().all(|(axis, index)| match index.at {
        Atom::Local(local) => local.index() == axis,
        Atom::Const(_) | Atom::Value(_) => false,
    })
}

/// Inclusive or exclusive scan: the prefix at a point includes the point's own value or not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Inclusion {
    /// The first point gets the unit.
    Exclusive,
    /// The last point gets the total.
    Inclusive,
}

/// Direction of a scan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// In index order.
    Forward,
    /// Against index order: the last point comes first. The monoid still gets the point with the lower index on its left.
    Backward,
}

described! {
    CombinatorPart, CombinatorPartMut;

    /// A kind of combinator, applied to the results `T…` that its thunk has at each of the N points of its level L.
    /// `within`/`to` is an outer level (< L); a *group* is all points below one point of it.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub enum CombinatorKind {
        /// `map { i => … }`: one value at each point, `T => T at L`. At level 0 it is written `once`. Leaves as an array over the
        /// level. Work O(N), depth O(1), plus those of the thunk.
        Map,
        /// `reduce @to { i => … } monoid`: one value for each group, `T => T at to`; the unit where a group is empty. Work O(N + groups),
        /// depth O(log N).
        Reduce {
            /// The level of the results.
            to: Level as Level,
            /// As wide as the thunk has results.
            monoid: Monoid as Monoid,
        },
        /// `scan @within { i => … } add exclusive forward`: prefixes inside each group, `T => T at L`. Work O(N), depth O(log N).
        Scan {
            /// Prefixes start afresh at each point of it.
            within: Level as Level,
            /// As wide as the thunk has results.
            monoid: Monoid as Monoid,
            /// Inclusive or exclusive.
            inclusion: Inclusion as Data,
            /// Direction of the scan.
            direction: Direction as Data,
        },
        /// `(k, ys) = filter @within where p { i => … }`: packs the points where the guard holds, in order. Binds a new shape and
        /// an array over it for each component: `k: dim` and `[k]T` at the whole; `s: seg[level]` and `[s]T` elsewhere. The guard is required.
        /// Work O(N), depth O(log N).
        Filter {
            /// Each group is packed by itself.
            within: Level as Level,
        },
        /// `(s, ys) = partition 3 @within { i => class, … }`: the first result, of type `idx`, is the class of the point; the others are
        /// split by class, in order inside each. Binds `s: seg[within…, 3]` and `[s]T`: inside each group one class after another.
        /// A class outside 0..k faults. Work O(N + groups·k), depth O(log N).
        Partition {
            /// Each group is split by itself.
            within: Level as Level,
            /// Number of classes; at least 1.
            classes: u64 as Data,
            /// The fault of a class out of range; absent where it is proved not to happen.
            site: Option<SiteId> as Site,
        },
        /// `ys = permute to [m] … { i => dest, … }`: a scatter. The thunk's first results, of type `idx`, name a point of the destination
        /// by its coordinates; the others go there. Binds `[m]T`, dense. Places not written hold the base. The result never depends on timing.
        /// Work O(N + m), depth O(log N).
        Permute {
            /// The shape of the results, made of shape parameters.
            dest: Shape as Axis,
            /// The initial contents, kept at destinations that no point writes.
            base: Base as Parts,
            /// The treatment of a destination outside the shape.
            range: Range as Parts,
            /// The treatment of several points with one destination.
            collision: Collision as Parts,
        },
        /// `(ys, r) = serial base xs { up => … }`: runs once, at level 0, and changes arrays one element after another. Each base is copied into a
        /// private array of the thunk, of the same length and under the name that stands before the arrow; these leave when the thunk has ended, as
        /// arrays of the types of the bases, and after them the thunk's results, as scalars. If the lane faults, all is zero. Nothing runs beside
        /// it. Work O(n) for bases of n elements, and that of the thunk; its depth is that of the thunk.
        Serial {
            /// Array parameters of the kernel with one axis, an extent; dense. A device may change one in place at its last use.
            bases: Vec<ValueId> as Base,
        },
    }
}

described! {
    CombinatorPart, CombinatorPartMut;

    /// Initial contents of a scatter's result.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub enum Base {
        /// `base 0`: a literal for each component.
        Fill(literals: Vec<Scalar> as Data),
        /// `base xs`: an array parameter of the kernel over the destination shape for each component. A device may update
        /// it in place at its last use.
        Arrays(bases: Vec<ValueId> as Base),
    }
}

described! {
    CombinatorPart, CombinatorPartMut;

    /// Bounds rule of a scatter: the treatment of a destination outside of its shape.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Range {
        /// `range fault`: the point faults.
        Fault(site: SiteId as Site),
        /// `range drop`: nothing is written.
        Drop,
        /// `range proved`: a pass showed that it does not happen.
        Proved,
    }
}

described! {
    CombinatorPart, CombinatorPartMut;

    /// Collision rule of a scatter: the treatment of several points with one destination.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub enum Collision {
        /// `clash proved`: it does not happen. The interpreter reports a violation as a bug.
        Proved,
        /// `clash fault`: every point but the first (in index order) of one destination faults.
        Fault(site: SiteId as Site),
        /// `clash first`: the first in index order is written.
        First,
        /// `clash last`: the last in index order is written.
        Last,
        /// `clash add`: the base and all values, in index order, are combined.
        Combine(monoid: Monoid as Monoid),
    }
}

impl CombinatorKind {
    /// The name in the text form.
    pub fn name(&self) -> &'static str {
        match self {
            CombinatorKind::Map => "map",
            CombinatorKind::Reduce { .. } => "reduce",
            CombinatorKind::Scan { .. } => "scan",
            CombinatorKind::Filter { .. } => "filter",
            CombinatorKind::Partition { .. } => "partition",
            CombinatorKind::Permute { .. } => "permute",
            CombinatorKind::Serial { .. } => "serial",
        }
    }

    /// True if combinators of the kernel may read its results.
    pub fn is_readable(&self) -> bool {
        match self {
            CombinatorKind::Map | CombinatorKind::Reduce { .. } | CombinatorKind::Scan { .. } => true,
            CombinatorKind::Filter { .. }
            | CombinatorKind::Partition { .. }
            | CombinatorKind::Permute { .. }
            | CombinatorKind::Serial { .. } => false,
        }
    }

    /// True if it binds one value for each point at which its thunk runs, and nothing else.
    pub fn keeps_points(&self) -> bool {
        match self {
            CombinatorKind::Map | CombinatorKind::Scan { .. } => true,
            CombinatorKind::Reduce { .. }
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Partition { .. }
            | CombinatorKind::Permute { .. }
            | CombinatorKind::Serial { .. } => false,
        }
    }

    /// True if it binds a new shape, and arrays over it.
    pub fn makes_shape(&self) -> bool {
        match self {
            CombinatorKind::Filter { .. } | CombinatorKind::Partition { .. } => true,
            CombinatorKind::Map
            | CombinatorKind::Reduce { .. }
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Permute { .. }
            | CombinatorKind::Serial { .. } => false,
        }
    }

    /// True if the combinator itself, its thunk aside, relies on a proof that nothing is out of range or collides.
    pub fn has_proof(&self) -> bool {
        match self {
            CombinatorKind::Permute { dest: _, base: _, range, collision } => {
                let no_clash = match collision {
                    Collision::Proved => true,
                    Collision::Fault(_) | Collision::First | Collision::Last | Collision::Combine(_) => false,
                };
                no_clash || *range == Range::Proved
            }
            CombinatorKind::Partition { within: _, classes: _, site } => site.is_none(),
            CombinatorKind::Map
            | CombinatorKind::Reduce { .. }
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Serial { .. } => false,
        }
    }
}

impl Kernel {
    /// The number of levels below the whole.
    pub fn elements(&self) -> Level {
        Level(self.space.len())
    }

    /// The combinator that binds a value, with its position in [`Kernel::steps`].
    pub fn binder(&self, value: ValueId) -> Option<(usize, &Combinator)> {
        self.steps.iter().enumerate().find(|(_, step)| step.binds.contains(&value))
    }

    /// The element type of a value; `idx` for an extent or a segmentation.
    pub fn elem(&self, value: ValueId) -> ScalarType {
        match &self.values[value.index()].ty {
            Type::Array(array) => array.elem,
            Type::Dim | Type::Seg(_) => ScalarType::Idx,
        }
    }

    /// True if two values are dense arrays of the same type, so that one fits where the other lies.
    pub fn are_alike(&self, a: ValueId, b: ValueId) -> bool {
        let ty = |value: ValueId| &self.values[value.index()].ty;
        let dense = |ty: &Type| {
            ty.as_array().is_some_and(|array| !array.shape.is_scalar() && array.placement == Placement::Dense)
        };
        ty(a) == ty(b) && dense(ty(a))
    }
}
