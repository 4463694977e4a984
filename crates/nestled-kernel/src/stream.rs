//! Streams: results that leave a nest packed or scattered (stream compaction and scatter).
//!
//! The method of each scatter is chosen here: append and move in order, write in place, or combine in privatised tables.

use crate::combinator::result_types;
use crate::monoid;
use crate::strategy::info::Info;
use nestled_ir::{
    Axis, Collision, CombinatorKind, Form as SegForm, Kernel, MonoidPart, Program, Scalar, ScalarType, Shape,
    Type, ValueId,
};

/// Maximum number of tables that the lanes of a vector use in turn, so that updates of equal places in nearby lanes need not wait for one another. The tables
/// may be one and the same.
pub const COPIES: usize = 8;

/// The description for `docs/plans.md` and tests.
pub const PLACE: Info = Info {
    word: "scatter",
    summary: "points are written where they belong, in any order",
    condition: "a permute of which no two points have one destination, into a destination shape without ragged segments",
    cost: "a scattered store for each vector",
};

/// The description for `docs/plans.md` and tests.
pub const TABLES: Info = Info {
    word: "scatter-tables",
    summary: "privatised tables: each thread combines points in up to 8 tables like the destination, which are merged at the end",
    condition: "a permute that combines by operations of which any order gives the same bits, into a destination shape without ragged segments",
    cost: "tables for each thread, filled before and merged after; saves waiting for points with one destination",
};

/// The description for `docs/plans.md` and tests.
pub const APPEND: Info = Info {
    word: "append",
    summary: "each piece compacts its points into a staging buffer; they are copied to the result when all pieces are done",
    condition: "filters, partitions, and permutes that need an order",
    cost: "what leaves is written twice; keeps the order of points",
};

/// The method by which the points of a stream leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Points are appended to buffers, in order, and moved when the piece is done.
    Append,
    /// No two points have one destination: they are written there directly.
    Place,
    /// Points are combined with the values at their destination in up to [`COPIES`] tables, in any order.
    Combine,
}

/// Chooses the method for the points of a combinator.
pub fn way(program: &Program, kernel: &Kernel, step: usize) -> Way {
    let combinator = &kernel.steps[step];
    let CombinatorKind::Permute { dest, collision, .. } = &combinator.kind else { return Way::Append };
    if axes(kernel, dest).is_none() {
        return Way::Append;
    }
    match collision {
        Collision::Proved => Way::Place,
        Collision::Combine(_) if table_parts(program, kernel, step).is_some() => Way::Combine,
        Collision::Combine(_) | Collision::Fault(_) | Collision::First | Collision::Last => Way::Append,
    }
}

/// Returns the parts of a combining scatter, with the type of each, if every part is a built-in operation whose result does not depend on the order.
pub fn table_parts(program: &Program, kernel: &Kernel, step: usize) -> Option<Vec<(MonoidPart, ScalarType)>> {
    let combinator = &kernel.steps[step];
    let CombinatorKind::Permute { collision: Collision::Combine(monoid), .. } = &combinator.kind else {
        return None;
    };
    let types = result_types(kernel, combinator);
    let types = &types[types.len() - combinator.binds.len()..];
    let exact = |(part, ty): (MonoidPart, ScalarType)| {
        let op = matches!(part, MonoidPart::Op(_)) && part.is_exact(&[ty], &program.monoids);
        op.then_some((part, ty))
    };
    if monoid.parts.len() != types.len() {
        return None;
    }
    monoid.parts.iter().copied().zip(types.iter().copied()).map(exact).collect()
}

/// Returns the initial values of tables: the identity of each component.
pub fn table_start(program: &Program, kernel: &Kernel, step: usize) -> Option<Vec<Scalar>> {
    let parts = table_parts(program, kernel, step)?;
    parts.iter().map(|&(part, ty)| Some(monoid::identity(part, &[ty])?[0])).collect()
}

/// The extent of a coordinate.
pub enum Extent {
    /// A literal.
    Literal(u64),
    /// An extent known at launch.
    Symbol(ValueId),
    /// The common length of all segments of a regular segmentation.
    Segments(ValueId),
}

/// Returns the extents of a shape; `None` if it has ragged segments.
pub fn axes(kernel: &Kernel, shape: &Shape) -> Option<Vec<Extent>> {
    let mut extents = Vec::new();
    for &axis in &shape.axes {
        match axis {
            Axis::Const(extent) => extents.push(Extent::Literal(extent)),
            Axis::Sym(symbol) => match &kernel.values[symbol.index()].ty {
                Type::Seg(seg) if seg.form == SegForm::Regular => {
                    extents.extend(axes(kernel, &seg.parent)?);
                    extents.push(Extent::Segments(symbol));
                }
                Type::Seg(_) => return None,
                Type::Dim | Type::Array(_) => extents.push(Extent::Symbol(symbol)),
            },
        }
    }
    Some(extents)
}

/// A stream: the combinator that appends to it, and the layout of its elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stream {
    /// The combinator's position in the steps of the kernel in normal form.
    pub step: usize,
    /// The type of each component: the thunk's results, in order.
    pub types: Vec<ScalarType>,
    /// The method by which its points leave.
    pub way: Way,
    /// Number of leading components that are destination indices, for points that are not appended.
    pub rank: usize,
    /// Whether the point's number is appended as one more component, an `idx`, so that a fault can be reported with it.
    pub numbered: bool,
    /// Whether groups are told apart: their ends in the stream are written to the piece's state.
    pub grouped: bool,
}

impl Stream {
    /// Returns the number of pointers to the destinations of its points.
    pub fn pointers(&self) -> usize {
        match self.way {
            Way::Append => self.types.len() + usize::from(self.numbered),
            Way::Place => self.types.len() - self.rank,
            Way::Combine => (self.types.len() - self.rank) * COPIES,
        }
    }
}

/// Returns the streams of some combinators.
pub fn streams(program: &Program, kernel: &Kernel, steps: impl Iterator<Item = usize>) -> Vec<Stream> {
    let mut streams = Vec::new();
    for step in steps {
        let kind = &kernel.steps[step].kind;
        let (numbered, grouped) = match kind {
            CombinatorKind::Filter { within } => (false, within.0 > 0),
            CombinatorKind::Partition { within, .. } => (true, within.0 > 0),
            CombinatorKind::Permute { .. } => (true, false),
            CombinatorKind::Map
            | CombinatorKind::Reduce { .. }
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Serial { .. } => continue,
        };
        let types = result_types(kernel, &kernel.steps[step]);
        let way = way(program, kernel, step);
        let rank = if way == Way::Append { 0 } else { types.len() - kernel.steps[step].binds.len() };
        streams.push(Stream { step, types, way, rank, numbered: numbered && way == Way::Append, grouped });
    }
    streams
}
